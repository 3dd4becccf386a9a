-- The months of the outbox, in UTC whatever the session's zone. Both functions take locks that others wait for: call them
-- in a transaction of their own. They wait two seconds for a lock and no longer, since all emits would queue up behind.

-- Makes the partitions of this month, of so many to come, and of every month that has rows in the default partition,
-- which move. Returns how many it made. Any number of sessions may call it at once.
--
-- A partition is created detached and then attached: that waits for readers of the default partition, and blocks no emit.
-- Where rows must move, the whole outbox is locked. A reader that has read the list of partitions, and then waits for the
-- default one, would find the rows gone from it and not know the partition they moved to: lost to a tail.
CREATE OR REPLACE FUNCTION ${schema}.fn_outbox_partitions_ensure(p_months_ahead integer DEFAULT 2) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '2s'
AS $$
DECLARE
    v_moving boolean;
    v_month timestamp;
    v_name text;
    v_from text;
    v_to text;
    v_made integer;
BEGIN
    IF p_months_ahead IS NULL OR p_months_ahead NOT BETWEEN 0 AND 120 THEN
        RAISE EXCEPTION USING
            ERRCODE = '22023',
            MESSAGE = format('months_ahead: ''%s'' is not allowed; allowed are 0 to 120', p_months_ahead);
    END IF;
    PERFORM pg_advisory_xact_lock(hashtext('oneroof outbox partitions'), '${schema}.event_outbox'::regclass::oid::int);
    v_moving := EXISTS (SELECT FROM ${schema}.event_outbox_default WHERE isfinite(created_at));
    LOOP
        BEGIN
            v_made := 0;
            IF v_moving THEN
                LOCK TABLE ONLY ${schema}.event_outbox IN ACCESS EXCLUSIVE MODE;
                LOCK TABLE ${schema}.event_outbox_default IN ACCESS EXCLUSIVE MODE;
            END IF;
            FOR v_month IN
                SELECT wanted.month
                FROM (
                    SELECT generate_series(
                               date_trunc('month', now() AT TIME ZONE 'UTC'),
                               date_trunc('month', now() AT TIME ZONE 'UTC') + make_interval(months => p_months_ahead),
                               interval '1 month') AS month
                    UNION
                    SELECT date_trunc('month', created_at AT TIME ZONE 'UTC')
                    FROM ${schema}.event_outbox_default
                    WHERE isfinite(created_at)) wanted
                WHERE to_regclass('${schema}.event_outbox_' || to_char(wanted.month, 'YYYYMM')) IS NULL
                ORDER BY wanted.month
            LOOP
                v_name := 'event_outbox_' || to_char(v_month, 'YYYYMM');
                v_from := to_char(v_month, 'YYYY-MM-DD') || ' 00:00:00+00';
                v_to := to_char(v_month + interval '1 month', 'YYYY-MM-DD') || ' 00:00:00+00';
                EXECUTE format('CREATE TABLE ${schema}.%I (LIKE ${schema}.event_outbox INCLUDING ALL)', v_name);
                IF v_moving THEN
                    EXECUTE format(
                        'WITH moved AS (
                             DELETE FROM ${schema}.event_outbox_default
                             WHERE created_at >= %L AND created_at < %L
                             RETURNING *)
                         INSERT INTO ${schema}.%I SELECT * FROM moved', v_from, v_to, v_name);
                END IF;
                EXECUTE format(
                    'ALTER TABLE ${schema}.event_outbox ATTACH PARTITION ${schema}.%I FOR VALUES FROM (%L) TO (%L)',
                    v_name, v_from, v_to);
                v_made := v_made + 1;
            END LOOP;
            RETURN v_made;
        EXCEPTION
            -- A row has been inserted into the default partition since: once more, and move it.
            WHEN check_violation THEN
                IF v_moving THEN
                    RAISE;
                END IF;
                v_moving := true;
        END;
    END LOOP;
END
$$;

-- Drops the months that ended longer ago than p_keep and that every cursor over the outbox has settled; returns their names. A
-- cursor has settled a month when no row of it lies behind its settled watermark; the source's filter is not
-- evaluated, since text that the running program has written must not run with the owner's rights. A month that another
-- transaction still writes to or reads is left for the next time. Each drop is recorded as an act.
CREATE OR REPLACE FUNCTION ${schema}.fn_outbox_partitions_drop(p_keep interval, p_actor text DEFAULT session_user)
RETURNS SETOF text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '2s'
AS $$
DECLARE
    v_name text;
    v_needed boolean;
    v_query text;
BEGIN
    PERFORM ${schema}.fn_queue_demand_actor(p_actor);
    IF p_keep IS NULL OR now() - p_keep > now() - interval '1 day' THEN
        RAISE EXCEPTION USING
            ERRCODE = '22023',
            MESSAGE = format('keep: ''%s'' is not allowed; allowed is 1 day or more', p_keep);
    END IF;
    PERFORM pg_advisory_xact_lock(hashtext('oneroof outbox partitions'), '${schema}.event_outbox'::regclass::oid::int);
    FOR v_name IN
        SELECT c.relname
        FROM pg_inherits i
        JOIN pg_class c ON c.oid = i.inhrelid
        WHERE i.inhparent = '${schema}.event_outbox'::regclass
          AND c.relname ~ '^event_outbox_[0-9]{6}$'
          AND (to_date(right(c.relname, 6), 'YYYYMM') + interval '1 month') AT TIME ZONE 'UTC' <= now() - p_keep
        ORDER BY c.relname
    LOOP
        -- A cursor with another order than the outbox's own says nothing about a month; then the month stays.
        v_query := format(
            'SELECT EXISTS (
                 SELECT
                 FROM ${schema}.tail_source s
                 JOIN ${schema}.gov_worker_cursor c USING (source_name)
                 JOIN pg_class r ON r.relname = s.relation_name
                 JOIN pg_namespace n ON n.oid = r.relnamespace AND n.nspname = s.relation_schema
                 WHERE r.oid = %3$s
                    OR (r.oid = %2$s
                        AND (s.ts_column IS DISTINCT FROM ''created_at'' OR s.id_column <> ''id''
                             OR EXISTS (
                                 SELECT
                                 FROM ${schema}.%1$I p
                                 WHERE (p.created_at, p.id) > (
                                     coalesce(c.settled_ts::timestamptz, ''-infinity''),
                                     coalesce(c.settled_id::uuid, ''ffffffff-ffff-ffff-ffff-ffffffffffff''))))))',
            v_name,
            '${schema}.event_outbox'::regclass::oid,
            to_regclass('${schema}.' || quote_ident(v_name))::oid);
        EXECUTE v_query INTO v_needed;
        CONTINUE WHEN v_needed;
        BEGIN
            -- Under this lock no open transaction has written to it; check again.
            LOCK TABLE ONLY ${schema}.event_outbox IN ACCESS EXCLUSIVE MODE;
            EXECUTE format('LOCK TABLE ${schema}.%I IN ACCESS EXCLUSIVE MODE', v_name);
            EXECUTE v_query INTO v_needed;
            IF NOT v_needed THEN
                EXECUTE format('DROP TABLE ${schema}.%I', v_name);
                INSERT INTO ${schema}.operator_act (act, target, actor, reason)
                VALUES ('outbox_partitions_drop', 'partition ' || v_name, p_actor, format('ended more than %s ago', p_keep));
                RETURN NEXT v_name;
            END IF;
        EXCEPTION
            WHEN lock_not_available THEN NULL;
        END;
    END LOOP;
END
$$;

REVOKE EXECUTE ON FUNCTION
    ${schema}.fn_outbox_partitions_ensure(integer), ${schema}.fn_outbox_partitions_drop(interval, text)
FROM PUBLIC;
GRANT EXECUTE ON FUNCTION
    ${schema}.fn_outbox_partitions_ensure(integer), ${schema}.fn_outbox_partitions_drop(interval, text)
TO ${server};

SELECT ${schema}.fn_outbox_partitions_ensure();
