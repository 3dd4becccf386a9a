-- Fires schedules with a steady distance where no instance runs. Call it as often as they are to be looked at, as
-- workflow_admin:
--
--   psql --file examples/fire.sql
--
-- It is one statement, and so one transaction: it locks what is due, enqueues the jobs and writes the next times down. Whoever
-- else fires passes those by. Of times that went by, the last is made up for, whatever the schedule says. Cron expressions
-- can be read by the program alone: schedules that have one stay as they are.
WITH due AS MATERIALIZED (
    SELECT d.*, make_interval(secs => d.every_seconds) AS every,
           floor(extract(epoch FROM d.seen_at - d.next_due_at) / d.every_seconds)::integer AS missed
    FROM oneroof.fn_job_schedule_due(1000) d
    WHERE d.every_seconds IS NOT NULL
), fired AS MATERIALIZED (
    SELECT d.schedule_name, d.missed, d.every, t.due_at, (e.job ->> 'job_id')::uuid AS job,
           (e.job ->> 'created')::boolean::integer AS created
    FROM due d
    CROSS JOIN LATERAL (SELECT d.next_due_at + d.missed * d.every AS due_at) t
    CROSS JOIN LATERAL oneroof.fn_job_enqueue(
        d.job_kind, d.payload,
        concat_ws(':', 'schedule', d.schedule_name,
                  CASE WHEN d.may_overlap THEN to_char(t.due_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') END),
        d.priority, t.due_at, d.max_attempts) e (job)
)
SELECT oneroof.fn_job_schedule_fired(
    array_agg(f.schedule_name), array_agg(f.due_at + f.every), array_agg(f.due_at), array_agg(f.job),
    array_agg(f.created), array_agg(f.missed), array_agg(1 - f.created)) AS fired
FROM fired f
HAVING count(*) > 0;
