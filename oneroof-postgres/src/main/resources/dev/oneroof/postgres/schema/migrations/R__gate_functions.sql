-- Gates are read by every worker on every pass, and by SQL functions. Closed unless plainly open.
CREATE OR REPLACE FUNCTION ${schema}.fn_gate_open(p_key text) RETURNS boolean
-- Not in SQL, whose functions are planned anew for every call.
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

-- Whoever changes a gate or a setting, by whatever path, leaves a trace.
CREATE OR REPLACE FUNCTION ${schema}.fn_dot_config_audit() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        INSERT INTO ${schema}.dot_config_audit (key, old_value, old_expires_at, actor, reason)
        VALUES (OLD.key, OLD.value, OLD.expires_at, session_user, 'deleted');
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
    RETURN NULL;
END
$$;

CREATE OR REPLACE TRIGGER dot_config_audit
    AFTER INSERT OR UPDATE OR DELETE ON ${schema}.dot_config
    FOR EACH ROW EXECUTE FUNCTION ${schema}.fn_dot_config_audit();
