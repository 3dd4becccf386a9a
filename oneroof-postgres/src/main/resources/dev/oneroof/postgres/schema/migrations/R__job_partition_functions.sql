-- The daily partitions of the history and of the log, in UTC whatever the session's time zone. Call both in a transaction of
-- their own. They wait at most 2 s for a lock, because transactions that end jobs queue up behind them.

-- Creates the partitions of today and of so many days ahead, and moves their rows from the default partition. Returns how
-- many it created.
CREATE OR REPLACE FUNCTION ${schema}.fn_job_partitions_ensure(p_days_ahead integer DEFAULT 7) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '2s'
AS $$
DECLARE
    v_part record;
    v_made integer := 0;
BEGIN
    IF p_days_ahead IS NULL OR p_days_ahead NOT BETWEEN 0 AND 365 THEN
        RAISE EXCEPTION USING ERRCODE = '22023',
            MESSAGE = format('days_ahead: ''%s'' is not allowed; allowed are 0 to 365', p_days_ahead);
    END IF;
    PERFORM pg_advisory_xact_lock(hashtext('oneroof job partitions'), '${schema}.job_history'::regclass::oid::int);
    FOR v_part IN
        SELECT t.parent, t.key, format('%s_%s', t.parent, to_char(d.day, 'YYYYMMDD')) AS name,
               to_char(d.day, 'YYYY-MM-DD') || ' 00:00:00+00' AS since,
               to_char(d.day + interval '1 day', 'YYYY-MM-DD') || ' 00:00:00+00' AS until
        FROM (VALUES ('job_history', 'finished_at'), ('job_log', 'said_at')) t (parent, key)
        CROSS JOIN generate_series(
            date_trunc('day', now() AT TIME ZONE 'UTC'),
            date_trunc('day', now() AT TIME ZONE 'UTC') + make_interval(days => p_days_ahead),
            interval '1 day') d (day)
    LOOP
        CONTINUE WHEN to_regclass(format('${schema}.%I', v_part.name)) IS NOT NULL;
        EXECUTE format('CREATE TABLE ${schema}.%I (LIKE ${schema}.%I INCLUDING ALL)', v_part.name, v_part.parent);
        EXECUTE format('LOCK TABLE ${schema}.%I IN ACCESS EXCLUSIVE MODE', v_part.parent || '_default');
        EXECUTE format(
            'WITH moved AS (DELETE FROM ${schema}.%1$I WHERE %2$I >= %3$L AND %2$I < %4$L RETURNING *)
             INSERT INTO ${schema}.%5$I SELECT * FROM moved',
            v_part.parent || '_default', v_part.key, v_part.since, v_part.until, v_part.name);
        EXECUTE format('ALTER TABLE ${schema}.%I ATTACH PARTITION ${schema}.%I FOR VALUES FROM (%L) TO (%L)',
                       v_part.parent, v_part.name, v_part.since, v_part.until);
        v_made := v_made + 1;
    END LOOP;
    RETURN v_made;
END
$$;

-- Drops the oldest partition past its retention, and returns its name; nothing if there is none, or if it is being read. One
-- per call and in a transaction of its own, because transactions that end jobs wait for it. If it drops none, it deletes
-- expired rows from the default partitions, up to 5000 of each, and returns the names of those that had any. Each records an
-- operator act.
CREATE OR REPLACE FUNCTION ${schema}.fn_job_partitions_drop(p_keep interval, p_actor text DEFAULT session_user)
RETURNS SETOF text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '200ms'
AS $$
DECLARE
    v_name  text;
    v_until timestamptz := date_trunc('day', now() - p_keep, 'UTC');
    v_why   text := format('ended more than %s ago', p_keep);
    v_rows  bigint;
BEGIN
    PERFORM ${schema}.fn_queue_demand_actor(p_actor);
    IF p_keep IS NULL OR p_keep < interval '1 day' THEN
        RAISE EXCEPTION USING ERRCODE = '22023',
            MESSAGE = format('keep: ''%s'' is not allowed; allowed is 1 day or more', p_keep);
    END IF;
    FOR v_name IN
        SELECT c.relname
        FROM pg_inherits i
        JOIN pg_class c ON c.oid = i.inhrelid
        WHERE i.inhparent IN ('${schema}.job_history'::regclass, '${schema}.job_log'::regclass)
          AND c.relname ~ '^job_(history|log)_[0-9]{8}$'
          AND (to_date(right(c.relname, 8), 'YYYYMMDD') + interval '1 day') AT TIME ZONE 'UTC' <= now() - p_keep
        ORDER BY right(c.relname, 8), c.relname
        LIMIT 1
    LOOP
        BEGIN
            EXECUTE format('DROP TABLE ${schema}.%I', v_name);
            INSERT INTO ${schema}.operator_act (act, target, actor, reason)
            VALUES ('job_partitions_drop', 'partition ' || v_name, p_actor, v_why);
            RETURN NEXT v_name;
            -- The whole table is locked now.
            RETURN;
        EXCEPTION
            WHEN lock_not_available THEN NULL;
        END;
    END LOOP;
    DELETE FROM ${schema}.job_history_default h
    WHERE h.ctid = ANY (ARRAY(
        SELECT o.ctid
        FROM ${schema}.job_history_default o
        WHERE o.finished_at < v_until
        LIMIT 5000
        FOR UPDATE SKIP LOCKED));
    GET DIAGNOSTICS v_rows = ROW_COUNT;
    IF v_rows > 0 THEN
        INSERT INTO ${schema}.operator_act (act, target, actor, reason, details)
        VALUES ('job_partitions_drop', 'partition job_history_default', p_actor, v_why, jsonb_build_object('rows', v_rows));
        RETURN NEXT 'job_history_default';
    END IF;
    DELETE FROM ${schema}.job_log_default l
    WHERE l.ctid = ANY (ARRAY(
        SELECT o.ctid
        FROM ${schema}.job_log_default o
        WHERE o.said_at < v_until
        LIMIT 5000
        FOR UPDATE SKIP LOCKED));
    GET DIAGNOSTICS v_rows = ROW_COUNT;
    IF v_rows > 0 THEN
        INSERT INTO ${schema}.operator_act (act, target, actor, reason, details)
        VALUES ('job_partitions_drop', 'partition job_log_default', p_actor, v_why, jsonb_build_object('rows', v_rows));
        RETURN NEXT 'job_log_default';
    END IF;
END
$$;

REVOKE EXECUTE ON FUNCTION ${schema}.fn_job_partitions_ensure(integer), ${schema}.fn_job_partitions_drop(interval, text)
FROM PUBLIC;
GRANT EXECUTE ON FUNCTION ${schema}.fn_job_partitions_ensure(integer), ${schema}.fn_job_partitions_drop(interval, text)
TO ${server}, ${admin};

SELECT ${schema}.fn_job_partitions_ensure();
