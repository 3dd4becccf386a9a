-- Items that could not be handled, one row each, and no copy of their contents: the source has those.
--   retry: a row whose effect failed; tried again with growing pauses, then a dead letter.
--   capture: an event that waits for its type; it never counts attempts.
CREATE TABLE ${schema}.event_pending (
    pending_id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    purpose           text NOT NULL CHECK (purpose IN ('retry', 'capture')),
    worker_name       text NOT NULL,
    source_name       text NOT NULL,
    shard             integer NOT NULL DEFAULT 0,
    key_ts            text,
    key_id            text NOT NULL,
    event_domain      text NOT NULL DEFAULT 'governance',
    event_type_hint   text,
    entity_table      text,
    entity_ref        text,
    canonical_address text,
    actor_ref         text,
    capture_payload   jsonb NOT NULL DEFAULT '{}' CHECK (${schema}.fn_signal_only(capture_payload)),
    error_count       integer NOT NULL DEFAULT 0 CHECK (error_count >= 0),
    last_error        text,
    last_sqlstate     text,
    fingerprint       text,
    next_attempt_at   timestamptz,
    processed_at      timestamptz,
    dead_lettered_at  timestamptz,
    triage_status     text NOT NULL DEFAULT 'new' CHECK (triage_status IN (
                          'new', 'investigating', 'manual_replay', 'closed')),
    triaged_by        text,
    -- These two are set by a trigger: the server may write the row, and not what the database says of it.
    triaged_db_user   text,
    triaged_at        timestamptz,
    triage_note       text,
    created_at        timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at        timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT event_pending_capture_counts_nothing CHECK (purpose <> 'capture' OR error_count = 0),
    CONSTRAINT event_pending_is_ended_once CHECK (processed_at IS NULL OR dead_lettered_at IS NULL),
    CONSTRAINT event_pending_retry_has_a_next CHECK (
        purpose <> 'retry' OR processed_at IS NOT NULL OR dead_lettered_at IS NOT NULL OR next_attempt_at IS NOT NULL)
);

-- A row of a source waits once per worker, however often it comes by.
CREATE UNIQUE INDEX event_pending_alive_key
    ON ${schema}.event_pending (worker_name, source_name, shard, purpose, key_id, (coalesce(key_ts, '')))
    WHERE processed_at IS NULL;
CREATE INDEX event_pending_due_idx
    ON ${schema}.event_pending (worker_name, source_name, shard, next_attempt_at)
    WHERE purpose = 'retry' AND processed_at IS NULL AND dead_lettered_at IS NULL;
CREATE INDEX event_pending_dead_idx
    ON ${schema}.event_pending (worker_name, source_name, shard, pending_id)
    WHERE processed_at IS NULL AND dead_lettered_at IS NOT NULL;

-- The actor of a triage is a claim; the login and the time beside it are the database's own.
CREATE FUNCTION ${schema}.fn_event_pending_triaged() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    NEW.triaged_db_user := CASE WHEN NEW.triaged_by IS NOT NULL THEN session_user END;
    NEW.triaged_at := CASE WHEN NEW.triaged_by IS NOT NULL THEN clock_timestamp() END;
    RETURN NEW;
END $$;

REVOKE ALL ON FUNCTION ${schema}.fn_event_pending_triaged() FROM PUBLIC;

CREATE TRIGGER event_pending_triaged BEFORE UPDATE OF triaged_by, triaged_db_user, triaged_at ON ${schema}.event_pending
    FOR EACH ROW EXECUTE FUNCTION ${schema}.fn_event_pending_triaged();
-- Rows are set aside untriaged: those are not looked at.
CREATE TRIGGER event_pending_triaged_already BEFORE INSERT ON ${schema}.event_pending
    FOR EACH ROW
    WHEN (NEW.triaged_by IS NOT NULL OR NEW.triaged_db_user IS NOT NULL OR NEW.triaged_at IS NOT NULL)
    EXECUTE FUNCTION ${schema}.fn_event_pending_triaged();

GRANT SELECT ON ${schema}.event_pending TO ${viewer}, ${admin};
GRANT SELECT, INSERT, UPDATE, DELETE ON ${schema}.event_pending TO ${server};
