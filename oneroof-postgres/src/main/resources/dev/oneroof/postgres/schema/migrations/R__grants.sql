-- What each role may do with the tables. Grants on a function stand beside the function.
GRANT USAGE ON SCHEMA ${schema} TO ${server}, ${admin}, ${executor}, ${viewer};

GRANT SELECT ON
    ${schema}.dot_config, ${schema}.dot_config_audit, ${schema}.queue_heartbeat, ${schema}.tail_source,
    ${schema}.gov_worker_cursor, ${schema}.gov_candidate_state
TO ${viewer}, ${admin};
GRANT SELECT ON ${schema}.schema_history TO ${viewer}, ${admin}, ${server};

GRANT SELECT ON ${schema}.dot_config, ${schema}.dot_config_audit TO ${server};
GRANT SELECT, INSERT, UPDATE, DELETE ON
    ${schema}.queue_heartbeat, ${schema}.tail_source, ${schema}.gov_worker_cursor, ${schema}.gov_candidate_state
TO ${server};
GRANT USAGE ON SEQUENCE ${schema}.lease_epoch_seq TO ${server};

-- An operator's act on a gate comes from the server or from an administrator. Its time is set by a trigger.
GRANT UPDATE (value, actor, reason, expires_at) ON ${schema}.dot_config TO ${server}, ${admin};
