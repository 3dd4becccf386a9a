-- What a fresh install starts with; what is there already stays as the operators left it.
INSERT INTO ${schema}.dot_config (key, kind, value, description, actor, reason) VALUES
    ('queue.heartbeat.enabled', 'gate', 'true',
     'Open: workers beat and silent ones are reported. Closed: beats write nothing, no silence is reported, leases are still renewed.',
     'install', 'default'),
    ('queue.notify.bridge_enabled', 'gate', 'false',
     'Open: an insert into the outbox wakes its workers at once. Closed: they find it when they next look.',
     'install', 'default'),
    ('queue.jobs.enabled', 'gate', 'false',
     'Open: jobs are leased. Closed: they are enqueued and wait; what is leased may be finished.', 'install', 'default'),
    ('queue.replay.enabled', 'gate', 'false',
     'Open: cursors and dead letters may be replayed. Closed: a replay is refused, its preview is not.',
     'install', 'default'),
    ('governance.gov_backfill_sweep.enabled', 'gate', 'false',
     'Open: the backfill seeds candidates. Closed: it beats and waits.', 'install', 'default'),
    ('governance.gov_handoff_intake.enabled', 'gate', 'false',
     'For the intake of handoffs. Not in use yet.', 'install', 'default'),
    ('governance.gov_input_gate.enabled', 'gate', 'false',
     'For the check of what was taken in. Not in use yet.', 'install', 'default'),
    ('governance.gov_candidate_scan.enabled', 'gate', 'false',
     'For the scan that gives verdicts. Not in use yet.', 'install', 'default'),
    ('governance.gov_periodic_full_audit.enabled', 'gate', 'false',
     'For the audit of everything. Not in use yet.', 'install', 'default'),
    ('governance.emit_enabled', 'gate', 'false',
     'For the events of governance. Not in use yet.', 'install', 'default'),
    ('iu_core.routes_enabled', 'gate', 'false',
     'For the routes of events, together with the one of their worker. Not in use yet.',
     'install', 'default'),
    ('iu_core.route_worker_enabled', 'gate', 'false',
     'For the worker that routes events, together with the one of the routes. Not in use yet.',
     'install', 'default'),
    ('iu_core.delivery_enabled', 'gate', 'false',
     'For the delivery of events. Not in use yet.', 'install', 'default'),
    ('governance.ruleset_version', 'setting', '1',
     'The ruleset version under which candidates are kept.', 'install', 'default'),
    ('queue.heartbeat.stale_threshold_seconds', 'setting', '0',
     'After how many seconds without a beat any executor is silent; 0: after its own threshold.', 'install', 'default'),
    ('queue.instance.forget_seconds', 'setting', '900',
     'How long an instance that is gone stays listed, once all its scopes are claimed by others.',
     'install', 'default'),
    ('queue.jobs.history_days', 'setting', '7',
     'For how many days ended jobs and their log lines are kept.', 'install', 'default'),
    ('queue.jobs.dead_letter_days', 'setting', '90',
     'For how many days closed dead letters of jobs are kept.', 'install', 'default'),
    ('queue.load.lock_waits_slow', 'setting', '5',
     'With so many sessions waiting for a lock for over a second, workers rest between batches; 0: never.',
     'install', 'default'),
    ('queue.load.lock_waits_hold', 'setting', '20',
     'With so many sessions waiting for a lock for over a second, workers make no pass; 0: never.',
     'install', 'default'),
    ('queue.load.connections_slow_percent', 'setting', '85',
     'With so much of max_connections in use, workers rest between batches; 0: never.', 'install', 'default'),
    ('queue.load.connections_hold_percent', 'setting', '95',
     'With so much of max_connections in use, workers make no pass; 0: never.', 'install', 'default')
ON CONFLICT (key) DO NOTHING;

-- How often an executor of each kind beats unless it says otherwise, and after which time without a beat it is silent.
INSERT INTO ${schema}.dot_config (key, kind, value, description, actor, reason)
SELECT format('queue.heartbeat.%s.%s', s.name, lower(k.kind)), 'setting', s.value::text,
       format(s.description, k.kind), 'install', 'default'
FROM (VALUES
    ('DOT', 60, 300), ('Agent', 300, 1800), ('Hermes', 300, 1800), ('Codex', 300, 1800), ('PG_worker', 5, 30),
    ('external_worker', 60, 300), ('future_Kestra_adapter', 300, 1800)) k (kind, cadence, threshold)
CROSS JOIN LATERAL (VALUES
    ('cadence_seconds', k.cadence, 'How often an executor of kind %s beats, in seconds, unless it says otherwise.'),
    ('threshold_seconds', k.threshold, 'After how many seconds without a beat one of kind %s is silent.'))
    s (name, value, description)
ON CONFLICT (key) DO NOTHING;
