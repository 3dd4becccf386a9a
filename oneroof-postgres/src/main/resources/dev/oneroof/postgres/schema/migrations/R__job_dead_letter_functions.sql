-- Dead letters of jobs: triage, then replay or close, singly or by group (those that failed alike). R__job_functions.sql
-- explains the plans.

-- Refuses a text that is missing, blank or too long.
CREATE OR REPLACE FUNCTION ${schema}.fn_job_dead_letter_demand_text(p_field text, p_value text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF coalesce(btrim(p_value), '') = '' OR octet_length(p_value) > 500 THEN
        RAISE EXCEPTION USING ERRCODE = '22023',
            MESSAGE = format('%s: ''%s'' is not allowed; allowed are 1 to 500 bytes, not all blank', p_field,
                             left(p_value, 80));
    END IF;
END
$$;

CREATE OR REPLACE FUNCTION ${schema}.fn_job_dead_letter_demand_triage(p_status text, p_note text, p_actor text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF p_status IS NULL OR p_status NOT IN ('investigating', 'manual_replay', 'closed') THEN
        RAISE EXCEPTION USING ERRCODE = '22023',
            MESSAGE = format('triage_status: ''%s'' is not allowed; allowed are investigating, manual_replay, closed',
                             left(p_status, 80));
    ELSIF octet_length(p_note) > 2000 THEN
        RAISE EXCEPTION USING ERRCODE = '22023',
            MESSAGE = format('note: ''%s'' of %s bytes is not allowed; allowed are at most 2000 bytes', left(p_note, 80),
                             octet_length(p_note));
    END IF;
    PERFORM ${schema}.fn_job_dead_letter_demand_text('actor', p_actor);
END
$$;

CREATE OR REPLACE FUNCTION ${schema}.fn_job_dead_letter_demand_replay(p_authorization_source text, p_actor text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM ${schema}.fn_job_dead_letter_demand_text('authorization_source', p_authorization_source);
    PERFORM ${schema}.fn_job_dead_letter_demand_text('actor', p_actor);
END
$$;

-- Refuses a replay and names all that must be done first: p_untriaged is the missing triage, or null.
CREATE OR REPLACE FUNCTION ${schema}.fn_job_dead_letter_demand_cleared(p_untriaged text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF NOT ${schema}.fn_gate_open('queue.replay.enabled') THEN
        RAISE EXCEPTION USING ERRCODE = '55000',
            MESSAGE = concat_ws('; and ',
                'gate: ''queue.replay.enabled'' is closed; an operator opens it with: '
                'oneroof gate open queue.replay.enabled --reason TEXT', p_untriaged);
    ELSIF p_untriaged IS NOT NULL THEN
        RAISE EXCEPTION USING ERRCODE = '55000', MESSAGE = p_untriaged;
    END IF;
END
$$;

-- Writes the triage of open letters, which the caller has locked, and the operator act.
CREATE OR REPLACE FUNCTION ${schema}.fn_job_dead_letter_mark(
    p_ids uuid[], p_status text, p_note text, p_actor text, p_target text)
RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
BEGIN
    UPDATE ${schema}.job_dead_letter d
    SET triage_status = p_status,
        triaged_by = p_actor,
        triaged_db_user = session_user,
        triaged_at = clock_timestamp(),
        triage_note = p_note,
        resolved_at = CASE WHEN p_status = 'closed' THEN clock_timestamp() END
    WHERE d.dead_letter_id = ANY (p_ids);
    INSERT INTO ${schema}.operator_act (act, target, actor, reason, details)
    VALUES ('job_dead_letter_triage', p_target, p_actor, coalesce(nullif(btrim(p_note), ''), 'no note'),
            jsonb_build_object('to', p_status, 'letters', cardinality(p_ids)));
END
$$;

-- Triages a dead letter. Closed is final.
CREATE OR REPLACE FUNCTION ${schema}.fn_job_dead_letter_triage(
    p_dead_letter_id uuid, p_status text, p_note text, p_actor text DEFAULT session_user)
RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
DECLARE
    v_was text;
BEGIN
    PERFORM ${schema}.fn_job_dead_letter_demand_triage(p_status, p_note, p_actor);
    SELECT d.triage_status INTO v_was
    FROM ${schema}.job_dead_letter d
    WHERE d.dead_letter_id = p_dead_letter_id
    FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'OR003',
            MESSAGE = format('dead letter: there is no ''%s''', p_dead_letter_id);
    ELSIF v_was = 'closed' THEN
        RAISE EXCEPTION USING ERRCODE = '55000',
            MESSAGE = format('dead letter: ''%s'' is closed', p_dead_letter_id);
    END IF;
    PERFORM ${schema}.fn_job_dead_letter_mark(
        ARRAY[p_dead_letter_id], p_status, p_note, p_actor, 'dead letter ' || p_dead_letter_id);
    RETURN jsonb_build_object('dead_letter_id', p_dead_letter_id, 'from', v_was, 'to', p_status);
END
$$;

-- The same for the open letters of a group, up to p_limit per call: those that are not triaged so already, after p_after and
-- up to p_until. Returns their number, the last of them, and whether there may be more.
CREATE OR REPLACE FUNCTION ${schema}.fn_job_dead_letter_triage_group(
    p_kind text,
    p_fingerprint text,
    p_status text,
    p_note text,
    p_actor text DEFAULT session_user,
    p_after uuid DEFAULT NULL,
    p_until uuid DEFAULT NULL,
    p_limit integer DEFAULT 1000)
RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
DECLARE
    v_ids   uuid[];
    v_count integer;
BEGIN
    PERFORM ${schema}.fn_job_dead_letter_demand_triage(p_status, p_note, p_actor);
    IF p_limit IS NULL OR p_limit NOT BETWEEN 1 AND 10000 THEN
        RAISE EXCEPTION USING ERRCODE = '22023',
            MESSAGE = format('limit: ''%s'' is not allowed; allowed are 1 to 10000', p_limit);
    END IF;
    v_ids := ARRAY(
        SELECT d.dead_letter_id
        FROM ${schema}.job_dead_letter d
        -- A row comparison: only the index of open letters has that order. By the ids alone all other groups would be read.
        WHERE (d.job_kind, d.fingerprint, d.dead_letter_id)
                > (p_kind, p_fingerprint, coalesce(p_after, '00000000-0000-0000-0000-000000000000'))
          AND (d.job_kind, d.fingerprint, d.dead_letter_id)
                <= (p_kind, p_fingerprint, coalesce(p_until, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
          AND d.resolved_at IS NULL AND d.triage_status <> p_status
        ORDER BY d.job_kind, d.fingerprint, d.dead_letter_id
        LIMIT p_limit
        FOR NO KEY UPDATE);
    v_count := cardinality(v_ids);
    IF v_count > 0 THEN
        PERFORM ${schema}.fn_job_dead_letter_mark(
            v_ids, p_status, p_note, p_actor, format('dead letters %s/%s', p_kind, p_fingerprint));
    ELSIF p_after IS NULL THEN
        PERFORM ${schema}.fn_job_dead_letter_demand_group(p_kind, p_fingerprint);
    END IF;
    RETURN jsonb_build_object('triaged', v_count, 'last', v_ids[v_count], 'more', v_count = p_limit);
END
$$;

CREATE OR REPLACE FUNCTION ${schema}.fn_job_dead_letter_demand_group(p_kind text, p_fingerprint text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
BEGIN
    PERFORM FROM ${schema}.job_dead_letter d
    WHERE d.job_kind = p_kind AND d.fingerprint = p_fingerprint AND d.resolved_at IS NULL
    LIMIT 1;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'OR003',
            MESSAGE = format('group: there is no open dead letter of ''%s/%s''', left(p_kind, 100), left(p_fingerprint, 80));
    END IF;
END
$$;

-- The longest prefix of a text with at most so many bytes, without splitting a character.
CREATE OR REPLACE FUNCTION ${schema}.fn_left_bytes(p_text text, p_bytes integer) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
AS $$
    SELECT CASE
               WHEN octet_length(p_text) <= p_bytes THEN p_text
               -- A character has at most four bytes.
               ELSE (SELECT left(p_text, max(n))
                     FROM generate_series(p_bytes / 4, p_bytes) n
                     WHERE octet_length(left(p_text, n)) <= p_bytes)
           END
$$;

-- Replays the jobs of dead letters: each as a new job, from its first attempt, with a new key. The caller has locked the
-- letters, in the order of their ids, and checked their triage. All or none.
CREATE OR REPLACE FUNCTION ${schema}.fn_job_dead_letter_put_back(
    p_ids uuid[], p_authorization_source text, p_actor text, p_replay_run_id uuid)
RETURNS TABLE (dead_letter_id uuid, job_id uuid, idempotency_key text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
SET enable_nestloop = off SET enable_mergejoin = off
AS $$
DECLARE
    v_jobs       uuid[] := ARRAY(
        SELECT ${schema}.fn_uuid_v7() AS id FROM generate_series(1, cardinality(p_ids)) ORDER BY id);
    v_kinds      text[];
    v_payloads   jsonb[];
    v_keys       text[];
    v_priorities integer[];
    v_attempts   integer[];
    v_runs       uuid[];
    v_alive      record;
BEGIN
    -- The old key may be in use by another job. The suffix of a second replay replaces that of the first.
    SELECT array_agg(d.job_kind ORDER BY g.no), array_agg(d.payload ORDER BY g.no),
           array_agg(concat_ws(':',
               nullif(${schema}.fn_left_bytes(
                   regexp_replace(d.idempotency_key, ':?replay:[0-9a-f-]{36}$', ''), 400), ''),
               'replay', d.dead_letter_id) ORDER BY g.no),
           array_agg(d.priority::integer ORDER BY g.no), array_agg(d.max_attempts ORDER BY g.no),
           array_agg(d.run_id ORDER BY g.no)
    INTO v_kinds, v_payloads, v_keys, v_priorities, v_attempts, v_runs
    FROM unnest(p_ids) WITH ORDINALITY g (id, no)
    JOIN ${schema}.job_dead_letter d ON d.dead_letter_id = g.id
    WHERE d.dead_letter_id = ANY (p_ids);
    SELECT p.job_no, p.existing INTO v_alive
    FROM ${schema}.fn_job_put(v_jobs, v_kinds, v_payloads, v_keys, v_priorities, NULL, v_attempts, v_runs) p
    LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = '55000',
            MESSAGE = format('idempotency_key: ''%s'', under which a dead letter would be replayed, is alive in job ''%s''',
                             v_keys[v_alive.job_no], v_alive.existing);
    END IF;
    UPDATE ${schema}.job_dead_letter d
    SET triage_status = 'closed',
        triaged_by = p_actor,
        triaged_db_user = session_user,
        triaged_at = clock_timestamp(),
        triage_note = 'replayed',
        note_before_replay = d.triage_note,
        resolved_at = clock_timestamp(),
        replayed_as = g.job,
        authorization_source = p_authorization_source,
        replay_run_id = p_replay_run_id
    FROM unnest(p_ids, v_jobs) g (id, job)
    WHERE d.dead_letter_id = ANY (p_ids) AND d.dead_letter_id = g.id;
    RETURN QUERY SELECT g.id, g.job, g.key FROM unnest(p_ids, v_jobs, v_keys) g (id, job, key);
END
$$;

-- Replays the job of a dead letter. Refused unless it is triaged for replay, and while the replay gate is closed.
CREATE OR REPLACE FUNCTION ${schema}.fn_job_dead_letter_replay(
    p_dead_letter_id uuid, p_authorization_source text, p_actor text DEFAULT session_user)
RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
DECLARE
    v_letter record;
    v_fresh  record;
BEGIN
    PERFORM ${schema}.fn_job_dead_letter_demand_replay(p_authorization_source, p_actor);
    SELECT d.triage_status AS triage, d.triaged_by, d.resolved_at, d.replayed_as INTO v_letter
    FROM ${schema}.job_dead_letter d
    WHERE d.dead_letter_id = p_dead_letter_id
    FOR UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'OR003',
            MESSAGE = format('dead letter: there is no ''%s''', p_dead_letter_id);
    ELSIF v_letter.triage = 'closed' THEN
        RAISE EXCEPTION USING ERRCODE = '55000',
            MESSAGE = format('dead letter: ''%s'' is closed; it was %s by %s at %s', p_dead_letter_id,
                             coalesce('replayed as job ''' || v_letter.replayed_as || '''', 'closed'), v_letter.triaged_by,
                             to_char(v_letter.resolved_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'));
    END IF;
    PERFORM ${schema}.fn_job_dead_letter_demand_cleared(
        CASE WHEN v_letter.triage <> 'manual_replay' THEN
            format('dead letter: ''%s'' is %s; allowed is a replay of one that was triaged as manual_replay: '
                   'oneroof dlq triage %1$s --as manual_replay --note TEXT', p_dead_letter_id, v_letter.triage) END);
    SELECT * INTO v_fresh
    FROM ${schema}.fn_job_dead_letter_put_back(ARRAY[p_dead_letter_id], p_authorization_source, p_actor, NULL);
    INSERT INTO ${schema}.operator_act (act, target, actor, reason, details)
    VALUES ('job_dead_letter_replay', 'dead letter ' || p_dead_letter_id, p_actor, p_authorization_source,
            jsonb_build_object('job', v_fresh.job_id));
    RETURN to_jsonb(v_fresh);
END
$$;

-- Starts the replay of a group, at a rate in letters per second: of those that are triaged for it now. Replays none itself.
CREATE OR REPLACE FUNCTION ${schema}.fn_job_dead_letter_replay_start(
    p_kind text,
    p_fingerprint text,
    p_authorization_source text,
    p_rate double precision,
    p_actor text DEFAULT session_user)
RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
DECLARE
    v_now     timestamptz := clock_timestamp();
    v_run     uuid := ${schema}.fn_uuid_v7();
    v_letters bigint;
    v_last    uuid;
    v_other   uuid;
BEGIN
    IF p_rate IS NULL OR p_rate NOT BETWEEN 0.01 AND 10000 THEN
        RAISE EXCEPTION USING ERRCODE = '22023',
            MESSAGE = format('rate: ''%s'' is not allowed; allowed are 0.01 to 10000 letters a second', p_rate);
    END IF;
    PERFORM ${schema}.fn_job_dead_letter_demand_replay(p_authorization_source, p_actor);
    PERFORM ${schema}.fn_job_dead_letter_demand_group(p_kind, p_fingerprint);
    SELECT count(*), max(d.dead_letter_id::text COLLATE "C")::uuid INTO v_letters, v_last
    FROM ${schema}.job_dead_letter d
    WHERE d.job_kind = p_kind AND d.fingerprint = p_fingerprint AND d.resolved_at IS NULL
      AND d.triage_status = 'manual_replay' AND d.triaged_at <= v_now;
    PERFORM ${schema}.fn_job_dead_letter_demand_cleared(
        CASE WHEN v_letters = 0 THEN
            format('group: none of ''%s/%s'' may be replayed; allowed is a replay of those that were triaged as '
                   'manual_replay: oneroof dlq triage --group %1$s/%2$s --as manual_replay --note TEXT', p_kind, p_fingerprint) END);
    INSERT INTO ${schema}.job_dead_letter_replay_run
        (replay_run_id, job_kind, fingerprint, authorization_source, actor, rate, left_over, refilled_at, letters,
         last_letter, started_at)
    -- The first letter may be replayed immediately, the others at the rate.
    VALUES (v_run, p_kind, p_fingerprint, p_authorization_source, p_actor, p_rate, 1, v_now, v_letters, v_last, v_now)
    ON CONFLICT (job_kind, fingerprint) WHERE state = 'running' DO NOTHING;
    IF NOT FOUND THEN
        SELECT r.replay_run_id INTO v_other
        FROM ${schema}.job_dead_letter_replay_run r
        WHERE r.job_kind = p_kind AND r.fingerprint = p_fingerprint AND r.state = 'running';
        RAISE EXCEPTION USING ERRCODE = '55000',
            MESSAGE = format('group: ''%s/%s'' is being replayed by run ''%s''; resume or cancel that one', p_kind,
                             p_fingerprint, v_other);
    END IF;
    INSERT INTO ${schema}.operator_act (act, target, actor, reason, details)
    VALUES ('job_dead_letter_replay', format('dead letters %s/%s', p_kind, p_fingerprint), p_actor, p_authorization_source,
            jsonb_build_object('run', v_run, 'letters', v_letters, 'rate', p_rate));
    RETURN jsonb_build_object('replay_run_id', v_run, 'letters', v_letters);
END
$$;

-- Replays the next letters of a run, all or none: at most p_limit, and at most as many as its rate allows by now. Returns
-- the progress of the run, and in how many seconds more are allowed. A letter that was triaged otherwise or closed meanwhile
-- is skipped. For an ended run it only returns the state.
CREATE OR REPLACE FUNCTION ${schema}.fn_job_dead_letter_replay_next(
    p_replay_run_id uuid, p_limit integer DEFAULT 1000, p_actor text DEFAULT session_user)
RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
DECLARE
    v_run   ${schema}.job_dead_letter_replay_run;
    v_now   timestamptz;
    v_left  double precision;
    v_take  integer;
    v_count integer := 0;
    v_ids   uuid[];
BEGIN
    IF p_limit IS NULL OR p_limit NOT BETWEEN 1 AND 10000 THEN
        RAISE EXCEPTION USING ERRCODE = '22023',
            MESSAGE = format('limit: ''%s'' is not allowed; allowed are 1 to 10000', p_limit);
    END IF;
    -- Two concurrent calls run one after the other.
    v_run := ${schema}.fn_job_dead_letter_replay_lock(p_replay_run_id);
    IF v_run.state = 'running' THEN
        PERFORM ${schema}.fn_job_dead_letter_demand_replay(v_run.authorization_source, p_actor);
        PERFORM ${schema}.fn_job_dead_letter_demand_cleared(NULL);
        v_now := clock_timestamp();
        -- A clock that was set back refills nothing.
        v_left := least(greatest(v_run.rate, 1),
                        v_run.left_over + greatest(0, extract(epoch FROM v_now - v_run.refilled_at)) * v_run.rate);
        v_take := least(p_limit, floor(v_left)::integer);
        IF v_take >= 1 THEN
            v_ids := ARRAY(
                SELECT d.dead_letter_id
                FROM ${schema}.job_dead_letter d
                WHERE (d.job_kind, d.fingerprint, d.dead_letter_id)
                        > (v_run.job_kind, v_run.fingerprint,
                           coalesce(v_run.done_to, '00000000-0000-0000-0000-000000000000'))
                  AND (d.job_kind, d.fingerprint, d.dead_letter_id)
                        <= (v_run.job_kind, v_run.fingerprint, v_run.last_letter)
                  AND d.resolved_at IS NULL
                  AND d.triage_status = 'manual_replay' AND d.triaged_at <= v_run.started_at
                  -- The rules for payloads can change. A letter that violates them must not block the others.
                  AND ${schema}.fn_signal_only(d.payload)
                ORDER BY d.job_kind, d.fingerprint, d.dead_letter_id
                LIMIT v_take
                FOR UPDATE);
            v_count := cardinality(v_ids);
            IF v_count > 0 THEN
                PERFORM ${schema}.fn_job_dead_letter_put_back(
                    v_ids, v_run.authorization_source, p_actor, v_run.replay_run_id);
            END IF;
        END IF;
        UPDATE ${schema}.job_dead_letter_replay_run r
        SET left_over = v_left - v_count,
            refilled_at = v_now,
            done_to = coalesce(v_ids[v_count], r.done_to),
            replayed = r.replayed + v_count,
            last_batch_at = CASE WHEN v_count > 0 THEN v_now ELSE r.last_batch_at END,
            state = CASE WHEN v_count < v_take THEN 'done' ELSE r.state END,
            ended_at = CASE WHEN v_count < v_take THEN v_now END
        WHERE r.replay_run_id = p_replay_run_id
        RETURNING * INTO v_run;
    END IF;
    RETURN jsonb_build_object(
        'replay_run_id', p_replay_run_id, 'state', v_run.state, 'batch', v_count, 'replayed', v_run.replayed,
        'letters', v_run.letters,
        'wait_seconds', CASE v_run.state WHEN 'running' THEN greatest(0, (1 - v_run.left_over) / v_run.rate) ELSE 0 END);
END
$$;

CREATE OR REPLACE FUNCTION ${schema}.fn_job_dead_letter_replay_lock(p_replay_run_id uuid)
RETURNS ${schema}.job_dead_letter_replay_run
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
DECLARE
    v_run ${schema}.job_dead_letter_replay_run;
BEGIN
    SELECT * INTO v_run
    FROM ${schema}.job_dead_letter_replay_run r
    WHERE r.replay_run_id = p_replay_run_id
    FOR UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'OR003',
            MESSAGE = format('replay run: there is no ''%s''', p_replay_run_id);
    END IF;
    RETURN v_run;
END
$$;

-- Cancels a run, and returns how many letters it has replayed. They stay replayed.
CREATE OR REPLACE FUNCTION ${schema}.fn_job_dead_letter_replay_cancel(
    p_replay_run_id uuid, p_reason text, p_actor text DEFAULT session_user)
RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    v_run ${schema}.job_dead_letter_replay_run;
BEGIN
    PERFORM ${schema}.fn_job_dead_letter_demand_text('reason', p_reason);
    PERFORM ${schema}.fn_job_dead_letter_demand_text('actor', p_actor);
    v_run := ${schema}.fn_job_dead_letter_replay_lock(p_replay_run_id);
    IF v_run.state <> 'running' THEN
        RAISE EXCEPTION USING ERRCODE = '55000',
            MESSAGE = format('replay run: ''%s'' is %s already', p_replay_run_id, v_run.state);
    END IF;
    UPDATE ${schema}.job_dead_letter_replay_run r
    SET state = 'cancelled', ended_at = clock_timestamp()
    WHERE r.replay_run_id = p_replay_run_id;
    INSERT INTO ${schema}.operator_act (act, target, actor, reason, details)
    VALUES ('job_dead_letter_replay_cancel', format('dead letters %s/%s', v_run.job_kind, v_run.fingerprint), p_actor,
            p_reason, jsonb_build_object('run', p_replay_run_id, 'replayed', v_run.replayed));
    RETURN jsonb_build_object('replay_run_id', p_replay_run_id, 'replayed', v_run.replayed, 'letters', v_run.letters);
END
$$;

-- Compares the open dead letters of each kind with its findings: raises missing ones, counts the letters since the last
-- check, and resolves those of kinds without open letters. Above p_overflow_at the overflow finding is raised; letters are
-- counted up to ten times that. Without it, overflow is not raised, and resolved only if no letter is left. Returns how many
-- kinds were raised, how many findings were resolved, and how many kinds were skipped because their findings are locked.
CREATE OR REPLACE FUNCTION ${schema}.fn_job_dead_letter_compare(p_overflow_at bigint) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '200ms'
-- A plan made while there were no letters must not be one that reads them all.
SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
DECLARE
    v_most     bigint := 10 * coalesce(p_overflow_at, 100);
    v_kind     record;
    v_key      text;
    v_open     text;
    v_evidence jsonb;
    v_raise    boolean;
    v_change   integer;
    v_raised   integer := 0;
    v_ended    integer := 0;
    v_locked   integer := 0;
BEGIN
    -- Two concurrent checks would count twice. The second does not wait: the first does the work.
    PERFORM FROM ${schema}.queue_check WHERE check_name = 'dead_letters_of_jobs' FOR UPDATE SKIP LOCKED;
    IF NOT FOUND THEN
        RETURN jsonb_build_object('inert', true, 'reason', 'another check is under way');
    END IF;
    FOR v_kind IN
        WITH came AS (
            SELECT n.job_kind, count(*) AS letters,
                   (array_agg(n.fingerprint ORDER BY n.dead_letter_id DESC))[1] AS fingerprint,
                   (array_agg(n.dead_letter_id ORDER BY n.dead_letter_id DESC))[1] AS dead_letter_id,
                   array_agg(n.ctid) AS places
            FROM ${schema}.job_dead_letter_news n
            GROUP BY n.job_kind
        ), told AS (
            SELECT substr(i.coalesce_key, 6) COLLATE "C" AS job_kind,
                   bool_or(i.issue_type = 'cursor_dlq') AS some,
                   bool_or(i.issue_type = 'cursor_dlq_overflow') AS too_many
            FROM ${schema}.system_issues i
            WHERE i.issue_type IN ('cursor_dlq', 'cursor_dlq_overflow') AND i.status <> 'resolved'
              -- A finding of a kind, not of the cursor of a worker with the same name.
              AND i.coalesce_key ~ '^jobs/[^/]+$'
            GROUP BY i.coalesce_key)
        SELECT k.job_kind, coalesce(t.some, false) AS some, coalesce(t.too_many, false) AS too_many, c.letters,
               c.fingerprint, c.dead_letter_id, c.places, o.count AS open, o.count > v_most AS uncounted
        FROM (SELECT k.job_kind FROM ${schema}.job_kind k
              UNION SELECT c.job_kind FROM came c
              UNION SELECT t.job_kind FROM told t) k
        LEFT JOIN came c ON c.job_kind = k.job_kind
        LEFT JOIN told t ON t.job_kind = k.job_kind
        CROSS JOIN LATERAL (
            SELECT count(*) AS count
            FROM (SELECT FROM ${schema}.job_dead_letter d
                  WHERE d.job_kind = k.job_kind AND d.resolved_at IS NULL
                  LIMIT v_most + 1) f) o
        WHERE o.count > 0 OR t.job_kind IS NOT NULL OR c.job_kind IS NOT NULL
        ORDER BY k.job_kind
    LOOP
        v_key := 'jobs/' || v_kind.job_kind;
        v_open := CASE WHEN v_kind.uncounted THEN 'over ' || v_most ELSE v_kind.open::text END;
        v_evidence := jsonb_strip_nulls(jsonb_build_object(
            'job_kind', v_kind.job_kind, 'open_dead_letters', v_open, 'fingerprint', v_kind.fingerprint,
            'dead_letter_id', v_kind.dead_letter_id));
        v_raise := v_kind.open > 0 AND (v_kind.letters IS NOT NULL OR NOT v_kind.some);
        v_change := 0;
        -- All of a kind or nothing: if one of its findings is locked, its letters are counted by the next check.
        BEGIN
            -- By ctid: later rows are not among them, and only this function deletes them.
            DELETE FROM ${schema}.job_dead_letter_news n WHERE n.ctid = ANY (v_kind.places);
            IF v_kind.open = 0 AND v_kind.some THEN
                v_change := v_change + ${schema}.fn_finding_resolve('cursor_dlq', v_key);
            END IF;
            IF v_kind.too_many AND (v_kind.open = 0 OR v_kind.open <= p_overflow_at) THEN
                v_change := v_change + ${schema}.fn_finding_resolve('cursor_dlq_overflow', v_key);
            END IF;
            IF v_raise THEN
                PERFORM ${schema}.fn_finding_raise(
                    'cursor_dlq', v_key,
                    format(CASE WHEN v_kind.open = 1 THEN '%s job of ''%s'' was given up; see: oneroof dlq groups --kind %s'
                                ELSE '%s jobs of ''%s'' were given up; see: oneroof dlq groups --kind %s' END,
                           v_open, v_kind.job_kind, v_kind.job_kind),
                    v_evidence, NULL, coalesce(v_kind.letters, v_kind.open));
            END IF;
            IF v_kind.open > p_overflow_at AND (v_kind.letters > 0 OR NOT v_kind.too_many) THEN
                PERFORM ${schema}.fn_finding_raise(
                    'cursor_dlq_overflow', v_key,
                    format('%s dead letters of jobs of ''%s'', more than %s: the cause is rarely the jobs', v_open,
                           v_kind.job_kind, p_overflow_at),
                    v_evidence, NULL,
                    -- The letters since the overflow.
                    CASE WHEN v_kind.letters IS NULL OR NOT (v_kind.too_many OR v_kind.uncounted)
                         THEN least(v_kind.letters, v_kind.open - p_overflow_at)
                         ELSE v_kind.letters END);
            END IF;
            v_ended := v_ended + v_change;
            v_raised := v_raised + v_raise::integer;
        EXCEPTION
            WHEN lock_not_available THEN
                v_locked := v_locked + 1;
                -- A transaction may have locked many findings: this waits for the first of them only.
                PERFORM set_config('lock_timeout', '1ms', true);
        END;
    END LOOP;
    RETURN jsonb_build_object('inert', false, 'raised', v_raised, 'ended', v_ended, 'locked', v_locked);
END
$$;

CREATE OR REPLACE FUNCTION ${schema}.fn_job_dead_letter_check(p_overflow_at bigint) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF p_overflow_at IS NULL OR p_overflow_at NOT BETWEEN 1 AND 1000000 THEN
        RAISE EXCEPTION USING ERRCODE = '22023',
            MESSAGE = format('overflow_at: ''%s'' is not allowed; allowed are 1 to 1000000', p_overflow_at);
    END IF;
    RETURN ${schema}.fn_job_dead_letter_compare(p_overflow_at);
END
$$;

-- The same for executors, at any rate. The overflow threshold is set by the instances.
CREATE OR REPLACE FUNCTION ${schema}.fn_job_dead_letter_check() RETURNS jsonb
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$ SELECT ${schema}.fn_job_dead_letter_compare(NULL) $$;

-- Deletes up to 5000 dead letters that were closed so long ago, and runs that ended then. Open ones are never deleted.
-- Returns the number of letters: call it until that is 0. Records an operator act if there were any.
CREATE OR REPLACE FUNCTION ${schema}.fn_job_dead_letter_drop(p_keep interval, p_actor text DEFAULT session_user)
RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
DECLARE
    v_until timestamptz := now() - p_keep;
    v_count bigint;
    v_runs  bigint;
BEGIN
    PERFORM ${schema}.fn_job_dead_letter_demand_text('actor', p_actor);
    IF p_keep IS NULL OR p_keep < interval '1 day' THEN
        RAISE EXCEPTION USING ERRCODE = '22023',
            MESSAGE = format('keep: ''%s'' is not allowed; allowed is 1 day or more', p_keep);
    END IF;
    DELETE FROM ${schema}.job_dead_letter_replay_run r WHERE r.ended_at < v_until;
    GET DIAGNOSTICS v_runs = ROW_COUNT;
    DELETE FROM ${schema}.job_dead_letter d
    WHERE d.ctid = ANY (ARRAY(
        SELECT o.ctid
        FROM ${schema}.job_dead_letter o
        WHERE o.resolved_at < v_until
        ORDER BY o.resolved_at
        LIMIT 5000
        FOR UPDATE SKIP LOCKED));
    GET DIAGNOSTICS v_count = ROW_COUNT;
    IF v_count > 0 OR v_runs > 0 THEN
        INSERT INTO ${schema}.operator_act (act, target, actor, reason, details)
        VALUES ('job_dead_letter_drop', 'dead letters', p_actor, format('closed more than %s ago', p_keep),
                jsonb_build_object('letters', v_count, 'runs', v_runs));
    END IF;
    RETURN v_count;
END
$$;

REVOKE EXECUTE ON FUNCTION
    ${schema}.fn_job_dead_letter_demand_text(text, text),
    ${schema}.fn_job_dead_letter_demand_triage(text, text, text),
    ${schema}.fn_job_dead_letter_demand_replay(text, text),
    ${schema}.fn_job_dead_letter_demand_cleared(text),
    ${schema}.fn_job_dead_letter_demand_group(text, text),
    ${schema}.fn_job_dead_letter_mark(uuid[], text, text, text, text),
    ${schema}.fn_job_dead_letter_put_back(uuid[], text, text, uuid),
    ${schema}.fn_job_dead_letter_replay_lock(uuid),
    ${schema}.fn_left_bytes(text, integer),
    ${schema}.fn_job_dead_letter_compare(bigint),
    ${schema}.fn_job_dead_letter_check(),
    ${schema}.fn_job_dead_letter_check(bigint),
    ${schema}.fn_job_dead_letter_drop(interval, text),
    ${schema}.fn_job_dead_letter_triage(uuid, text, text, text),
    ${schema}.fn_job_dead_letter_triage_group(text, text, text, text, text, uuid, uuid, integer),
    ${schema}.fn_job_dead_letter_replay(uuid, text, text),
    ${schema}.fn_job_dead_letter_replay_start(text, text, text, double precision, text),
    ${schema}.fn_job_dead_letter_replay_next(uuid, integer, text),
    ${schema}.fn_job_dead_letter_replay_cancel(uuid, text, text)
FROM PUBLIC;
GRANT EXECUTE ON FUNCTION
    ${schema}.fn_job_dead_letter_check(),
    ${schema}.fn_job_dead_letter_check(bigint),
    ${schema}.fn_job_dead_letter_drop(interval, text),
    ${schema}.fn_job_dead_letter_triage(uuid, text, text, text),
    ${schema}.fn_job_dead_letter_triage_group(text, text, text, text, text, uuid, uuid, integer),
    ${schema}.fn_job_dead_letter_replay(uuid, text, text),
    ${schema}.fn_job_dead_letter_replay_start(text, text, text, double precision, text),
    ${schema}.fn_job_dead_letter_replay_next(uuid, integer, text),
    ${schema}.fn_job_dead_letter_replay_cancel(uuid, text, text)
TO ${server}, ${admin};
-- Without a running instance an executor calls it, as it calls the reaper. It may not set the overflow threshold: with that
-- it could resolve a finding.
GRANT EXECUTE ON FUNCTION ${schema}.fn_job_dead_letter_check() TO ${executor};
