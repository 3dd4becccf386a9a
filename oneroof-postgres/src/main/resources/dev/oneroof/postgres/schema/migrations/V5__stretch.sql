-- The keys that a cursor has handled above its settled watermark, one row per batch. A row that commits late is told
-- from a handled one by these, after any crash. Exact keys and no hash: a false match would be a lost row.
CREATE TABLE ${schema}.tail_stretch (
    worker_name text NOT NULL,
    source_name text NOT NULL,
    shard       integer NOT NULL,
    batch_no    bigint GENERATED ALWAYS AS IDENTITY,
    keys_ts     text[] NOT NULL,
    keys_id     text[] NOT NULL,
    key_count   integer NOT NULL CHECK (key_count > 0),
    created_at  timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (worker_name, source_name, shard, batch_no),
    CONSTRAINT tail_stretch_is_whole CHECK (cardinality(keys_id) = key_count AND cardinality(keys_ts) = key_count)
) WITH (autovacuum_vacuum_threshold = 100, autovacuum_vacuum_scale_factor = 0);

-- The keys go with their cursor. No foreign key: it would look the cursor's row up at every batch, past all its old
-- versions, which stay where a snapshot is held open.
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

-- What a contract needs to mean anything. A timestamp without zone has an order only where its writers use UTC: elsewhere
-- an hour comes twice in autumn. A date never has one.
ALTER TABLE ${schema}.tail_source
    ADD CONSTRAINT tail_source_clock_has_a_time CHECK (
        order_contract <> 'clock'
        OR (ts_type IS NOT NULL AND (ts_type = 'timestamptz' OR (ts_type = 'timestamp' AND time_zone = 'UTC')))),
    ADD CONSTRAINT tail_source_sequence_is_an_id CHECK (
        order_contract <> 'sequence' OR (ts_type IS NULL AND id_type IN ('smallint', 'integer', 'bigint')));
