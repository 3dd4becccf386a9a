package dev.oneroof.app.demo;

/** Who wants to know how far a demo is. */
public interface DemoProgress {
    /** A step starts. */
    void step(String what);

    /** The progress of the step. */
    void at(long done, long of);

    /** A step without an end. */
    void keepOn(String what);

    /** Prints a line. */
    void say(String message);

    /** The step is done. */
    void done();
}
