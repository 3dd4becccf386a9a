-- Jobs that were given up. Whoever looks after them triages; nothing is tried again unless somebody said so.
CREATE TABLE ${schema}.job_dead_letter (
    dead_letter_id       uuid PRIMARY KEY,
    job_id               uuid NOT NULL,
    job_kind             text COLLATE "C" NOT NULL,
    event_domain         text NOT NULL,
    priority             smallint NOT NULL,
    attempts             integer NOT NULL,
    max_attempts         integer NOT NULL,
    idempotency_key      text,
    run_id               uuid,
    payload              jsonb NOT NULL,
    error_class          text NOT NULL,
    last_error           text NOT NULL,
    -- The same for all that failed alike: of the kind, the class and the message without what differs from job to job.
    fingerprint          text NOT NULL,
    enqueued_at          timestamptz NOT NULL,
    last_failed_at       timestamptz NOT NULL,
    triage_status        text NOT NULL DEFAULT 'new',
    triaged_by           text,
    triaged_at           timestamptz,
    triage_note          text,
    resolved_at          timestamptz,
    replayed_as          uuid,
    authorization_source text,
    CONSTRAINT job_dead_letter_triage_is_known CHECK (
        triage_status IN ('new', 'investigating', 'manual_replay', 'closed')),
    CONSTRAINT job_dead_letter_closed_is_resolved CHECK ((triage_status = 'closed') = (resolved_at IS NOT NULL)),
    CONSTRAINT job_dead_letter_triage_is_told CHECK (
        triage_status = 'new' OR (triaged_by IS NOT NULL AND triaged_at IS NOT NULL)),
    CONSTRAINT job_dead_letter_replay_is_told CHECK (
        (replayed_as IS NULL) = (authorization_source IS NULL) AND (replayed_as IS NULL OR triage_status = 'closed'))
);

-- Groups are counted among the open ones; a page of a group follows the ids.
CREATE INDEX job_dead_letter_open_idx
    ON ${schema}.job_dead_letter (event_domain, job_kind, fingerprint, dead_letter_id) WHERE resolved_at IS NULL;
CREATE INDEX job_dead_letter_job_idx ON ${schema}.job_dead_letter (job_id);

GRANT SELECT ON ${schema}.job_dead_letter TO ${viewer}, ${admin}, ${server};
