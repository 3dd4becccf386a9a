-- Where a cursor was last seen: another server, or one that has gone back, is told by these.
ALTER TABLE ${schema}.gov_worker_cursor
    -- Counts its commits: a batch whose outcome was unknown, and a replay, are told by it though no watermark moved.
    ADD COLUMN version     bigint NOT NULL DEFAULT 0,
    ADD COLUMN seen_system text,
    ADD COLUMN seen_xid    text,
    ADD COLUMN seen_lsn    pg_lsn,
    -- Set by a replay, with actor, reason and the place it came from; gone when the cursor is back there.
    ADD COLUMN replay      jsonb,
    -- From here to the settled watermark all keys are kept, and looked at again: what appears there came too late.
    ADD COLUMN kept_ts     text,
    ADD COLUMN kept_id     text;

-- Nothing was kept so far.
UPDATE ${schema}.gov_worker_cursor SET kept_ts = settled_ts, kept_id = settled_id;

-- Handled keys are kept for a while after settled has passed them. Rows without a time have no place in the order:
-- their keys are kept for good.
ALTER TABLE ${schema}.tail_stretch
    ADD COLUMN untimed    boolean NOT NULL DEFAULT false,
    ADD COLUMN settled_at timestamptz,
    ADD COLUMN settled_ts text,
    ADD COLUMN settled_id text,
    -- The lowest and the highest key of the batch: whoever reads elsewhere need not look into the arrays.
    ADD COLUMN first_ts   text GENERATED ALWAYS AS (keys_ts[1]) STORED,
    ADD COLUMN first_id   text GENERATED ALWAYS AS (keys_id[1]) STORED,
    ADD COLUMN last_ts    text GENERATED ALWAYS AS (keys_ts[key_count]) STORED,
    ADD COLUMN last_id    text GENERATED ALWAYS AS (keys_id[key_count]) STORED;

-- The few that settled has not passed are looked up by every batch, among the many that are kept.
CREATE INDEX tail_stretch_open_idx ON ${schema}.tail_stretch (worker_name, source_name, shard)
    WHERE settled_at IS NULL AND NOT untimed;

GRANT UPDATE (settled_at, settled_ts, settled_id) ON ${schema}.tail_stretch TO ${server};

-- A transaction that an operator has decided not to wait for. What it commits later is found by the look at kept keys,
-- or by nobody.
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
