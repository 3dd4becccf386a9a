-- Adds a schedule, or with p_replace changes it. The caller computes the next due time. It is used only if the recurrence is
-- new, so that a process that puts the same definition when it starts skips no time. Without p_first_due_at an interval
-- starts at its next due time. A change resumes a stopped schedule; times since the stop are not fired. Returns added,
-- changed or same.
CREATE OR REPLACE FUNCTION ${schema}.fn_job_schedule_put(
    p_name text,
    p_kind text,
    p_cron text,
    p_time_zone text,
    p_every_seconds integer,
    p_first_due_at timestamptz,
    p_next_due_at timestamptz,
    p_catch_up text DEFAULT 'last',
    p_may_overlap boolean DEFAULT true,
    p_payload jsonb DEFAULT '{}',
    p_priority integer DEFAULT 0,
    p_max_attempts integer DEFAULT NULL,
    p_replace boolean DEFAULT false,
    p_actor text DEFAULT session_user)
RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
DECLARE
    v_bad  record;
    v_was  ${schema}.job_schedule;
    v_diff text[];
    v_new_times boolean;
    v_first timestamptz := CASE WHEN p_every_seconds IS NOT NULL THEN coalesce(p_first_due_at, p_next_due_at) END;
BEGIN
    SELECT c.field, c.given, c.allowed INTO v_bad
    FROM (VALUES
        ('name', left(p_name, 80), p_name ~ '^[a-z][a-z0-9_.-]{0,99}$',
         '1 to 100 of a-z, 0-9, _, . and -, beginning with a letter'),
        ('cron', left(coalesce(p_cron, p_every_seconds::text), 80), (p_cron IS NULL) <> (p_every_seconds IS NULL),
         'a cron expression or a number of seconds, one of both'),
        ('cron', left(p_cron, 80), coalesce(octet_length(p_cron) BETWEEN 1 AND 200, true), '1 to 200 bytes'),
        ('time_zone', left(p_time_zone, 80),
         (p_cron IS NULL) = (p_time_zone IS NULL) AND coalesce(octet_length(p_time_zone) BETWEEN 1 AND 100, true),
         '1 to 100 bytes with a cron expression, none without'),
        ('every_seconds', p_every_seconds::text, coalesce(p_every_seconds BETWEEN 1 AND 31622400, true), '1 to 31622400'),
        ('first_due_at', p_first_due_at::text,
         p_first_due_at IS NULL OR (p_every_seconds IS NOT NULL AND isfinite(p_first_due_at)),
         'a time with every_seconds, none without'),
        ('next_due_at', p_next_due_at::text, isfinite(p_next_due_at), 'a time'),
        ('catch_up', left(p_catch_up, 80), p_catch_up IN ('skip', 'last', 'all'), 'skip, last, all'),
        ('may_overlap', p_may_overlap::text, p_may_overlap IS NOT NULL, 'true, false'),
        ('priority', p_priority::text, p_priority BETWEEN 0 AND 100, '0 to 100'),
        ('max_attempts', p_max_attempts::text, coalesce(p_max_attempts BETWEEN 1 AND 1000, true), '1 to 1000, or none'),
        ('actor', left(p_actor, 80), btrim(p_actor) <> '' AND octet_length(p_actor) <= 500, '1 to 500 bytes, not all blank'))
        c (field, given, holds, allowed)
    WHERE NOT coalesce(c.holds, false)
    LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = '22023',
            MESSAGE = format('%s: ''%s'' is not allowed; allowed are %s', v_bad.field, v_bad.given, v_bad.allowed);
    ELSIF NOT coalesce(${schema}.fn_signal_only(p_payload), false) THEN
        RAISE EXCEPTION USING ERRCODE = 'OR002',
            MESSAGE = format('payload: that of ''%s'' is no signal: %s; allowed are addresses and figures, at most 8192 bytes '
                'and 100 levels, with none of the keys that hold contents or secrets', p_name,
                ${schema}.fn_signal_fault(p_payload));
    ELSIF NOT EXISTS (SELECT FROM ${schema}.job_kind k WHERE k.job_kind = p_kind) THEN
        RAISE EXCEPTION USING ERRCODE = 'OR003',
            MESSAGE = format('kind: ''%s'' is not registered; ''oneroof job kinds'' has those that are', left(p_kind, 80));
    END IF;

    INSERT INTO ${schema}.job_schedule
        (schedule_name, job_kind, cron, time_zone, every_seconds, first_due_at, catch_up, may_overlap, payload, priority,
         max_attempts, next_due_at, registered_by)
    VALUES
        (p_name, p_kind, p_cron, p_time_zone, p_every_seconds, v_first, p_catch_up, p_may_overlap, p_payload, p_priority,
         p_max_attempts, p_next_due_at, p_actor)
    ON CONFLICT (schedule_name) DO NOTHING;
    IF FOUND THEN
        INSERT INTO ${schema}.operator_act (act, target, actor, reason)
        VALUES ('job_schedule_put', 'schedule ' || p_name, p_actor, 'added');
        RETURN 'added';
    END IF;

    SELECT * INTO v_was FROM ${schema}.job_schedule s WHERE s.schedule_name = p_name FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = '40001', MESSAGE = format('schedule: ''%s'' was just removed; try again', p_name);
    END IF;
    -- Put again without a first time, an interval keeps the one it has.
    v_new_times := (v_was.cron, v_was.time_zone, v_was.every_seconds)
                   IS DISTINCT FROM (p_cron, p_time_zone, p_every_seconds)
                   OR p_first_due_at <> v_was.first_due_at;
    v_diff := array_remove(ARRAY[
        CASE WHEN v_was.job_kind <> p_kind THEN format('kind is %s', v_was.job_kind) END,
        CASE WHEN v_was.cron IS DISTINCT FROM p_cron THEN format('cron is %s', coalesce(v_was.cron, 'none')) END,
        CASE WHEN v_was.time_zone IS DISTINCT FROM p_time_zone THEN
            format('zone is %s', coalesce(v_was.time_zone, 'none')) END,
        CASE WHEN v_was.every_seconds IS DISTINCT FROM p_every_seconds THEN
            format('every is %s', coalesce(v_was.every_seconds || ' s', 'none')) END,
        CASE WHEN p_first_due_at <> v_was.first_due_at THEN format('from is %s', v_was.first_due_at) END,
        CASE WHEN v_was.catch_up <> p_catch_up THEN format('catch-up is %s', v_was.catch_up) END,
        CASE WHEN v_was.may_overlap <> p_may_overlap THEN format('overlap is %s', v_was.may_overlap) END,
        CASE WHEN v_was.payload <> p_payload THEN 'payload is another' END,
        CASE WHEN v_was.priority <> p_priority THEN format('priority is %s', v_was.priority) END,
        CASE WHEN v_was.max_attempts IS DISTINCT FROM p_max_attempts THEN
            format('max attempts is %s', coalesce(v_was.max_attempts::text, 'none')) END], NULL);
    IF v_diff = '{}' THEN
        RETURN 'same';
    ELSIF NOT coalesce(p_replace, false) THEN
        RAISE EXCEPTION USING ERRCODE = '55000',
            MESSAGE = format('schedule: ''%s'' exists with another definition (%s); allowed is the same, or to replace it',
                             p_name, array_to_string(v_diff, ', '));
    END IF;
    IF (v_new_times OR v_was.is_stopped) AND p_next_due_at <= v_was.last_due_at THEN
        RAISE EXCEPTION USING ERRCODE = '40001',
            MESSAGE = format('schedule: ''%s'' was fired just now; compute its next time again', p_name);
    END IF;
    UPDATE ${schema}.job_schedule s
    SET job_kind = p_kind,
        cron = p_cron,
        time_zone = p_time_zone,
        every_seconds = p_every_seconds,
        first_due_at = CASE WHEN v_new_times THEN v_first ELSE s.first_due_at END,
        catch_up = p_catch_up,
        may_overlap = p_may_overlap,
        payload = p_payload,
        priority = p_priority,
        max_attempts = p_max_attempts,
        next_due_at = CASE WHEN v_new_times OR s.is_stopped THEN p_next_due_at ELSE s.next_due_at END,
        pause_actor = CASE WHEN NOT s.is_stopped THEN s.pause_actor END,
        pause_reason = CASE WHEN NOT s.is_stopped THEN s.pause_reason END,
        paused_at = CASE WHEN NOT s.is_stopped THEN s.paused_at END,
        is_stopped = false,
        version = nextval('${schema}.job_schedule_version_seq'),
        updated_at = clock_timestamp()
    WHERE s.schedule_name = p_name;
    INSERT INTO ${schema}.operator_act (act, target, actor, reason)
    VALUES ('job_schedule_put', 'schedule ' || p_name, p_actor, 'changed: ' || left(array_to_string(v_diff, ', '), 450));
    PERFORM ${schema}.fn_finding_resolve('job_schedule_stopped', 'schedules/' || p_name);
    RETURN 'changed';
END
$$;

-- Due schedules, locked until the caller's transaction ends. Concurrent callers skip locked ones.
CREATE OR REPLACE FUNCTION ${schema}.fn_job_schedule_due(p_limit integer DEFAULT 100)
RETURNS TABLE (
    schedule_name text, job_kind text, cron text, time_zone text, every_seconds integer, first_due_at timestamptz,
    catch_up text, may_overlap boolean, payload jsonb, priority smallint, max_attempts integer, next_due_at timestamptz,
    seen_at timestamptz, version bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    -- Read once: the index needs a stable value.
    v_now timestamptz := clock_timestamp();
BEGIN
    IF p_limit IS NULL OR p_limit NOT BETWEEN 1 AND 1000 THEN
        RAISE EXCEPTION USING ERRCODE = '22023',
            MESSAGE = format('limit: ''%s'' is not allowed; allowed are 1 to 1000', p_limit);
    END IF;
    RETURN QUERY
        SELECT s.schedule_name, s.job_kind, s.cron, s.time_zone, s.every_seconds, s.first_due_at, s.catch_up, s.may_overlap,
               s.payload, s.priority, s.max_attempts, s.next_due_at, clock_timestamp(), s.version
        FROM ${schema}.job_schedule s
        WHERE s.paused_at IS NULL AND s.next_due_at <= v_now
        ORDER BY s.next_due_at
        LIMIT p_limit
        FOR NO KEY UPDATE SKIP LOCKED;
END
$$;

-- In how many seconds the next schedule is due; null if there is none.
CREATE OR REPLACE FUNCTION ${schema}.fn_job_schedule_until_due() RETURNS double precision
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
BEGIN
    RETURN (
        SELECT extract(epoch FROM s.next_due_at - clock_timestamp())
        FROM ${schema}.job_schedule s
        WHERE s.paused_at IS NULL AND s.next_due_at IS NOT NULL
        ORDER BY s.next_due_at
        LIMIT 1);
END
$$;

-- Records the firing of schedules that the caller has locked by fn_job_schedule_due. A next due time that is not later than
-- the previous one is refused: it would fire twice.
CREATE OR REPLACE FUNCTION ${schema}.fn_job_schedule_fired(
    p_names text[], p_nexts timestamptz[], p_lasts timestamptz[], p_jobs uuid[], p_fired integer[], p_missed integer[],
    p_overlapped integer[])
RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
SET enable_nestloop = off SET enable_mergejoin = off
AS $$
DECLARE
    v_early text;
    v_count integer;
BEGIN
    SELECT s.schedule_name INTO v_early
    FROM unnest(p_names, p_nexts) g (name, next)
    JOIN ${schema}.job_schedule s ON s.schedule_name = g.name
    WHERE s.schedule_name = ANY (p_names) AND g.next <= s.next_due_at
    LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = '22023',
            MESSAGE = format('next_due_at: that of ''%s'' is not allowed; allowed is one later than the last', v_early);
    END IF;
    UPDATE ${schema}.job_schedule s
    SET next_due_at = g.next,
        last_due_at = coalesce(g.last, s.last_due_at),
        last_fired_at = CASE WHEN g.fired > 0 THEN clock_timestamp() ELSE s.last_fired_at END,
        last_job_id = coalesce(g.job, s.last_job_id),
        fired = s.fired + g.fired,
        missed = s.missed + g.missed,
        overlapped = s.overlapped + g.overlapped
    FROM unnest(p_names, p_nexts, p_lasts, p_jobs, p_fired, p_missed, p_overlapped)
         g (name, next, last, job, fired, missed, overlapped)
    WHERE s.schedule_name = ANY (p_names) AND s.schedule_name = g.name;
    GET DIAGNOSTICS v_count = ROW_COUNT;
    RETURN v_count;
END
$$;

-- Pauses a schedule. Times during the pause are not fired. Returns false if an operator has paused it already; a stopped one
-- is paused from then on, and a new definition no longer resumes it.
CREATE OR REPLACE FUNCTION ${schema}.fn_job_schedule_pause(p_name text, p_reason text, p_actor text DEFAULT session_user)
RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
DECLARE
    v_was record;
BEGIN
    PERFORM ${schema}.fn_job_schedule_demand(p_reason, p_actor);
    SELECT s.paused_at, s.is_stopped INTO v_was FROM ${schema}.job_schedule s WHERE s.schedule_name = p_name FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'OR003', MESSAGE = format('schedule: there is no ''%s''', left(p_name, 100));
    ELSIF v_was.paused_at IS NOT NULL AND NOT v_was.is_stopped THEN
        RETURN false;
    END IF;
    UPDATE ${schema}.job_schedule s
    SET pause_actor = p_actor, pause_reason = p_reason, paused_at = clock_timestamp(), is_stopped = false,
        updated_at = clock_timestamp()
    WHERE s.schedule_name = p_name;
    INSERT INTO ${schema}.operator_act (act, target, actor, reason)
    VALUES ('job_schedule_pause', 'schedule ' || p_name, p_actor, p_reason);
    PERFORM ${schema}.fn_finding_resolve('job_schedule_stopped', 'schedules/' || p_name);
    RETURN true;
END
$$;

-- Stops a schedule that cannot be fired, and raises a finding. Only in the version that was tried: false if it was replaced
-- or removed meanwhile, or is paused already.
CREATE OR REPLACE FUNCTION ${schema}.fn_job_schedule_stop(
    p_name text, p_version bigint, p_reason text, p_actor text DEFAULT session_user)
RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    v_kind text;
    v_due  timestamptz;
BEGIN
    PERFORM ${schema}.fn_job_schedule_demand(p_reason, p_actor);
    UPDATE ${schema}.job_schedule s
    SET pause_actor = p_actor, pause_reason = p_reason, paused_at = clock_timestamp(), is_stopped = true,
        updated_at = clock_timestamp()
    WHERE s.schedule_name = p_name AND s.version = p_version AND s.paused_at IS NULL
    RETURNING s.job_kind, s.next_due_at INTO v_kind, v_due;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    INSERT INTO ${schema}.operator_act (act, target, actor, reason)
    VALUES ('job_schedule_stop', 'schedule ' || p_name, p_actor, p_reason);
    PERFORM ${schema}.fn_finding_raise(
        'job_schedule_stopped', 'schedules/' || p_name, format('schedule ''%s'' is paused: %s', p_name, p_reason),
        jsonb_build_object('schedule', p_name, 'job_kind', v_kind, 'due_at', v_due));
    RETURN true;
END
$$;

-- Resumes a schedule from p_next_due_at on. Returns false if it is not paused. With p_version, the definition from which the
-- time was computed, it is refused if that was replaced meanwhile.
CREATE OR REPLACE FUNCTION ${schema}.fn_job_schedule_resume(
    p_name text, p_next_due_at timestamptz, p_reason text, p_actor text DEFAULT session_user, p_version bigint DEFAULT NULL)
RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
DECLARE
    v_was ${schema}.job_schedule;
BEGIN
    PERFORM ${schema}.fn_job_schedule_demand(p_reason, p_actor);
    IF NOT isfinite(p_next_due_at) THEN
        RAISE EXCEPTION USING ERRCODE = '22023',
            MESSAGE = format('next_due_at: ''%s'' is not allowed; allowed is a time, or none', p_next_due_at);
    END IF;
    SELECT * INTO v_was FROM ${schema}.job_schedule s WHERE s.schedule_name = p_name FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'OR003', MESSAGE = format('schedule: there is no ''%s''', left(p_name, 100));
    ELSIF v_was.paused_at IS NULL THEN
        RETURN false;
    ELSIF p_version <> v_was.version THEN
        -- It was replaced meanwhile: the time was computed from another recurrence.
        RAISE EXCEPTION USING ERRCODE = '40001',
            MESSAGE = format('schedule: ''%s'' was replaced just now; compute its next time again', p_name);
    ELSIF p_next_due_at <= v_was.last_due_at THEN
        RAISE EXCEPTION USING ERRCODE = '40001',
            MESSAGE = format('schedule: ''%s'' was fired for a later time; compute its next time again', p_name);
    END IF;
    UPDATE ${schema}.job_schedule s
    SET pause_actor = NULL, pause_reason = NULL, paused_at = NULL, is_stopped = false, next_due_at = p_next_due_at,
        updated_at = clock_timestamp()
    WHERE s.schedule_name = p_name;
    INSERT INTO ${schema}.operator_act (act, target, actor, reason)
    VALUES ('job_schedule_resume', 'schedule ' || p_name, p_actor, p_reason);
    PERFORM ${schema}.fn_finding_resolve('job_schedule_stopped', 'schedules/' || p_name);
    RETURN true;
END
$$;

-- Removes a schedule. Jobs that it enqueued stay.
CREATE OR REPLACE FUNCTION ${schema}.fn_job_schedule_remove(p_name text, p_reason text, p_actor text DEFAULT session_user)
RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
BEGIN
    PERFORM ${schema}.fn_job_schedule_demand(p_reason, p_actor);
    DELETE FROM ${schema}.job_schedule s WHERE s.schedule_name = p_name;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'OR003', MESSAGE = format('schedule: there is no ''%s''', left(p_name, 100));
    END IF;
    INSERT INTO ${schema}.operator_act (act, target, actor, reason)
    VALUES ('job_schedule_remove', 'schedule ' || p_name, p_actor, p_reason);
    PERFORM ${schema}.fn_finding_resolve('job_schedule_stopped', 'schedules/' || p_name);
END
$$;

-- Every act has an actor and a reason.
CREATE OR REPLACE FUNCTION ${schema}.fn_job_schedule_demand(p_reason text, p_actor text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    v_bad record;
BEGIN
    SELECT c.field, c.given INTO v_bad
    FROM (VALUES ('reason', p_reason), ('actor', p_actor)) c (field, given)
    WHERE coalesce(btrim(c.given), '') = '' OR octet_length(c.given) > 500
    LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = '22023',
            MESSAGE = format('%s: ''%s'' is not allowed; allowed are 1 to 500 bytes, not all blank',
                             v_bad.field, left(v_bad.given, 80));
    END IF;
END
$$;

REVOKE EXECUTE ON FUNCTION
    ${schema}.fn_job_schedule_put(
        text, text, text, text, integer, timestamptz, timestamptz, text, boolean, jsonb, integer, integer, boolean, text),
    ${schema}.fn_job_schedule_due(integer),
    ${schema}.fn_job_schedule_until_due(),
    ${schema}.fn_job_schedule_fired(text[], timestamptz[], timestamptz[], uuid[], integer[], integer[], integer[]),
    ${schema}.fn_job_schedule_pause(text, text, text),
    ${schema}.fn_job_schedule_stop(text, bigint, text, text),
    ${schema}.fn_job_schedule_resume(text, timestamptz, text, text, bigint),
    ${schema}.fn_job_schedule_remove(text, text, text),
    ${schema}.fn_job_schedule_demand(text, text)
FROM PUBLIC;

GRANT EXECUTE ON FUNCTION
    ${schema}.fn_job_schedule_put(
        text, text, text, text, integer, timestamptz, timestamptz, text, boolean, jsonb, integer, integer, boolean, text),
    ${schema}.fn_job_schedule_due(integer),
    ${schema}.fn_job_schedule_until_due(),
    ${schema}.fn_job_schedule_fired(text[], timestamptz[], timestamptz[], uuid[], integer[], integer[], integer[]),
    ${schema}.fn_job_schedule_pause(text, text, text),
    ${schema}.fn_job_schedule_stop(text, bigint, text, text),
    ${schema}.fn_job_schedule_resume(text, timestamptz, text, text, bigint),
    ${schema}.fn_job_schedule_remove(text, text, text)
TO ${server}, ${admin};
