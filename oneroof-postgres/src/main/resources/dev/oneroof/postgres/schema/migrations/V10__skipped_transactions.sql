-- A transaction that an operator has decided not to wait for. Rows that it commits later are found by the scan of the
-- kept keys, or not at all.
CREATE TABLE ${schema}.tail_skip (
    skip_id     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    worker_name text NOT NULL,
    source_name text NOT NULL,
    shard       integer NOT NULL,
    holder      text NOT NULL,
    expires_at  timestamptz NOT NULL,
    created_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    FOREIGN KEY (worker_name, source_name, shard) REFERENCES ${schema}.gov_worker_cursor ON DELETE CASCADE
);

GRANT SELECT ON ${schema}.tail_skip TO ${viewer}, ${admin};
GRANT SELECT, INSERT, DELETE ON ${schema}.tail_skip TO ${server};
