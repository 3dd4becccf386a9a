-- Schedules enqueue jobs by cron or interval. The firing process computes the times: from a cron expression in a time zone,
-- or by a fixed interval from a first time. The lock of the row and its next due time make a firing unique.
CREATE SEQUENCE ${schema}.job_schedule_version_seq;

CREATE TABLE ${schema}.job_schedule (
    schedule_name  text COLLATE "C" PRIMARY KEY,
    -- From a sequence, new for each definition, also after a removal: it identifies times that were computed from another
    -- definition.
    version        bigint NOT NULL DEFAULT nextval('${schema}.job_schedule_version_seq'),
    job_kind       text COLLATE "C" NOT NULL REFERENCES ${schema}.job_kind,
    cron           text,
    time_zone      text,
    every_seconds  integer,
    first_due_at   timestamptz,
    -- The misfire policy, for times that passed while no instance ran:
    --   skip: none is fired
    --   last: only the last one is fired
    --   all: each is fired
    catch_up       text NOT NULL,
    -- Whether a job may be enqueued while the previous one is alive.
    may_overlap    boolean NOT NULL,
    payload        jsonb NOT NULL,
    priority       smallint NOT NULL,
    max_attempts   integer,
    -- Null if there is no further time.
    next_due_at    timestamptz,
    last_due_at    timestamptz,
    last_fired_at  timestamptz,
    last_job_id    uuid,
    fired          bigint NOT NULL DEFAULT 0,
    missed         bigint NOT NULL DEFAULT 0,
    overlapped     bigint NOT NULL DEFAULT 0,
    pause_actor    text,
    pause_reason   text,
    paused_at      timestamptz,
    -- Paused by the keeper because it cannot be fired. A new definition resumes it.
    is_stopped     boolean NOT NULL DEFAULT false,
    registered_by  text NOT NULL,
    created_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT job_schedule_is_a_name CHECK (schedule_name ~ '^[a-z][a-z0-9_.-]{0,99}$'),
    CONSTRAINT job_schedule_has_one_timetable CHECK (
        (cron IS NULL) = (time_zone IS NULL) AND (every_seconds IS NULL) = (first_due_at IS NULL)
        AND (cron IS NULL) <> (every_seconds IS NULL)),
    CONSTRAINT job_schedule_cron_is_short CHECK (octet_length(cron) BETWEEN 1 AND 200),
    CONSTRAINT job_schedule_zone_is_short CHECK (octet_length(time_zone) BETWEEN 1 AND 100),
    CONSTRAINT job_schedule_every CHECK (every_seconds BETWEEN 1 AND 31622400),
    CONSTRAINT job_schedule_catch_up_is_known CHECK (catch_up IN ('skip', 'last', 'all')),
    CONSTRAINT job_schedule_priority CHECK (priority BETWEEN 0 AND 100),
    CONSTRAINT job_schedule_max_attempts CHECK (max_attempts BETWEEN 1 AND 1000),
    CONSTRAINT job_schedule_pause_is_told CHECK (
        (pause_actor IS NULL) = (paused_at IS NULL) AND (pause_reason IS NULL) = (paused_at IS NULL)),
    CONSTRAINT job_schedule_stopped_is_paused CHECK (NOT is_stopped OR paused_at IS NOT NULL)
) WITH (fillfactor = 70);

CREATE INDEX job_schedule_due_idx ON ${schema}.job_schedule (next_due_at) WHERE paused_at IS NULL;
CREATE INDEX job_schedule_paused_idx ON ${schema}.job_schedule (paused_at) WHERE paused_at IS NOT NULL;

GRANT SELECT ON ${schema}.job_schedule TO ${viewer}, ${admin}, ${server};
