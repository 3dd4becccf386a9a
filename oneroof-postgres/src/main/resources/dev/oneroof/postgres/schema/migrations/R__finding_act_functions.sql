-- What operators do to findings, beside closing them. Each act leaves a row in operator_act; a resolved finding is not touched.
CREATE OR REPLACE FUNCTION ${schema}.fn_finding_acknowledge(
    p_type text, p_key text, p_reason text, p_actor text DEFAULT session_user)
RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM ${schema}.fn_job_demand(p_reason, p_actor);
    UPDATE ${schema}.system_issues SET status = 'acknowledged', muted_until = NULL
    WHERE issue_type = p_type AND coalesce_key = p_key AND status <> 'resolved';
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    INSERT INTO ${schema}.operator_act (act, target, actor, reason)
    VALUES ('finding_acknowledge', format('finding %s %s', p_type, p_key), left(p_actor, 500), left(p_reason, 500));
    RETURN true;
END
$$;

CREATE OR REPLACE FUNCTION ${schema}.fn_finding_mute(
    p_type text, p_key text, p_for interval, p_reason text, p_actor text DEFAULT session_user)
RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    v_until timestamptz := clock_timestamp() + p_for;
BEGIN
    PERFORM ${schema}.fn_job_demand(p_reason, p_actor);
    UPDATE ${schema}.system_issues SET status = 'muted', muted_until = v_until
    WHERE issue_type = p_type AND coalesce_key = p_key AND status <> 'resolved';
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    INSERT INTO ${schema}.operator_act (act, target, actor, reason, details)
    VALUES ('finding_mute', format('finding %s %s', p_type, p_key), left(p_actor, 500), left(p_reason, 500),
            jsonb_build_object('until', v_until));
    RETURN true;
END
$$;

REVOKE EXECUTE ON FUNCTION
    ${schema}.fn_finding_acknowledge(text, text, text, text), ${schema}.fn_finding_mute(text, text, interval, text, text)
FROM PUBLIC;
GRANT EXECUTE ON FUNCTION
    ${schema}.fn_finding_acknowledge(text, text, text, text), ${schema}.fn_finding_mute(text, text, interval, text, text)
TO ${server}, ${admin};
