package dev.oneroof.app.cli;

import picocli.CommandLine.IVersionProvider;

/** The version, as the build wrote it into the jar. */
final class Version implements IVersionProvider {
    static String number() {
        String version = Version.class.getPackage().getImplementationVersion();
        return version == null ? "unpackaged" : version;
    }

    @Override
    public String[] getVersion() {
        return new String[] {"oneroof " + number()};
    }
}
