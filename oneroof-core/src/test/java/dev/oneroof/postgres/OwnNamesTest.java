package dev.oneroof.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.oneroof.core.OneRoof;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.server.TestDatabase;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** OneRoof's own statements under another schema name. */
@OneRoofTest
class OwnNamesTest {
    private static final SchemaName R2 = new SchemaName("r2");
    private static final Pattern OWN = Pattern.compile("(?<![\\w.])oneroof\\.(\\w+)");

    private static final String OBJECTS = """
            SELECT relname FROM pg_catalog.pg_class WHERE relnamespace = 'oneroof'::regnamespace
            UNION SELECT proname FROM pg_catalog.pg_proc WHERE pronamespace = 'oneroof'::regnamespace
            UNION SELECT typname FROM pg_catalog.pg_type WHERE typnamespace = 'oneroof'::regnamespace AND typelem = 0
            """;

    @ParameterizedTest
    @CsvSource(delimiter = '%', quoteCharacter = '~', textBlock = """
            SELECT oneroof.fn_x(a), b FROM oneroof.t JOIN x.oneroof.t  % SELECT "r2".fn_x(a), b FROM "r2".t JOIN x.oneroof.t
            oneroof.brand_new                                         % "r2".brand_new
            nextval('oneroof.a_seq'::regclass)                        % nextval('"r2".a_seq'::regclass)
            (oneroof.t.*, $1, 1e5, e'\\'' || oneroof.t.c)             % ("r2".t.*, $1, 1e5, e'\\'' || "r2".t.c)
            'it''s' || oneroof.f() || "a""b" -- x                     % 'it''s' || "r2".f() || "a""b" -- x
            '\\' || oneroof.f()                                       % '\\' || "r2".f()
            E'a''\\' oneroof.t ' || oneroof.t                         % E'a''\\' oneroof.t ' || "r2".t
            'a''oneroof.t'::regclass, oneroof.t                       % 'a''oneroof.t'::regclass, "r2".t
            /* a /* b */ c */ oneroof.t                               % /* a /* b */ c */ "r2".t
            $$ a $$ || $b$ $$ $b$ || oneroof.t                        % $$ a $$ || $b$ $$ $b$ || "r2".t
            ~-- oneroof.a
            oneroof.b~                                                % ~-- oneroof.a
            "r2".b~
            """)
    void turnsEveryName(String written, String sent) {
        assertThat(R2.applyTo(written)).isEqualTo(sent);
        assertThat(SchemaName.DEFAULT.applyTo(written)).isEqualTo(written);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "source_system = 'oneroof.event_bridge'",
                "nextval('oneroof.a_seq')",
                "'it''s oneroof.job_queue'",
                "E'\\' oneroof.job_queue \\' oneroof.v_x'",
                "\"oneroof.queue_x\" > 0",
                "\"oneroof\".gov_x",
                "\"a\"\" oneroof.t\"",
                "$$ oneroof.t $$",
                "$a$ $$ oneroof.t $$ $b$ oneroof.t $a$",
                "/* oneroof.t /* oneroof.t */ oneroof.t */",
                "-- oneroof.t",
                "an_oneroof.t, oneroof_demo.t, oneroof$.t, other.oneroof.t, oneroof, :oneroof",
                "'oneroof.t'::text, 'oneroof.t x'::regclass",
                "'never closed oneroof.t",
                "$a$ never closed oneroof.t",
                "/* never closed oneroof.t"
            })
    void leavesAllElse(String text) {
        assertThat(R2.applyTo(text)).isEqualTo(text);
    }

    /** There is no list of names, so none can be forgotten; but each must be one that is found without quotes. */
    @Test
    void turnsTheNameOfWhateverIsInTheSchema(TestDatabase database) {
        List<String> objects = database.list(row -> row.getString(1), OBJECTS);

        assertThat(objects).hasSizeGreaterThan(100).allSatisfy(name -> {
            assertThat(name).as("needs no quotes in a statement").matches("[a-z_][a-z0-9_$]*");
            assertThat(R2.applyTo("SELECT oneroof." + name + ", 1")).isEqualTo("SELECT \"r2\"." + name + ", 1");
            assertThat(R2.applyTo("'oneroof." + name + "'::regclass")).isEqualTo("'\"r2\"." + name + "'::regclass");
        });
    }

    /** A name in a literal without its cast would be that of the default schema under any configuration. */
    @Test
    void findsEveryNameThatTheProgramHasInTheSchema(TestDatabase database) throws Exception {
        Set<String> known = new HashSet<>(database.list(row -> row.getString(1), OBJECTS));
        Map<String, String> named = new HashMap<>();
        Set<String> left = new TreeSet<>();
        for (String text : texts()) {
            OWN.matcher(text).results().forEach(name -> named.put(name.group(1), text));
            Matcher still = OWN.matcher(R2.applyTo(text));
            if (still.find()) {
                left.add(text);
            }
        }

        assertThat(named).hasSizeGreaterThan(50);
        assertThat(named.keySet())
                .as("names in statements that the schema has not")
                .isSubsetOf(known);
        assertThat(left)
                .as("statements with a name of OneRoof in a literal; write it as 'oneroof.name'::regclass")
                .isEmpty();
    }

    /** The string constants of all classes of this module and of the one below. */
    private static Set<String> texts() throws Exception {
        Set<String> texts = new HashSet<>();
        for (Class<?> one : List.of(OneRoof.class, Tx.class)) {
            Path classes = Path.of(
                    one.getProtectionDomain().getCodeSource().getLocation().toURI());
            try (Stream<Path> files = Files.walk(classes)) {
                for (Path file :
                        files.filter(path -> path.toString().endsWith(".class")).toList()) {
                    texts.addAll(constants(file));
                }
            }
        }
        return texts;
    }

    private static Set<String> constants(Path file) throws IOException {
        Map<Integer, String> texts = new HashMap<>();
        Set<Integer> strings = new HashSet<>();
        try (DataInputStream in = new DataInputStream(Files.newInputStream(file))) {
            in.skipNBytes(8);
            int count = in.readUnsignedShort();
            for (int i = 1; i < count; i++) {
                int tag = in.readUnsignedByte();
                switch (tag) {
                    case 1 -> texts.put(i, in.readUTF());
                    case 8 -> strings.add(in.readUnsignedShort());
                    case 7, 16, 19, 20 -> in.skipNBytes(2);
                    case 15 -> in.skipNBytes(3);
                    case 5, 6 -> {
                        in.skipNBytes(8);
                        i++;
                    }
                    default -> in.skipNBytes(4);
                }
            }
        }
        texts.keySet().retainAll(strings);
        return new HashSet<>(texts.values());
    }
}
