-- Jobs that failed for good. Operators triage them; none is retried without a decision.
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
    -- Equal for jobs that failed alike: made of the kind, the error class and the normalised message.
    fingerprint          text COLLATE "C" NOT NULL,
    enqueued_at          timestamptz NOT NULL,
    last_failed_at       timestamptz NOT NULL,
    triage_status        text NOT NULL DEFAULT 'new',
    triaged_by           text,
    triaged_db_user      text,
    triaged_at           timestamptz,
    triage_note          text,
    -- The note from before the replay: the replay replaces the note.
    note_before_replay   text,
    resolved_at          timestamptz,
    replayed_as          uuid,
    authorization_source text,
    -- The run, if it was replayed with its group.
    replay_run_id        uuid,
    CONSTRAINT job_dead_letter_triage_is_known CHECK (
        triage_status IN ('new', 'investigating', 'manual_replay', 'closed')),
    CONSTRAINT job_dead_letter_closed_is_resolved CHECK ((triage_status = 'closed') = (resolved_at IS NOT NULL)),
    CONSTRAINT job_dead_letter_triage_is_told CHECK (
        triage_status = 'new' OR (triaged_by IS NOT NULL AND triaged_at IS NOT NULL)),
    CONSTRAINT job_dead_letter_replay_is_told CHECK (
        (replayed_as IS NULL) = (authorization_source IS NULL) AND (replayed_as IS NULL OR triage_status = 'closed')
        AND (replay_run_id IS NULL OR replayed_as IS NOT NULL))
);

-- A group is a kind and a fingerprint: it is counted in the index, and read in the order of the ids.
CREATE INDEX job_dead_letter_open_idx
    ON ${schema}.job_dead_letter (job_kind, fingerprint, dead_letter_id)
    INCLUDE (event_domain, triage_status, last_failed_at) WHERE resolved_at IS NULL;
CREATE INDEX job_dead_letter_job_idx ON ${schema}.job_dead_letter (job_id);

-- Letters that no finding has counted yet, one row each. A failing job only inserts a row, and so waits for no lock;
-- fn_job_dead_letter_check deletes all it sees. By a highest id seen, a letter that commits late would not be counted.
CREATE TABLE ${schema}.job_dead_letter_news (
    job_kind       text COLLATE "C" NOT NULL,
    fingerprint    text COLLATE "C" NOT NULL,
    dead_letter_id uuid NOT NULL
);

-- The replay of a group, batch after batch.
--   running: the next batch starts after the last one
--   done: all letters were processed
--   cancelled: by an operator; what was replayed until then stays replayed
CREATE TABLE ${schema}.job_dead_letter_replay_run (
    replay_run_id        uuid PRIMARY KEY,
    job_kind             text COLLATE "C" NOT NULL,
    fingerprint          text COLLATE "C" NOT NULL,
    authorization_source text NOT NULL,
    actor                text NOT NULL,
    db_user              text NOT NULL DEFAULT session_user,
    -- Letters per second, over all callers, and what is left of it: at most one second's worth.
    rate                 double precision NOT NULL,
    left_over            double precision NOT NULL,
    refilled_at          timestamptz NOT NULL,
    -- How many letters were triaged for it when it started, and the last of them. Letters triaged later are not replayed.
    letters              bigint NOT NULL,
    last_letter          uuid NOT NULL,
    -- The last letter that was replayed.
    done_to              uuid,
    replayed             bigint NOT NULL DEFAULT 0,
    state                text NOT NULL DEFAULT 'running',
    started_at           timestamptz NOT NULL,
    last_batch_at        timestamptz,
    ended_at             timestamptz,
    CONSTRAINT job_dead_letter_replay_run_rate CHECK (rate BETWEEN 0.01 AND 10000),
    CONSTRAINT job_dead_letter_replay_run_state_is_known CHECK (state IN ('running', 'done', 'cancelled')),
    CONSTRAINT job_dead_letter_replay_run_end_has_time CHECK ((state = 'running') = (ended_at IS NULL))
);

-- One running run per group: two would replay at twice the rate.
CREATE UNIQUE INDEX job_dead_letter_replay_run_running_key
    ON ${schema}.job_dead_letter_replay_run (job_kind, fingerprint) WHERE state = 'running';

GRANT SELECT ON
    ${schema}.job_dead_letter, ${schema}.job_dead_letter_news, ${schema}.job_dead_letter_replay_run
TO ${viewer}, ${admin}, ${server};

-- Closed letters are deleted by the time they were closed at.
CREATE INDEX job_dead_letter_closed_idx
    ON ${schema}.job_dead_letter (resolved_at) WHERE resolved_at IS NOT NULL;
