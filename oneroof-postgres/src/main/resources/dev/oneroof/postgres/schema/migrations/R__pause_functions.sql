-- The login and the time of a pause are the database's own.
CREATE OR REPLACE FUNCTION ${schema}.fn_worker_pause_stamp() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    NEW.db_user := session_user;
    NEW.paused_at := clock_timestamp();
    RETURN NEW;
END
$$;

CREATE OR REPLACE TRIGGER worker_pause_stamp
    BEFORE INSERT OR UPDATE ON ${schema}.worker_pause
    FOR EACH ROW EXECUTE FUNCTION ${schema}.fn_worker_pause_stamp();

-- A cursor's pause is removed with the cursor: a source that is registered again starts unpaused.
CREATE OR REPLACE FUNCTION ${schema}.fn_worker_pause_remove() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    DELETE FROM ${schema}.worker_pause p
    USING gone g
    WHERE p.executor_name = concat(g.worker_name, '/', g.source_name, '/', g.shard);
    RETURN NULL;
END
$$;

CREATE OR REPLACE TRIGGER worker_pause_remove
    AFTER DELETE ON ${schema}.gov_worker_cursor
    REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION ${schema}.fn_worker_pause_remove();

REVOKE EXECUTE ON FUNCTION ${schema}.fn_worker_pause_stamp(), ${schema}.fn_worker_pause_remove() FROM PUBLIC;
