INSERT INTO ${schema}.system_issue_type
    (issue_type, bucket, route, severity, escalate_after, escalate_count, description)
VALUES
    ('cursor_lag', 'cursor', 'platform', 'medium', interval '1 hour', NULL,
     'The oldest row that is not handled is older than the source''s lag threshold.'),
    ('cursor_dlq', 'cursor', 'platform', 'medium', interval '1 day', 100,
     'Rows of a source could not be handled, or jobs of a kind failed for good, and wait as dead letters.'),
    ('cursor_dlq_overflow', 'cursor', 'platform', 'high', interval '1 hour', 1000,
     'More dead letters than the threshold allows: the cause is rarely the rows or jobs.'),
    ('cursor_silent_gap', 'cursor', 'platform', 'high', interval '1 hour', NULL,
     'A worker has sent no beat for longer than its threshold.'),
    ('cursor_lease_conflict', 'cursor', 'platform', 'medium', interval '1 hour', 100,
     'The ownership of a scope flaps, or its owner makes no progress.'),
    ('cursor_watermark_regression', 'cursor', 'platform', 'high', interval '1 hour', NULL,
     'A watermark went back and no replay had asked for it. The cursor holds.'),
    ('cursor_contract_broken', 'cursor', 'platform', 'high', interval '1 day', 100,
     'The writers of a source do not keep the order that was declared.'),
    ('cursor_clock_stepped_back', 'cursor', 'platform', 'high', interval '1 hour', NULL,
     'The server''s clock went back so far that rows written since are not looked for. A replay hands them out.'),
    ('cursor_stretch_full', 'cursor', 'platform', 'high', interval '1 hour', NULL,
     'A transaction stays open, and so many rows were handled above it that the cursor holds at the barrier.'),
    ('job_schedule_stopped', 'job', 'platform', 'high', interval '1 day', NULL,
     'A schedule cannot be fired as it is, and was paused.'),
    ('handoff_lag', 'handoff', 'governance', 'medium', interval '1 hour', NULL,
     'The handoff intake is behind.'),
    ('handoff_dlq', 'handoff', 'governance', 'medium', interval '1 day', 100,
     'Handoffs could not be taken in and wait as dead letters.'),
    ('handoff_silent_gap', 'handoff', 'governance', 'high', interval '1 hour', NULL,
     'The handoff intake has sent no beat for longer than its threshold.'),
    ('handoff_unregistered_type', 'handoff', 'governance', 'medium', NULL, 100,
     'Events wait because their type is not registered or not active.'),
    ('candidate_scan_lag', 'candidate', 'governance', 'medium', interval '1 hour', NULL,
     'Dirty candidates wait longer than they should for their scan.'),
    ('untrusted_source', 'candidate', 'governance', 'high', NULL, NULL,
     'Candidates come from a system that is not trusted.'),
    ('group_invalidation_storm', 'candidate', 'governance', 'high', NULL, NULL,
     'One tick has made more groups dirty than the threshold allows.'),
    ('audit_missed_handoff', 'audit', 'governance', 'critical', NULL, NULL,
     'The full audit found an object that no handoff had brought.')
ON CONFLICT (issue_type) DO UPDATE
SET bucket = EXCLUDED.bucket,
    severity = EXCLUDED.severity,
    escalate_after = EXCLUDED.escalate_after,
    escalate_count = EXCLUDED.escalate_count,
    description = EXCLUDED.description;

CREATE OR REPLACE FUNCTION ${schema}.fn_severity_rank(p_severity text) RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN array_position(ARRAY['low', 'medium', 'high', 'critical'], p_severity);

-- Raises a finding, or counts up the one that is open. Severity never falls while it is open: the type's own, one step up when
-- it is old or frequent (also when it is new), or the caller's if that is higher. A mute that has expired ends here.
CREATE OR REPLACE FUNCTION ${schema}.fn_finding_raise(
    p_type text, p_key text, p_summary text, p_evidence jsonb DEFAULT '{}', p_severity text DEFAULT NULL, p_count bigint DEFAULT 1)
RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    v_kind ${schema}.system_issue_type;
    v_id   bigint;
BEGIN
    SELECT * INTO v_kind FROM ${schema}.system_issue_type WHERE issue_type = p_type;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'type: ''%'' is not a registered type of finding', p_type USING ERRCODE = '22023';
    END IF;
    IF p_severity IS NOT NULL AND ${schema}.fn_severity_rank(p_severity) IS NULL THEN
        RAISE EXCEPTION 'severity: ''%'' is not allowed; allowed are low, medium, high, critical', p_severity USING ERRCODE = '22023';
    END IF;
    INSERT INTO ${schema}.system_issues AS i
        (issue_type, bucket, route, severity, coalesce_key, summary, evidence, occurrence_count)
    VALUES (
        p_type, v_kind.bucket, v_kind.route,
        (ARRAY['low', 'medium', 'high', 'critical'])[greatest(
            ${schema}.fn_severity_rank(v_kind.severity),
            ${schema}.fn_severity_rank(p_severity),
            CASE WHEN p_count > v_kind.escalate_count THEN least(4, ${schema}.fn_severity_rank(v_kind.severity) + 1) END)],
        p_key, p_summary, p_evidence, greatest(p_count, 1))
    ON CONFLICT (issue_type, coalesce_key) WHERE status <> 'resolved' DO UPDATE
    SET occurrence_count = i.occurrence_count + greatest(p_count, 1),
        last_seen_at = clock_timestamp(),
        summary = EXCLUDED.summary,
        evidence = EXCLUDED.evidence,
        status = CASE WHEN i.status = 'muted' AND i.muted_until < clock_timestamp() THEN 'open' ELSE i.status END,
        severity = (ARRAY['low', 'medium', 'high', 'critical'])[greatest(
            ${schema}.fn_severity_rank(i.severity),
            ${schema}.fn_severity_rank(EXCLUDED.severity),
            CASE
                WHEN clock_timestamp() - i.first_seen_at > v_kind.escalate_after
                  OR i.occurrence_count + greatest(p_count, 1) > v_kind.escalate_count
                THEN least(4, ${schema}.fn_severity_rank(v_kind.severity) + 1)
                ELSE 1
            END)]
    RETURNING i.issue_id INTO v_id;
    RETURN v_id;
END
$$;

-- Resolves a finding whose condition is over. Returns how many were resolved: one or none.
CREATE OR REPLACE FUNCTION ${schema}.fn_finding_resolve(p_type text, p_key text) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    v_ended integer;
BEGIN
    UPDATE ${schema}.system_issues
    SET status = 'resolved', resolved_at = clock_timestamp(), muted_until = NULL
    WHERE issue_type = p_type AND coalesce_key = p_key AND status <> 'resolved';
    GET DIAGNOSTICS v_ended = ROW_COUNT;
    RETURN v_ended;
END
$$;

-- Resolves a finding by an operator's act, with a reason. False where there is no such finding.
CREATE OR REPLACE FUNCTION ${schema}.fn_finding_close(
    p_type text, p_key text, p_reason text, p_actor text DEFAULT session_user)
RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM ${schema}.fn_job_demand(p_reason, p_actor);
    IF ${schema}.fn_finding_resolve(p_type, p_key) = 0 THEN
        RETURN false;
    END IF;
    INSERT INTO ${schema}.operator_act (act, target, actor, reason)
    VALUES ('finding_close', format('finding %s %s', p_type, p_key), left(p_actor, 500), left(p_reason, 500));
    RETURN true;
END
$$;

REVOKE EXECUTE ON FUNCTION ${schema}.fn_finding_close(text, text, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION ${schema}.fn_severity_rank(text) TO ${server}, ${admin}, ${executor}, ${viewer};
GRANT EXECUTE ON FUNCTION ${schema}.fn_finding_raise(text, text, text, jsonb, text, bigint) TO ${server}, ${admin};
-- For the program only: it records neither an actor nor a reason.
REVOKE EXECUTE ON FUNCTION ${schema}.fn_finding_resolve(text, text) FROM ${admin};
GRANT EXECUTE ON FUNCTION ${schema}.fn_finding_resolve(text, text) TO ${server};
GRANT EXECUTE ON FUNCTION ${schema}.fn_finding_close(text, text, text, text) TO ${server}, ${admin};
