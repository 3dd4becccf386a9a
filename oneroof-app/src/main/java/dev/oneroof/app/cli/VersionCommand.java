package dev.oneroof.app.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(name = "version", description = "Prints the version of OneRoof and of the Java it runs on.")
final class VersionCommand implements Runnable {
    record Answer(String version, String java) {}

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @Override
    public void run() {
        Answer answer = new Answer(Version.number(), System.getProperty("java.version"));
        if (json) {
            Console.printJson(answer);
        } else {
            Console.print("oneroof %s (Java %s)".formatted(answer.version(), answer.java()));
        }
    }
}
