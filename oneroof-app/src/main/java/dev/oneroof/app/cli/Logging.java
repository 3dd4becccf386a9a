package dev.oneroof.app.cli;

/** How log lines are written. To be called before the first of them. */
final class Logging {
    private Logging() {}

    /** A server logs what it does; other commands only what goes wrong. */
    static void forServer(boolean json) {
        System.setProperty("oneroof.log.level", "INFO");
        System.setProperty("oneroof.log.format", json ? "json" : "text");
    }
}
