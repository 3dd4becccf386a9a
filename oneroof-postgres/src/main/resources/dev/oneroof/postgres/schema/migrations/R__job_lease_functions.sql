-- Leases: from the time a job is due until its lease expires. R__job_functions.sql explains tokens and plans.

-- Queues scheduled jobs that are due, and returns their number.
--
-- p_since, here and below, is for a keeper that calls often: nothing that was due earlier is read. While an old snapshot is
-- open, the index keeps every job that was ever in it, and a full scan steps over all of them.
CREATE OR REPLACE FUNCTION ${schema}.fn_job_promote(
    p_limit integer DEFAULT 1000, p_wake boolean DEFAULT true, p_since timestamptz DEFAULT NULL)
RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
DECLARE
    v_now     timestamptz := clock_timestamp();
    v_since   timestamptz := coalesce(p_since, '-infinity');
    v_domains text[];
    v_count   integer;
BEGIN
    WITH promoted AS (
        UPDATE ${schema}.job_queue q
        SET state = 'queued'
        WHERE q.ctid = ANY (ARRAY(
            SELECT d.ctid
            FROM ${schema}.job_queue d
            WHERE d.state = 'scheduled' AND d.scheduled_at >= v_since AND d.scheduled_at <= v_now
            ORDER BY d.scheduled_at
            LIMIT p_limit
            FOR NO KEY UPDATE SKIP LOCKED))
        RETURNING q.event_domain)
    SELECT count(*), array_agg(DISTINCT p.event_domain) INTO v_count, v_domains FROM promoted p;
    IF v_count > 0 AND p_wake AND ${schema}.fn_queue_notify_enabled() THEN
        PERFORM ${schema}.fn_queue_wake(d, 'job') FROM unnest(v_domains) d;
    END IF;
    RETURN v_count;
END
$$;

-- In how many seconds the next scheduled job is due; null if there is none.
CREATE OR REPLACE FUNCTION ${schema}.fn_job_until_due(p_since timestamptz DEFAULT NULL) RETURNS double precision
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
DECLARE
    v_since timestamptz := coalesce(p_since, '-infinity');
BEGIN
    RETURN (
        SELECT extract(epoch FROM q.scheduled_at - clock_timestamp())
        FROM ${schema}.job_queue q
        WHERE q.state = 'scheduled' AND q.scheduled_at >= v_since
        ORDER BY q.scheduled_at
        LIMIT 1);
END
$$;

-- Leases due jobs of these kinds, in their order, and returns them with their payloads. Nothing while the gate is closed;
-- nothing of a kind that is paused. Of a kind with a limit, or a rate, no more than is left of it.
--
-- p_limits, one per kind, is the most jobs of it, 0 and more. p_floors, one per kind, is for workers that call often: nothing
-- below is read. While an old snapshot is open, the index keeps every job that was ever leased, and a full scan steps over
-- all of them. p_token is for callers that must find a lease whose answer got lost (see fn_job_hand_back_leased): a new one
-- for each call, or a late change under an old lease would be accepted.
CREATE OR REPLACE FUNCTION ${schema}.fn_job_lease(
    p_kinds text[],
    p_limit integer,
    p_owner text,
    p_lease_seconds integer DEFAULT NULL,
    p_limits integer[] DEFAULT NULL,
    p_floors timestamptz[] DEFAULT NULL,
    p_token uuid DEFAULT NULL)
RETURNS TABLE (
    job_id uuid, job_kind text, payload jsonb, attempt integer, max_attempts integer, lease_token uuid,
    lease_until timestamptz, priority smallint, scheduled_at timestamptz, order_at timestamptz, idempotency_key text,
    run_id uuid)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
-- A generic plan: planning takes longer than running it. Made while the queue was empty, it must not be one that reads the
-- whole table.
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    v_kinds    refcursor;
    v_kind     record;
    v_count    integer := cardinality(p_kinds);
    v_token    uuid := coalesce(p_token, gen_random_uuid());
    v_now      timestamptz := clock_timestamp();
    v_left     integer := p_limit;
    v_take     integer;
    v_rate     double precision;
    v_rated    timestamptz;
    v_rows     bigint;
    v_before   integer;
    v_shared   bigint;
    v_asked    integer[];
    v_taken    integer[];
    v_back     boolean;
    v_promoted boolean := false;
BEGIN
    -- PL/pgSQL prepares every expression once per transaction, which takes longer than to evaluate it. So the usual path has
    -- few of them.
    IF p_limit BETWEEN 1 AND 10000 AND octet_length(p_owner) BETWEEN 1 AND 500
       AND coalesce(p_lease_seconds BETWEEN 1 AND 3600, true) AND (0 > ANY (p_limits)) IS NOT TRUE
       AND current_setting('transaction_isolation') = 'read committed'
       AND pg_has_role(session_user, '${server}'::regrole, 'USAGE') THEN
        NULL;
    ELSIF p_limit IS NULL OR p_limit NOT BETWEEN 1 AND 10000 THEN
        RAISE EXCEPTION USING ERRCODE = '22023',
            MESSAGE = format('limit: ''%s'' is not allowed; allowed are 1 to 10000', p_limit);
    ELSIF coalesce(p_owner, '') = '' OR octet_length(p_owner) > 500 THEN
        RAISE EXCEPTION USING ERRCODE = '22023',
            MESSAGE = format('owner: ''%s'' is not allowed; allowed are 1 to 500 bytes', left(p_owner, 80));
    ELSIF p_lease_seconds NOT BETWEEN 1 AND 3600 THEN
        RAISE EXCEPTION USING ERRCODE = '22023',
            MESSAGE = format('lease_seconds: ''%s'' is not allowed; allowed are 1 to 3600', p_lease_seconds);
    ELSIF 0 > ANY (p_limits) THEN
        RAISE EXCEPTION USING ERRCODE = '22023',
            MESSAGE = format('limits: ''%s'' is not allowed; allowed are 0 and more',
                             (SELECT g.at_most FROM unnest(p_limits) g (at_most) WHERE g.at_most < 0 LIMIT 1));
    ELSIF current_setting('transaction_isolation') <> 'read committed' THEN
        -- A limit is read after its lock is taken, and an older snapshot would not see the previous leases.
        RAISE EXCEPTION USING ERRCODE = '25001',
            MESSAGE = format('isolation: ''%s'' is not allowed; allowed is read committed',
                             current_setting('transaction_isolation'));
    ELSE
        -- Not the server role: all kinds must be granted to the login, and so must the owner name.
        PERFORM ${schema}.fn_executor_demand('kind', p_kinds);
        PERFORM ${schema}.fn_executor_demand('executor', ARRAY[p_owner]);
    END IF;

    WHILE v_count > 0 LOOP
        IF v_count > 1 THEN
            v_before := v_left;
            v_shared := 0;
            -- All about the kinds in one query.
            OPEN v_kinds FOR
                SELECT k.job_kind AS kind, k.max_running, k.rate_count, k.rate_seconds, g.floor, c.key IS NOT NULL AS open,
                       coalesce(p_lease_seconds, k.lease_seconds) AS seconds, g.no,
                       w.share AS take
                FROM unnest(p_kinds, p_limits, p_floors) WITH ORDINALITY g (kind, at_most, floor, no)
                LEFT JOIN ${schema}.job_kind k ON k.job_kind = g.kind
                -- As in fn_gate_open.
                LEFT JOIN ${schema}.dot_config c
                    ON c.key = 'queue.jobs.enabled' AND c.kind = 'gate' AND c.value = 'true'
                    AND (c.expires_at IS NULL OR c.expires_at > v_now)
                LEFT JOIN (
                    -- How many of each kind are among the first. Read without locks. A kind that returned fewer than asked
                    -- for has no more: its share goes to the others.
                    SELECT f.no, count(*)::integer AS share
                    FROM (
                        SELECT o.no, d.order_at
                        FROM unnest(p_kinds, p_limits, p_floors) WITH ORDINALITY o (kind, at_most, floor, no)
                        JOIN ${schema}.job_kind k ON k.job_kind = o.kind AND k.paused_at IS NULL
                        CROSS JOIN LATERAL (
                            SELECT d.order_at
                            FROM ${schema}.job_queue d
                            WHERE d.state = 'queued' AND d.job_kind = o.kind
                              AND d.order_at >= coalesce(o.floor, '-infinity')
                            ORDER BY d.order_at
                            LIMIT CASE WHEN coalesce(v_taken[o.no::integer], 0) < v_asked[o.no::integer] THEN 0
                                       ELSE least(v_left, o.at_most - coalesce(v_taken[o.no::integer], 0)) END) d
                        ORDER BY d.order_at
                        LIMIT v_left) f
                    GROUP BY f.no) w ON w.no = g.no
                WHERE g.no <= v_count AND (w.share > 0 OR k.job_kind IS NULL OR c.key IS NULL)
                -- One order for all callers, because limited kinds are locked. An unknown kind comes first.
                ORDER BY k.job_kind NULLS FIRST;
        END IF;
        FOR v_no IN 1 .. v_count LOOP
            IF v_count > 1 THEN
                FETCH v_kinds INTO v_kind;
                EXIT WHEN NOT FOUND;
                v_shared := v_shared + v_kind.take;
                v_asked[v_kind.no] := coalesce(v_asked[v_kind.no], 0) + v_kind.take;
            ELSE
                -- One kind needs no share, and no cursor, which would take as long as the query itself.
                SELECT k.job_kind AS kind, k.max_running, k.rate_count, k.rate_seconds, p_floors[1] AS floor,
                       c.key IS NOT NULL AS open, coalesce(p_lease_seconds, k.lease_seconds) AS seconds,
                       CASE WHEN k.paused_at IS NULL THEN least(v_left, p_limits[1]) ELSE 0 END AS take
                INTO v_kind
                FROM ${schema}.job_kind k
                LEFT JOIN ${schema}.dot_config c
                    ON c.key = 'queue.jobs.enabled' AND c.kind = 'gate' AND c.value = 'true'
                    AND (c.expires_at IS NULL OR c.expires_at > v_now)
                WHERE k.job_kind = p_kinds[1];
            END IF;
            IF v_kind.kind IS NULL THEN
                SELECT g.kind INTO v_kind
                FROM unnest(p_kinds) g (kind)
                WHERE NOT EXISTS (SELECT FROM ${schema}.job_kind k WHERE k.job_kind = g.kind)
                LIMIT 1;
                RAISE EXCEPTION USING ERRCODE = 'OR003',
                    MESSAGE = format('kind: ''%s'' is not registered', left(v_kind.kind, 80)),
                    HINT = 'Register it with fn_job_kind_register.';
            ELSIF NOT v_kind.open THEN
                IF v_count > 1 THEN
                    CLOSE v_kinds;
                END IF;
                RETURN;
            END IF;
            v_take := least(v_left, v_kind.take);
            IF v_kind.max_running IS NOT NULL OR v_kind.rate_count IS NOT NULL THEN
                -- One transaction at a time counts what is left. It takes all of that, so others skip the kind and do not wait.
                PERFORM FROM ${schema}.job_kind k WHERE k.job_kind = v_kind.kind FOR NO KEY UPDATE SKIP LOCKED;
                CONTINUE WHEN NOT FOUND;
                IF v_kind.max_running IS NOT NULL THEN
                    -- An expired lease counts until it is reaped: until then its owner may still extend it.
                    SELECT least(v_take, v_kind.max_running - count(*)) INTO v_take
                    FROM ${schema}.job_queue q
                    WHERE q.state = 'leased' AND q.job_kind = v_kind.kind;
                END IF;
                IF v_kind.rate_count IS NOT NULL THEN
                    -- After the lock: a transaction that started later may have been here before.
                    v_rated := clock_timestamp();
                    INSERT INTO ${schema}.job_kind_rate (job_kind, left_over, refilled_at)
                    VALUES (v_kind.kind, v_kind.rate_count, v_rated)
                    ON CONFLICT DO NOTHING;
                    -- A clock that was set back refills nothing.
                    SELECT least(v_kind.rate_count,
                                 r.left_over + greatest(0, extract(epoch FROM v_rated - r.refilled_at))
                                               * v_kind.rate_count / v_kind.rate_seconds),
                           r.refilled_at > v_rated
                    INTO v_rate, v_back
                    FROM ${schema}.job_kind_rate r
                    WHERE r.job_kind = v_kind.kind;
                    IF v_back THEN
                        -- Counted from now: otherwise nothing would be refilled until the clock is where it was.
                        UPDATE ${schema}.job_kind_rate r SET refilled_at = v_rated WHERE r.job_kind = v_kind.kind;
                    END IF;
                    v_take := least(v_take, floor(v_rate)::integer);
                END IF;
            END IF;
            CONTINUE WHEN v_take < 1;
            RETURN QUERY
                UPDATE ${schema}.job_queue q
                SET state = 'leased',
                    lease_owner = p_owner,
                    -- It may have been enqueued, or become due, since this started.
                    leased_at = greatest(v_now, q.scheduled_at),
                    lease_until = v_now + make_interval(secs => v_kind.seconds),
                    lease_token = v_token
                -- By ctid: the rows are locked, so it does not change.
                WHERE q.ctid = ANY (ARRAY(
                    SELECT d.ctid
                    FROM ${schema}.job_queue d
                    WHERE d.state = 'queued' AND d.job_kind = v_kind.kind
                      AND d.order_at >= coalesce(v_kind.floor, '-infinity')
                    ORDER BY d.order_at
                    LIMIT v_take
                    FOR NO KEY UPDATE SKIP LOCKED))
                RETURNING q.job_id, q.job_kind, q.payload, q.attempts + 1, q.max_attempts, q.lease_token, q.lease_until,
                    q.priority, q.scheduled_at, q.order_at, q.idempotency_key, q.run_id;
            GET DIAGNOSTICS v_rows = ROW_COUNT;
            v_left := v_left - v_rows;
            IF v_count > 1 THEN
                v_taken[v_kind.no] := coalesce(v_taken[v_kind.no], 0) + v_rows;
            END IF;
            IF v_kind.rate_count IS NOT NULL AND v_rows > 0 THEN
                UPDATE ${schema}.job_kind_rate r
                SET left_over = v_rate - v_rows, refilled_at = v_rated
                WHERE r.job_kind = v_kind.kind;
            END IF;
        END LOOP;
        IF v_count > 1 THEN
            CLOSE v_kinds;
            -- A kind at its limit does not hold up the others. Each iteration has one kind less.
            CONTINUE WHEN v_left > 0 AND v_before - v_left < v_shared;
            v_asked := NULL;
        END IF;
        -- Scheduled jobs are queued by a caller that found nothing, and by the keeper.
        EXIT WHEN v_left < p_limit OR v_promoted;
        EXIT WHEN ${schema}.fn_job_promote(1000) = 0;
        v_promoted := true;
    END LOOP;
END
$$;

-- Extends leases to so many seconds from now, or to the lease time of the kind. Returns for each lease: held; lost; cancel,
-- which is held as well, but a cancel of the job was requested; or busy: another transaction has locked the job, so the
-- lease was not extended. Try that one again.
CREATE OR REPLACE FUNCTION ${schema}.fn_job_extend(p_jobs uuid[], p_tokens uuid[], p_seconds integer DEFAULT NULL)
RETURNS TABLE (job_id uuid, lease_token uuid, verdict text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
SET enable_nestloop = off SET enable_mergejoin = off
AS $$
BEGIN
    IF p_seconds NOT BETWEEN 1 AND 3600 THEN
        RAISE EXCEPTION USING ERRCODE = '22023',
            MESSAGE = format('seconds: ''%s'' is not allowed; allowed are 1 to 3600', p_seconds);
    END IF;
    IF NOT pg_has_role(session_user, '${server}'::regrole, 'USAGE') THEN
        PERFORM ${schema}.fn_executor_demand_jobs(p_jobs, p_tokens);
    END IF;
    RETURN QUERY
        WITH mine AS MATERIALIZED (
            SELECT g.id, g.token, l.cancel_requested_at
            FROM unnest(p_jobs, p_tokens) g (id, token)
            CROSS JOIN LATERAL (
                SELECT q.cancel_requested_at
                FROM ${schema}.job_queue q
                WHERE q.job_id = g.id AND q.lease_token = g.token
                LIMIT 1
                -- Locked rows are skipped: the other leases would expire meanwhile.
                FOR NO KEY UPDATE SKIP LOCKED) l
        ), extended AS (
            UPDATE ${schema}.job_queue q
            SET lease_until = clock_timestamp() + make_interval(secs => coalesce(
                    p_seconds, (SELECT k.lease_seconds FROM ${schema}.job_kind k WHERE k.job_kind = q.job_kind), 60))
            -- Not by ctid: a row that was updated since this statement started is locked in a version it cannot see.
            WHERE q.job_id = ANY (ARRAY(SELECT m.id FROM mine m)))
        SELECT g.id, g.token,
               CASE
                   WHEN m.id IS NOT NULL AND m.cancel_requested_at IS NULL THEN 'held'
                   WHEN m.id IS NOT NULL THEN 'cancel'
                   -- No EXISTS: the planner may answer it by a scan of all jobs.
                   WHEN (SELECT true
                         FROM ${schema}.job_queue q
                         WHERE q.job_id = g.id AND q.lease_token = g.token
                         LIMIT 1) THEN 'busy'
                   ELSE 'lost'
               END
        FROM unnest(p_jobs, p_tokens) g (id, token)
        -- A caller may ask for two leases of one job, one of which is lost.
        LEFT JOIN mine m ON m.id = g.id AND m.token = g.token;
END
$$;

-- Takes back jobs whose lease has expired, which counts as a failed attempt. Any executor may call it, at any rate. With
-- p_since only leases that expired since then: one that was locked meanwhile is found by the next full scan.
CREATE OR REPLACE FUNCTION ${schema}.fn_job_lease_reaper(
    p_batch_limit integer DEFAULT 100, p_actor text DEFAULT 'lease_reaper', p_since timestamptz DEFAULT NULL)
RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
DECLARE
    v_now    timestamptz := clock_timestamp();
    v_since  timestamptz := coalesce(p_since, '-infinity');
    -- Other executors read this error with their job, so the name that the caller gives itself is not used.
    v_actor  text := CASE WHEN pg_has_role(session_user, '${server}'::regrole, 'USAGE') OR NOT ${schema}.fn_executor_bounded()
                          THEN p_actor ELSE session_user END;
    v_job    ${schema}.job_queue;
    v_counts jsonb := '{"reaped": 0, "retry": 0, "dead": 0, "cancelled": 0}';
    v_what   text;
BEGIN
    IF p_batch_limit IS NULL OR p_batch_limit NOT BETWEEN 1 AND 10000 THEN
        RAISE EXCEPTION USING ERRCODE = '22023',
            MESSAGE = format('batch_limit: ''%s'' is not allowed; allowed are 1 to 10000', p_batch_limit);
    END IF;
    FOR v_job IN
        -- From kind to kind, by the index: no lease that is still valid is read.
        WITH RECURSIVE kinds AS (
            (SELECT q.job_kind
             FROM ${schema}.job_queue q
             WHERE q.state = 'leased' AND p_since IS NULL
             ORDER BY q.job_kind
             LIMIT 1)
            UNION ALL
            SELECT (SELECT q.job_kind
                    FROM ${schema}.job_queue q
                    WHERE q.state = 'leased' AND q.job_kind > k.job_kind
                    ORDER BY q.job_kind
                    LIMIT 1)
            FROM kinds k
            WHERE k.job_kind IS NOT NULL
        ), looked_at AS (
            SELECT k.job_kind FROM kinds k
            UNION ALL
            -- The index would be scanned from the start of each kind.
            SELECT k.job_kind FROM ${schema}.job_kind k WHERE p_since IS NOT NULL)
        SELECT l.*
        FROM looked_at k
        CROSS JOIN LATERAL (
            SELECT *
            FROM ${schema}.job_queue q
            WHERE q.state = 'leased' AND q.job_kind = k.job_kind AND q.lease_until >= v_since AND q.lease_until < v_now
            ORDER BY q.lease_until
            LIMIT p_batch_limit
            FOR UPDATE SKIP LOCKED) l
        LIMIT p_batch_limit
    LOOP
        v_what := ${schema}.fn_job_attempt_failed(
            v_job, 'lease_expired', format('the lease of ''%s'' ran out; taken back by ''%s''', v_job.lease_owner, v_actor),
            NULL, false) ->> 'outcome';
        v_counts := v_counts || jsonb_build_object(
            'reaped', (v_counts ->> 'reaped')::integer + 1, v_what, (v_counts ->> v_what)::integer + 1);
    END LOOP;
    RETURN v_counts;
END
$$;

-- The queued and leased jobs of a kind, each counted up to 10000: cheap at any size. The oldest is that of the first 10000 in
-- their order, which priority changes by at most 100 minutes. A lease that expired an hour ago is not counted.
CREATE OR REPLACE FUNCTION ${schema}.fn_job_backlog(
    p_kind text, OUT queued bigint, OUT oldest_due_at timestamptz, OUT leased bigint)
-- A function and not the view itself: a view cannot disable table scans.
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
DECLARE
    v_since timestamptz := clock_timestamp() - interval '1 hour';
BEGIN
    SELECT count(*), min(c.scheduled_at) INTO queued, oldest_due_at
    FROM (SELECT q.scheduled_at
          FROM ${schema}.job_queue q
          WHERE q.state = 'queued' AND q.job_kind = p_kind
          ORDER BY q.order_at
          LIMIT 10001) c;
    SELECT count(*) INTO leased
    FROM (SELECT
          FROM ${schema}.job_queue q
          WHERE q.state = 'leased' AND q.job_kind = p_kind AND q.lease_until > v_since
          LIMIT 10001) c;
END
$$;

-- How many jobs of each kind are scheduled, of the first 10000 of all kinds in the order of their times. Not 10000 of each:
-- the index has no kinds, and another one would slow down every scheduled enqueue and every failure.
CREATE OR REPLACE FUNCTION ${schema}.fn_job_later() RETURNS TABLE (job_kind text, scheduled bigint)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
BEGIN
    RETURN QUERY
        SELECT c.job_kind, count(*)
        FROM (SELECT q.job_kind
              FROM ${schema}.job_queue q
              WHERE q.state = 'scheduled' AND q.scheduled_at >= '-infinity'
              ORDER BY q.scheduled_at
              LIMIT 10000) c
        GROUP BY c.job_kind;
END
$$;

REVOKE EXECUTE ON FUNCTION
    ${schema}.fn_job_promote(integer, boolean, timestamptz),
    ${schema}.fn_job_until_due(timestamptz),
    ${schema}.fn_job_lease(text[], integer, text, integer, integer[], timestamptz[], uuid),
    ${schema}.fn_job_extend(uuid[], uuid[], integer),
    ${schema}.fn_job_lease_reaper(integer, text, timestamptz),
    ${schema}.fn_job_backlog(text),
    ${schema}.fn_job_later()
FROM PUBLIC;

GRANT EXECUTE ON FUNCTION
    ${schema}.fn_job_promote(integer, boolean, timestamptz),
    ${schema}.fn_job_until_due(timestamptz),
    ${schema}.fn_job_lease_reaper(integer, text, timestamptz)
TO ${server}, ${admin};

GRANT EXECUTE ON FUNCTION
    ${schema}.fn_job_backlog(text),
    ${schema}.fn_job_later()
TO ${server}, ${admin}, ${viewer};

-- What an executor needs and no more: it sees a payload only as the result of its lease.
GRANT EXECUTE ON FUNCTION
    ${schema}.fn_job_lease(text[], integer, text, integer, integer[], timestamptz[], uuid),
    ${schema}.fn_job_extend(uuid[], uuid[], integer),
    ${schema}.fn_job_lease_reaper(integer, text, timestamptz)
TO ${server}, ${executor};
