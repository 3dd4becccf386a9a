-- The types that OneRoof itself knows. What is there already stays as the operators left it. What concerns governance is
-- registered and not active: an administrator decides when it begins to speak.
INSERT INTO ${schema}.event_type_registry
    (event_domain, event_type, active, default_stream, default_lane, default_severity, description, registered_by,
     changed_by, change_reason)
SELECT t.domain, t.type, t.active, t.stream, t.lane, t.severity, t.description, 'install', 'install', 'default'
FROM (VALUES
    ('system', 'queue_worker_silent', true, 'alert', 'immediate', 'warning',
     'An executor has not beaten for longer than its threshold.'),
    ('governance', 'governance.handoff.object_born', false, 'handoff', 'normal', 'info', 'An object was born.'),
    ('governance', 'governance.handoff.object_registered', false, 'handoff', 'normal', 'info',
     'An object was entered in a registry.'),
    ('governance', 'governance.handoff.collection_changed', false, 'handoff', 'normal', 'info',
     'A collection was changed.'),
    ('governance', 'governance.handoff.count_changed', false, 'handoff', 'normal', 'info',
     'The count of a registry was changed.'),
    ('governance', 'governance.handoff.object_retired', false, 'handoff', 'normal', 'info', 'An object was retired.'),
    ('governance', 'governance.handoff.source_changed', false, 'handoff', 'normal', 'info', 'A source was changed.'),
    ('governance', 'governance.handoff.axis_introduced', false, 'handoff', 'normal', 'info', 'An axis was introduced.'),
    ('governance', 'governance.handoff.policy_changed', false, 'handoff', 'normal', 'info', 'A policy was changed.'),
    ('governance', 'governance.handoff.authority_changed', false, 'handoff', 'normal', 'info',
     'An owner, an approval or an exception was changed.'),
    ('governance', 'governance.handoff.ruleset_changed', false, 'handoff', 'normal', 'info', 'A ruleset was changed.'),
    ('governance', 'governance.handoff.heartbeat', false, 'handoff', 'normal', 'info',
     'The intake has made a round; with its counts.'),
    ('governance', 'governance.handoff.lag', false, 'alert', 'normal', 'warning', 'The intake is behind its source.'),
    ('governance', 'governance.handoff.dlq', false, 'alert', 'normal', 'warning', 'A handoff was dead-lettered.'),
    ('governance', 'governance.handoff.silent_gap', false, 'alert', 'immediate', 'critical',
     'The intake has not beaten for longer than its threshold.'),
    ('governance', 'governance.handoff.unregistered_type', false, 'alert', 'normal', 'warning',
     'An event waits for its type to be registered and active.')
) t (domain, type, active, stream, lane, severity, description)
ON CONFLICT (event_domain, event_type) DO NOTHING;

-- The outbox is a source like any other. Its schema is read from the catalogue: the name is configurable.
INSERT INTO ${schema}.tail_source
    (source_name, relation_schema, relation_name, ts_column, ts_type, id_column, id_type, order_contract, batch_size,
     registered_by)
SELECT 'event_outbox', n.nspname, c.relname, 'created_at', 'timestamptz', 'id', 'uuid', 'clock', 2000, 'install'
FROM pg_catalog.pg_class c
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.oid = '${schema}.event_outbox'::regclass
ON CONFLICT (source_name) DO NOTHING;
