-- The kinds of jobs, and how each is run. A job of a kind that is not registered is refused.
CREATE TABLE ${schema}.job_kind (
    job_kind                text COLLATE "C" PRIMARY KEY,
    event_domain            text NOT NULL,
    description             text NOT NULL,
    max_attempts            integer NOT NULL,
    first_backoff_seconds   double precision NOT NULL,
    longest_backoff_seconds double precision NOT NULL,
    lease_seconds           integer NOT NULL,
    -- How long a handler may take; past it the worker no longer extends its lease.
    deadline_seconds        integer NOT NULL,
    -- The most leases at once, over all processes; null is no limit.
    max_running             integer,
    -- The most leases in so many seconds, over all processes; null is no limit.
    rate_count              integer,
    rate_seconds            double precision,
    -- Jobs that are due for longer than this are behind.
    lag_seconds             integer NOT NULL,
    pause_actor             text,
    pause_reason            text,
    paused_at               timestamptz,
    registered_by           text NOT NULL,
    created_at              timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at              timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT job_kind_is_a_name CHECK (job_kind ~ '^[a-z][a-z0-9_.]{0,99}$'),
    -- The domain becomes part of the name of a channel, and those end at 63 bytes.
    CONSTRAINT job_kind_domain_is_a_name CHECK (event_domain ~ '^[a-z][a-z0-9_]{0,49}$'),
    CONSTRAINT job_kind_max_attempts CHECK (max_attempts BETWEEN 1 AND 1000),
    CONSTRAINT job_kind_backoff CHECK (
        first_backoff_seconds BETWEEN 0 AND 86400 AND longest_backoff_seconds BETWEEN first_backoff_seconds AND 604800),
    CONSTRAINT job_kind_lease CHECK (lease_seconds BETWEEN 1 AND 3600),
    CONSTRAINT job_kind_deadline CHECK (deadline_seconds BETWEEN 1 AND 604800),
    CONSTRAINT job_kind_max_running CHECK (max_running >= 1),
    CONSTRAINT job_kind_rate CHECK (
        (rate_count IS NULL) = (rate_seconds IS NULL) AND rate_count >= 1 AND rate_seconds BETWEEN 0.001 AND 86400),
    CONSTRAINT job_kind_lag CHECK (lag_seconds >= 1),
    CONSTRAINT job_kind_pause_is_told CHECK (
        (pause_actor IS NULL) = (paused_at IS NULL) AND (pause_reason IS NULL) = (paused_at IS NULL))
);

-- How much of its rate a kind has left. Not in job_kind, because it changes with every lease of such a kind.
CREATE TABLE ${schema}.job_kind_rate (
    job_kind    text COLLATE "C" PRIMARY KEY REFERENCES ${schema}.job_kind ON DELETE CASCADE,
    left_over   double precision NOT NULL,
    refilled_at timestamptz NOT NULL
) WITH (fillfactor = 50);

-- Live jobs only. Ended ones are in job_history, so that this table stays as small as the backlog.
--   scheduled: due later, or between two attempts
--   queued: due
--   leased: held by a worker; every change needs its token
CREATE TABLE ${schema}.job_queue (
    job_id              uuid PRIMARY KEY,
    job_kind            text COLLATE "C" NOT NULL,
    event_domain        text NOT NULL,
    state               text NOT NULL,
    priority            smallint NOT NULL,
    scheduled_at        timestamptz NOT NULL,
    -- scheduled_at minus one minute per step of priority: a later job of a higher priority goes first, and no job waits
    -- for ever.
    order_at            timestamptz NOT NULL,
    enqueued_at         timestamptz NOT NULL,
    -- Ended attempts: a failure and an expired lease count, a snooze and a job that was handed back do not.
    attempts            integer NOT NULL DEFAULT 0,
    max_attempts        integer NOT NULL,
    idempotency_key     text,
    run_id              uuid,
    lease_owner         text,
    leased_at           timestamptz,
    lease_until         timestamptz,
    lease_token         uuid,
    cancel_requested_at timestamptz,
    last_error          text,
    -- References only. Checked by the enqueue function: a CHECK would run again with every update.
    payload             jsonb NOT NULL,
    -- One constraint for both: it is checked with every update.
    CONSTRAINT job_queue_state_has_its_lease CHECK (
        CASE state
            WHEN 'leased' THEN lease_token IS NOT NULL AND lease_until IS NOT NULL AND lease_owner IS NOT NULL
            WHEN 'queued' THEN lease_token IS NULL AND lease_until IS NULL AND lease_owner IS NULL
            WHEN 'scheduled' THEN lease_token IS NULL AND lease_until IS NULL AND lease_owner IS NULL
            ELSE false
        END),
    CONSTRAINT job_queue_attempts_are_left CHECK (attempts >= 0 AND attempts < max_attempts)
) WITH (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000);

CREATE UNIQUE INDEX job_queue_alive_key ON ${schema}.job_queue (idempotency_key) WHERE idempotency_key IS NOT NULL;
-- Kind first: a lease steps over no job of another kind.
CREATE INDEX job_queue_due_idx ON ${schema}.job_queue (job_kind, order_at) WHERE state = 'queued';
CREATE INDEX job_queue_later_idx ON ${schema}.job_queue (scheduled_at) WHERE state = 'scheduled';
-- Kind first here as well: leases of a kind with a limit are counted with every lease.
CREATE INDEX job_queue_leased_idx ON ${schema}.job_queue (job_kind, lease_until) WHERE state = 'leased';

-- Ended jobs, partitioned by day: retained for some days, then dropped with their partition.
CREATE TABLE ${schema}.job_history (
    job_id          uuid NOT NULL,
    job_kind        text COLLATE "C" NOT NULL,
    event_domain    text NOT NULL,
    state           text NOT NULL,
    priority        smallint NOT NULL,
    scheduled_at    timestamptz NOT NULL,
    enqueued_at     timestamptz NOT NULL,
    attempts        integer NOT NULL,
    max_attempts    integer NOT NULL,
    idempotency_key text,
    run_id          uuid,
    lease_owner     text,
    leased_at       timestamptz,
    finished_at     timestamptz NOT NULL,
    last_error      text,
    payload         jsonb NOT NULL,
    CONSTRAINT job_history_state_is_known CHECK (state IN ('succeeded', 'failed', 'cancelled'))
) PARTITION BY RANGE (finished_at);

CREATE INDEX job_history_job_idx ON ${schema}.job_history (job_id);
CREATE TABLE ${schema}.job_history_default PARTITION OF ${schema}.job_history DEFAULT;

CREATE SEQUENCE ${schema}.job_log_seq;

-- Log lines of handlers, with their progress. Append-only.
CREATE TABLE ${schema}.job_log (
    log_id   bigint NOT NULL DEFAULT nextval('${schema}.job_log_seq'),
    job_id   uuid NOT NULL,
    attempt  integer NOT NULL,
    level    text NOT NULL CHECK (level IN ('info', 'warning', 'error')),
    line     text NOT NULL CHECK (octet_length(line) <= 2000),
    percent  smallint CHECK (percent BETWEEN 0 AND 100),
    said_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- How many lines were left out before this one: beyond 1000 lines of an attempt the last one is replaced by the next.
    left_out integer NOT NULL DEFAULT 0
) PARTITION BY RANGE (said_at);

CREATE INDEX job_log_job_idx ON ${schema}.job_log (job_id, log_id);
CREATE TABLE ${schema}.job_log_default PARTITION OF ${schema}.job_log DEFAULT;

GRANT SELECT ON ${schema}.job_kind, ${schema}.job_kind_rate, ${schema}.job_history, ${schema}.job_log
TO ${viewer}, ${admin}, ${server};
-- All but lease_token, which allows to end the job. The holder gets it as the result of the lease.
GRANT SELECT (
    job_id, job_kind, event_domain, state, priority, scheduled_at, order_at, enqueued_at, attempts, max_attempts,
    idempotency_key, run_id, lease_owner, leased_at, lease_until, cancel_requested_at, last_error, payload)
ON ${schema}.job_queue TO ${viewer}, ${admin}, ${server};

-- Jobs that did not succeed are few, and are what operators list. An index by kind would hold all of them, and ending a job
-- would write a twelfth more WAL.
CREATE INDEX job_history_unsucceeded_idx ON ${schema}.job_history (job_id) WHERE state <> 'succeeded';
