-- The state of everything that runs or waits: cursors, executors, dead letters, the backlog of each job kind, and schedules
-- that are paused or overdue.
CREATE OR REPLACE VIEW ${schema}.v_queue_health AS
WITH beat AS MATERIALIZED (
    SELECT h.executor_name, h.executor_kind, h.domain_scope, h.last_tick_at, h.last_tick_status, h.lease_owner,
           h.expected_cadence_seconds::double precision AS cadence,
           ${schema}.fn_queue_stale_threshold(h.stale_threshold_seconds)::double precision AS threshold,
           ${schema}.fn_queue_age(h.last_tick_at) AS age,
           h.lease_until < clock_timestamp()
               AND NOT EXISTS (
                   SELECT FROM ${schema}.queue_heartbeat i
                   WHERE i.executor_name = 'instance/' || h.lease_owner AND i.lease_until > clock_timestamp()) AS owner_gone,
           CASE WHEN h.lease_owner IS NULL AND h.lease_epoch IS NOT NULL THEN h.updated_at END AS released_at,
           h.last_beat_payload ->> 'doing' AS doing,
           h.last_beat_payload ->> 'reason' AS why,
           -- Executors in other languages may write anything here.
           CASE WHEN jsonb_typeof(h.last_beat_payload -> 'since') = 'number'
                     AND (h.last_beat_payload ->> 'since')::numeric BETWEEN 0 AND 99999999999
                THEN to_timestamp(trunc((h.last_beat_payload ->> 'since')::numeric, 6)::double precision) END AS doing_since
    FROM ${schema}.queue_heartbeat h
), gate AS MATERIALIZED (
    SELECT ${schema}.fn_gate_open('queue.heartbeat.enabled') AS open
), lag AS MATERIALIZED (
    SELECT coalesce_key AS executor_name, summary, first_seen_at
    FROM ${schema}.system_issues
    WHERE issue_type = 'cursor_lag' AND status <> 'resolved'
), gap AS MATERIALIZED (
    SELECT concat(c.worker_name, '/', c.source_name, '/', c.shard) AS executor_name,
           ${schema}.fn_source_not_known(t.order_contract, t.ts_column, t.reread_window) AS not_known,
           t.ts_column IS NULL AS unordered, t.created_at AS registered_at
    FROM ${schema}.gov_worker_cursor c
    JOIN ${schema}.tail_source t USING (source_name)
    WHERE t.order_contract = 'external'
), known AS (
    SELECT b.*, s.state, n.not_known,
           CASE
               WHEN s.state = 'dead' AND b.executor_name LIKE 'instance/%'
               THEN format('its process is gone, frozen or disconnected: no beat for %s s', round(b.age))
               -- The release is the cause, however long ago it was.
               WHEN s.state IN ('dead', 'silent') AND b.released_at IS NOT NULL
               THEN s.reason || ': released, and no instance has claimed it'
               WHEN s.state IN ('dead', 'silent') AND b.owner_gone AND s.reason NOT LIKE 'its lease%'
               THEN s.reason || ': its lease has expired and no instance has claimed it'
               -- Nothing to do does not prove that every row was seen.
               WHEN s.state IN ('behind', 'working', 'quiet') AND n.not_known <> s.reason
               THEN s.reason || '; ' || n.not_known
               ELSE s.reason
           END AS reason,
           CASE s.state
               WHEN 'unwatched' THEN (SELECT updated_at FROM ${schema}.dot_config WHERE key = 'queue.heartbeat.enabled')
               WHEN 'dead' THEN b.last_tick_at
               WHEN 'silent' THEN b.last_tick_at
               WHEN 'behind' THEN coalesce(l.first_seen_at, n.registered_at)
               ELSE coalesce(b.released_at, b.doing_since)
           END AS since
    FROM beat b
    CROSS JOIN gate g
    LEFT JOIN lag l USING (executor_name)
    LEFT JOIN gap n USING (executor_name)
    CROSS JOIN LATERAL ${schema}.fn_queue_state(
        g.open, b.age, b.threshold, b.cadence, b.owner_gone,
        CASE
            WHEN b.doing IN ('stuck', 'failing') THEN coalesce(b.why, b.doing)
            WHEN b.last_tick_status = 'error' THEN 'its last beat says error'
        END,
        CASE WHEN b.released_at IS NOT NULL THEN 'released, and no instance has claimed it'
             WHEN b.doing = 'held' THEN coalesce(b.why, 'held') END,
        coalesce(l.summary, CASE WHEN n.unordered THEN n.not_known END),
        CASE WHEN b.doing = 'working' THEN coalesce(b.why, 'working') END) s
)
SELECT 'cursor'::text AS source,
       c.worker_name AS subject,
       k.executor_name,
       c.event_domain AS domain,
       c.last_run_at AS last_seen_at,
       extract(epoch FROM clock_timestamp() - c.last_run_at)::bigint AS age_seconds,
       c.events_seen,
       c.attempts_written,
       c.dead_lettered,
       NULL::bigint AS count,
       CASE WHEN k.age <= k.threshold THEN 'fresh' ELSE 'stale' END AS status_hint,
       coalesce(k.state, 'silent') AS state,
       coalesce(k.reason, 'no worker is registered for it') AS reason,
       coalesce(k.since, c.last_run_at, c.created_at) AS since,
       n.not_known
FROM ${schema}.gov_worker_cursor c
LEFT JOIN known k ON k.executor_name = concat(c.worker_name, '/', c.source_name, '/', c.shard)
LEFT JOIN gap n ON n.executor_name = concat(c.worker_name, '/', c.source_name, '/', c.shard)
UNION ALL
SELECT 'heartbeat', k.executor_name, k.executor_name, array_to_string(k.domain_scope, ','), k.last_tick_at, k.age::bigint,
       NULL, NULL, NULL, NULL,
       CASE WHEN k.age <= k.threshold THEN 'fresh' ELSE 'stale' END, k.state, k.reason, k.since,
       k.not_known
FROM known k
UNION ALL
SELECT 'dead_letter_row', coalesce(d.entity_table, ''), NULL, d.event_domain, max(d.dead_lettered_at), NULL, NULL, NULL, NULL,
       count(*), 'open', NULL, NULL, min(d.dead_lettered_at), NULL
FROM ${schema}.event_pending d
WHERE d.processed_at IS NULL AND d.dead_lettered_at IS NOT NULL
GROUP BY d.event_domain, d.entity_table
UNION ALL
SELECT 'dead_letter_job', d.job_kind, NULL, d.event_domain, max(d.last_failed_at), NULL, NULL, NULL, NULL,
       count(*), 'open', NULL, NULL, min(d.last_failed_at), NULL
FROM ${schema}.job_dead_letter d
WHERE d.resolved_at IS NULL
GROUP BY d.event_domain, d.job_kind
UNION ALL
SELECT 'backlog_job_queue', b.job_kind, NULL, b.event_domain, b.oldest_due_at,
       extract(epoch FROM clock_timestamp() - b.oldest_due_at)::bigint, NULL, NULL, NULL, b.queued,
       CASE WHEN b.oldest_due_at < clock_timestamp() - make_interval(secs => b.lag_seconds) THEN 'stale' ELSE 'fresh' END,
       s.state, s.reason,
       CASE s.state WHEN 'held' THEN b.paused_at WHEN 'behind' THEN b.oldest_due_at END, NULL
FROM ${schema}.v_job_backlog b
CROSS JOIN (SELECT ${schema}.fn_gate_open('queue.jobs.enabled') AS open) g
CROSS JOIN LATERAL ${schema}.fn_queue_state(
    true, 0, 1, 1, false, NULL,
    CASE WHEN b.paused_at IS NOT NULL THEN format('paused by %s: %s', b.pause_actor, b.pause_reason)
         WHEN NOT g.open THEN 'gate queue.jobs.enabled is closed' END,
    CASE WHEN b.oldest_due_at < clock_timestamp() - make_interval(secs => b.lag_seconds)
         THEN format(CASE WHEN b.queued = 1 THEN '%s job of ''%s'' is due, for %s s'
                          ELSE '%s jobs of ''%s'' are due, the first for %s s' END,
                     CASE WHEN b.queued > 10000 THEN 'over 10000' ELSE b.queued::text END,
                     b.job_kind, extract(epoch FROM clock_timestamp() - b.oldest_due_at)::bigint) END,
    CASE WHEN b.queued > 0 OR b.leased > 0 THEN format('%s due, %s leased', b.queued, b.leased) END) s
UNION ALL
SELECT 'schedule', c.schedule_name, NULL, k.event_domain, c.last_fired_at,
       extract(epoch FROM clock_timestamp() - c.last_fired_at)::bigint, NULL, NULL, NULL, NULL,
       CASE WHEN c.paused_at IS NULL THEN 'stale' ELSE 'open' END, s.state, s.reason, coalesce(c.paused_at, c.next_due_at), NULL
FROM (
    SELECT p.schedule_name FROM ${schema}.job_schedule p WHERE p.paused_at IS NOT NULL
    UNION ALL
    -- Of the others those that are overdue. Not by clock_timestamp(), which is volatile and cannot use the index.
    SELECT d.schedule_name
    FROM ${schema}.job_schedule d
    WHERE d.paused_at IS NULL AND d.next_due_at < statement_timestamp() - interval '1 minute') n
JOIN ${schema}.job_schedule c ON c.schedule_name = n.schedule_name
JOIN ${schema}.job_kind k ON k.job_kind = c.job_kind
CROSS JOIN LATERAL ${schema}.fn_queue_state(
    true, 0, 1, 1, false,
    CASE WHEN c.is_stopped THEN c.pause_reason END,
    CASE WHEN c.paused_at IS NOT NULL THEN format('paused by %s: %s', c.pause_actor, c.pause_reason) END,
    format('due for %s s, and not fired', extract(epoch FROM clock_timestamp() - c.next_due_at)::bigint), NULL) s;

GRANT SELECT ON ${schema}.v_queue_health TO ${viewer}, ${admin}, ${server};
