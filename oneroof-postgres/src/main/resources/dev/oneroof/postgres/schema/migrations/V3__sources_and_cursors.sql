-- The definitions of sources. A new source is a row here, never a change of code.
CREATE TABLE ${schema}.tail_source (
    source_name     text PRIMARY KEY CHECK (source_name ~ '^[a-z0-9_][a-z0-9_.-]{0,62}$'),
    relation_schema text NOT NULL,
    relation_name   text NOT NULL,
    ts_column       text,
    ts_type         text CHECK (ts_type IN ('timestamptz', 'timestamp', 'date')),
    id_column       text NOT NULL,
    id_type         text NOT NULL CHECK (id_type IN ('smallint', 'integer', 'bigint', 'uuid', 'text', 'numeric')),
    time_zone       text,
    order_contract  text NOT NULL CHECK (order_contract IN ('clock', 'sequence', 'external')),
    mode            text NOT NULL DEFAULT 'prompt' CHECK (mode IN ('prompt', 'strict')),
    filter          text,
    batch_size      integer NOT NULL DEFAULT 5000 CHECK (batch_size BETWEEN 1 AND 50000),
    poll_interval   interval NOT NULL DEFAULT '1 second' CHECK (poll_interval > interval '0'),
    lag_threshold   interval NOT NULL DEFAULT '5 minutes' CHECK (lag_threshold > interval '0'),
    registered_by   text NOT NULL,
    created_at      timestamptz NOT NULL DEFAULT now(),
    updated_at      timestamptz NOT NULL DEFAULT now(),
    -- How far back a source under the contract external is read again.
    reread_window   interval NOT NULL DEFAULT '10 minutes' CHECK (reread_window > interval '0'),
    -- The collation that ordered a text key when the source was registered: under another one, or another version of it, a
    -- watermark means another position.
    id_collation         text,
    id_collation_version text,
    CONSTRAINT tail_source_time_is_whole CHECK ((ts_column IS NULL) = (ts_type IS NULL)),
    CONSTRAINT tail_source_zone_is_declared CHECK (ts_type IS DISTINCT FROM 'timestamp' OR time_zone IS NOT NULL),
    -- A timestamp without zone has an order only where its writers use UTC: elsewhere one hour occurs twice in autumn. A
    -- date never has one.
    CONSTRAINT tail_source_clock_has_a_time CHECK (
        order_contract <> 'clock'
        OR (ts_type IS NOT NULL AND (ts_type = 'timestamptz' OR (ts_type = 'timestamp' AND time_zone = 'UTC')))),
    CONSTRAINT tail_source_sequence_is_an_id CHECK (
        order_contract <> 'sequence' OR (ts_type IS NULL AND id_type IN ('smallint', 'integer', 'bigint')))
);

-- A worker's position on a source. Watermarks are the text of the source's own values and are compared in SQL with the
-- column's own type; a cursor row does not depend on the types.
CREATE TABLE ${schema}.gov_worker_cursor (
    worker_name        text NOT NULL CHECK (worker_name ~ '^[a-z0-9_][a-z0-9_.-]{0,62}$'),
    source_name        text NOT NULL REFERENCES ${schema}.tail_source,
    shard              integer NOT NULL DEFAULT 0 CHECK (shard >= 0),
    event_domain       text NOT NULL DEFAULT 'governance',
    last_watermark_ts  text,
    last_watermark_id  text,
    settled_ts         text,
    settled_id         text,
    highest_settled_ts text,
    highest_settled_id text,
    last_run_at        timestamptz,
    last_run_summary   jsonb NOT NULL DEFAULT '{}',
    events_seen        bigint NOT NULL DEFAULT 0 CHECK (events_seen >= 0),
    attempts_written   bigint NOT NULL DEFAULT 0 CHECK (attempts_written >= 0),
    dead_lettered      bigint NOT NULL DEFAULT 0 CHECK (dead_lettered >= 0),
    phase              text NOT NULL DEFAULT 'incremental' CHECK (phase IN ('seeding', 'reconciling', 'incremental')),
    hold_state         text,
    hold_reason        text,
    metadata           jsonb NOT NULL DEFAULT '{}',
    created_at         timestamptz NOT NULL DEFAULT now(),
    updated_at         timestamptz NOT NULL DEFAULT now(),
    -- Counts the commits: detects a batch of unknown outcome, and a replay, also where no watermark moved.
    version            bigint NOT NULL DEFAULT 0,
    -- The server and its position at the last commit: another server, or one that was restored, is detected by these.
    seen_system        text,
    seen_xid           text,
    seen_lsn           pg_lsn,
    -- Set by a replay, with actor, reason and the position it started from; removed when the cursor is back there.
    replay             jsonb,
    -- From here to the settled watermark all keys are kept and checked again: a row that appears there arrived too late.
    kept_ts            text,
    kept_id            text,
    PRIMARY KEY (worker_name, source_name, shard),
    CONSTRAINT gov_worker_cursor_hold_has_reason CHECK ((hold_state IS NULL) = (hold_reason IS NULL))
) WITH (fillfactor = 70, autovacuum_vacuum_threshold = 100, autovacuum_vacuum_scale_factor = 0);
