-- Every instance reads its gates at least once per gate interval, and SQL functions read them too. A gate is closed unless
-- its value is 'true' and its time is not over.
CREATE OR REPLACE FUNCTION ${schema}.fn_gate_open(p_key text) RETURNS boolean
-- PL/pgSQL keeps its plan; a function in SQL would be planned at every call.
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN coalesce(
        (SELECT value = 'true' AND (expires_at IS NULL OR expires_at > clock_timestamp())
         FROM ${schema}.dot_config
         WHERE key = p_key AND kind = 'gate'),
        false);
END
$$;

GRANT EXECUTE ON FUNCTION ${schema}.fn_gate_open(text) TO ${server}, ${admin}, ${executor}, ${viewer};

-- Why a gate is closed, with the actor and the reason of the last change; null where it is open.
CREATE OR REPLACE FUNCTION ${schema}.fn_gate_closed_reason(p_key text) RETURNS text
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF ${schema}.fn_gate_open(p_key) THEN
        RETURN NULL;
    END IF;
    RETURN coalesce(
        (SELECT CASE
                    WHEN value = 'true'
                    THEN format('gate %s is closed: it was opened by %s until %s', key, actor,
                                to_char(expires_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'))
                    WHEN actor = 'install' THEN format('gate %s is closed', key)
                    ELSE format('gate %s is closed by %s: %s', key, actor, reason)
                END
         FROM ${schema}.dot_config
         WHERE key = p_key AND kind = 'gate'),
        format('gate %s is closed', p_key));
END
$$;

REVOKE EXECUTE ON FUNCTION ${schema}.fn_gate_closed_reason(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION ${schema}.fn_gate_closed_reason(text) TO ${server}, ${admin}, ${viewer};

-- Marks a row whose statement names an actor: the row alone does not show whether the actor was named again or left out.
-- A trigger on the column fires only where the statement names it. The mark is in updated_at, which the next trigger sets
-- in any case and which no role may write; a setting of the session could be set by the session.
CREATE OR REPLACE FUNCTION ${schema}.fn_dot_config_actor_given() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    NEW.updated_at := '-infinity';
    RETURN NEW;
END
$$;

-- Triggers fire in the order of their names: this one before dot_config_stamp.
CREATE OR REPLACE TRIGGER dot_config_actor_given
    BEFORE UPDATE OF actor ON ${schema}.dot_config
    FOR EACH ROW EXECUTE FUNCTION ${schema}.fn_dot_config_actor_given();

-- The time of a change is the database's. A change that names no actor is recorded under the session's login, not under the
-- actor and the reason of the previous change.
CREATE OR REPLACE FUNCTION ${schema}.fn_dot_config_stamp() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF NEW.updated_at IS DISTINCT FROM '-infinity' THEN
        NEW.actor := session_user;
        IF NEW.reason = OLD.reason THEN
            NEW.reason := 'no reason given';
        END IF;
    END IF;
    NEW.updated_at := clock_timestamp();
    RETURN NEW;
END
$$;

CREATE OR REPLACE TRIGGER dot_config_stamp
    BEFORE UPDATE ON ${schema}.dot_config
    FOR EACH ROW EXECUTE FUNCTION ${schema}.fn_dot_config_stamp();

-- Every change of a gate or a setting, by any path, is recorded here and as an operator's act. The values that a migration
-- installs are not an act.
CREATE OR REPLACE FUNCTION ${schema}.fn_dot_config_audit() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        INSERT INTO ${schema}.dot_config_audit (key, old_value, old_expires_at, actor, reason)
        VALUES (OLD.key, OLD.value, OLD.expires_at, session_user, 'deleted');
        INSERT INTO ${schema}.operator_act (act, target, actor, reason, details)
        VALUES ('config_delete', OLD.kind || ' ' || OLD.key, session_user, 'deleted', jsonb_build_object('from', OLD.value));
        RETURN NULL;
    END IF;
    INSERT INTO ${schema}.dot_config_audit (key, old_value, new_value, old_expires_at, new_expires_at, actor, reason)
    VALUES (
        NEW.key,
        CASE WHEN TG_OP = 'UPDATE' THEN OLD.value END,
        NEW.value,
        CASE WHEN TG_OP = 'UPDATE' THEN OLD.expires_at END,
        NEW.expires_at,
        NEW.actor,
        NEW.reason);
    IF TG_OP = 'UPDATE' THEN
        INSERT INTO ${schema}.operator_act (act, target, actor, reason, details)
        VALUES (
            CASE WHEN NEW.kind = 'setting' THEN 'setting_change' WHEN NEW.value = 'true' THEN 'gate_open' ELSE 'gate_close' END,
            NEW.kind || ' ' || NEW.key,
            coalesce(nullif(btrim(left(NEW.actor, 500)), ''), session_user),
            coalesce(nullif(btrim(left(NEW.reason, 500)), ''), 'no reason given'),
            jsonb_strip_nulls(jsonb_build_object('from', OLD.value, 'to', NEW.value, 'until', NEW.expires_at)));
    END IF;
    RETURN NULL;
END
$$;

CREATE OR REPLACE TRIGGER dot_config_audit
    AFTER INSERT OR UPDATE OR DELETE ON ${schema}.dot_config
    FOR EACH ROW EXECUTE FUNCTION ${schema}.fn_dot_config_audit();

REVOKE EXECUTE ON FUNCTION
    ${schema}.fn_dot_config_actor_given(), ${schema}.fn_dot_config_stamp(), ${schema}.fn_dot_config_audit()
FROM PUBLIC;
