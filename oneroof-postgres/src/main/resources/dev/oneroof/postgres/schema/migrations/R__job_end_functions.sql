-- What the holder of a lease calls: outcomes, and log lines while the job runs. R__job_functions.sql explains tokens and plans.

-- Completes jobs. Returns those whose lease was lost: they are unchanged.
CREATE OR REPLACE FUNCTION ${schema}.fn_job_complete_many(p_jobs uuid[], p_tokens uuid[]) RETURNS uuid[]
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
SET enable_nestloop = off SET enable_mergejoin = off
AS $$
DECLARE
    v_ended uuid[];
BEGIN
    IF NOT pg_has_role(session_user, '${server}'::regrole, 'USAGE') THEN
        PERFORM ${schema}.fn_executor_demand_jobs(p_jobs, p_tokens);
    END IF;
    WITH ended AS (
        DELETE FROM ${schema}.job_queue q
        USING unnest(p_jobs, p_tokens) g (id, token)
        WHERE q.job_id = ANY (p_jobs) AND q.job_id = g.id AND q.lease_token = g.token
        RETURNING q.*
    ), kept AS (
        INSERT INTO ${schema}.job_history
            (job_id, job_kind, event_domain, state, priority, scheduled_at, enqueued_at, attempts, max_attempts,
             idempotency_key, run_id, lease_owner, leased_at, finished_at, last_error, payload)
        SELECT e.job_id, e.job_kind, e.event_domain, 'succeeded', e.priority, e.scheduled_at, e.enqueued_at, e.attempts + 1,
               e.max_attempts, e.idempotency_key, e.run_id, e.lease_owner, e.leased_at, clock_timestamp(), e.last_error,
               e.payload
        FROM ended e
        RETURNING job_id)
    SELECT array_agg(k.job_id) INTO v_ended FROM kept k;
    RETURN CASE WHEN cardinality(v_ended) = cardinality(p_jobs) THEN '{}'
                ELSE ARRAY(SELECT DISTINCT g.id FROM unnest(p_jobs) g (id) WHERE g.id <> ALL (coalesce(v_ended, '{}'))) END;
END
$$;

CREATE OR REPLACE FUNCTION ${schema}.fn_job_complete(p_job uuid, p_token uuid) RETURNS boolean
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$ SELECT ${schema}.fn_job_complete_many(ARRAY[p_job], ARRAY[p_token]) = '{}' $$;

-- Moves one job from the queue to the history. The caller has locked it.
CREATE OR REPLACE FUNCTION ${schema}.fn_job_retire(p_job uuid, p_state text, p_attempts integer, p_error text)
RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    WITH ended AS (DELETE FROM ${schema}.job_queue q WHERE q.job_id = p_job RETURNING q.*)
    INSERT INTO ${schema}.job_history
        (job_id, job_kind, event_domain, state, priority, scheduled_at, enqueued_at, attempts, max_attempts,
         idempotency_key, run_id, lease_owner, leased_at, finished_at, last_error, payload)
    SELECT e.job_id, e.job_kind, e.event_domain, p_state, e.priority, e.scheduled_at, e.enqueued_at, p_attempts,
           e.max_attempts, e.idempotency_key, e.run_id, e.lease_owner, e.leased_at, clock_timestamp(),
           coalesce(left(p_error, 2000), e.last_error), e.payload
    FROM ended e
$$;

-- The fingerprint of a failure: the message without what differs from job to job. Removed are quoted text (an apostrophe
-- after a letter opens no quote, and an unclosed one extends to the end), uuids, object addresses, hexadecimal numbers (of
-- six and more characters with a digit, or with 0x), and numbers.
CREATE OR REPLACE FUNCTION ${schema}.fn_job_fingerprint(p_kind text, p_class text, p_message text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
    SELECT left(md5(concat_ws(E'\n', p_kind, p_class,
        regexp_replace(
            regexp_replace(
                regexp_replace(
                    regexp_replace(left(p_message, 500), '"[^"]*(?:"|$)|(?<!\w)''[^'']*(?:''|$)', '?', 'g'),
                    '[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}', '#', 'g'),
                '(?<=@)[0-9a-fA-F]+(?![0-9a-zA-Z])'
                '|(?<![0-9a-zA-Z])(?:0[xX][0-9a-fA-F]+|(?=[a-fA-F]*[0-9])[0-9a-fA-F]{6,})(?![0-9a-zA-Z])', '#', 'g'),
            '[0-9]+', '#', 'g'))), 16)
$$;

-- Records a failed attempt: the job is scheduled again, or becomes a dead letter. The caller has locked it.
CREATE OR REPLACE FUNCTION ${schema}.fn_job_attempt_failed(
    p_job ${schema}.job_queue, p_class text, p_error text, p_retry_seconds double precision, p_final boolean)
RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
DECLARE
    v_attempts integer := p_job.attempts + 1;
    v_error    text := left(coalesce(p_error, ''), 2000);
    v_class    text := left(coalesce(nullif(p_class, ''), 'unknown'), 200);
    v_seconds  double precision;
    v_at       timestamptz;
BEGIN
    IF p_job.cancel_requested_at IS NOT NULL THEN
        PERFORM ${schema}.fn_job_retire(p_job.job_id, 'cancelled', v_attempts, p_job.last_error);
        RETURN jsonb_build_object('job_id', p_job.job_id, 'outcome', 'cancelled', 'attempts', v_attempts);
    END IF;
    IF p_final OR v_attempts >= p_job.max_attempts THEN
        PERFORM ${schema}.fn_job_retire(p_job.job_id, 'failed', v_attempts, v_error);
        -- No finding is raised here: all failing workers would wait for the lock on its one row.
        WITH letter AS (
            INSERT INTO ${schema}.job_dead_letter
                (dead_letter_id, job_id, job_kind, event_domain, priority, attempts, max_attempts, idempotency_key, run_id,
                 payload, error_class, last_error, fingerprint, enqueued_at, last_failed_at)
            VALUES
                (${schema}.fn_uuid_v7(), p_job.job_id, p_job.job_kind, p_job.event_domain, p_job.priority, v_attempts,
                 p_job.max_attempts, p_job.idempotency_key, p_job.run_id, p_job.payload, v_class, v_error,
                 ${schema}.fn_job_fingerprint(p_job.job_kind, v_class, v_error), p_job.enqueued_at, clock_timestamp())
            RETURNING job_kind, fingerprint, dead_letter_id)
        INSERT INTO ${schema}.job_dead_letter_news (job_kind, fingerprint, dead_letter_id)
        SELECT l.job_kind, l.fingerprint, l.dead_letter_id FROM letter l;
        RETURN jsonb_build_object('job_id', p_job.job_id, 'outcome', 'dead', 'attempts', v_attempts);
    END IF;
    -- Exponential backoff up to the longest, with 20 % jitter, so that jobs that failed together are not retried together.
    -- The exponent is capped against overflow.
    SELECT coalesce(
               p_retry_seconds,
               least(k.longest_backoff_seconds, k.first_backoff_seconds * 2 ^ least(v_attempts - 1, 60))
                   * (0.8 + 0.4 * random()))
    INTO v_seconds
    FROM ${schema}.job_kind k
    WHERE k.job_kind = p_job.job_kind;
    v_at := clock_timestamp() + make_interval(secs => coalesce(v_seconds, 60));
    UPDATE ${schema}.job_queue q
    SET state = 'scheduled',
        scheduled_at = v_at,
        order_at = v_at - q.priority * interval '1 minute',
        attempts = v_attempts,
        last_error = v_class || ': ' || v_error,
        lease_owner = NULL, leased_at = NULL, lease_until = NULL, lease_token = NULL
    WHERE q.job_id = p_job.job_id;
    RETURN jsonb_build_object('job_id', p_job.job_id, 'outcome', 'retry', 'attempts', v_attempts, 'scheduled_at', v_at);
END
$$;

-- Fails an attempt. The next one is due after the kind's backoff, or after the given seconds; with p_final there is none.
CREATE OR REPLACE FUNCTION ${schema}.fn_job_fail(
    p_job uuid,
    p_token uuid,
    p_error_class text,
    p_error text,
    p_retry_seconds double precision DEFAULT NULL,
    p_final boolean DEFAULT false)
RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
DECLARE
    v_job ${schema}.job_queue;
BEGIN
    IF p_retry_seconds NOT BETWEEN 0 AND 31536000 THEN
        RAISE EXCEPTION USING ERRCODE = '22023',
            MESSAGE = format('retry_seconds: ''%s'' is not allowed; allowed are 0 to 31536000', p_retry_seconds);
    END IF;
    IF NOT pg_has_role(session_user, '${server}'::regrole, 'USAGE') THEN
        PERFORM ${schema}.fn_executor_demand_jobs(ARRAY[p_job], ARRAY[p_token]);
    END IF;
    SELECT * INTO v_job FROM ${schema}.job_queue q WHERE q.job_id = p_job AND q.lease_token = p_token FOR UPDATE;
    IF NOT FOUND THEN
        RETURN jsonb_build_object('job_id', p_job, 'outcome', 'lost');
    END IF;
    RETURN ${schema}.fn_job_attempt_failed(v_job, p_error_class, p_error, p_retry_seconds, coalesce(p_final, false));
END
$$;

-- Snoozes a job: it is due again in so many seconds, and no attempt is counted. False if the lease was lost.
CREATE OR REPLACE FUNCTION ${schema}.fn_job_snooze(p_job uuid, p_token uuid, p_seconds double precision) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
DECLARE
    v_unwanted timestamptz;
    v_at       timestamptz;
BEGIN
    IF p_seconds IS NULL OR p_seconds NOT BETWEEN 0 AND 31536000 THEN
        RAISE EXCEPTION USING ERRCODE = '22023',
            MESSAGE = format('seconds: ''%s'' is not allowed; allowed are 0 to 31536000', p_seconds);
    END IF;
    IF NOT pg_has_role(session_user, '${server}'::regrole, 'USAGE') THEN
        PERFORM ${schema}.fn_executor_demand_jobs(ARRAY[p_job], ARRAY[p_token]);
    END IF;
    -- A requested cancel takes effect now. Locked first and then read: the request may be committed at this moment.
    SELECT q.cancel_requested_at INTO v_unwanted
    FROM ${schema}.job_queue q
    WHERE q.job_id = p_job AND q.lease_token = p_token
    FOR UPDATE;
    IF NOT FOUND THEN
        RETURN false;
    ELSIF v_unwanted IS NOT NULL THEN
        RETURN ${schema}.fn_job_give_up(p_job, p_token, NULL);
    END IF;
    v_at := clock_timestamp() + make_interval(secs => p_seconds);
    UPDATE ${schema}.job_queue q
    SET state = 'scheduled',
        scheduled_at = v_at,
        order_at = v_at - q.priority * interval '1 minute',
        lease_owner = NULL, leased_at = NULL, lease_until = NULL, lease_token = NULL
    WHERE q.job_id = p_job;
    RETURN true;
END
$$;

-- Hands back jobs that were not started: they are due again, in their old order; those with a requested cancel are cancelled.
-- Returns their number; a job that another transaction has locked stays with its holder.
CREATE OR REPLACE FUNCTION ${schema}.fn_job_hand_back(p_jobs uuid[], p_tokens uuid[]) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
SET enable_nestloop = off SET enable_mergejoin = off
AS $$
DECLARE
    v_back     uuid[];
    v_unwanted uuid[];
    v_count    bigint;
BEGIN
    IF NOT pg_has_role(session_user, '${server}'::regrole, 'USAGE') THEN
        PERFORM ${schema}.fn_executor_demand_jobs(p_jobs, p_tokens);
    END IF;
    -- Locked first and then read: a cancel may be requested at this moment.
    SELECT array_agg(l.job_id) FILTER (WHERE l.cancel_requested_at IS NULL),
           array_agg(l.job_id) FILTER (WHERE l.cancel_requested_at IS NOT NULL)
    INTO v_back, v_unwanted
    FROM unnest(p_jobs, p_tokens) g (id, token)
    CROSS JOIN LATERAL (
        SELECT q.job_id, q.cancel_requested_at
        FROM ${schema}.job_queue q
        WHERE q.job_id = g.id AND q.lease_token = g.token
        LIMIT 1
        -- Locked rows are skipped: the caller can hand them back later.
        FOR UPDATE SKIP LOCKED) l;
    -- They were not started, so no attempt is counted.
    PERFORM ${schema}.fn_job_retire(q.job_id, 'cancelled', q.attempts, q.last_error)
    FROM ${schema}.job_queue q
    WHERE q.job_id = ANY (v_unwanted);
    UPDATE ${schema}.job_queue q
    SET state = 'queued', lease_owner = NULL, leased_at = NULL, lease_until = NULL, lease_token = NULL
    WHERE q.job_id = ANY (v_back);
    GET DIAGNOSTICS v_count = ROW_COUNT;
    IF v_count > 0 AND ${schema}.fn_queue_notify_enabled() THEN
        PERFORM ${schema}.fn_queue_wake(d.event_domain, 'job')
        FROM (SELECT DISTINCT q.event_domain FROM ${schema}.job_queue q WHERE q.job_id = ANY (v_back)) d;
    END IF;
    RETURN v_count + coalesce(cardinality(v_unwanted), 0);
END
$$;

-- As fn_job_hand_back, for callers whose lease was not answered: they know the token and not the jobs. The lease may still be
-- committed, so call it until such a lease would have expired.
CREATE OR REPLACE FUNCTION ${schema}.fn_job_hand_back_leased(p_kinds text[], p_tokens uuid[]) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
DECLARE
    v_now    timestamptz := clock_timestamp();
    v_jobs   uuid[];
    v_tokens uuid[];
BEGIN
    IF NOT pg_has_role(session_user, '${server}'::regrole, 'USAGE') THEN
        PERFORM ${schema}.fn_executor_demand('kind', p_kinds);
    END IF;
    SELECT array_agg(q.job_id), array_agg(q.lease_token)
    INTO v_jobs, v_tokens
    FROM ${schema}.job_queue q
    -- No expired lease, which is the reaper's to take back: under an old snapshot the index keeps them all.
    WHERE q.state = 'leased' AND q.job_kind = ANY (p_kinds) AND q.lease_until > v_now AND q.lease_token = ANY (p_tokens);
    RETURN CASE WHEN v_jobs IS NULL THEN 0 ELSE ${schema}.fn_job_hand_back(v_jobs, v_tokens) END;
END
$$;

-- The holder cancels a job: on request, or because it wants no further attempt and no dead letter.
CREATE OR REPLACE FUNCTION ${schema}.fn_job_give_up(p_job uuid, p_token uuid, p_reason text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
DECLARE
    v_job ${schema}.job_queue;
BEGIN
    IF NOT pg_has_role(session_user, '${server}'::regrole, 'USAGE') THEN
        PERFORM ${schema}.fn_executor_demand_jobs(ARRAY[p_job], ARRAY[p_token]);
    END IF;
    SELECT * INTO v_job FROM ${schema}.job_queue q WHERE q.job_id = p_job AND q.lease_token = p_token FOR UPDATE;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    PERFORM ${schema}.fn_job_retire(
        p_job, 'cancelled', v_job.attempts + 1,
        CASE WHEN v_job.cancel_requested_at IS NULL THEN p_reason ELSE v_job.last_error END);
    RETURN true;
END
$$;

-- Adds a log line, with progress, to a job. At most 1000 lines of an attempt are kept: beyond that, the last one is replaced
-- by the next, and counts how many were left out before it.
CREATE OR REPLACE FUNCTION ${schema}.fn_job_say(
    p_job uuid, p_token uuid, p_line text, p_level text DEFAULT 'info', p_percent integer DEFAULT NULL)
RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
DECLARE
    v_attempt integer;
    v_last    record;
BEGIN
    IF p_level IS NULL OR p_level NOT IN ('info', 'warning', 'error') THEN
        RAISE EXCEPTION USING ERRCODE = '22023',
            MESSAGE = format('level: ''%s'' is not allowed; allowed are info, warning, error', left(p_level, 80));
    ELSIF p_percent NOT BETWEEN 0 AND 100 THEN
        RAISE EXCEPTION USING ERRCODE = '22023',
            MESSAGE = format('percent: ''%s'' is not allowed; allowed are 0 to 100', p_percent);
    END IF;
    IF NOT pg_has_role(session_user, '${server}'::regrole, 'USAGE') THEN
        PERFORM ${schema}.fn_executor_demand_jobs(ARRAY[p_job], ARRAY[p_token]);
    END IF;
    SELECT q.attempts + 1 INTO v_attempt
    FROM ${schema}.job_queue q
    WHERE q.job_id = p_job AND q.lease_token = p_token;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    SELECT l.log_id, l.attempt, l.left_out INTO v_last
    FROM ${schema}.job_log l
    WHERE l.job_id = p_job
    ORDER BY l.log_id DESC
    LIMIT 1;
    IF v_last.attempt = v_attempt AND (
        v_last.left_out > 0
        OR (SELECT count(*) FROM ${schema}.job_log l WHERE l.job_id = p_job AND l.attempt = v_attempt) >= 1000)
    THEN
        UPDATE ${schema}.job_log l
        SET level = p_level,
            line = left(coalesce(p_line, ''), 500),
            -- A line without progress keeps that of the line it replaces.
            percent = coalesce(p_percent, l.percent),
            -- On another day it moves to the partition of that day, and is retained as long.
            said_at = clock_timestamp(),
            left_out = l.left_out + 1
        WHERE l.job_id = p_job AND l.log_id = v_last.log_id;
        RETURN true;
    END IF;
    INSERT INTO ${schema}.job_log (job_id, attempt, level, line, percent)
    VALUES (p_job, v_attempt, p_level, left(coalesce(p_line, ''), 500), p_percent);
    RETURN true;
END
$$;

REVOKE EXECUTE ON FUNCTION
    ${schema}.fn_job_complete_many(uuid[], uuid[]),
    ${schema}.fn_job_complete(uuid, uuid),
    ${schema}.fn_job_retire(uuid, text, integer, text),
    ${schema}.fn_job_fingerprint(text, text, text),
    ${schema}.fn_job_attempt_failed(${schema}.job_queue, text, text, double precision, boolean),
    ${schema}.fn_job_fail(uuid, uuid, text, text, double precision, boolean),
    ${schema}.fn_job_snooze(uuid, uuid, double precision),
    ${schema}.fn_job_hand_back(uuid[], uuid[]),
    ${schema}.fn_job_hand_back_leased(text[], uuid[]),
    ${schema}.fn_job_give_up(uuid, uuid, text),
    ${schema}.fn_job_say(uuid, uuid, text, text, integer)
FROM PUBLIC;

-- What an executor needs and no more: it sees a payload only as the result of its lease.
GRANT EXECUTE ON FUNCTION
    ${schema}.fn_job_complete_many(uuid[], uuid[]),
    ${schema}.fn_job_complete(uuid, uuid),
    ${schema}.fn_job_fail(uuid, uuid, text, text, double precision, boolean),
    ${schema}.fn_job_snooze(uuid, uuid, double precision),
    ${schema}.fn_job_hand_back(uuid[], uuid[]),
    ${schema}.fn_job_hand_back_leased(text[], uuid[]),
    ${schema}.fn_job_give_up(uuid, uuid, text),
    ${schema}.fn_job_say(uuid, uuid, text, text, integer)
TO ${server}, ${executor};
