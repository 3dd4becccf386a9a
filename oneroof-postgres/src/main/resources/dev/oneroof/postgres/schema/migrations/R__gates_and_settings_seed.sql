-- What a fresh install starts with; what is there already stays as the operators left it.
INSERT INTO ${schema}.dot_config (key, kind, value, description, actor, reason) VALUES
    ('queue.heartbeat.enabled', 'gate', 'true',
     'Open: workers write beats. Closed: beats write nothing, leases go on.', 'install', 'default'),
    ('governance.gov_backfill_sweep.enabled', 'gate', 'false',
     'Open: the backfill seeds candidates. Closed: it beats and waits.', 'install', 'default'),
    ('governance.ruleset_version', 'setting', '1',
     'The ruleset version under which candidates are kept.', 'install', 'default')
ON CONFLICT (key) DO NOTHING;
