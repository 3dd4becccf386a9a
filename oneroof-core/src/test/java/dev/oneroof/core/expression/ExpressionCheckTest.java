package dev.oneroof.core.expression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.oneroof.postgres.Database;
import dev.oneroof.postgres.SchemaName;
import dev.oneroof.postgres.error.ErrorCode;
import dev.oneroof.postgres.error.OneRoofException;
import dev.oneroof.testkit.OnEveryServer;
import dev.oneroof.testkit.OneRoofTest;
import dev.oneroof.testkit.server.TestDatabase;
import java.util.LinkedHashMap;
import java.util.Map;
import org.assertj.core.api.SoftAssertions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@OneRoofTest
class ExpressionCheckTest {
    private static final String INSTEAD = "do something else";

    @BeforeEach
    void aTable(TestDatabase database) {
        database.run("CREATE TYPE public.mood AS ENUM ('glad', 'sad')");
        database.run("CREATE DOMAIN public.code AS text CHECK (length(VALUE) < 9)");
        database.run("CREATE DOMAIN public.flag AS boolean");
        database.run("CREATE DOMAIN public.blob AS bytea");
        database.run("CREATE FUNCTION public.odd(n int) RETURNS boolean LANGUAGE sql IMMUTABLE RETURN n % 2 = 1");
        database.run("CREATE FUNCTION public.same(a int, b int) RETURNS boolean LANGUAGE sql IMMUTABLE RETURN a = b");
        database.run("CREATE OPERATOR public.=== (LEFTARG = int, RIGHTARG = int, FUNCTION = public.same)");
        database.run("CREATE FUNCTION public.mood_of(n int) RETURNS public.mood LANGUAGE sql IMMUTABLE"
                + " RETURN CASE WHEN n > 0 THEN 'glad'::public.mood ELSE 'sad'::public.mood END");
        database.run("CREATE CAST (int AS public.mood) WITH FUNCTION public.mood_of(int)");
        database.run("CREATE TABLE public.other (id int)");
        database.run("""
                CREATE TABLE public."Odd table" (
                    id int PRIMARY KEY,
                    gone int,
                    born_at timestamptz DEFAULT now(),
                    local_at timestamp,
                    day date,
                    "the ""Kind"" x" text COLLATE "C",
                    doc jsonb,
                    tags text[],
                    mood public.mood,
                    code public.code,
                    flag public.flag,
                    bytes bytea,
                    blob public.blob,
                    share float8,
                    part float4,
                    shares float8[],
                    price money,
                    span interval,
                    place point,
                    twice int GENERATED ALWAYS AS (id * 2) STORED)
                """);
        database.run("ALTER TABLE public.\"Odd table\" DROP COLUMN gone");
    }

    @OnEveryServer
    void takesWhatOnlyTheRowDecides(TestDatabase database) {
        Map<String, String> good = new LinkedHashMap<>();
        good.put("id > 3 AND \"the \"\"Kind\"\" x\" = 'a;b--/*'", "boolean");
        good.put("twice < 8", "boolean");
        good.put("\"Odd table\".id = 1", "boolean");
        good.put("mood = 'glad'", "boolean");
        good.put("mood IN ('glad', 'sad') AND code LIKE 'a%'", "boolean");
        good.put("flag", "boolean");
        good.put("code", "text");
        good.put("mood", "public.mood");
        good.put("mood = 'glad'::public.mood", "boolean");
        good.put("born_at > '2026-01-31 09:30:00+00'", "boolean");
        good.put("born_at > timestamptz '2026-01-31 09:30:00 Europe/Berlin'", "boolean");
        good.put("born_at < 'infinity'", "boolean");
        good.put("local_at >= '2026-01-31' AND day <> '2026-02-01'", "boolean");
        good.put("local_at > day + interval '1 hour'", "boolean");
        good.put("(born_at AT TIME ZONE 'UTC')::date = '2026-01-31'", "boolean");
        good.put("doc ->> 'a' IS NOT NULL AND jsonb_exists(doc, 'now')", "boolean");
        good.put("\"the \"\"Kind\"\" x\" = 'now' OR \"the \"\"Kind\"\" x\" IN ('today', 'yesterday')", "boolean");
        good.put("tags && '{now,\"x\"}'", "boolean");
        good.put("'x' = ANY (tags)", "boolean");
        good.put("lower(\"the \"\"Kind\"\" x\" COLLATE \"C\") < 'm'", "boolean");
        good.put("CASE WHEN id > 1 THEN coalesce(code, 'x') ELSE id::text END", "text");
        good.put("md5(id::text)", "text");
        good.put("id + 1", "integer");
        good.put("encode(bytes, 'hex') = '00ff' AND bytes <> '\\x00'", "boolean");
        good.put("share::numeric::text = '0.1' AND share = 0.1 AND part < 1", "boolean");
        good.put("extract(epoch FROM span)::int::text = '60' AND span > '1 minute'", "boolean");
        good.put("'x'::text = ANY (tags) AND (shares[1] > 1 OR share IS NULL)", "boolean");
        good.put("\"the \"\"Kind\"\" x\" LIKE 'a\\_b%' OR code LIKE E'it\\'s'", "boolean");
        SoftAssertions all = new SoftAssertions();
        good.forEach((text, type) -> all.assertThatCode(
                        () -> assertThat(demand(database, text, null)).isEqualTo(type))
                .as(text)
                .doesNotThrowAnyException());
        all.assertAll();
        assertThat(left(database)).isZero();
    }

    @OnEveryServer
    void refusesWhatDependsOnMoreThanTheRow(TestDatabase database) {
        Map<String, String> bad = new LinkedHashMap<>();
        bad.put("EXISTS (SELECT FROM public.other o WHERE o.id = id)", INSTEAD);
        bad.put("id IN (SELECT id FROM public.other)", INSTEAD);
        bad.put("(VALUES (true))", INSTEAD);
        bad.put("id = (TABLE public.other)", INSTEAD);
        bad.put("born_at < now() - interval '1 hour'", INSTEAD);
        bad.put("born_at < CURRENT_TIMESTAMP", INSTEAD);
        bad.put("day = CURRENT_DATE", INSTEAD);
        bad.put("random() < 0.5", INSTEAD);
        bad.put("clock_timestamp() > born_at", INSTEAD);
        bad.put("current_setting('app.x', true) = 'y'", INSTEAD);
        bad.put("current_user = 'ann'", INSTEAD);
        bad.put("born_at::text LIKE '2026%'", INSTEAD);
        bad.put("born_at::date = '2026-01-31'", INSTEAD);
        bad.put("\"the \"\"Kind\"\" x\"::timestamptz > born_at", INSTEAD);
        bad.put("to_char(born_at, 'HH') = '09'", INSTEAD);
        bad.put("born_at > local_at", INSTEAD);
        bad.put("mood::text = 'glad'", INSTEAD);
        bad.put("count(*) > 1", INSTEAD);
        bad.put("row_number() OVER () > 1", INSTEAD);
        bad.put("generate_series(1, 2) = 1", INSTEAD);
        bad.put("ctid = '(0,1)'", INSTEAD);
        bad.put("xmin::text = '7'", INSTEAD);
        bad.put("tableoid = 7", INSTEAD);
        bad.put("tableoid = 'public.other'::regclass", INSTEAD);
        bad.put("\"Odd table\" IS NOT NULL", INSTEAD);
        bad.put("\"Odd table\"::text = 'x'", INSTEAD);
        bad.put("public.odd(id)", "public.odd(integer), which is user-defined (not in pg_catalog)");
        bad.put("id OPERATOR(public.===) 3", "which is user-defined");
        bad.put("id === 3", "which is user-defined");
        bad.put("id::public.mood = 'glad'", "public.mood_of(integer), which is user-defined");
        bad.put("id::text::public.code = 'x'", "public.code, which is user-defined");
        bad.put("born_at > 'now'", "it holds 'now'");
        bad.put("born_at > timestamptz ' NOW '", "it holds 'now'");
        bad.put("born_at = ANY ('{2026-01-31 00:00:00+00,now}')", "it holds 'now'");
        bad.put("born_at <@ tstzrange '[2026-01-31 00:00:00+00,now)'", "it holds 'now'");
        bad.put("born_at > U&'\\006eow'", "it holds 'now'");
        bad.put("born_at > 'today'", "means something else in another session");
        bad.put("day = 'yesterday'", "means something else in another session");
        bad.put("local_at < 'now'", "means something else in another session");
        bad.put("local_at::time < 'now'", "means something else in another session");
        bad.put("born_at > '2026-01-31'", "write times with their zone");
        bad.put("day > '01/02/2026'", "means something else in another session");
        bad.put("mood = 'glad'::mood", "write them with their schema");
        SoftAssertions all = new SoftAssertions();
        bad.forEach((text, told) -> all.assertThatThrownBy(() -> demand(database, text, null))
                .as(text)
                .isInstanceOfSatisfying(
                        OneRoofException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_INPUT))
                .hasMessageStartingWith("thing: '" + text + "' is not allowed: ")
                .hasMessageContaining(told));
        all.assertAll();
        assertThat(left(database)).isZero();
    }

    /** {@code bytea_output}, {@code extra_float_digits} and their like. */
    @OnEveryServer
    void refusesTextWhoseFormIsASettingOfTheSession(TestDatabase database) {
        Map<String, String> bad = new LinkedHashMap<>();
        bad.put("bytes::text = 'a'", "it turns bytea into text");
        bad.put("CAST(blob AS varchar(5)) = 'a'", "it turns public.blob into text");
        bad.put("share::text = '0.1'", "it turns double precision into text");
        bad.put("part::text = '0.1'", "it turns real into text");
        bad.put("coalesce(share, part)::text = '0.1'", "it turns double precision into text");
        bad.put("(shares[1])::text = '0.1'", "it turns double precision into text");
        bad.put("(id > 1 OR (CASE WHEN id = 1 THEN share END)::text = '1')", "it turns double precision into text");
        bad.put("(place[0])::text = '0.1'", "it turns double precision into text");
        bad.put("place::text = '(0.1,0)'", "it turns point into text");
        bad.put("span::text = '1 day'", INSTEAD);
        bad.put("shares::text[] = '{0.1}'", INSTEAD);
        bad.put("shares::text = '{0.1}'", INSTEAD);
        bad.put("price::text = '$1.00'", INSTEAD);
        bad.put("ROW(share)::text = '(0.1)'", INSTEAD);
        bad.put("'x' || share = 'x0.1'", INSTEAD);
        bad.put("share || 'x' = '0.1x'", INSTEAD);
        bad.put("'x'::text || bytes = 'x'", INSTEAD);
        bad.put("quote_literal(share) = '0.1'", INSTEAD);
        bad.put("quote_nullable(bytes) = '0.1'", INSTEAD);
        bad.put("concat('x', share) = 'x0.1'", INSTEAD);
        bad.put("format('%s', share) = '0.1'", INSTEAD);
        bad.put("xmlelement(name a, price)::text = 'x'", "xmlelement");
        bad.put("xmlforest(bytes)::text = 'x'", "xmlelement");
        if (database.value(Integer.class, "SELECT current_setting('server_version_num')::int") >= 170000) {
            bad.put("JSON_ARRAY(share RETURNING text) = '[0.1]'", "it turns double precision into text");
            bad.put("JSON_SERIALIZE(JSON_SCALAR(bytes)) = '0.1'", "it turns bytea into text");
        }
        SoftAssertions all = new SoftAssertions();
        bad.forEach((text, told) -> all.assertThatThrownBy(() -> demand(database, text, null))
                .as(text)
                .isInstanceOfSatisfying(
                        OneRoofException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_INPUT))
                .hasMessageStartingWith("thing: '" + text + "' is not allowed: ")
                .hasMessageContaining(told)
                .hasMessageContaining(INSTEAD));
        all.assertAll();
        assertThat(left(database)).isZero();
    }

    @OnEveryServer
    void refusesTextThatIsNoExpression(TestDatabase database) {
        Map<String, String> bad = new LinkedHashMap<>();
        bad.put(" ", "it is empty");
        bad.put("true) OR (true", "closes a parenthesis that it has not opened");
        bad.put("1=1) STORED, ADD COLUMN x int --", "closes a parenthesis that it has not opened");
        bad.put("true; DROP TABLE public.other", "without ';'");
        bad.put("(true", "a parenthesis is not closed");
        bad.put("id > 1 --", "comments");
        bad.put("id > 1 /* x */", "comments");
        bad.put("'x", "a quote is not closed");
        bad.put("\"x", "a quote is not closed");
        bad.put("code = $$x$$", "'$'");
        bad.put("id > $1", "'$'");
        bad.put("id > :least", "a colon is taken for a parameter");
        bad.put("doc ? 'a'", "'?' is taken for parameters");
        bad.put("id = ?", "'?' is taken for parameters");
        bad.put("code = 'a\\'", "a backslash stands before a closing quote");
        bad.put("code = E'a\\\\'", "a backslash stands before a closing quote");
        bad.put("id = 1\u0000", "control characters");
        bad.put("{fn now()} > born_at", "the server says: syntax error");
        bad.put("colour = 1", "the server says: column \"colour\" does not exist");
        bad.put("gone = 1", "the server says: column \"gone\" does not exist");
        bad.put("id = 'many'", "the server says: invalid input syntax for type integer");
        bad.put("id >", "the server says: syntax error");
        bad.put("true, false", "the server says");
        bad.put("x".repeat(4001), "it has 4001 characters; allowed are up to 4000");
        SoftAssertions all = new SoftAssertions();
        bad.forEach((text, told) -> all.assertThatThrownBy(() -> demand(database, text, null))
                .as(text)
                .isInstanceOfSatisfying(
                        OneRoofException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_INPUT))
                .hasMessageContaining(told));
        all.assertThatThrownBy(() -> demand(database, "id + 1", "boolean"))
                .hasMessageContaining("it gives integer and must give boolean");
        all.assertAll();
        assertThat(left(database)).isZero();
    }

    /** Also where the session's own zone is the one that the constant was meant in. */
    @Test
    void leavesTheSessionAndTheTransactionAsTheyWere(TestDatabase database) {
        Database db = db(database);
        db.useTx(tx -> {
            String before = settings(tx);
            assertThatThrownBy(() -> new ExpressionCheck().demand(tx, expression("id > now()", null)))
                    .isInstanceOf(OneRoofException.class);
            new ExpressionCheck().demand(tx, expression("id > 1", "boolean"));
            assertThat(settings(tx)).isEqualTo(before);
            tx.update("INSERT INTO public.other VALUES (1)").execute();
        });
        assertThat(database.value(Long.class, "SELECT count(*) FROM public.other"))
                .isOne();
        assertThat(left(database)).isZero();
    }

    @Test
    void saysWhichPrivilegeTheTrialNeeds(TestDatabase database) {
        database.run("GRANT SELECT ON public.\"Odd table\" TO oneroof_viewer");
        database.run(
                "DO $$ BEGIN EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database()); END $$");

        assertThatThrownBy(() -> db(database).useTx(tx -> {
                    tx.update("SET LOCAL ROLE oneroof_viewer").execute();
                    new ExpressionCheck().demand(tx, expression("id > 1", "boolean"));
                }))
                .isInstanceOfSatisfying(
                        OneRoofException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.PRIVILEGE_MISSING))
                .hasMessageContaining("GRANT TEMPORARY ON DATABASE")
                .hasMessageContaining("TO oneroof_viewer");
    }

    private static String settings(dev.oneroof.postgres.Tx tx) {
        return tx.query("SELECT concat_ws('|', current_setting('TimeZone'), current_setting('DateStyle'),"
                        + " current_setting('IntervalStyle'), current_setting('search_path'))")
                .mapTo(String.class)
                .one();
    }

    private static long left(TestDatabase database) {
        return database.value(Long.class, "SELECT count(*) FROM pg_class WHERE relpersistence = 't'");
    }

    private static String demand(TestDatabase database, String text, @Nullable String type) {
        return db(database).inTx(tx -> new ExpressionCheck().demand(tx, expression(text, type)));
    }

    private static Expression expression(String text, @Nullable String type) {
        return new Expression("thing", text, "public", "Odd table", type, INSTEAD);
    }

    private static Database db(TestDatabase database) {
        return new Database(database.dataSource(), SchemaName.DEFAULT);
    }
}
