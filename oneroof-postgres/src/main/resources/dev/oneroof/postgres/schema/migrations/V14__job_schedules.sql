-- Jobs that come by the clock. Whoever fires one works out its times in the program: by a cron expression in a zone, or at
-- a steady distance from a beginning. The row's lock and its next time make it one firing, however many try.
CREATE SEQUENCE ${schema}.job_schedule_version_seq;

CREATE TABLE ${schema}.job_schedule (
    schedule_name  text COLLATE "C" PRIMARY KEY,
    -- Drawn anew for each definition, also for one that comes after a removal: what was worked out by another definition is
    -- told by it.
    version        bigint NOT NULL DEFAULT nextval('${schema}.job_schedule_version_seq'),
    job_kind       text COLLATE "C" NOT NULL REFERENCES ${schema}.job_kind,
    cron           text,
    time_zone      text,
    every_seconds  integer,
    first_due_at   timestamptz,
    -- What becomes of times that went by while nobody fired:
    --   skip: none is made up
    --   last: one firing, for the last of them
    --   all: a firing for each
    catch_up       text NOT NULL,
    -- Whether a job may be enqueued while the one before is alive.
    may_overlap    boolean NOT NULL,
    payload        jsonb NOT NULL,
    priority       smallint NOT NULL,
    max_attempts   integer,
    -- Null: there is no further time.
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
    -- Paused by whoever fires: it cannot be fired as it is. Another definition lets it go on.
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
