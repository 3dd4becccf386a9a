-- Every change of an event type, by any path, is recorded.
CREATE OR REPLACE FUNCTION ${schema}.fn_event_type_audit() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    v_row ${schema}.event_type_registry := CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
BEGIN
    INSERT INTO ${schema}.event_type_audit (event_domain, event_type, act, active, defaults, actor, reason)
    VALUES (
        v_row.event_domain,
        v_row.event_type,
        CASE
            WHEN TG_OP = 'INSERT' THEN 'registered'
            WHEN TG_OP = 'DELETE' THEN 'deleted'
            WHEN NEW.active AND NOT OLD.active THEN 'activated'
            WHEN OLD.active AND NOT NEW.active THEN 'deactivated'
            ELSE 'changed'
        END,
        v_row.active AND TG_OP <> 'DELETE',
        concat_ws('/', v_row.default_stream, v_row.default_lane, v_row.default_severity),
        CASE WHEN TG_OP = 'DELETE' THEN session_user::text ELSE v_row.changed_by END,
        CASE WHEN TG_OP = 'DELETE' THEN 'deleted' ELSE v_row.change_reason END);
    RETURN NULL;
END
$$;

CREATE OR REPLACE TRIGGER event_type_audit
    AFTER INSERT OR UPDATE OR DELETE ON ${schema}.event_type_registry
    FOR EACH ROW EXECUTE FUNCTION ${schema}.fn_event_type_audit();

-- Registers a type, inactive; or changes the defaults of a registered one, and leaves it active or inactive. True when
-- anything changed.
CREATE OR REPLACE FUNCTION ${schema}.fn_event_type_register(
    p_domain text, p_type text, p_stream text, p_lane text, p_severity text, p_description text, p_actor text)
RETURNS boolean
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    WITH registered AS (
        INSERT INTO ${schema}.event_type_registry AS r
            (event_domain, event_type, default_stream, default_lane, default_severity, description, registered_by,
             changed_by)
        VALUES (p_domain, p_type, p_stream, p_lane, p_severity, p_description, p_actor, p_actor)
        ON CONFLICT (event_domain, event_type) DO UPDATE
        SET default_stream = excluded.default_stream,
            default_lane = excluded.default_lane,
            default_severity = excluded.default_severity,
            description = excluded.description,
            changed_by = excluded.changed_by,
            change_reason = 'registered again',
            updated_at = clock_timestamp()
        WHERE (r.default_stream, r.default_lane, r.default_severity, r.description)
              IS DISTINCT FROM
              (excluded.default_stream, excluded.default_lane, excluded.default_severity, excluded.description)
        RETURNING r.change_reason, concat_ws('/', r.default_stream, r.default_lane, r.default_severity) AS defaults
    ), acted AS (
        INSERT INTO ${schema}.operator_act (act, target, actor, reason, details)
        SELECT 'event_type_register', format('event type %s/%s', p_domain, p_type), p_actor,
               CASE WHEN r.change_reason = '' THEN 'added' ELSE 'changed' END, jsonb_build_object('to', r.defaults)
        FROM registered r)
    SELECT EXISTS (SELECT FROM registered)
$$;

-- True when the type was not as wanted before.
CREATE OR REPLACE FUNCTION ${schema}.fn_event_type_set_active(
    p_domain text, p_type text, p_active boolean, p_actor text, p_reason text)
RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    v_was boolean;
BEGIN
    SELECT active INTO v_was
    FROM ${schema}.event_type_registry
    WHERE event_domain = p_domain AND event_type = p_type
    FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING
            ERRCODE = 'OR001',
            MESSAGE = format('event type: ''%s/%s'' is not registered', p_domain, p_type),
            HINT = 'Register it first, with fn_event_type_register.';
    END IF;
    UPDATE ${schema}.event_type_registry
    SET active = p_active, changed_by = p_actor, change_reason = p_reason, updated_at = clock_timestamp()
    WHERE event_domain = p_domain AND event_type = p_type AND active <> p_active;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    INSERT INTO ${schema}.operator_act (act, target, actor, reason)
    VALUES (CASE WHEN p_active THEN 'event_type_activate' ELSE 'event_type_deactivate' END,
            format('event type %s/%s', p_domain, p_type), p_actor, coalesce(nullif(btrim(p_reason), ''), 'no reason given'));
    RETURN true;
END
$$;

CREATE OR REPLACE FUNCTION ${schema}.fn_event_type_activate(p_domain text, p_type text, p_actor text, p_reason text)
RETURNS boolean
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$ SELECT ${schema}.fn_event_type_set_active(p_domain, p_type, true, p_actor, p_reason) $$;

CREATE OR REPLACE FUNCTION ${schema}.fn_event_type_deactivate(p_domain text, p_type text, p_actor text, p_reason text)
RETURNS boolean
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$ SELECT ${schema}.fn_event_type_set_active(p_domain, p_type, false, p_actor, p_reason) $$;

-- Emits an array of events in the caller's transaction: all of them or, when one is refused, none. Each is an object with
-- the columns' names as keys; stream, lane and severity are the type's unless said. Within one call the ids are in the
-- order of the array, and so the events are in the outbox.
--
-- OR001: the type is not registered and active. OR002: the payload is no signal. Both are checked before anything is
-- written: a violated CHECK would print the row, with its contents, into the error and the server's log.
--
-- It does not check the caller's grants, and only OneRoof's functions call it; all others call fn_iu_emit_events.
CREATE OR REPLACE FUNCTION ${schema}.fn_event_emit(p_events jsonb) RETURNS TABLE (event_no bigint, event_id uuid)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    v_bad record;
BEGIN
    IF jsonb_typeof(p_events) IS DISTINCT FROM 'array' THEN
        RAISE EXCEPTION USING ERRCODE = '22023', MESSAGE = 'events: not an array; allowed is an array of objects';
    END IF;

    SELECT e.no, k.key INTO v_bad
    FROM jsonb_array_elements(p_events) WITH ORDINALITY e (event, no)
    CROSS JOIN LATERAL jsonb_object_keys(e.event) k (key)
    WHERE k.key <> ALL (ARRAY[
        'event_domain', 'event_type', 'event_stream', 'delivery_lane', 'event_severity', 'event_subject_table',
        'event_subject_ref', 'canonical_address', 'actor_ref', 'source_system', 'safe_payload', 'occurred_at'])
    ORDER BY e.no
    LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING
            ERRCODE = '22023',
            MESSAGE = format('event %s: ''%s'' is no field of an event', v_bad.no, v_bad.key);
    END IF;

    SELECT e.no, e.event_domain, e.event_type, e.safe_payload, coalesce(r.active, false) AS active,
           r.event_type IS NOT NULL AS registered
    INTO v_bad
    FROM ROWS FROM (jsonb_to_recordset(p_events) AS (event_domain text, event_type text, safe_payload jsonb))
         WITH ORDINALITY e (event_domain, event_type, safe_payload, no)
    LEFT JOIN ${schema}.event_type_registry r ON r.event_domain = e.event_domain AND r.event_type = e.event_type
    WHERE NOT coalesce(r.active, false)
       OR NOT coalesce(${schema}.fn_signal_only(e.safe_payload), true)
    ORDER BY e.no
    LIMIT 1;
    IF FOUND AND v_bad.active THEN
        RAISE EXCEPTION USING
            ERRCODE = 'OR002',
            MESSAGE = format('event %s: the payload of ''%s/%s'' is no signal: %s', v_bad.no, v_bad.event_domain,
                             v_bad.event_type, ${schema}.fn_signal_fault(v_bad.safe_payload)),
            HINT = 'Send the address of the truth, at most 8192 bytes and 100 levels, with none of the keys that hold contents or secrets.';
    ELSIF FOUND THEN
        -- THE PLACE OF THE CAPTURE: once event_pending is there, such an event is kept in it and its event_id here is
        -- null, instead of this error.
        RAISE EXCEPTION USING
            ERRCODE = 'OR001',
            MESSAGE = format('event %s: type ''%s/%s'' is not %s', v_bad.no, v_bad.event_domain, v_bad.event_type,
                             CASE WHEN v_bad.registered THEN 'active' ELSE 'registered' END),
            HINT = 'Register it with fn_event_type_register, then activate it with fn_event_type_activate.';
    END IF;

    RETURN QUERY
    WITH given AS MATERIALIZED (
        SELECT e.*
        FROM ROWS FROM (jsonb_to_recordset(p_events) AS (
                 event_domain text, event_type text, event_stream text, delivery_lane text, event_severity text,
                 event_subject_table text, event_subject_ref text, canonical_address text, actor_ref text,
                 source_system text, safe_payload jsonb, occurred_at timestamptz))
             WITH ORDINALITY e (
                 event_domain, event_type, event_stream, delivery_lane, event_severity, event_subject_table,
                 event_subject_ref, canonical_address, actor_ref, source_system, safe_payload, occurred_at, no)
    ), ids AS MATERIALIZED (
        -- Made first and dealt out in order: two calls within one tick of the clock differ by chance alone.
        SELECT row_number() OVER (ORDER BY g.id) AS no, g.id
        FROM (SELECT ${schema}.fn_uuid_v7() AS id FROM generate_series(1, jsonb_array_length(p_events))) g
    ), emitted AS (
        INSERT INTO ${schema}.event_outbox
            (id, event_domain, event_type, event_stream, delivery_lane, event_severity, event_subject_table,
             event_subject_ref, canonical_address, actor_ref, source_system, safe_payload, occurred_at)
        SELECT i.id, g.event_domain, g.event_type,
               coalesce(g.event_stream, r.default_stream),
               coalesce(g.delivery_lane, r.default_lane),
               coalesce(g.event_severity, r.default_severity),
               g.event_subject_table, g.event_subject_ref, g.canonical_address, g.actor_ref, g.source_system,
               coalesce(g.safe_payload, '{}'), coalesce(g.occurred_at, now())
        FROM given g
        JOIN ids i USING (no)
        -- No inner join: a type that vanished just now must fail, and not swallow its events.
        LEFT JOIN ${schema}.event_type_registry r USING (event_domain, event_type)
    )
    SELECT i.no, i.id FROM ids i ORDER BY i.no;
END
$$;

-- The same, in domains that are granted to the login where it is but an executor's. OR004: one is not.
CREATE OR REPLACE FUNCTION ${schema}.fn_iu_emit_events(p_events jsonb) RETURNS TABLE (event_no bigint, event_id uuid)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF NOT pg_has_role(session_user, '${server}'::regrole, 'USAGE') AND jsonb_typeof(p_events) = 'array' THEN
        PERFORM ${schema}.fn_executor_demand(
            'domain', ARRAY(SELECT DISTINCT e.event ->> 'event_domain' FROM jsonb_array_elements(p_events) e (event)));
    END IF;
    RETURN QUERY SELECT e.event_no, e.event_id FROM ${schema}.fn_event_emit(p_events) e;
END
$$;

-- The same for a single event.
CREATE OR REPLACE FUNCTION ${schema}.fn_iu_emit_event(
    p_event_domain text,
    p_event_type text,
    p_event_subject_table text,
    p_event_subject_ref text,
    p_actor_ref text,
    p_source_system text,
    p_safe_payload jsonb DEFAULT '{}',
    p_canonical_address text DEFAULT NULL,
    p_event_stream text DEFAULT NULL,
    p_delivery_lane text DEFAULT NULL,
    p_event_severity text DEFAULT NULL,
    p_occurred_at timestamptz DEFAULT NULL)
RETURNS uuid
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    SELECT e.event_id
    FROM ${schema}.fn_iu_emit_events(jsonb_build_array(jsonb_build_object(
        'event_domain', p_event_domain, 'event_type', p_event_type, 'event_stream', p_event_stream,
        'delivery_lane', p_delivery_lane, 'event_severity', p_event_severity,
        'event_subject_table', p_event_subject_table, 'event_subject_ref', p_event_subject_ref,
        'canonical_address', p_canonical_address, 'actor_ref', p_actor_ref, 'source_system', p_source_system,
        'safe_payload', p_safe_payload, 'occurred_at', p_occurred_at))) e
$$;

REVOKE EXECUTE ON FUNCTION
    ${schema}.fn_event_type_audit(),
    ${schema}.fn_event_type_register(text, text, text, text, text, text, text),
    ${schema}.fn_event_type_set_active(text, text, boolean, text, text),
    ${schema}.fn_event_type_activate(text, text, text, text),
    ${schema}.fn_event_type_deactivate(text, text, text, text),
    ${schema}.fn_event_emit(jsonb),
    ${schema}.fn_iu_emit_events(jsonb),
    ${schema}.fn_iu_emit_event(text, text, text, text, text, text, jsonb, text, text, text, text, timestamptz)
FROM PUBLIC;

-- As with gates, an operator's act on a type comes from an administrator or from the running program.
GRANT EXECUTE ON FUNCTION
    ${schema}.fn_event_type_register(text, text, text, text, text, text, text),
    ${schema}.fn_event_type_activate(text, text, text, text),
    ${schema}.fn_event_type_deactivate(text, text, text, text)
TO ${admin}, ${server};

GRANT EXECUTE ON FUNCTION
    ${schema}.fn_iu_emit_events(jsonb),
    ${schema}.fn_iu_emit_event(text, text, text, text, text, text, jsonb, text, text, text, text, timestamptz)
TO ${server}, ${admin}, ${executor};
