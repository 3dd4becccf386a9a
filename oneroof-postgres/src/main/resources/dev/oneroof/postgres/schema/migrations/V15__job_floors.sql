-- The position at which leases start to scan for jobs of a kind while an old snapshot is open. Stored for processes that
-- start meanwhile: without it the first scan of each would step over every job that was ever leased.
CREATE TABLE ${schema}.job_kind_floor (
    job_kind      text COLLATE "C" PRIMARY KEY REFERENCES ${schema}.job_kind ON DELETE CASCADE,
    order_at      timestamptz NOT NULL,
    -- When the next full scan is due.
    full_again_at timestamptz NOT NULL,
    noted_at      timestamptz NOT NULL
) WITH (fillfactor = 50);

GRANT SELECT ON ${schema}.job_kind_floor TO ${viewer}, ${admin}, ${server};
