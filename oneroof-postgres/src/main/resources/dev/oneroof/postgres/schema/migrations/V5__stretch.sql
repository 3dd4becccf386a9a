-- The keys that a cursor has handled above its settled watermark, one row per batch. They tell a
-- handled row from one that commits late, after any crash. Exact keys and no hash: a false match would be a lost row.
CREATE TABLE ${schema}.tail_stretch (
    worker_name text NOT NULL,
    source_name text NOT NULL,
    shard       integer NOT NULL,
    batch_no    bigint GENERATED ALWAYS AS IDENTITY,
    keys_ts     text[] NOT NULL,
    keys_id     text[] NOT NULL,
    key_count   integer NOT NULL CHECK (key_count > 0),
    created_at  timestamptz NOT NULL DEFAULT now(),
    -- Rows without a time have no position in the order: their keys are kept for good.
    untimed     boolean NOT NULL DEFAULT false,
    -- Handled keys are kept for a while after settled has passed them.
    settled_at  timestamptz,
    settled_ts  text,
    settled_id  text,
    -- The lowest and the highest key of the batch: a reader of another range does not read the arrays.
    first_ts    text GENERATED ALWAYS AS (keys_ts[1]) STORED,
    first_id    text GENERATED ALWAYS AS (keys_id[1]) STORED,
    last_ts     text GENERATED ALWAYS AS (keys_ts[key_count]) STORED,
    last_id     text GENERATED ALWAYS AS (keys_id[key_count]) STORED,
    PRIMARY KEY (worker_name, source_name, shard, batch_no),
    CONSTRAINT tail_stretch_is_whole CHECK (cardinality(keys_id) = key_count AND cardinality(keys_ts) = key_count)
) WITH (autovacuum_vacuum_threshold = 100, autovacuum_vacuum_scale_factor = 0);

-- Every batch looks up the few keys that settled has not passed, among the many that are kept.
CREATE INDEX tail_stretch_open_idx ON ${schema}.tail_stretch (worker_name, source_name, shard)
    WHERE settled_at IS NULL AND NOT untimed;

-- The keys are deleted with their cursor. No foreign key: it would look up the cursor's row in every batch, across all its
-- old versions, which stay while a snapshot is held open.
CREATE FUNCTION ${schema}.fn_tail_stretch_forget() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    DELETE FROM ${schema}.tail_stretch s
    USING gone g
    WHERE s.worker_name = g.worker_name AND s.source_name = g.source_name AND s.shard = g.shard;
    RETURN NULL;
END $$;

REVOKE ALL ON FUNCTION ${schema}.fn_tail_stretch_forget() FROM PUBLIC;

CREATE TRIGGER tail_stretch_forget AFTER DELETE ON ${schema}.gov_worker_cursor
    REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION ${schema}.fn_tail_stretch_forget();

CREATE FUNCTION ${schema}.fn_tail_stretch_forget_all() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    DELETE FROM ${schema}.tail_stretch;
    RETURN NULL;
END $$;

REVOKE ALL ON FUNCTION ${schema}.fn_tail_stretch_forget_all() FROM PUBLIC;

CREATE TRIGGER tail_stretch_forget_all AFTER TRUNCATE ON ${schema}.gov_worker_cursor
    FOR EACH STATEMENT EXECUTE FUNCTION ${schema}.fn_tail_stretch_forget_all();

GRANT SELECT ON ${schema}.tail_stretch TO ${viewer}, ${admin};
GRANT SELECT, INSERT, DELETE ON ${schema}.tail_stretch TO ${server};
GRANT UPDATE (settled_at, settled_ts, settled_id) ON ${schema}.tail_stretch TO ${server};
