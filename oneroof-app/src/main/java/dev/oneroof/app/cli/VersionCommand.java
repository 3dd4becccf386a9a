package dev.oneroof.app.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(name = "version", description = "Print the versions of OneRoof and of the Java it runs on.")
final class VersionCommand implements Runnable {
    record Answer(String version, String java) {}

    @Mixin
    private final Output output = new Output();

    @Override
    public void run() {
        Answer answer = new Answer(Version.number(), System.getProperty("java.version"));
        output.answer(answer, () -> output.print("oneroof %s (Java %s)".formatted(answer.version(), answer.java())));
    }
}
