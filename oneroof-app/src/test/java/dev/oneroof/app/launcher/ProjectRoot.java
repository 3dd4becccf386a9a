package dev.oneroof.app.launcher;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * A project root in miniature, in a folder with spaces in its name: the real scripts, a source file for the app
 * and one for the benches, and a Maven that only notes its calls and puts a small app where the real one would. The scripts see no program but those they are meant
 * to need, so that neither the Java nor the Maven of this machine is found by accident.
 */
final class ProjectRoot implements AutoCloseable {
    /** All that the scripts may use beside bash itself, a Java and Maven. */
    private static final List<String> TOOLS = List.of(
            "awk",
            "bash",
            "cp",
            "dirname",
            "env",
            "find",
            "flock",
            "mkdir",
            "mv",
            "perl",
            "readlink",
            "rm",
            "sleep",
            "tail");

    /** Holds while the file "hold" is there, fails when "fail" is; "reports" are what its tests would have reported. */
    private static final String MAVEN = """
            #!/usr/bin/env bash
            { true >&9; } 2>/dev/null && lock=', holds the lock'
            echo "$*, JAVA_HOME=$JAVA_HOME, in $PWD${lock:-}" >>"$FAKES/calls"
            echo 'talk of Maven'
            while [ -e "$FAKES/hold" ]; do sleep 0.05; done
            if [ -d "$FAKES/reports" ]; then mkdir -p oneroof-app/target && cp -R "$FAKES/reports" oneroof-app/target/surefire-reports; fi
            if [ -e "$FAKES/fail" ]; then echo 'cannot find symbol: roof' && exit 1; fi
            rm -rf oneroof-app/target/app
            mkdir -p oneroof-app/target/app/lib
            cp "$FAKES/app.jar" oneroof-app/target/app/lib/
            case "$*" in *'-pl oneroof-app'*) exit ;; esac
            rm -rf oneroof-bench/target/bench
            mkdir -p oneroof-bench/target/bench/lib
            cp "$FAKES/app.jar" oneroof-bench/target/bench/lib/
            """;

    private final Path base;
    private final Path fakes;
    private final Path bin;
    private final Map<String, String> environment = new HashMap<>();

    private ProjectRoot(Path base) {
        this.base = base;
        this.fakes = base.resolve("fakes");
        this.bin = base.resolve("bin");
    }

    static ProjectRoot in(Path temp) throws IOException {
        ProjectRoot root = new ProjectRoot(temp.toRealPath());
        Files.createDirectories(root.fakes);
        Files.createDirectories(root.bin);
        Files.createDirectories(root.home());
        Files.createDirectories(root.elsewhere());
        root.copyScripts();
        root.write("pom.xml", "<project/>");
        root.write("oneroof-app/pom.xml", "<project/>");
        root.write("oneroof-app/src/main/java/App.java", "class App {}");
        root.write("oneroof-app/src/test/java/AppTest.java", "class AppTest {}");
        root.write("oneroof-bench/pom.xml", "<project/>");
        root.write("oneroof-bench/src/main/java/Bench.java", "class Bench {}");
        for (String tool : TOOLS) {
            root.linkTool(tool);
        }
        Shell.script(root.bin.resolve("mvn"), MAVEN);
        Files.writeString(root.fakes.resolve("app.jar"), "not opened by a fake Java");
        root.set("PATH", root.bin.toString());
        root.set("HOME", root.home().toString());
        root.set("FAKES", root.fakes.toString());
        root.set("ONEROOF_JDK_DIRS", root.jdks().toString());
        return root;
    }

    private void copyScripts() throws IOException {
        Path original = Path.of(System.getProperty("oneroof.test.root", ".."));
        Files.createDirectories(dir());
        for (String name : List.of("oneroof", "check", "scripts")) {
            Shell.command("cp", "-R", original.resolve(name).toString(), dir().toString());
        }
    }

    private void linkTool(String tool) throws IOException {
        for (String folder : System.getenv("PATH").split(File.pathSeparator, -1)) {
            Path program = Path.of(folder, tool);
            if (Files.isExecutable(program)) {
                Files.createSymbolicLink(bin.resolve(tool), program);
                return;
            }
        }
    }

    /** JUnit would warn about each link that leads out of the temporary folder. */
    @Override
    public void close() throws IOException {
        for (String tool : TOOLS) {
            Files.deleteIfExists(bin.resolve(tool));
        }
    }

    Path dir() {
        return base.resolve("project root");
    }

    /** A folder that is neither the root nor inside it; what runs starts from there. */
    Path elsewhere() {
        return base.resolve("some where else");
    }

    Path home() {
        return base.resolve("home");
    }

    /** The one folder that is searched for JDKs. */
    Path jdks() {
        return base.resolve("usual place");
    }

    Path bin() {
        return bin;
    }

    Path base() {
        return base;
    }

    Path built() {
        return dir().resolve("oneroof-app/target/app/.built");
    }

    ProjectRoot set(String name, String value) {
        environment.put(name, value);
        return this;
    }

    /** From here on, each build produces an app that a real JDK can run. */
    ProjectRoot withRealApp() throws IOException {
        TinyApp.jar(fakes.resolve("app.jar"));
        return set("ONEROOF_JAVA_HOME", System.getProperty("java.home"));
    }

    void write(String path, String text) throws IOException {
        Path file = dir().resolve(path);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    void report(String name, String text) throws IOException {
        Files.createDirectories(fakes.resolve("reports"));
        Files.writeString(fakes.resolve("reports").resolve(name), text);
    }

    /** An edit as the clock would see it some time after the last build; real time is too coarse for that in a test. */
    void edit(String path) throws IOException {
        touch(dir().resolve(path));
    }

    /** An edit that is older than anything written after this returns. */
    void editNow(String path) throws IOException {
        long now = System.currentTimeMillis();
        Files.setLastModifiedTime(dir().resolve(path), FileTime.fromMillis(now));
        // The times of files come from a clock that ticks every few milliseconds.
        Shell.await("the clock ticks", () -> System.currentTimeMillis() > now + 50);
    }

    void delete(String path) throws IOException {
        Files.delete(dir().resolve(path));
        touch(dir().resolve(path).resolveSibling(""));
    }

    void add(String path) throws IOException {
        write(path, "");
        touch(dir().resolve(path).resolveSibling(""));
    }

    private static void touch(Path path) throws IOException {
        Files.setLastModifiedTime(path, FileTime.fromMillis(System.currentTimeMillis() + 5_000));
    }

    void holdMaven() throws IOException {
        Files.createFile(fakes.resolve("hold"));
    }

    void releaseMaven() throws IOException {
        Files.delete(fakes.resolve("hold"));
    }

    void failMaven(boolean fails) throws IOException {
        if (fails) {
            Files.createFile(fakes.resolve("fail"));
        } else {
            Files.delete(fakes.resolve("fail"));
        }
    }

    List<String> mavenCalls() throws IOException {
        Path calls = fakes.resolve("calls");
        return Files.exists(calls) ? Files.readAllLines(calls) : List.of();
    }

    void awaitMaven() {
        Shell.await("Maven was called", () -> Files.exists(fakes.resolve("calls")));
    }

    /** Every file and folder of the root with its time: equal before and after means that nothing was written. */
    Map<String, FileTime> contents() throws IOException {
        Map<String, FileTime> contents = new TreeMap<>();
        try (Stream<Path> paths = Files.walk(dir())) {
            for (Path path : paths.toList()) {
                contents.put(dir().relativize(path).toString(), Files.getLastModifiedTime(path));
            }
        }
        return contents;
    }

    Ran oneroof(String... args) throws IOException, InterruptedException {
        return run(dir().resolve("oneroof"), args);
    }

    Ran run(Path program, String... args) throws IOException, InterruptedException {
        return Ran.finished(start(program, args));
    }

    Process start(Path program, String... args) throws IOException {
        List<String> command = new ArrayList<>(List.of(program.toString()));
        command.addAll(List.of(args));
        ProcessBuilder builder =
                new ProcessBuilder(command).directory(elsewhere().toFile());
        builder.environment().clear();
        builder.environment().putAll(environment);
        return builder.start();
    }
}
