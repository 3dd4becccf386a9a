-- Jobs, for executors in any language; the Java worker calls the same functions.
--
-- Every change of a leased job is conditional on its token. Tokens are random, not drawn from a sequence: a server that
-- crashes may lose its last transactions, and must not issue the same token again.
--
-- A session caches the plans of these statements. A plan made while the queue was empty, after a vacuum, treats every access
-- path as free, and may still be used when there are a million jobs. So no statement leaves the planner a path that reads
-- more than it needs: table scans are off, indexed columns are compared with a stable value (not with clock_timestamp(),
-- which differs per row), and jobs given by their ids are looked up one by one, or by = ANY, and not joined otherwise.

-- Registers a kind, or changes how it is run. True if anything changed. An unchanged kind is only read: a lease of a limited
-- kind locks its row until it commits, and every process registers its kinds when it starts.
CREATE OR REPLACE FUNCTION ${schema}.fn_job_kind_register(
    p_kind text,
    p_domain text DEFAULT 'system',
    p_description text DEFAULT '',
    p_max_attempts integer DEFAULT 10,
    p_first_backoff_seconds double precision DEFAULT 5,
    p_longest_backoff_seconds double precision DEFAULT 3600,
    p_lease_seconds integer DEFAULT 60,
    p_deadline_seconds integer DEFAULT 300,
    p_max_running integer DEFAULT NULL,
    p_rate_count integer DEFAULT NULL,
    p_rate_seconds double precision DEFAULT NULL,
    p_lag_seconds integer DEFAULT 300,
    p_actor text DEFAULT session_user)
RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    v_bad record;
    v_was jsonb;
BEGIN
    SELECT c.field, c.given, c.allowed INTO v_bad
    FROM (VALUES
        ('kind', p_kind, p_kind ~ '^[a-z][a-z0-9_.]{0,99}$', '1 to 100 of a-z, 0-9, _ and ., beginning with a letter'),
        ('domain', p_domain, p_domain ~ '^[a-z][a-z0-9_]{0,49}$', '1 to 50 of a-z, 0-9 and _, beginning with a letter'),
        ('description', left(p_description, 80), octet_length(p_description) <= 2000, 'at most 2000 bytes'),
        ('max_attempts', p_max_attempts::text, p_max_attempts BETWEEN 1 AND 1000, '1 to 1000'),
        ('first_backoff_seconds', p_first_backoff_seconds::text, p_first_backoff_seconds BETWEEN 0 AND 86400, '0 to 86400'),
        ('longest_backoff_seconds', p_longest_backoff_seconds::text,
         p_longest_backoff_seconds BETWEEN p_first_backoff_seconds AND 604800, 'from the first backoff to 604800'),
        ('lease_seconds', p_lease_seconds::text, p_lease_seconds BETWEEN 1 AND 3600, '1 to 3600'),
        ('deadline_seconds', p_deadline_seconds::text, p_deadline_seconds BETWEEN 1 AND 604800, '1 to 604800'),
        ('max_running', p_max_running::text, coalesce(p_max_running >= 1, true), '1 and more, or none'),
        ('rate_count', p_rate_count::text,
         coalesce(p_rate_count >= 1, true) AND (p_rate_count IS NULL) = (p_rate_seconds IS NULL),
         '1 and more together with rate_seconds, or neither'),
        ('rate_seconds', p_rate_seconds::text, coalesce(p_rate_seconds BETWEEN 0.001 AND 86400, true),
         '0.001 to 86400, or none'),
        ('lag_seconds', p_lag_seconds::text, p_lag_seconds >= 1, '1 and more'),
        ('actor', left(p_actor, 80), btrim(p_actor) <> '' AND octet_length(p_actor) <= 500, '1 to 500 bytes, not all blank'))
        c (field, given, holds, allowed)
    WHERE NOT coalesce(c.holds, false)
    LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = '22023',
            MESSAGE = format('%s: ''%s'' is not allowed; allowed are %s', v_bad.field, v_bad.given, v_bad.allowed);
    END IF;
    PERFORM FROM ${schema}.job_kind k
    WHERE k.job_kind = p_kind
      AND (k.event_domain, k.description, k.max_attempts, k.first_backoff_seconds, k.longest_backoff_seconds,
           k.lease_seconds, k.deadline_seconds, k.max_running, k.rate_count, k.rate_seconds, k.lag_seconds)
          IS NOT DISTINCT FROM
          (p_domain, p_description, p_max_attempts, p_first_backoff_seconds, p_longest_backoff_seconds,
           p_lease_seconds, p_deadline_seconds, p_max_running, p_rate_count, p_rate_seconds, p_lag_seconds);
    IF FOUND THEN
        RETURN false;
    END IF;
    SELECT to_jsonb(k) INTO v_was FROM ${schema}.job_kind k WHERE k.job_kind = p_kind FOR NO KEY UPDATE;
    INSERT INTO ${schema}.job_kind AS k
        (job_kind, event_domain, description, max_attempts, first_backoff_seconds, longest_backoff_seconds, lease_seconds,
         deadline_seconds, max_running, rate_count, rate_seconds, lag_seconds, registered_by)
    VALUES
        (p_kind, p_domain, p_description, p_max_attempts, p_first_backoff_seconds, p_longest_backoff_seconds,
         p_lease_seconds, p_deadline_seconds, p_max_running, p_rate_count, p_rate_seconds, p_lag_seconds, p_actor)
    ON CONFLICT (job_kind) DO UPDATE
    SET event_domain = EXCLUDED.event_domain,
        description = EXCLUDED.description,
        max_attempts = EXCLUDED.max_attempts,
        first_backoff_seconds = EXCLUDED.first_backoff_seconds,
        longest_backoff_seconds = EXCLUDED.longest_backoff_seconds,
        lease_seconds = EXCLUDED.lease_seconds,
        deadline_seconds = EXCLUDED.deadline_seconds,
        max_running = EXCLUDED.max_running,
        rate_count = EXCLUDED.rate_count,
        rate_seconds = EXCLUDED.rate_seconds,
        lag_seconds = EXCLUDED.lag_seconds,
        updated_at = clock_timestamp()
    WHERE (k.event_domain, k.description, k.max_attempts, k.first_backoff_seconds, k.longest_backoff_seconds,
           k.lease_seconds, k.deadline_seconds, k.max_running, k.rate_count, k.rate_seconds, k.lag_seconds)
          IS DISTINCT FROM
          (EXCLUDED.event_domain, EXCLUDED.description, EXCLUDED.max_attempts, EXCLUDED.first_backoff_seconds,
           EXCLUDED.longest_backoff_seconds, EXCLUDED.lease_seconds, EXCLUDED.deadline_seconds, EXCLUDED.max_running,
           EXCLUDED.rate_count, EXCLUDED.rate_seconds, EXCLUDED.lag_seconds);
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    INSERT INTO ${schema}.operator_act (act, target, actor, reason, details)
    SELECT 'job_kind_register', 'kind ' || p_kind, p_actor, CASE WHEN v_was IS NULL THEN 'added' ELSE 'changed' END,
           CASE WHEN v_was IS NULL THEN '{}' ELSE ${schema}.fn_act_changes(v_was, to_jsonb(k)) END
    FROM ${schema}.job_kind k
    WHERE k.job_kind = p_kind;
    RETURN true;
END
$$;

-- Pauses or resumes a kind: leased jobs finish, no further one is leased. True if that was a change.
CREATE OR REPLACE FUNCTION ${schema}.fn_job_kind_pause(
    p_kind text, p_paused boolean, p_reason text, p_actor text DEFAULT session_user)
RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    v_kind ${schema}.job_kind;
BEGIN
    IF p_paused IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = '22023', MESSAGE = 'paused: '''' is not allowed; allowed are true, false';
    END IF;
    PERFORM ${schema}.fn_job_demand(p_reason, p_actor);
    SELECT * INTO v_kind FROM ${schema}.job_kind k WHERE k.job_kind = p_kind FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'OR003',
            MESSAGE = format('kind: ''%s'' is not registered; ''oneroof job kinds'' has those that are', left(p_kind, 80));
    ELSIF (v_kind.paused_at IS NOT NULL) = p_paused THEN
        RETURN false;
    END IF;
    UPDATE ${schema}.job_kind k
    SET pause_actor = CASE WHEN p_paused THEN p_actor END,
        pause_reason = CASE WHEN p_paused THEN p_reason END,
        paused_at = CASE WHEN p_paused THEN clock_timestamp() END,
        updated_at = clock_timestamp()
    WHERE k.job_kind = p_kind;
    INSERT INTO ${schema}.operator_act (act, target, actor, reason)
    VALUES (CASE WHEN p_paused THEN 'job_kind_pause' ELSE 'job_kind_resume' END, 'kind ' || p_kind, left(p_actor, 500),
            left(p_reason, 500));
    RETURN true;
END
$$;

-- Enqueues jobs with ids made by the caller, in the caller's transaction: all of them or, if one is refused, none. Null in
-- the other arrays is the default of the kind, or none. Returns only the jobs whose key is in use, with the live job that
-- has it; of equal keys in one call the first is enqueued.
CREATE OR REPLACE FUNCTION ${schema}.fn_job_put(
    p_ids uuid[],
    p_kinds text[],
    p_payloads jsonb[],
    p_keys text[] DEFAULT NULL,
    p_priorities integer[] DEFAULT NULL,
    p_scheduled timestamptz[] DEFAULT NULL,
    p_max_attempts integer[] DEFAULT NULL,
    p_runs uuid[] DEFAULT NULL,
    p_wake boolean DEFAULT true)
RETURNS TABLE (job_no bigint, existing uuid)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
DECLARE
    v_bad    record;
    v_put    uuid[];
    v_made   uuid[] := '{}';
    v_left   bigint[];
    v_known  bigint[];
    v_others uuid[];
    v_round  integer := 0;
BEGIN
    -- Checking all of them at once is fast; which one is invalid is determined only if one is.
    IF cardinality(p_ids) IS DISTINCT FROM cardinality(p_kinds)
       OR cardinality(p_ids) IS DISTINCT FROM cardinality(p_payloads)
       OR cardinality(p_keys) NOT IN (0, cardinality(p_ids))
       OR cardinality(p_priorities) NOT IN (0, cardinality(p_ids))
       OR cardinality(p_scheduled) NOT IN (0, cardinality(p_ids))
       OR cardinality(p_max_attempts) NOT IN (0, cardinality(p_ids))
       OR cardinality(p_runs) NOT IN (0, cardinality(p_ids))
       OR array_position(p_ids, NULL) IS NOT NULL
       OR EXISTS (
           SELECT FROM (SELECT DISTINCT unnest(p_kinds) AS kind) g
           WHERE NOT EXISTS (SELECT FROM ${schema}.job_kind k WHERE k.job_kind = g.kind))
       OR EXISTS (
           SELECT FROM (SELECT unnest(p_payloads) AS payload) g
           WHERE NOT coalesce(${schema}.fn_signal_only(g.payload), false))
       OR 0 > ANY (p_priorities) OR 100 < ANY (p_priorities)
       OR 1 > ANY (p_max_attempts) OR 1000 < ANY (p_max_attempts)
       OR '-infinity' = ANY (p_scheduled) OR 'infinity' = ANY (p_scheduled)
       OR EXISTS (SELECT FROM (SELECT unnest(p_keys) AS key) g WHERE octet_length(g.key) NOT BETWEEN 1 AND 500)
    THEN
        SELECT c.field, c.given, c.allowed INTO v_bad
        FROM (VALUES
            ('kinds', coalesce(cardinality(p_kinds), 0), ''),
            ('payloads', coalesce(cardinality(p_payloads), 0), ''),
            ('keys', nullif(cardinality(p_keys), 0), ', or none'),
            ('priorities', nullif(cardinality(p_priorities), 0), ', or none'),
            ('scheduled', nullif(cardinality(p_scheduled), 0), ', or none'),
            ('max_attempts', nullif(cardinality(p_max_attempts), 0), ', or none'),
            ('runs', nullif(cardinality(p_runs), 0), ', or none')) c (field, given, allowed)
        WHERE c.given <> coalesce(cardinality(p_ids), 0)
        LIMIT 1;
        IF FOUND THEN
            RAISE EXCEPTION USING ERRCODE = '22023',
                MESSAGE = format('%s: there are %s; allowed are as many as there are jobs (%s)%s', v_bad.field, v_bad.given,
                                 coalesce(cardinality(p_ids), 0), v_bad.allowed);
        END IF;
        SELECT g.no, g.kind, g.payload, g.priority, g.scheduled, g.max_attempts, g.key, k.job_kind IS NULL AS unknown,
               coalesce(${schema}.fn_signal_only(g.payload), false) AS signal
        INTO v_bad
        FROM unnest(p_ids, p_kinds, p_payloads, p_keys, p_priorities, p_scheduled, p_max_attempts)
             WITH ORDINALITY g (id, kind, payload, key, priority, scheduled, max_attempts, no)
        LEFT JOIN ${schema}.job_kind k ON k.job_kind = g.kind
        WHERE k.job_kind IS NULL OR g.id IS NULL
           OR NOT coalesce(${schema}.fn_signal_only(g.payload), false)
           OR g.priority NOT BETWEEN 0 AND 100
           OR g.max_attempts NOT BETWEEN 1 AND 1000
           OR NOT isfinite(g.scheduled)
           OR octet_length(g.key) NOT BETWEEN 1 AND 500
        ORDER BY g.no
        LIMIT 1;
        RAISE EXCEPTION USING
            ERRCODE = CASE WHEN v_bad.unknown THEN 'OR003' WHEN NOT v_bad.signal THEN 'OR002' ELSE '22023' END,
            MESSAGE = format('job %s: ', v_bad.no) || CASE
                WHEN v_bad.unknown THEN format('kind ''%s'' is not registered', left(v_bad.kind, 80))
                WHEN NOT v_bad.signal THEN format('the payload of this ''%s'' is no signal: %s; allowed are addresses '
                    'and figures, at most 8192 bytes and 100 levels, with none of the keys that hold contents or secrets',
                    v_bad.kind, ${schema}.fn_signal_fault(v_bad.payload))
                WHEN v_bad.priority NOT BETWEEN 0 AND 100 THEN
                    format('priority ''%s'' is not allowed; allowed are 0 to 100', v_bad.priority)
                WHEN v_bad.max_attempts NOT BETWEEN 1 AND 1000 THEN
                    format('max_attempts ''%s'' is not allowed; allowed are 1 to 1000', v_bad.max_attempts)
                WHEN NOT isfinite(v_bad.scheduled) THEN
                    format('scheduled_at ''%s'' is not allowed; allowed is a time', v_bad.scheduled)
                WHEN octet_length(v_bad.key) NOT BETWEEN 1 AND 500 THEN
                    format('idempotency_key ''%s'' of %s bytes is not allowed; allowed are 1 to 500 bytes',
                           left(v_bad.key, 80), octet_length(v_bad.key))
                ELSE 'it has no id'
            END;
    END IF;

    IF coalesce(array_remove(p_keys, NULL), '{}') = '{}' THEN
        INSERT INTO ${schema}.job_queue
            (job_id, job_kind, event_domain, state, priority, scheduled_at, order_at, enqueued_at, max_attempts, run_id,
             payload)
        SELECT g.id, g.kind, k.event_domain, CASE WHEN g.scheduled > now() THEN 'scheduled' ELSE 'queued' END,
               coalesce(g.priority, 0), coalesce(g.scheduled, now()),
               coalesce(g.scheduled, now()) - coalesce(g.priority, 0) * interval '1 minute', now(),
               coalesce(g.max_attempts, k.max_attempts), g.run, g.payload
        FROM unnest(p_ids, p_kinds, p_payloads, p_priorities, p_scheduled, p_max_attempts, p_runs)
             g (id, kind, payload, priority, scheduled, max_attempts, run)
        JOIN ${schema}.job_kind k ON k.job_kind = g.kind;
    ELSE
        LOOP
            -- In the order of the keys, so that two transactions that enqueue the same keys do not deadlock.
            WITH put AS (
                INSERT INTO ${schema}.job_queue
                    (job_id, job_kind, event_domain, state, priority, scheduled_at, order_at, enqueued_at, max_attempts,
                     idempotency_key, run_id, payload)
                SELECT g.id, g.kind, k.event_domain, CASE WHEN g.scheduled > now() THEN 'scheduled' ELSE 'queued' END,
                       coalesce(g.priority, 0), coalesce(g.scheduled, now()),
                       coalesce(g.scheduled, now()) - coalesce(g.priority, 0) * interval '1 minute', now(),
                       coalesce(g.max_attempts, k.max_attempts), g.key, g.run, g.payload
                FROM unnest(p_ids, p_kinds, p_payloads, p_keys, p_priorities, p_scheduled, p_max_attempts, p_runs)
                     WITH ORDINALITY g (id, kind, payload, key, priority, scheduled, max_attempts, run, no)
                JOIN ${schema}.job_kind k ON k.job_kind = g.kind
                WHERE v_left IS NULL OR g.no = ANY (v_left)
                ORDER BY g.key, g.no
                ON CONFLICT (idempotency_key) WHERE idempotency_key IS NOT NULL DO NOTHING
                RETURNING job_id)
            SELECT array_agg(p.job_id) INTO v_put FROM put p;
            v_made := v_made || v_put;
            EXIT WHEN cardinality(v_made) = cardinality(p_ids);

            -- The jobs that have the other keys. One that has ended since the insert leaves its key free for this call. A
            -- repeatable read transaction may see an ended job beside the one it made itself: that is the younger row.
            SELECT array_agg(g.no) FILTER (WHERE q.job_id IS NULL),
                   array_agg(g.no) FILTER (WHERE q.job_id IS NOT NULL),
                   array_agg(q.job_id) FILTER (WHERE q.job_id IS NOT NULL)
            INTO v_left, v_known, v_others
            FROM unnest(p_ids, p_keys) WITH ORDINALITY g (id, key, no)
            LEFT JOIN LATERAL (
                SELECT q.job_id
                FROM ${schema}.job_queue q
                WHERE q.idempotency_key = g.key
                ORDER BY age(q.xmin)
                LIMIT 1) q ON true
            WHERE g.id NOT IN (SELECT unnest(v_made));
            EXIT WHEN v_left IS NULL;
            v_round := v_round + 1;
            IF v_round >= 20 THEN
                RAISE EXCEPTION USING ERRCODE = '40001',
                    MESSAGE = 'idempotency_key: jobs with this key end as fast as they are enqueued; try again';
            END IF;
        END LOOP;
        RETURN QUERY SELECT k.no, k.other FROM unnest(v_known, v_others) k (no, other) ORDER BY k.no;
    END IF;

    IF p_wake AND ${schema}.fn_queue_notify_enabled()
       AND (p_scheduled IS NULL OR EXISTS (SELECT FROM unnest(p_scheduled) s WHERE s IS NULL OR s <= now())) THEN
        PERFORM ${schema}.fn_queue_wake(d.event_domain, 'job')
        FROM (SELECT DISTINCT k.event_domain FROM ${schema}.job_kind k WHERE k.job_kind = ANY (p_kinds)) d;
    END IF;
END
$$;

-- Enqueues jobs. If a key is in use, the live job that has it is returned, with created false.
CREATE OR REPLACE FUNCTION ${schema}.fn_job_enqueue_many(
    p_kinds text[],
    p_payloads jsonb[],
    p_keys text[] DEFAULT NULL,
    p_priorities integer[] DEFAULT NULL,
    p_scheduled timestamptz[] DEFAULT NULL,
    p_max_attempts integer[] DEFAULT NULL,
    p_runs uuid[] DEFAULT NULL)
RETURNS TABLE (job_no bigint, job_id uuid, created boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    -- Made first and assigned in order: two ids of one clock tick are in random order.
    v_ids uuid[] := ARRAY(
        SELECT ${schema}.fn_uuid_v7() AS id FROM generate_series(1, coalesce(cardinality(p_kinds), 0)) ORDER BY id);
BEGIN
    RETURN QUERY
        SELECT g.no, coalesce(p.existing, g.id), p.existing IS NULL
        FROM unnest(v_ids) WITH ORDINALITY g (id, no)
        LEFT JOIN ${schema}.fn_job_put(
            v_ids, p_kinds, p_payloads, p_keys, p_priorities, p_scheduled, p_max_attempts, p_runs) p ON p.job_no = g.no
        ORDER BY g.no;
END
$$;

CREATE OR REPLACE FUNCTION ${schema}.fn_job_enqueue(
    p_kind text,
    p_payload jsonb DEFAULT '{}',
    p_idempotency_key text DEFAULT NULL,
    p_priority integer DEFAULT NULL,
    p_scheduled_at timestamptz DEFAULT NULL,
    p_max_attempts integer DEFAULT NULL,
    p_run_id uuid DEFAULT NULL)
RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    v_id       uuid := ${schema}.fn_uuid_v7();
    v_existing uuid;
BEGIN
    SELECT p.existing INTO v_existing
    FROM ${schema}.fn_job_put(
        ARRAY[v_id], ARRAY[p_kind], ARRAY[p_payload], ARRAY[p_idempotency_key], ARRAY[p_priority], ARRAY[p_scheduled_at],
        ARRAY[p_max_attempts], ARRAY[p_run_id]) p;
    RETURN jsonb_build_object('job_id', coalesce(v_existing, v_id), 'created', v_existing IS NULL);
END
$$;

REVOKE EXECUTE ON FUNCTION
    ${schema}.fn_job_kind_register(
        text, text, text, integer, double precision, double precision, integer, integer, integer, integer,
        double precision, integer, text),
    ${schema}.fn_job_kind_pause(text, boolean, text, text),
    ${schema}.fn_job_put(uuid[], text[], jsonb[], text[], integer[], timestamptz[], integer[], uuid[], boolean),
    ${schema}.fn_job_enqueue_many(text[], jsonb[], text[], integer[], timestamptz[], integer[], uuid[]),
    ${schema}.fn_job_enqueue(text, jsonb, text, integer, timestamptz, integer, uuid)
FROM PUBLIC;

GRANT EXECUTE ON FUNCTION
    ${schema}.fn_job_kind_register(
        text, text, text, integer, double precision, double precision, integer, integer, integer, integer,
        double precision, integer, text),
    ${schema}.fn_job_kind_pause(text, boolean, text, text),
    ${schema}.fn_job_put(uuid[], text[], jsonb[], text[], integer[], timestamptz[], integer[], uuid[], boolean),
    ${schema}.fn_job_enqueue_many(text[], jsonb[], text[], integer[], timestamptz[], integer[], uuid[]),
    ${schema}.fn_job_enqueue(text, jsonb, text, integer, timestamptz, integer, uuid)
TO ${server}, ${admin};
