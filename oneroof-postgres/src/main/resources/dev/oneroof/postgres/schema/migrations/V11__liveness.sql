-- Executors that are or were silent: since which beat, how severe, and when an event last reported it. A row changes when a
-- silence starts, becomes critical or ends, and not with every check.
CREATE TABLE ${schema}.queue_silence (
    executor_name text PRIMARY KEY,
    silent_since  timestamptz NOT NULL,
    severity      text NOT NULL CHECK (severity IN ('warning', 'critical')),
    noticed_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    reported_at   timestamptz,
    ended_at      timestamptz
);

-- The history of executors, which outlives their rows.
CREATE TABLE ${schema}.queue_event_log (
    log_id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    executor_name text NOT NULL,
    transition    text NOT NULL CHECK (transition IN (
                      'registered', 'deregistered', 'fresh_to_stale', 'escalated', 'stale_to_fresh')),
    severity      text CHECK (severity IN ('warning', 'critical')),
    gap_seconds   double precision,
    gap_ratio     double precision,
    actor         text NOT NULL DEFAULT session_user,
    db_user       text NOT NULL DEFAULT session_user,
    at            timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE INDEX queue_event_log_executor_idx ON ${schema}.queue_event_log (executor_name, log_id);
CREATE INDEX queue_event_log_at_idx ON ${schema}.queue_event_log (at);

-- A check that runs holds its row here. Only the checks' own functions may touch the table.
CREATE TABLE ${schema}.queue_check (
    check_name text PRIMARY KEY
);
INSERT INTO ${schema}.queue_check VALUES ('silence'), ('dead_letters_of_jobs');

GRANT SELECT ON ${schema}.queue_silence, ${schema}.queue_event_log TO ${viewer}, ${admin}, ${server};

-- For v_queue_health, which counts open dead letters by domain and table.
CREATE INDEX event_pending_dead_domain_idx
    ON ${schema}.event_pending (event_domain, entity_table, dead_lettered_at)
    WHERE processed_at IS NULL AND dead_lettered_at IS NOT NULL;

-- When a wake-up was last sent, and for which domain. A sequence is written outside of transactions: every session sees at
-- once that another has just sent one. There are several, since two busy domains would overwrite each other in one.
DO $do$
BEGIN
    FOR n IN 0..7 LOOP
        EXECUTE format('CREATE SEQUENCE ${schema}.queue_wake_%s MINVALUE 0 START 0', n);
    END LOOP;
END
$do$;
