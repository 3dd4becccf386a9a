package dev.oneroof.embeddedpostgres;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Compares extracted programs with what the archive holds, file by file, before any is run. A file too many counts as well:
 * the programs load libraries from their own folder.
 *
 * <p>Hashing 59 MB costs some 0.3 s of a processor, and without the second compiler, as in short commands, 0.5 s. So what was compared once is
 * remembered by the facts of every file. The time of the last change is one of them, and nobody but the system sets it: a file
 * that was written since then, or another one in its place, differs in it.
 */
final class ProgramCheck {
    /** The clock that files are stamped with ticks every few milliseconds; what was changed in the same tick looks alike. */
    private static final Duration TICK = Duration.ofMillis(100);

    private final Trust trust;
    private final Path root;
    private final DigestStore store;

    ProgramCheck(Trust trust, Path root, DigestStore store) {
        this.trust = trust;
        this.root = root;
        this.store = store;
    }

    void compareWith(Manifest manifest) throws IOException {
        Instant begun = Instant.now();
        SortedMap<String, FileFacts> found = walk();
        String seal = seal(manifest, found);
        if (store.seal(root).filter(seal::equals).isPresent()) {
            return;
        }
        compare(manifest, found);
        long settled = TimeUnit.SECONDS.toNanos(begun.getEpochSecond()) + begun.getNano() - TICK.toNanos();
        if (found.values().stream().allMatch(facts -> facts.changedNanos() < settled)) {
            store.keepSeal(root, seal);
        }
    }

    private SortedMap<String, FileFacts> walk() throws IOException {
        Set<Integer> owners = Set.copyOf(List.of(Trust.caller(), 0));
        SortedMap<String, FileFacts> found = new TreeMap<>();
        trust.requireOwnedBy(owners, root);
        try (Stream<Path> files = Files.walk(root)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                FileFacts facts = FileFacts.of(file);
                if (!facts.isLink()) {
                    trust.requireOwnedBy(owners, file, facts);
                }
                found.put(root.relativize(file).toString(), facts);
            }
        }
        return found;
    }

    /** Also of the manifest: another archive makes other demands on the same files. */
    private static String seal(Manifest manifest, Map<String, FileFacts> found) {
        StringBuilder text = new StringBuilder(manifest.asText());
        found.forEach((path, facts) -> {
            text.append('\n').append(path).append(' ');
            facts.writeTo(text);
        });
        return HexFormat.of().formatHex(Manifest.sha256().digest(text.toString().getBytes(StandardCharsets.UTF_8)));
    }

    private void compare(Manifest manifest, SortedMap<String, FileFacts> found) throws IOException {
        for (Map.Entry<String, Manifest.Entry> wanted : manifest.entries().entrySet()) {
            if (!wanted.getValue().equals(entry(wanted.getKey(), found.get(wanted.getKey())))) {
                throw differs(root.resolve(wanted.getKey()), "is not what the archive holds");
            }
        }
        for (String path : found.keySet()) {
            if (!path.isEmpty() && !manifest.entries().containsKey(path)) {
                throw differs(root.resolve(path), "is not in the archive");
            }
        }
    }

    private Manifest.@Nullable Entry entry(String path, @Nullable FileFacts facts) throws IOException {
        Path file = root.resolve(path);
        if (facts == null) {
            return null;
        }
        if (facts.isDirectory()) {
            return new Manifest.Folder();
        }
        if (facts.isLink()) {
            return new Manifest.Link(Objects.toString(Files.readSymbolicLink(file)));
        }
        // Anything else, a pipe for one, could keep the reader waiting.
        return facts.isRegular() ? new Manifest.Content(Manifest.digest(file)) : null;
    }

    private RuntimeException differs(Path file, String how) {
        return trust.refused(
                "%s %s, so no program in %s is run".formatted(file, how, root),
                "Remove %s to have the programs extracted again".formatted(root));
    }
}
