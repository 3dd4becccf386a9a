-- Says what is to become of a dead letter. Closed is the end.
CREATE OR REPLACE FUNCTION ${schema}.fn_job_dead_letter_triage(
    p_dead_letter_id uuid, p_status text, p_note text, p_actor text DEFAULT session_user)
RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    v_was text;
BEGIN
    IF p_status IS NULL OR p_status NOT IN ('investigating', 'manual_replay', 'closed') THEN
        RAISE EXCEPTION USING ERRCODE = '22023',
            MESSAGE = format('triage_status: ''%s'' is not allowed; allowed are investigating, manual_replay, closed',
                             left(p_status, 80));
    ELSIF coalesce(btrim(p_actor), '') = '' OR octet_length(p_actor) > 500 THEN
        RAISE EXCEPTION USING ERRCODE = '22023',
            MESSAGE = format('actor: ''%s'' is not allowed; allowed are 1 to 500 bytes, not all blank', left(p_actor, 80));
    END IF;
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
    UPDATE ${schema}.job_dead_letter d
    SET triage_status = p_status,
        triaged_by = p_actor,
        triaged_at = clock_timestamp(),
        triage_note = left(p_note, 2000),
        resolved_at = CASE WHEN p_status = 'closed' THEN clock_timestamp() END
    WHERE d.dead_letter_id = p_dead_letter_id;
    RETURN jsonb_build_object('dead_letter_id', p_dead_letter_id, 'from', v_was, 'to', p_status);
END
$$;

-- Has a dead letter's job done once more: a new job, from its first attempt on, under a key of its own. Refused unless
-- somebody has triaged it for that, and while the gate of replays is closed.
CREATE OR REPLACE FUNCTION ${schema}.fn_job_dead_letter_replay(
    p_dead_letter_id uuid, p_authorization_source text, p_actor text DEFAULT session_user)
RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    v_letter ${schema}.job_dead_letter;
    v_key    text;
    v_job    uuid := ${schema}.fn_uuid_v7();
BEGIN
    IF coalesce(btrim(p_authorization_source), '') = '' OR octet_length(p_authorization_source) > 500 THEN
        RAISE EXCEPTION USING ERRCODE = '22023',
            MESSAGE = format('authorization_source: ''%s'' is not allowed; allowed are 1 to 500 bytes, not all blank',
                             left(p_authorization_source, 80));
    ELSIF coalesce(btrim(p_actor), '') = '' OR octet_length(p_actor) > 500 THEN
        RAISE EXCEPTION USING ERRCODE = '22023',
            MESSAGE = format('actor: ''%s'' is not allowed; allowed are 1 to 500 bytes, not all blank', left(p_actor, 80));
    ELSIF NOT ${schema}.fn_gate_open('queue.replay.enabled') THEN
        RAISE EXCEPTION USING ERRCODE = '55000',
            MESSAGE = 'gate: ''queue.replay.enabled'' is closed; no replay';
    END IF;
    SELECT * INTO v_letter
    FROM ${schema}.job_dead_letter d
    WHERE d.dead_letter_id = p_dead_letter_id
    FOR UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'OR003',
            MESSAGE = format('dead letter: there is no ''%s''', p_dead_letter_id);
    ELSIF v_letter.triage_status <> 'manual_replay' THEN
        RAISE EXCEPTION USING ERRCODE = '55000',
            MESSAGE = format('dead letter: ''%s'' is %s; allowed is a replay of one that was triaged as manual_replay',
                             p_dead_letter_id, v_letter.triage_status);
    END IF;
    -- The old key may be alive again, in another job. What a replay of a replay adds takes the place of the last.
    v_key := concat_ws(':', nullif(left(regexp_replace(v_letter.idempotency_key, ':?replay:[0-9a-f-]{36}$', ''), 400), ''),
                       'replay', p_dead_letter_id);
    PERFORM ${schema}.fn_job_put(
        ARRAY[v_job], ARRAY[v_letter.job_kind], ARRAY[v_letter.payload], ARRAY[v_key], ARRAY[v_letter.priority::integer],
        NULL, ARRAY[v_letter.max_attempts], ARRAY[v_letter.run_id]);
    UPDATE ${schema}.job_dead_letter d
    SET triage_status = 'closed',
        triaged_by = p_actor,
        triaged_at = clock_timestamp(),
        triage_note = 'replayed',
        resolved_at = clock_timestamp(),
        replayed_as = v_job,
        authorization_source = p_authorization_source
    WHERE d.dead_letter_id = p_dead_letter_id;
    INSERT INTO ${schema}.operator_act (act, target, actor, reason, details)
    VALUES ('job_dead_letter_replay', 'dead letter ' || p_dead_letter_id, p_actor, p_authorization_source,
            jsonb_build_object('job', v_job));
    RETURN jsonb_build_object('dead_letter_id', p_dead_letter_id, 'job_id', v_job, 'idempotency_key', v_key);
END
$$;

-- Forgets dead letters that were closed so long ago. Open ones stay for ever. Returns how many there were.
CREATE OR REPLACE FUNCTION ${schema}.fn_job_dead_letter_drop(p_keep interval) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    v_count bigint;
BEGIN
    IF p_keep IS NULL OR p_keep < interval '1 day' THEN
        RAISE EXCEPTION USING ERRCODE = '22023',
            MESSAGE = format('keep: ''%s'' is not allowed; allowed is 1 day or more', p_keep);
    END IF;
    DELETE FROM ${schema}.job_dead_letter d WHERE d.resolved_at < now() - p_keep;
    GET DIAGNOSTICS v_count = ROW_COUNT;
    RETURN v_count;
END
$$;

REVOKE EXECUTE ON FUNCTION
    ${schema}.fn_job_dead_letter_drop(interval),
    ${schema}.fn_job_dead_letter_triage(uuid, text, text, text), ${schema}.fn_job_dead_letter_replay(uuid, text, text)
FROM PUBLIC;
GRANT EXECUTE ON FUNCTION
    ${schema}.fn_job_dead_letter_drop(interval),
    ${schema}.fn_job_dead_letter_triage(uuid, text, text, text), ${schema}.fn_job_dead_letter_replay(uuid, text, text)
TO ${server}, ${admin};
