-- Acts on workers that are rows. They run with the rights of the owner, for administrators only; each writes its act.
CREATE OR REPLACE FUNCTION ${schema}.fn_worker_define(
    p_worker_name text, p_source_name text, p_columns text[], p_statement text, p_actor text, p_reason text)
RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM ${schema}.fn_job_demand(p_reason, p_actor);
    INSERT INTO ${schema}.worker_definition (worker_name, source_name, columns, statement, actor, reason, db_user)
    VALUES (p_worker_name, p_source_name, p_columns, p_statement, p_actor, p_reason, session_user)
    ON CONFLICT (worker_name, source_name) DO NOTHING;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    INSERT INTO ${schema}.operator_act (act, target, actor, reason)
    VALUES ('worker_add', concat(p_worker_name, '/', p_source_name), p_actor, p_reason);
    RETURN true;
END $$;

CREATE OR REPLACE FUNCTION ${schema}.fn_worker_redefine(
    p_worker_name text, p_source_name text, p_columns text[], p_statement text, p_actor text, p_reason text)
RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    v_version bigint;
BEGIN
    PERFORM ${schema}.fn_job_demand(p_reason, p_actor);
    UPDATE ${schema}.worker_definition
    SET columns = p_columns, statement = p_statement, actor = p_actor, reason = p_reason, db_user = session_user,
        version = version + 1, updated_at = clock_timestamp()
    WHERE worker_name = p_worker_name AND source_name = p_source_name
    RETURNING version INTO v_version;
    IF FOUND THEN
        INSERT INTO ${schema}.operator_act (act, target, actor, reason, details)
        VALUES ('worker_alter', concat(p_worker_name, '/', p_source_name), p_actor, p_reason,
                jsonb_build_object('version', v_version));
    END IF;
    RETURN v_version;
END $$;

-- The scope goes with the definition: an executor without a worker would read as silent. The cursor stays, unless it is to
-- be removed too: a worker that is added again under the same name continues from it.
CREATE OR REPLACE FUNCTION ${schema}.fn_worker_undefine(
    p_worker_name text, p_source_name text, p_with_cursor boolean, p_actor text, p_reason text)
RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM ${schema}.fn_job_demand(p_reason, p_actor);
    DELETE FROM ${schema}.worker_definition WHERE worker_name = p_worker_name AND source_name = p_source_name;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    -- What it set aside is not tried again: one that is added later reads those rows by itself.
    IF p_with_cursor THEN
        UPDATE ${schema}.event_pending
        SET processed_at = clock_timestamp(), dead_lettered_at = NULL, next_attempt_at = NULL, triage_status = 'closed',
            triaged_by = p_actor, triage_note = 'the worker was removed', updated_at = clock_timestamp()
        WHERE worker_name = p_worker_name AND source_name = p_source_name AND processed_at IS NULL;
        DELETE FROM ${schema}.gov_worker_cursor WHERE worker_name = p_worker_name AND source_name = p_source_name;
    END IF;
    PERFORM ${schema}.fn_finding_resolve(i.issue_type, i.coalesce_key)
    FROM ${schema}.system_issues i
    WHERE i.coalesce_key = concat(p_worker_name, '/', p_source_name, '/0') AND i.status <> 'resolved';
    DELETE FROM ${schema}.queue_heartbeat
    WHERE executor_name = concat(p_worker_name, '/', p_source_name, '/0');
    INSERT INTO ${schema}.operator_act (act, target, actor, reason, details)
    VALUES ('worker_remove', concat(p_worker_name, '/', p_source_name), p_actor, p_reason,
            jsonb_build_object('with_cursor', p_with_cursor));
    RETURN true;
END $$;

REVOKE ALL ON FUNCTION
    ${schema}.fn_worker_define(text, text, text[], text, text, text),
    ${schema}.fn_worker_redefine(text, text, text[], text, text, text),
    ${schema}.fn_worker_undefine(text, text, boolean, text, text)
FROM PUBLIC;
GRANT EXECUTE ON FUNCTION
    ${schema}.fn_worker_define(text, text, text[], text, text, text),
    ${schema}.fn_worker_redefine(text, text, text[], text, text, text),
    ${schema}.fn_worker_undefine(text, text, boolean, text, text)
TO ${admin};
