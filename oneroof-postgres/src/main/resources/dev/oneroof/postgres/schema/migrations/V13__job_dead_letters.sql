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
    fingerprint          text COLLATE "C" NOT NULL,
    enqueued_at          timestamptz NOT NULL,
    last_failed_at       timestamptz NOT NULL,
    triage_status        text NOT NULL DEFAULT 'new',
    triaged_by           text,
    triaged_db_user      text,
    triaged_at           timestamptz,
    triage_note          text,
    -- What somebody had noted before it was replayed: from then on the note says that it was.
    note_before_replay   text,
    resolved_at          timestamptz,
    replayed_as          uuid,
    authorization_source text,
    -- Of which run, where it was replayed with its group.
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

-- A group is a kind and a fingerprint: it is counted in the index, and gone through by the ids.
CREATE INDEX job_dead_letter_open_idx
    ON ${schema}.job_dead_letter (job_kind, fingerprint, dead_letter_id)
    INCLUDE (event_domain, triage_status, last_failed_at) WHERE resolved_at IS NULL;
CREATE INDEX job_dead_letter_job_idx ON ${schema}.job_dead_letter (job_id);

-- Letters that no finding has counted yet, a row for each. Whoever gives a job up only adds one, and so waits for nobody;
-- whoever looks (fn_job_dead_letter_check) takes all there are. By ids alone one that commits late would not be counted.
CREATE TABLE ${schema}.job_dead_letter_news (
    job_kind       text COLLATE "C" NOT NULL,
    fingerprint    text COLLATE "C" NOT NULL,
    dead_letter_id uuid NOT NULL
);

-- The replay of a group, batch after batch.
--   running: whoever asks for the next batch goes on behind the last
--   done: all were looked at
--   cancelled: somebody gave it up; what was replayed until then stays so
CREATE TABLE ${schema}.job_dead_letter_replay_run (
    replay_run_id        uuid PRIMARY KEY,
    job_kind             text COLLATE "C" NOT NULL,
    fingerprint          text COLLATE "C" NOT NULL,
    authorization_source text NOT NULL,
    actor                text NOT NULL,
    db_user              text NOT NULL DEFAULT session_user,
    -- Letters a second, over all who ask for batches, and what is left of it: a second's worth at most.
    rate                 double precision NOT NULL,
    left_over            double precision NOT NULL,
    refilled_at          timestamptz NOT NULL,
    -- How many were triaged for it when it began, and the last of them. What is triaged later is not touched.
    letters              bigint NOT NULL,
    last_letter          uuid NOT NULL,
    -- The last that was replayed.
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

-- One at a time: two would replay at the rate of both.
CREATE UNIQUE INDEX job_dead_letter_replay_run_running_key
    ON ${schema}.job_dead_letter_replay_run (job_kind, fingerprint) WHERE state = 'running';

GRANT SELECT ON
    ${schema}.job_dead_letter, ${schema}.job_dead_letter_news, ${schema}.job_dead_letter_replay_run
TO ${viewer}, ${admin}, ${server};

-- Closed letters go by the time they were closed at.
CREATE INDEX job_dead_letter_closed_idx
    ON ${schema}.job_dead_letter (resolved_at) WHERE resolved_at IS NOT NULL;
