package dev.oneroof.app.demo;

import dev.oneroof.postgres.Identifiers;
import dev.oneroof.postgres.schema.RoleNames;
import java.util.List;

/** The statements of {@link DemoRegistry}. */
final class DemoSql {
    // Two demos on one database would otherwise collide in CREATE … IF NOT EXISTS.
    static final String LOCK = "SELECT pg_advisory_xact_lock(hashtext('oneroof demo'))";

    // The last of the tables; all are made in one transaction.
    static final String IS_THERE = "SELECT to_regclass('oneroof_demo.normative_registry') IS NOT NULL";

    static final String SCHEMA = "CREATE SCHEMA IF NOT EXISTS oneroof_demo";

    static final List<String> TABLES = List.of(
            """
            CREATE TABLE IF NOT EXISTS oneroof_demo.demo_plan (
                only_row   boolean PRIMARY KEY DEFAULT true CHECK (only_row),
                seed       bigint NOT NULL,
                backlog    bigint NOT NULL,
                filled     bigint NOT NULL DEFAULT 0,
                filled_was bigint NOT NULL DEFAULT 0,
                started_at timestamptz NOT NULL DEFAULT now()
            )
            """,
            """
            CREATE TABLE IF NOT EXISTS oneroof_demo.collection_registry (
                collection_no   integer PRIMARY KEY,
                collection_name text NOT NULL UNIQUE,
                source_system   text NOT NULL
            )
            """,
            """
            CREATE TABLE IF NOT EXISTS oneroof_demo.birth_registry (
                id                integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                born_at           timestamptz DEFAULT now(),
                collection_name   text NOT NULL,
                entity_code       text NOT NULL,
                canonical_address text,
                source_system     text,
                actor_ref         text,
                UNIQUE (collection_name, entity_code)
            )
            """,
            "CREATE INDEX IF NOT EXISTS birth_registry_order_idx ON oneroof_demo.birth_registry (born_at, id)",
            """
            CREATE TABLE IF NOT EXISTS oneroof_demo.registry_changelog (
                id          integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                timestamp   timestamp NOT NULL DEFAULT (now() AT TIME ZONE 'UTC'),
                entity_type text NOT NULL,
                entity_code text NOT NULL,
                action      text NOT NULL,
                alert_level text NOT NULL,
                resolved    boolean NOT NULL DEFAULT false
            )
            """,
            "CREATE INDEX IF NOT EXISTS registry_changelog_order_idx ON oneroof_demo.registry_changelog (timestamp, id)",
            """
            CREATE TABLE IF NOT EXISTS oneroof_demo.governance_object_ownership (
                id              integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                collection_name text NOT NULL UNIQUE,
                owner_ref       text NOT NULL,
                updated_at      timestamptz NOT NULL DEFAULT now()
            )
            """,
            """
            CREATE TABLE IF NOT EXISTS oneroof_demo.known_code (
                code    text NOT NULL,
                seen_at timestamptz NOT NULL DEFAULT now()
            )
            """,
            """
            CREATE TABLE IF NOT EXISTS oneroof_demo.manifest (
                manifest_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
                files       integer[] NOT NULL,
                made_at     timestamptz NOT NULL DEFAULT now()
            )
            """,
            """
            CREATE TABLE IF NOT EXISTS oneroof_demo.file_mark (
                birth_id    integer PRIMARY KEY,
                manifest_id bigint NOT NULL,
                marked_at   timestamptz NOT NULL DEFAULT now()
            )
            """,
            """
            CREATE TABLE IF NOT EXISTS oneroof_demo.normative_registry (
                policy_code text PRIMARY KEY,
                title       text NOT NULL,
                scope       text NOT NULL,
                updated_at  timestamptz NOT NULL DEFAULT now()
            )
            """);

    static final String PLAN = """
            INSERT INTO oneroof_demo.demo_plan (seed, backlog) VALUES (:seed, :rows)
            ON CONFLICT (only_row) DO NOTHING
            """;

    static final String SEED = "SELECT seed FROM oneroof_demo.demo_plan";

    static final String FILLED = "SELECT filled FROM oneroof_demo.demo_plan";

    static final String COLLECTIONS = """
            INSERT INTO oneroof_demo.collection_registry (collection_no, collection_name, source_system)
            SELECT row_number() OVER (ORDER BY kind, area) - 1, area || '_' || kind, area || '-hub'
            FROM unnest(ARRAY['billing', 'claims', 'customer', 'device', 'fleet', 'grid', 'ledger', 'market',
                              'payroll', 'permit', 'supply', 'tenant']) area
            CROSS JOIN unnest(ARRAY['account', 'contract', 'document', 'meter', 'order']) kind
            ON CONFLICT (collection_no) DO NOTHING
            """;

    // Every fifth collection has no owner: there must be something to find.
    static final String OWNERS = """
            INSERT INTO oneroof_demo.governance_object_ownership (collection_name, owner_ref)
            SELECT collection_name, 'team:' || split_part(collection_name, '_', 1)
            FROM oneroof_demo.collection_registry
            WHERE collection_no % 5 <> 3
            ON CONFLICT (collection_name) DO NOTHING
            """;

    static final String POLICIES = """
            INSERT INTO oneroof_demo.normative_registry (policy_code, title, scope)
            SELECT 'POL-' || lpad(n::text, 3, '0'), 'Policy ' || n, kind
            FROM unnest(ARRAY['account', 'contract', 'document', 'meter', 'order']) WITH ORDINALITY k (kind, no)
            CROSS JOIN LATERAL generate_series(no * 5 - 4, no * 5) n
            ON CONFLICT (policy_code) DO NOTHING
            """;

    // The lock on this row lets one filler through at a time, and what it adds is committed with it.
    static final String ADVANCE = """
            UPDATE oneroof_demo.demo_plan
            SET filled_was = filled,
                filled = greatest(filled, least(:target, filled + :at_most))
            """;

    // The backlog lies in the past, seven seconds apart. What is born later is born at the time of this statement,
    // which begins when the lock above is ours: so times and commits have the same order.
    static final String BIRTHS = """
            INSERT INTO oneroof_demo.birth_registry
                (born_at, collection_name, entity_code, source_system, actor_ref)
            SELECT CASE
                       WHEN i <= plan.backlog THEN plan.started_at - make_interval(secs => (plan.backlog - i) * 7 + 1)
                       ELSE statement_timestamp()
                   END,
                   c.collection_name,
                   upper(left(split_part(c.collection_name, '_', 2), 3)) || '-' || lpad(i::text, 8, '0'),
                   c.source_system,
                   'user:' || (draw.of_actor % 400)
            FROM oneroof_demo.demo_plan plan
            CROSS JOIN LATERAL generate_series(plan.filled_was + 1, plan.filled) i
            CROSS JOIN LATERAL (
                SELECT (hashint8extended(i, plan.seed) & 1048575) / 1048576.0 AS of_collection,
                       hashint8extended(i, plan.seed + 1) & 1048575 AS of_actor) draw
            JOIN oneroof_demo.collection_registry c
              ON c.collection_no = floor(60 * draw.of_collection * draw.of_collection)::integer
            ORDER BY i
            """;

    static final String CHANGES = """
            INSERT INTO oneroof_demo.registry_changelog (timestamp, entity_type, entity_code, action, alert_level)
            SELECT CASE
                       WHEN i <= plan.backlog THEN plan.started_at - make_interval(secs => (plan.backlog - i) * 7)
                       ELSE statement_timestamp()
                   END AT TIME ZONE 'UTC',
                   'entity',
                   'E-' || i,
                   (ARRAY['update', 'retire', 'migrate'])[1 + (hashint8extended(i, plan.seed + 2) & 1048575) % 3],
                   'info'
            FROM oneroof_demo.demo_plan plan
            CROSS JOIN LATERAL generate_series(plan.filled_was + 1, plan.filled) i
            WHERE i % 15 = 0
            ORDER BY i
            """;

    static final String MANIFEST =
            "INSERT INTO oneroof_demo.manifest (files) VALUES (CAST(:files AS integer[])) RETURNING manifest_id";

    static final String MISSING = """
            SELECT 'payload: no number is given for ' || string_agg(k.key, ', ' ORDER BY k.no)
            FROM unnest(CAST(:keys AS text[])) WITH ORDINALITY k (key, no)
            WHERE jsonb_typeof(CAST(:payload AS jsonb) -> k.key) IS DISTINCT FROM 'number'
            HAVING count(*) > 0
            """;

    static final String PIECES = """
            SELECT m.manifest_id, n AS first, least(n + :piece - 1, cardinality(m.files)) AS last
            FROM oneroof_demo.manifest m
            CROSS JOIN LATERAL generate_series(1, cardinality(m.files), :piece) n
            WHERE m.manifest_id = (CAST(:payload AS jsonb) ->> 'manifest_id')::bigint
            ORDER BY n
            """;

    static final String MARK = """
            INSERT INTO oneroof_demo.file_mark (birth_id, manifest_id)
            SELECT f, m.manifest_id
            FROM (SELECT CAST(:payload AS jsonb) AS refs) p
            JOIN oneroof_demo.manifest m ON m.manifest_id = (p.refs ->> 'manifest_id')::bigint
            CROSS JOIN LATERAL unnest(m.files[(p.refs ->> 'first')::integer : (p.refs ->> 'last')::integer]) f
            """;

    static final String RECOUNT = """
            SELECT format('%s files in %s manifests are marked', count(*), count(DISTINCT manifest_id))
            FROM oneroof_demo.file_mark
            """;

    // Anybody may enqueue such jobs, for any time: those of the demo's own manifests count.
    static final String FILES = """
            SELECT (SELECT count(*) FROM oneroof_demo.birth_registry WHERE collection_name LIKE '%\\_document') AS files,
                   (SELECT count(*) FROM oneroof_demo.file_mark) AS marked,
                   (SELECT count(*)
                    FROM oneroof.job_queue q
                    WHERE q.job_kind IN ('cut_from_manifest', 'mark_file')
                      AND EXISTS (
                          SELECT FROM oneroof_demo.manifest m
                          WHERE m.manifest_id::text = q.payload ->> 'manifest_id')) AS jobs
            """;

    static final String COUNTS = """
            SELECT (SELECT count(*) FROM oneroof_demo.birth_registry) AS births,
                   (SELECT count(*) FROM oneroof.gov_candidate_state) AS candidates,
                   (SELECT count(*) FROM oneroof_demo.collection_registry) AS collections,
                   (SELECT count(*) FROM oneroof_demo.registry_changelog) AS changes,
                   (SELECT count(*) FROM oneroof_demo.governance_object_ownership) AS owners,
                   (SELECT count(*) FROM oneroof_demo.normative_registry) AS policies
            """;

    static final String FAILING =
            "SELECT last_tick_status = 'error' FROM oneroof.queue_heartbeat WHERE executor_name = :executor";

    // The newest birth against the watermark: one step into the index, at any size.
    static final String CAUGHT_UP = """
            SELECT CASE
                       WHEN c.last_watermark_id IS NULL THEN newest.id IS NULL
                       ELSE coalesce(
                           (newest.born_at, newest.id) <= (c.last_watermark_ts::timestamptz, c.last_watermark_id::integer),
                           true)
                   END
            FROM oneroof.gov_worker_cursor c
            LEFT JOIN (
                SELECT born_at, id
                FROM oneroof_demo.birth_registry
                WHERE born_at IS NOT NULL
                ORDER BY born_at DESC, id DESC
                LIMIT 1) newest ON true
            WHERE c.worker_name = :worker AND c.source_name = 'birth_registry' AND c.shard = 0
            """;

    private DemoSql() {}

    /** Reading is all that OneRoof needs on a source; the demo's own handlers write what they have done. */
    static String grants(RoleNames roles) {
        String server = Identifiers.quote("role", roles.server());
        return """
                GRANT USAGE ON SCHEMA oneroof_demo TO %1$s;
                GRANT SELECT ON oneroof_demo.birth_registry, oneroof_demo.registry_changelog TO %1$s;
                GRANT SELECT, INSERT ON oneroof_demo.manifest, oneroof_demo.file_mark, oneroof_demo.known_code TO %1$s""".formatted(server);
    }
}
