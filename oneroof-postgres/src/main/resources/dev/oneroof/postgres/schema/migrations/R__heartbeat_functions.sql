-- A numeric setting; null where it is missing, expired or not a number.
CREATE OR REPLACE FUNCTION ${schema}.fn_setting_number(p_key text) RETURNS numeric
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    SELECT CASE WHEN value ~ '^[0-9]{1,9}(\.[0-9]{1,6})?$' THEN value::numeric END
    FROM ${schema}.dot_config
    WHERE key = p_key AND kind = 'setting' AND (expires_at IS NULL OR expires_at > clock_timestamp())
$$;

-- After how many seconds without a beat an executor is silent: its own threshold, unless a setting overrides all of them.
CREATE OR REPLACE FUNCTION ${schema}.fn_queue_stale_threshold(p_own integer) RETURNS numeric
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    SELECT coalesce(nullif(${schema}.fn_setting_number('queue.heartbeat.stale_threshold_seconds'), 0), p_own)
$$;

-- How many seconds of an interval the heartbeat gate was open. No beat is written while it is closed; an executor that was
-- silent before it closed is still silent when it opens.
CREATE OR REPLACE FUNCTION ${schema}.fn_queue_watched_seconds(p_from timestamptz, p_to timestamptz)
RETURNS double precision
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    SELECT CASE
        WHEN count(*) = 0 THEN extract(epoch FROM p_to - p_from)
        ELSE coalesce(
            sum(extract(epoch FROM least(g.until, p_to) - greatest(g.since, p_from)))
                FILTER (WHERE g.open AND least(g.until, p_to) > greatest(g.since, p_from)),
            0)
    END::double precision
    FROM (
        SELECT a.new_value = 'true' AS open,
               -- The first recorded value also applies to the time before.
               CASE WHEN lag(a.audit_id) OVER w IS NULL THEN '-infinity' ELSE a.changed_at END AS since,
               least(lead(a.changed_at) OVER w, a.new_expires_at, 'infinity') AS until
        FROM ${schema}.dot_config_audit a
        WHERE a.key = 'queue.heartbeat.enabled'
        WINDOW w AS (ORDER BY a.audit_id)) g
$$;

-- How many seconds with an open gate have passed since an executor's last beat. Null where its last beat lies in the future,
-- since the clock has stepped back.
CREATE OR REPLACE FUNCTION ${schema}.fn_queue_age(p_last_tick_at timestamptz) RETURNS double precision
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    SELECT CASE WHEN p_last_tick_at <= clock_timestamp() + interval '5 seconds'
                THEN ${schema}.fn_queue_watched_seconds(p_last_tick_at, clock_timestamp()) END
$$;

CREATE OR REPLACE FUNCTION ${schema}.fn_queue_demand_actor(p_actor text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF coalesce(btrim(p_actor), '') = '' OR octet_length(p_actor) > 500 THEN
        RAISE EXCEPTION USING ERRCODE = '22023',
            MESSAGE = format('actor: ''%s'' is not allowed; allowed are 1 to 500 bytes, not all blank', left(p_actor, 80));
    END IF;
END
$$;

CREATE OR REPLACE FUNCTION ${schema}.fn_queue_heartbeat_register(
    p_executor_id text,
    p_kind text,
    p_domain_scope text[] DEFAULT '{}',
    p_expected_cadence_seconds integer DEFAULT NULL,
    p_stale_threshold_seconds integer DEFAULT NULL,
    p_actor text DEFAULT session_user)
RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    v_kinds     text[] := ARRAY['DOT', 'Agent', 'Hermes', 'Codex', 'PG_worker', 'external_worker', 'future_Kestra_adapter'];
    v_cadence   integer;
    v_threshold integer;
    v_usual     numeric := ${schema}.fn_setting_number('queue.heartbeat.threshold_seconds.' || lower(p_kind));
    v_was       jsonb;
    v_changes   jsonb;
BEGIN
    PERFORM ${schema}.fn_queue_demand_actor(p_actor);
    IF coalesce(p_executor_id, '') = '' OR octet_length(p_executor_id) > 500 THEN
        RAISE EXCEPTION USING ERRCODE = '22023',
            MESSAGE = format('executor: ''%s'' is not allowed; allowed are names of 1 to 500 bytes', left(p_executor_id, 80));
    END IF;
    IF p_kind IS NULL OR p_kind <> ALL (v_kinds) THEN
        RAISE EXCEPTION USING ERRCODE = '22023',
            MESSAGE = format('kind: ''%s'' is not allowed; allowed are %s', left(p_kind, 80), array_to_string(v_kinds, ', '));
    END IF;
    v_cadence := coalesce(
        p_expected_cadence_seconds, ${schema}.fn_setting_number('queue.heartbeat.cadence_seconds.' || lower(p_kind))::integer, 60);
    -- With a cadence of its own, the usual threshold of its kind does not apply.
    v_threshold := coalesce(
        p_stale_threshold_seconds,
        CASE WHEN p_expected_cadence_seconds IS NULL THEN v_usual END,
        least(2147483647, greatest(v_usual, 5 * v_cadence::numeric)));
    IF v_cadence < 1 THEN
        RAISE EXCEPTION USING ERRCODE = '22023',
            MESSAGE = format('cadence_seconds: %s is not allowed; allowed are 1 and more', v_cadence);
    END IF;
    IF v_threshold < v_cadence THEN
        RAISE EXCEPTION USING ERRCODE = '22023',
            MESSAGE = format('threshold_seconds: %s is not allowed; allowed are %s, the cadence, and more', v_threshold,
                             v_cadence);
    END IF;
    SELECT to_jsonb(h) INTO v_was FROM ${schema}.queue_heartbeat h WHERE h.executor_name = p_executor_id FOR NO KEY UPDATE;
    INSERT INTO ${schema}.queue_heartbeat
        (executor_name, executor_kind, domain_scope, expected_cadence_seconds, stale_threshold_seconds, registered_by)
    VALUES (p_executor_id, p_kind, coalesce(p_domain_scope, '{}'), v_cadence, v_threshold, p_actor)
    ON CONFLICT (executor_name) DO UPDATE
    SET executor_kind = EXCLUDED.executor_kind,
        domain_scope = EXCLUDED.domain_scope,
        expected_cadence_seconds = EXCLUDED.expected_cadence_seconds,
        stale_threshold_seconds = EXCLUDED.stale_threshold_seconds,
        updated_at = clock_timestamp();
    INSERT INTO ${schema}.queue_event_log (executor_name, transition, actor) VALUES (p_executor_id, 'registered', p_actor);
    SELECT ${schema}.fn_act_changes(v_was, to_jsonb(h)) INTO v_changes
    FROM ${schema}.queue_heartbeat h
    WHERE h.executor_name = p_executor_id;
    -- An executor registers at each start; without a change that is not an act.
    IF v_was IS NULL OR v_changes <> '{}' THEN
        INSERT INTO ${schema}.operator_act (act, target, actor, reason, details)
        VALUES ('executor_register', 'executor ' || p_executor_id, p_actor,
                CASE WHEN v_was IS NULL THEN 'added' ELSE 'changed' END,
                CASE WHEN v_was IS NULL
                     THEN jsonb_build_object('cadence_seconds', v_cadence, 'threshold_seconds', v_threshold)
                     ELSE v_changes END);
    END IF;
    RETURN jsonb_build_object(
        'executor', p_executor_id, 'cadence_seconds', v_cadence, 'threshold_seconds', v_threshold);
END
$$;

CREATE OR REPLACE FUNCTION ${schema}.fn_queue_heartbeat_deregister(p_executor_id text, p_actor text DEFAULT session_user)
RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    v_owner text;
BEGIN
    PERFORM ${schema}.fn_queue_demand_actor(p_actor);
    DELETE FROM ${schema}.queue_heartbeat
    WHERE executor_name = p_executor_id AND (lease_until IS NULL OR lease_until <= clock_timestamp());
    IF NOT FOUND THEN
        SELECT lease_owner INTO v_owner FROM ${schema}.queue_heartbeat WHERE executor_name = p_executor_id;
        IF FOUND THEN
            RAISE EXCEPTION USING ERRCODE = '55006',
                MESSAGE = format('executor: ''%s'' is running under %s; stop that first', p_executor_id, v_owner);
        END IF;
        RETURN jsonb_build_object('executor', p_executor_id, 'deregistered', false);
    END IF;
    INSERT INTO ${schema}.queue_event_log (executor_name, transition, actor) VALUES (p_executor_id, 'deregistered', p_actor);
    INSERT INTO ${schema}.operator_act (act, target, actor, reason)
    VALUES ('executor_deregister', 'executor ' || p_executor_id, p_actor, 'removed');
    RETURN jsonb_build_object('executor', p_executor_id, 'deregistered', true);
END
$$;

-- A beat of an executor in any language. Only the owner of a lease beats for its scope.
CREATE OR REPLACE FUNCTION ${schema}.fn_queue_heartbeat_tick(
    p_executor_id text,
    p_kind text,
    p_status text DEFAULT 'ok',
    p_job uuid DEFAULT NULL,
    p_lease_owner text DEFAULT NULL,
    p_payload jsonb DEFAULT '{}')
RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    v_row   ${schema}.queue_heartbeat;
    v_ticks bigint;
BEGIN
    IF NOT pg_has_role(session_user, '${server}'::regrole, 'USAGE') THEN
        PERFORM ${schema}.fn_executor_demand('executor', ARRAY[p_executor_id]);
    END IF;
    SELECT * INTO v_row FROM ${schema}.queue_heartbeat WHERE executor_name = p_executor_id FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'OR003',
            MESSAGE = format('executor: ''%s'' is not registered', left(p_executor_id, 80)),
            HINT = 'Register it with fn_queue_heartbeat_register.';
    END IF;
    IF p_kind IS DISTINCT FROM v_row.executor_kind THEN
        RAISE EXCEPTION USING ERRCODE = '22023',
            MESSAGE = format('kind: ''%s'' is not allowed; ''%s'' is registered as %s', left(p_kind, 80), p_executor_id,
                             v_row.executor_kind);
    END IF;
    IF p_status IS NULL OR p_status NOT IN ('ok', 'warn', 'error') THEN
        RAISE EXCEPTION USING ERRCODE = '22023',
            MESSAGE = format('status: ''%s'' is not allowed; allowed are ok, warn, error', left(p_status, 80));
    END IF;
    IF NOT coalesce(${schema}.fn_signal_only(p_payload), false) THEN
        RAISE EXCEPTION USING ERRCODE = 'OR002',
            MESSAGE = format('payload: that of ''%s'' is no signal: %s', p_executor_id, ${schema}.fn_signal_fault(p_payload)),
            HINT = 'Send addresses and figures, at most 8192 bytes and 100 levels, with none of the keys that hold contents or secrets.';
    END IF;
    IF v_row.lease_epoch IS NOT NULL OR p_lease_owner IS DISTINCT FROM v_row.lease_owner THEN
        RAISE EXCEPTION USING ERRCODE = '55006',
            MESSAGE = format('executor: ''%s'' is beaten for under a lease, by its owner alone', p_executor_id);
    END IF;
    IF NOT ${schema}.fn_gate_open('queue.heartbeat.enabled') THEN
        RETURN jsonb_build_object('executor', p_executor_id, 'written', false,
                                  'reason', 'gate queue.heartbeat.enabled is closed');
    END IF;
    -- Every beat is a new version of its row, which an open snapshot keeps: without a change of state at most one a second is
    -- written. Another job is not a change of state: there may be hundreds in that time.
    IF v_row.ticks_total > 0 AND v_row.last_tick_status = p_status
       AND v_row.last_beat_payload ->> 'doing' IS NOT DISTINCT FROM p_payload ->> 'doing'
       AND v_row.last_tick_at BETWEEN clock_timestamp() - interval '1 second' AND clock_timestamp() THEN
        RETURN jsonb_build_object('executor', p_executor_id, 'written', false, 'reason', 'beaten within the last second');
    END IF;
    UPDATE ${schema}.queue_heartbeat
    SET last_tick_at = clock_timestamp(),
        last_tick_status = p_status,
        ticks_total = ticks_total + 1,
        current_job_id = p_job,
        last_beat_payload = p_payload,
        updated_at = clock_timestamp()
    WHERE executor_name = p_executor_id
    RETURNING ticks_total INTO v_ticks;
    RETURN jsonb_build_object('executor', p_executor_id, 'written', true, 'ticks_total', v_ticks);
END
$$;

-- The short form: status ok and a payload.
CREATE OR REPLACE FUNCTION ${schema}.fn_queue_heartbeat_write(
    p_executor_id text, p_payload jsonb DEFAULT '{}', p_actor text DEFAULT session_user)
RETURNS jsonb
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    SELECT ${schema}.fn_queue_heartbeat_tick(
        p_executor_id,
        (SELECT executor_kind FROM ${schema}.queue_heartbeat WHERE executor_name = p_executor_id),
        'ok', NULL, NULL, p_payload || jsonb_build_object('actor', p_actor))
$$;

-- Ends a silence and its finding; the silence of an executor that is deregistered is removed. False where there is none, and
-- where another transaction has locked either: this does not wait, and the next check ends it.
CREATE OR REPLACE FUNCTION ${schema}.fn_queue_silence_end(p_executor_id text, p_gone boolean) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM FROM ${schema}.queue_silence
    WHERE executor_name = p_executor_id AND (p_gone OR ended_at IS NULL)
    FOR UPDATE SKIP LOCKED;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    PERFORM FROM ${schema}.system_issues
    WHERE issue_type = 'cursor_silent_gap' AND coalesce_key = p_executor_id AND status <> 'resolved'
    FOR UPDATE SKIP LOCKED;
    IF NOT FOUND AND EXISTS (
        SELECT FROM ${schema}.system_issues
        WHERE issue_type = 'cursor_silent_gap' AND coalesce_key = p_executor_id AND status <> 'resolved') THEN
        RETURN false;
    END IF;
    IF p_gone THEN
        DELETE FROM ${schema}.queue_silence WHERE executor_name = p_executor_id;
    ELSE
        UPDATE ${schema}.queue_silence SET ended_at = clock_timestamp() WHERE executor_name = p_executor_id;
    END IF;
    PERFORM ${schema}.fn_finding_resolve('cursor_silent_gap', p_executor_id);
    RETURN true;
END
$$;

-- After every beat, by any statement: a beat that ends a silence records how long it was, even if no check has seen it.
CREATE OR REPLACE FUNCTION ${schema}.fn_queue_heartbeat_came_back() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    v_gap double precision := ${schema}.fn_queue_watched_seconds(OLD.last_tick_at, NEW.last_tick_at);
BEGIN
    IF v_gap > ${schema}.fn_queue_stale_threshold(OLD.stale_threshold_seconds) THEN
        PERFORM ${schema}.fn_queue_silence_end(NEW.executor_name, false);
        INSERT INTO ${schema}.queue_event_log (executor_name, transition, severity, gap_seconds, gap_ratio)
        VALUES (NEW.executor_name, 'stale_to_fresh',
                CASE WHEN v_gap / OLD.expected_cadence_seconds >= 10 THEN 'critical' ELSE 'warning' END,
                v_gap, v_gap / OLD.expected_cadence_seconds);
    END IF;
    RETURN NULL;
END
$$;

CREATE OR REPLACE TRIGGER queue_heartbeat_came_back
    AFTER UPDATE OF last_tick_at ON ${schema}.queue_heartbeat
    FOR EACH ROW
    -- The threshold that overrides all may be shorter than the row's own.
    WHEN (NEW.last_tick_at > OLD.last_tick_at + interval '2 seconds'
          OR NEW.last_tick_at > OLD.last_tick_at + make_interval(secs => OLD.stale_threshold_seconds))
    EXECUTE FUNCTION ${schema}.fn_queue_heartbeat_came_back();

-- An executor that is deregistered is not silent.
CREATE OR REPLACE FUNCTION ${schema}.fn_queue_heartbeat_gone() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM ${schema}.fn_queue_silence_end(OLD.executor_name, true);
    RETURN NULL;
END
$$;

CREATE OR REPLACE TRIGGER queue_heartbeat_gone
    AFTER DELETE ON ${schema}.queue_heartbeat
    FOR EACH ROW EXECUTE FUNCTION ${schema}.fn_queue_heartbeat_gone();

-- Finds silent executors. A silence is reported by an event once, and once more when it has become critical; one that starts
-- soon after another, within twice the threshold of the last event, is recorded and raised without an event.
CREATE OR REPLACE FUNCTION ${schema}.fn_queue_stale_check() RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
-- A check that waits excludes all others. Nothing below should wait; if it does, it fails and reports that.
SET lock_timeout = '2s'
AS $$
DECLARE
    v_executor record;
    v_known    ${schema}.queue_silence;
    v_severity text;
    v_begins   boolean;
    v_grows    boolean;
    v_due      boolean;
    v_stale    integer := 0;
    v_reported integer := 0;
    v_failed   integer := 0;
    v_why      text;
BEGIN
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        -- In an older snapshot, executors that have beaten since would be silent.
        RAISE EXCEPTION USING ERRCODE = '25001',
            MESSAGE = format('isolation: ''%s'' is not allowed; allowed is read committed',
                             current_setting('transaction_isolation'));
    END IF;
    IF NOT ${schema}.fn_gate_open('queue.heartbeat.enabled') THEN
        RETURN jsonb_build_object('inert', true, 'reason', 'gate queue.heartbeat.enabled is closed');
    END IF;
    -- Two checks at once would report twice. No wait: the holder of the row is checking already.
    -- A row and not an advisory lock, which any login may take.
    PERFORM FROM ${schema}.queue_check WHERE check_name = 'silence' FOR UPDATE SKIP LOCKED;
    IF NOT FOUND THEN
        RETURN jsonb_build_object('inert', true, 'reason', 'another check is under way');
    END IF;

    -- Removes instances that are gone: they usually return under another name. Not one that is just beating, nor one that still
    -- holds a scope that others could claim. The scope of its jobs belongs to the process and is removed with it or after it.
    FOR v_executor IN
        WITH gone AS MATERIALIZED (
            SELECT i.executor_name
            FROM ${schema}.queue_heartbeat i
            CROSS JOIN (
                SELECT clock_timestamp() - make_interval(
                    secs => coalesce(${schema}.fn_setting_number('queue.instance.forget_seconds'), 900)::double precision)
                    AS since) long
            WHERE i.executor_name IN ('instance/' || i.lease_owner, 'jobs/' || i.lease_owner || '/0')
              AND i.lease_until < long.since
              AND NOT EXISTS (
                  SELECT FROM ${schema}.queue_heartbeat h
                  WHERE h.lease_owner = i.lease_owner
                    AND (h.executor_name NOT IN ('instance/' || i.lease_owner, 'jobs/' || i.lease_owner || '/0')
                         OR h.lease_until >= long.since))
            FOR UPDATE OF i SKIP LOCKED
        ), unclaimed AS MATERIALIZED (
            -- The process ended after it registered the scope and before it claimed it.
            SELECT j.executor_name
            FROM ${schema}.queue_heartbeat j
            WHERE j.executor_name = 'jobs/' || j.registered_by || '/0' AND j.lease_epoch IS NULL
              AND ${schema}.fn_queue_age(j.last_tick_at) > ${schema}.fn_queue_stale_threshold(j.stale_threshold_seconds)
              AND NOT EXISTS (
                  SELECT FROM ${schema}.queue_heartbeat i WHERE i.executor_name = 'instance/' || j.registered_by)
            FOR UPDATE OF j SKIP LOCKED)
        DELETE FROM ${schema}.queue_heartbeat d
        USING (SELECT executor_name FROM gone UNION ALL SELECT executor_name FROM unclaimed) o
        WHERE d.executor_name = o.executor_name
        RETURNING d.executor_name
    LOOP
        INSERT INTO ${schema}.queue_event_log (executor_name, transition, actor)
        VALUES (v_executor.executor_name, 'deregistered', 'fn_queue_stale_check');
    END LOOP;

    -- The clock has stepped back. A living executor beats again in a moment; for a dead one the time counts from now on.
    UPDATE ${schema}.queue_heartbeat h
    SET last_tick_at = clock_timestamp()
    FROM (
        SELECT f.executor_name
        FROM ${schema}.queue_heartbeat f
        WHERE f.last_tick_at > clock_timestamp() + interval '5 seconds'
          AND NOT EXISTS (
              SELECT FROM ${schema}.queue_silence s WHERE s.executor_name = f.executor_name AND s.ended_at IS NULL)
        FOR NO KEY UPDATE SKIP LOCKED) ahead
    WHERE h.executor_name = ahead.executor_name;

    -- Silences that a raised threshold has ended, those of deregistered executors, and those that a beat could not end since
    -- another transaction had locked them.
    FOR v_executor IN
        SELECT o.executor_name, o.noticed_at, h.executor_name IS NULL AS gone
        FROM ${schema}.queue_silence o
        LEFT JOIN ${schema}.queue_heartbeat h USING (executor_name)
        WHERE h.executor_name IS NULL
           OR o.ended_at IS NULL
              AND ${schema}.fn_queue_age(h.last_tick_at) <= ${schema}.fn_queue_stale_threshold(h.stale_threshold_seconds)
    LOOP
        CONTINUE WHEN NOT ${schema}.fn_queue_silence_end(v_executor.executor_name, v_executor.gone);
        -- Unless the beat itself has recorded the end, with the length of the silence.
        INSERT INTO ${schema}.queue_event_log (executor_name, transition)
        SELECT v_executor.executor_name, 'stale_to_fresh'
        WHERE NOT v_executor.gone AND NOT EXISTS (
            SELECT FROM ${schema}.queue_event_log
            WHERE executor_name = v_executor.executor_name AND transition = 'stale_to_fresh'
              AND at >= v_executor.noticed_at);
    END LOOP;

    FOR v_executor IN
        SELECT h.executor_name, h.last_tick_at, h.expected_cadence_seconds AS cadence, t.threshold, a.age,
               a.age / h.expected_cadence_seconds AS ratio
        FROM ${schema}.queue_heartbeat h
        CROSS JOIN LATERAL (SELECT ${schema}.fn_queue_age(h.last_tick_at) AS age) a
        CROSS JOIN LATERAL (
            SELECT ${schema}.fn_queue_stale_threshold(h.stale_threshold_seconds)::double precision AS threshold) t
        WHERE a.age > t.threshold
        ORDER BY h.executor_name
    LOOP
        v_stale := v_stale + 1;
        v_severity := CASE WHEN v_executor.ratio >= 10 THEN 'critical' ELSE 'warning' END;
        SELECT * INTO v_known FROM ${schema}.queue_silence WHERE executor_name = v_executor.executor_name;
        v_begins := NOT FOUND OR v_known.ended_at IS NOT NULL;
        -- A report in the future was made before the clock stepped back.
        v_known.reported_at := CASE WHEN v_known.reported_at <= clock_timestamp() THEN v_known.reported_at END;
        v_grows := NOT v_begins AND v_severity = 'critical' AND v_known.severity = 'warning';
        v_due := v_grows OR v_known.reported_at IS NULL
            OR (v_begins OR v_known.reported_at < v_known.noticed_at)
               AND v_known.reported_at < clock_timestamp() - make_interval(secs => 2 * v_executor.threshold);
        -- Nothing is locked where nothing is to be written: a lock would keep a beat from ending the silence.
        CONTINUE WHEN NOT v_begins AND NOT v_due;

        BEGIN
            -- The silence first, then its finding: the lock order of a beat that ends it. The executor's row is not locked: a
            -- process that is frozen in a transaction may hold it.
            PERFORM FROM ${schema}.queue_silence
            WHERE executor_name = v_executor.executor_name
            FOR UPDATE SKIP LOCKED;
            -- It exists, and a beat is just ending it.
            CONTINUE WHEN NOT FOUND AND v_known.executor_name IS NOT NULL;
            PERFORM FROM ${schema}.queue_heartbeat
            WHERE executor_name = v_executor.executor_name AND last_tick_at = v_executor.last_tick_at;
            CONTINUE WHEN NOT FOUND;
            IF v_begins OR v_grows THEN
                INSERT INTO ${schema}.queue_event_log (executor_name, transition, severity, gap_seconds, gap_ratio)
                VALUES (v_executor.executor_name, CASE WHEN v_begins THEN 'fresh_to_stale' ELSE 'escalated' END, v_severity,
                        v_executor.age, v_executor.ratio);
                INSERT INTO ${schema}.queue_silence AS s (executor_name, silent_since, severity)
                VALUES (v_executor.executor_name, v_executor.last_tick_at, v_severity)
                ON CONFLICT (executor_name) DO UPDATE
                SET silent_since = EXCLUDED.silent_since, severity = EXCLUDED.severity, noticed_at = clock_timestamp(),
                    ended_at = NULL;
                PERFORM ${schema}.fn_finding_raise(
                    'cursor_silent_gap', v_executor.executor_name,
                    format('no beat of %s for %s s', v_executor.executor_name, round(v_executor.age)),
                    jsonb_build_object('age_seconds', round(v_executor.age), 'expected_cadence_seconds', v_executor.cadence),
                    CASE WHEN v_severity = 'critical' THEN 'critical' END);
            END IF;
            IF v_due THEN
                v_reported := v_reported + ${schema}.fn_queue_report_silence(
                    v_executor.executor_name, v_severity, v_executor.age, v_executor.cadence);
            END IF;
        EXCEPTION
            -- A failure for one executor does not keep the others from being reported.
            WHEN OTHERS THEN
                v_failed := v_failed + 1;
                v_why := coalesce(v_why, format('%s could not be reported: %s', v_executor.executor_name, SQLERRM));
        END;
    END LOOP;

    DELETE FROM ${schema}.queue_event_log WHERE at < (SELECT clock_timestamp() - interval '90 days');
    RETURN jsonb_strip_nulls(jsonb_build_object(
        'inert', false, 'stale', v_stale, 'reported', v_reported, 'failed', v_failed, 'reason', v_why));
END
$$;

-- Emits the event of a silence, with OneRoof's own rights. Where its type is not active, the silence is still recorded and
-- raised.
CREATE OR REPLACE FUNCTION ${schema}.fn_queue_report_silence(
    p_executor_id text, p_severity text, p_age double precision, p_cadence integer)
RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM ${schema}.fn_event_emit(jsonb_build_array(jsonb_build_object(
        'event_domain', 'system', 'event_type', 'queue_worker_silent', 'event_stream', 'alert',
        'delivery_lane', 'immediate', 'event_severity', p_severity, 'event_subject_table', 'queue_heartbeat',
        'event_subject_ref', p_executor_id, 'actor_ref', 'fn_queue_stale_check', 'source_system', 'oneroof',
        'safe_payload', jsonb_build_object(
            'executor_id', p_executor_id, 'age_seconds', round(p_age), 'expected_cadence_seconds', p_cadence,
            'gap_ratio', round((p_age / p_cadence)::numeric, 1)))));
    UPDATE ${schema}.queue_silence SET reported_at = clock_timestamp() WHERE executor_name = p_executor_id;
    RETURN 1;
EXCEPTION
    WHEN SQLSTATE 'OR001' THEN
        RETURN 0;
END
$$;

-- Derives exactly one state, with its reason. Every place that names a state calls this. The first condition that holds wins.
--   p_owner_gone: the lease has expired and no instance has claimed the scope
--   p_stuck, p_held, p_behind, p_working: the reason; null where the condition does not hold
CREATE OR REPLACE FUNCTION ${schema}.fn_queue_state(
    p_watched boolean,
    p_age_seconds double precision,
    p_threshold_seconds double precision,
    p_cadence_seconds double precision,
    p_owner_gone boolean,
    p_stuck text,
    p_held text,
    p_behind text,
    p_working text,
    OUT state text,
    OUT reason text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
    SELECT f.state, f.reason
    FROM (VALUES
        (1, NOT coalesce(p_watched, false), 'unwatched', 'gate queue.heartbeat.enabled is closed'),
        (2, p_age_seconds > p_threshold_seconds AND p_age_seconds >= 10 * p_cadence_seconds, 'dead',
         format('no beat for %s s, %s times its cadence%s', round(p_age_seconds),
                round(p_age_seconds / nullif(p_cadence_seconds, 0)), ': ' || p_stuck)),
        (3, p_owner_gone, 'dead', 'its lease has expired and no instance has claimed it'),
        (4, p_age_seconds IS NULL OR p_age_seconds > p_threshold_seconds, 'silent',
         CASE WHEN p_age_seconds IS NULL THEN 'its last beat lies in the future' ELSE format('no beat for %s s%s', round(p_age_seconds), ': ' || p_stuck) END),
        (5, p_stuck IS NOT NULL, 'stuck', p_stuck),
        (6, p_held IS NOT NULL, 'held', p_held),
        (7, p_behind IS NOT NULL, 'behind', p_behind),
        (8, p_working IS NOT NULL, 'working', p_working),
        (9, true, 'quiet', 'nothing to do')) f (rank, holds, state, reason)
    WHERE f.holds
    ORDER BY f.rank
    LIMIT 1
$$;

REVOKE EXECUTE ON FUNCTION
    ${schema}.fn_setting_number(text),
    ${schema}.fn_queue_stale_threshold(integer),
    ${schema}.fn_queue_watched_seconds(timestamptz, timestamptz),
    ${schema}.fn_queue_age(timestamptz),
    ${schema}.fn_queue_demand_actor(text),
    ${schema}.fn_queue_heartbeat_register(text, text, text[], integer, integer, text),
    ${schema}.fn_queue_heartbeat_deregister(text, text),
    ${schema}.fn_queue_heartbeat_tick(text, text, text, uuid, text, jsonb),
    ${schema}.fn_queue_heartbeat_write(text, jsonb, text),
    ${schema}.fn_queue_silence_end(text, boolean),
    ${schema}.fn_queue_heartbeat_came_back(),
    ${schema}.fn_queue_heartbeat_gone(),
    ${schema}.fn_queue_stale_check(),
    ${schema}.fn_queue_report_silence(text, text, double precision, integer),
    ${schema}.fn_queue_state(
        boolean, double precision, double precision, double precision, boolean, text, text, text, text)
FROM PUBLIC;

GRANT EXECUTE ON FUNCTION
    ${schema}.fn_setting_number(text),
    ${schema}.fn_queue_stale_threshold(integer),
    ${schema}.fn_queue_watched_seconds(timestamptz, timestamptz),
    ${schema}.fn_queue_age(timestamptz),
    ${schema}.fn_queue_stale_check(),
    ${schema}.fn_queue_state(
        boolean, double precision, double precision, double precision, boolean, text, text, text, text)
TO ${server}, ${admin}, ${executor}, ${viewer};
GRANT EXECUTE ON FUNCTION
    ${schema}.fn_queue_heartbeat_register(text, text, text[], integer, integer, text),
    ${schema}.fn_queue_heartbeat_deregister(text, text)
TO ${admin}, ${server};
GRANT EXECUTE ON FUNCTION
    ${schema}.fn_queue_heartbeat_tick(text, text, text, uuid, text, jsonb),
    ${schema}.fn_queue_heartbeat_write(text, jsonb, text)
TO ${executor}, ${admin}, ${server};
