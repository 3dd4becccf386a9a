package dev.oneroof.app.launcher;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A JDK of any version, made of shell scripts. Its java prints which one it is and what it was asked to do. */
final class FakeJdk {
    private static final String JAVA = """
            #!/usr/bin/env bash
            home=${0%/bin/java}
            case " $* " in
              *' -XX:ArchiveClassesAtExit='*) exit 0 ;;
              *' -XshowSettings:properties '*)
                if [ -e "$home/settings" ]; then while IFS= read -r line; do echo "$line" >&2; done <"$home/settings"; fi
                exit 0 ;;
            esac
            { true >&9; } 2>/dev/null && echo 'holds the lock'
            echo "java at $home"
            echo "options: $*"
            """;

    private FakeJdk() {}

    /** @param version as the release file tells it, for example {@code 25.0.1+8-LTS} */
    static Path jdk(Path home, String version) throws IOException {
        jre(home, version);
        Shell.script(home.resolve("bin/javac"), "#!/bin/sh\n");
        return home;
    }

    static Path jre(Path home, String version) throws IOException {
        bare(home);
        Files.writeString(home.resolve("release"), """
                IMPLEMENTOR="Nobody"
                JAVA_RUNTIME_VERSION="%s"
                JAVA_VERSION="%s"
                MODULES="java.base"
                """.formatted(version, version.replaceFirst("[-+].*", "")));
        return home;
    }

    /** Without a release file, as the shim of a version manager is: it has to be asked, and names the home behind it. */
    static Path shim(Path home, Path realHome, String version) throws IOException {
        bare(home);
        Files.writeString(
                home.resolve("settings"), """
                Property settings:
                    file.encoding = UTF-8
                    java.home = %s
                    java.runtime.version = %s
                    java.version = %s
                """.formatted(realHome, version, version.replaceFirst("[-+].*", "")));
        return home;
    }

    /** Says nothing about itself at all. */
    static Path bare(Path home) throws IOException {
        Files.createDirectories(home.resolve("bin"));
        Shell.script(home.resolve("bin/java"), JAVA);
        return home;
    }
}
