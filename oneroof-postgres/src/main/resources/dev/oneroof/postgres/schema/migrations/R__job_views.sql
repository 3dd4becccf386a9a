-- All jobs, live and ended.
CREATE OR REPLACE VIEW ${schema}.v_job AS
SELECT q.job_id, q.job_kind, q.event_domain, q.state, q.priority, q.scheduled_at, q.enqueued_at, q.attempts, q.max_attempts,
       q.idempotency_key, q.run_id, q.lease_owner, q.leased_at, q.lease_until, q.cancel_requested_at,
       NULL::timestamptz AS finished_at, q.last_error, q.payload
FROM ${schema}.job_queue q
UNION ALL
SELECT h.job_id, h.job_kind, h.event_domain, h.state, h.priority, h.scheduled_at, h.enqueued_at, h.attempts, h.max_attempts,
       h.idempotency_key, h.run_id, h.lease_owner, h.leased_at, NULL, NULL, h.finished_at, h.last_error, h.payload
FROM ${schema}.job_history h;

GRANT SELECT ON ${schema}.v_job TO ${viewer}, ${admin}, ${server};

-- The backlog of each kind. Counted up to 10000, in the index: cheap at any size.
CREATE OR REPLACE VIEW ${schema}.v_job_backlog AS
SELECT k.job_kind, k.event_domain, k.lag_seconds, k.paused_at, k.pause_actor, k.pause_reason, b.queued, b.oldest_due_at,
       b.leased
FROM ${schema}.job_kind k
CROSS JOIN LATERAL ${schema}.fn_job_backlog(k.job_kind) b;

GRANT SELECT ON ${schema}.v_job_backlog TO ${viewer}, ${admin}, ${server};

-- Groups of open dead letters that failed alike, with the latest one as a sample, and the run that replays them if any.
CREATE OR REPLACE VIEW ${schema}.v_job_dead_letter_group AS
SELECT g.job_kind, s.event_domain, g.fingerprint, s.error_class, s.last_error AS sample_error, s.dead_letter_id AS last_letter,
       g.open_count, g.new_count, g.investigating_count, g.manual_replay_count, g.first_failed_at, g.last_failed_at,
       r.replay_run_id
FROM (
    SELECT d.job_kind, d.fingerprint, count(*) AS open_count,
           count(*) FILTER (WHERE d.triage_status = 'new') AS new_count,
           count(*) FILTER (WHERE d.triage_status = 'investigating') AS investigating_count,
           count(*) FILTER (WHERE d.triage_status = 'manual_replay') AS manual_replay_count,
           min(d.last_failed_at) AS first_failed_at, max(d.last_failed_at) AS last_failed_at
    FROM ${schema}.job_dead_letter d
    WHERE d.resolved_at IS NULL
    GROUP BY d.job_kind, d.fingerprint) g
CROSS JOIN LATERAL (
    SELECT d.dead_letter_id, d.event_domain, d.error_class, d.last_error
    FROM ${schema}.job_dead_letter d
    WHERE d.job_kind = g.job_kind AND d.fingerprint = g.fingerprint AND d.resolved_at IS NULL
    ORDER BY d.dead_letter_id DESC
    LIMIT 1) s
LEFT JOIN ${schema}.job_dead_letter_replay_run r
    ON r.job_kind = g.job_kind AND r.fingerprint = g.fingerprint AND r.state = 'running';

GRANT SELECT ON ${schema}.v_job_dead_letter_group TO ${viewer}, ${admin}, ${server};
