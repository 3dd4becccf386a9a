-- Operator acts on jobs, and how holders learn of them. R__job_functions.sql explains the plans.

-- Every act has an actor and a reason.
CREATE OR REPLACE FUNCTION ${schema}.fn_job_demand(p_reason text, p_actor text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF coalesce(btrim(p_reason), '') = '' OR coalesce(btrim(p_actor), '') = '' THEN
        RAISE EXCEPTION USING ERRCODE = '22023',
            MESSAGE = format('%s: '''' is not allowed; allowed is a text that is not blank',
                             CASE WHEN coalesce(btrim(p_reason), '') = '' THEN 'reason' ELSE 'actor' END);
    END IF;
END
$$;

-- Cancels a job that is not leased; requests a cancel from the holder of one that is, which sees it at its next extend.
CREATE OR REPLACE FUNCTION ${schema}.fn_job_cancel(p_job uuid, p_reason text, p_actor text DEFAULT session_user)
RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
DECLARE
    v_job   ${schema}.job_queue;
    v_state text;
    v_why   text := left(format('cancelled by %s: %s', p_actor, p_reason), 2000);
BEGIN
    PERFORM ${schema}.fn_job_demand(p_reason, p_actor);
    SELECT * INTO v_job FROM ${schema}.job_queue q WHERE q.job_id = p_job FOR UPDATE;
    IF NOT FOUND THEN
        SELECT h.state INTO v_state FROM ${schema}.job_history h WHERE h.job_id = p_job LIMIT 1;
        RETURN jsonb_build_object('job_id', p_job, 'outcome', CASE WHEN v_state IS NULL THEN 'unknown' ELSE 'ended' END, 'state', v_state);
    END IF;
    INSERT INTO ${schema}.operator_act (act, target, actor, reason)
    VALUES ('job_cancel', 'job ' || p_job, left(p_actor, 500), left(p_reason, 500));
    IF v_job.state <> 'leased' THEN
        PERFORM ${schema}.fn_job_retire(p_job, 'cancelled', v_job.attempts, v_why);
        RETURN jsonb_build_object('job_id', p_job, 'outcome', 'cancelled');
    END IF;
    UPDATE ${schema}.job_queue q
    SET cancel_requested_at = coalesce(q.cancel_requested_at, clock_timestamp()), last_error = v_why
    WHERE q.job_id = p_job;
    IF ${schema}.fn_queue_notify_enabled() THEN
        PERFORM ${schema}.fn_queue_wake(v_job.event_domain, 'job_cancel');
    END IF;
    RETURN jsonb_build_object('job_id', p_job, 'outcome', 'requested', 'lease_owner', v_job.lease_owner);
END
$$;

-- Which of these jobs have a requested cancel. An executor sees only jobs of kinds granted to its login.
CREATE OR REPLACE FUNCTION ${schema}.fn_job_cancel_wanted(p_jobs uuid[]) RETURNS SETOF uuid
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
BEGIN
    RETURN QUERY
        SELECT q.job_id
        FROM ${schema}.job_queue q
        WHERE q.job_id = ANY (p_jobs) AND q.cancel_requested_at IS NOT NULL
          AND (pg_has_role(session_user, '${server}'::regrole, 'USAGE')
               OR NOT ${schema}.fn_executor_bounded()
               OR NOT EXISTS (SELECT FROM ${schema}.fn_executor_not_granted('kind', ARRAY[q.job_kind]))
                  AND NOT EXISTS (SELECT FROM ${schema}.fn_executor_not_granted('executor', ARRAY[q.lease_owner])));
END
$$;

-- Makes a scheduled job due now.
CREATE OR REPLACE FUNCTION ${schema}.fn_job_retry_now(p_job uuid, p_reason text, p_actor text DEFAULT session_user)
RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
DECLARE
    v_job   ${schema}.job_queue;
    v_state text;
BEGIN
    PERFORM ${schema}.fn_job_demand(p_reason, p_actor);
    SELECT * INTO v_job FROM ${schema}.job_queue q WHERE q.job_id = p_job FOR UPDATE;
    IF NOT FOUND THEN
        SELECT h.state INTO v_state FROM ${schema}.job_history h WHERE h.job_id = p_job LIMIT 1;
        RETURN jsonb_build_object('job_id', p_job, 'outcome', CASE WHEN v_state IS NULL THEN 'unknown' ELSE 'ended' END, 'state', v_state);
    ELSIF v_job.state <> 'scheduled' THEN
        RETURN jsonb_build_object('job_id', p_job, 'outcome', v_job.state);
    END IF;
    INSERT INTO ${schema}.operator_act (act, target, actor, reason)
    VALUES ('job_retry', 'job ' || p_job, left(p_actor, 500), left(p_reason, 500));
    UPDATE ${schema}.job_queue q
    SET state = 'queued', scheduled_at = clock_timestamp(), order_at = clock_timestamp() - q.priority * interval '1 minute'
    WHERE q.job_id = p_job;
    IF ${schema}.fn_queue_notify_enabled() THEN
        PERFORM ${schema}.fn_queue_wake(v_job.event_domain, 'job');
    END IF;
    RETURN jsonb_build_object('job_id', p_job, 'outcome', 'queued');
END
$$;

REVOKE EXECUTE ON FUNCTION
    ${schema}.fn_job_demand(text, text),
    ${schema}.fn_job_cancel(uuid, text, text),
    ${schema}.fn_job_cancel_wanted(uuid[]),
    ${schema}.fn_job_retry_now(uuid, text, text)
FROM PUBLIC;

GRANT EXECUTE ON FUNCTION
    ${schema}.fn_job_cancel(uuid, text, text),
    ${schema}.fn_job_retry_now(uuid, text, text)
TO ${server}, ${admin};

-- What an executor needs and no more: it sees a payload only as the result of its lease.
GRANT EXECUTE ON FUNCTION
    ${schema}.fn_job_cancel_wanted(uuid[])
TO ${server}, ${executor};
