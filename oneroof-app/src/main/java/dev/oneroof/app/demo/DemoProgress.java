package dev.oneroof.app.demo;

/** Who wants to know how far a demo is. */
public interface DemoProgress {
    /** A step began. */
    void step(String what);

    /** So much of it is done. */
    void at(long done, long of);

    /** From here on there is no end to come nearer to. */
    void keepOn(String what);

    /** Something worth a line. */
    void say(String message);

    /** The step is through. */
    void done();
}
