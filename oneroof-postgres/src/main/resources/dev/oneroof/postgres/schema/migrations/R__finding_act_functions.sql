-- What operators do to findings. Each act leaves a row in operator_act; a finding that is resolved is not touched.
CREATE OR REPLACE FUNCTION ${schema}.fn_finding_acknowledge(p_issue_id bigint, p_actor text, p_reason text)
RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    UPDATE ${schema}.system_issues SET status = 'acknowledged', muted_until = NULL
    WHERE issue_id = p_issue_id AND status <> 'resolved';
    IF FOUND THEN
        INSERT INTO ${schema}.operator_act (act, target, actor, reason)
        VALUES ('finding_acknowledged', 'finding/' || p_issue_id, p_actor, p_reason);
        RETURN true;
    END IF;
    RETURN false;
END $$;

CREATE OR REPLACE FUNCTION ${schema}.fn_finding_resolve_by(p_issue_id bigint, p_actor text, p_reason text)
RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    UPDATE ${schema}.system_issues SET status = 'resolved', resolved_at = clock_timestamp(), muted_until = NULL
    WHERE issue_id = p_issue_id AND status <> 'resolved';
    IF FOUND THEN
        INSERT INTO ${schema}.operator_act (act, target, actor, reason)
        VALUES ('finding_resolved', 'finding/' || p_issue_id, p_actor, p_reason);
        RETURN true;
    END IF;
    RETURN false;
END $$;

CREATE OR REPLACE FUNCTION ${schema}.fn_finding_mute(p_issue_id bigint, p_for interval, p_actor text, p_reason text)
RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    v_until timestamptz := clock_timestamp() + p_for;
BEGIN
    UPDATE ${schema}.system_issues SET status = 'muted', muted_until = v_until
    WHERE issue_id = p_issue_id AND status <> 'resolved';
    IF FOUND THEN
        INSERT INTO ${schema}.operator_act (act, target, actor, reason, details)
        VALUES ('finding_muted', 'finding/' || p_issue_id, p_actor, p_reason, jsonb_build_object('until', v_until));
        RETURN true;
    END IF;
    RETURN false;
END $$;

REVOKE ALL ON FUNCTION
    ${schema}.fn_finding_acknowledge(bigint, text, text),
    ${schema}.fn_finding_resolve_by(bigint, text, text),
    ${schema}.fn_finding_mute(bigint, interval, text, text)
FROM PUBLIC;
GRANT EXECUTE ON FUNCTION
    ${schema}.fn_finding_acknowledge(bigint, text, text),
    ${schema}.fn_finding_resolve_by(bigint, text, text),
    ${schema}.fn_finding_mute(bigint, interval, text, text)
TO ${server}, ${admin};
