-- From where on leasers look for jobs of a kind while somebody holds an old snapshot open. It is noted for processes that begin
-- meanwhile: without it the first look of each would step over every job that was ever leased.
CREATE TABLE ${schema}.job_kind_floor (
    job_kind      text COLLATE "C" PRIMARY KEY REFERENCES ${schema}.job_kind ON DELETE CASCADE,
    order_at      timestamptz NOT NULL,
    -- When the next look from the beginning is due.
    full_again_at timestamptz NOT NULL,
    noted_at      timestamptz NOT NULL
) WITH (fillfactor = 50);

GRANT SELECT ON ${schema}.job_kind_floor TO ${viewer}, ${admin}, ${server};
