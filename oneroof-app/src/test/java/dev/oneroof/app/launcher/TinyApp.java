package dev.oneroof.app.launcher;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import javax.tools.ToolProvider;

/** A jar with an app that shows what reached it. */
final class TinyApp {
    private static final String SOURCE = """
            package dev.oneroof.app;

            public class Main {
                public static void main(String[] args) throws Exception {
                    switch (args.length == 0 ? "" : args[0]) {
                        case "exit" -> System.exit(Integer.parseInt(args[1]));
                        case "stdin" -> System.in.transferTo(System.out);
                        case "cwd" -> System.out.println(java.nio.file.Path.of("").toAbsolutePath());
                        case "property" -> System.out.println(System.getProperty(args[1]));
                        case "wait" -> {
                            Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("stopped")));
                            System.out.println("ready");
                            Thread.currentThread().join();
                        }
                        default -> {
                            for (String arg : args) System.out.println("<" + arg + ">");
                        }
                    }
                }
            }
            """;

    private TinyApp() {}

    static void jar(Path jar) throws IOException {
        Path work = Files.createTempDirectory(jar.getParent(), "tiny");
        Path source = Files.writeString(work.resolve("Main.java"), SOURCE);
        int result = ToolProvider.getSystemJavaCompiler()
                .run(null, null, null, "--release", "21", "-d", work.toString(), source.toString());
        if (result != 0) {
            throw new IllegalStateException("the tiny app does not compile");
        }
        String entry = "dev/oneroof/app/Main.class";
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar))) {
            out.putNextEntry(new JarEntry(entry));
            Files.copy(work.resolve(entry), out);
        }
    }
}
