-- Scan floors of kinds, see job_kind_floor. They save time, and no job depends on them: a process that uses one makes a full
-- scan at full_again_at, and a floor older than 30 s is not used.

-- Stores floors, at most one per second and kind, over all processes.
CREATE OR REPLACE FUNCTION ${schema}.fn_job_floor_note(
    p_kinds text[], p_floors timestamptz[], p_full_again_seconds double precision)
RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    v_now timestamptz := clock_timestamp();
BEGIN
    INSERT INTO ${schema}.job_kind_floor AS f (job_kind, order_at, full_again_at, noted_at)
    SELECT g.kind, g.floor, v_now + make_interval(secs => greatest(0, least(p_full_again_seconds, 30))), v_now
    FROM unnest(p_kinds, p_floors) g (kind, floor)
    WHERE EXISTS (SELECT FROM ${schema}.job_kind k WHERE k.job_kind = g.kind) AND g.floor IS NOT NULL
    -- One lock order for all callers.
    ORDER BY g.kind
    ON CONFLICT (job_kind) DO UPDATE
    SET order_at = EXCLUDED.order_at, full_again_at = EXCLUDED.full_again_at, noted_at = EXCLUDED.noted_at
    -- Or the clock was set back since.
    WHERE f.noted_at NOT BETWEEN v_now - interval '1 second' AND v_now;
END
$$;

-- The floors that may still be used, and in how many seconds a full scan is due.
CREATE OR REPLACE FUNCTION ${schema}.fn_job_floors(p_kinds text[])
RETURNS TABLE (job_kind text, order_at timestamptz, full_again_seconds double precision)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    SELECT f.job_kind, f.order_at, extract(epoch FROM f.full_again_at - c.now)::double precision
    FROM (SELECT clock_timestamp() AS now) c
    JOIN ${schema}.job_kind_floor f
        ON f.job_kind = ANY (p_kinds)
        AND f.noted_at BETWEEN c.now - interval '30 seconds' AND c.now
        AND f.full_again_at > c.now
$$;

REVOKE EXECUTE ON FUNCTION
    ${schema}.fn_job_floor_note(text[], timestamptz[], double precision),
    ${schema}.fn_job_floors(text[])
FROM PUBLIC;

GRANT EXECUTE ON FUNCTION
    ${schema}.fn_job_floor_note(text[], timestamptz[], double precision),
    ${schema}.fn_job_floors(text[])
TO ${server};
