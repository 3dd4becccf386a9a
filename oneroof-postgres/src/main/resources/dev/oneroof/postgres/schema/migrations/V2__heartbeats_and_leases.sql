-- One row per instance, per scope (worker/source/shard) and per external executor: its last beat and its lease.
-- The row changes every second or so, and under a long-open snapshot no old version can be pruned: no index but the
-- key, and room in each page for heap-only updates.
CREATE TABLE ${schema}.queue_heartbeat (
    executor_name            text PRIMARY KEY CHECK (executor_name <> '' AND octet_length(executor_name) <= 500),
    executor_kind            text NOT NULL CHECK (executor_kind IN (
                                 'DOT', 'Agent', 'Hermes', 'Codex', 'PG_worker', 'external_worker',
                                 'future_Kestra_adapter')),
    domain_scope             text[] NOT NULL DEFAULT '{}',
    last_tick_at             timestamptz NOT NULL DEFAULT now(),
    last_tick_status         text NOT NULL DEFAULT 'ok' CHECK (last_tick_status IN ('ok', 'warn', 'error')),
    ticks_total              bigint NOT NULL DEFAULT 0 CHECK (ticks_total >= 0),
    current_job_id           uuid,
    lease_owner              text,
    lease_until              timestamptz,
    lease_epoch              bigint,
    expected_cadence_seconds integer NOT NULL CHECK (expected_cadence_seconds > 0),
    stale_threshold_seconds  integer NOT NULL CHECK (stale_threshold_seconds > 0),
    last_beat_payload        jsonb NOT NULL DEFAULT '{}' CHECK (${schema}.fn_signal_only(last_beat_payload)),
    metadata                 jsonb NOT NULL DEFAULT '{}',
    registered_by            text NOT NULL,
    created_at               timestamptz NOT NULL DEFAULT now(),
    updated_at               timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT queue_heartbeat_lease_is_whole CHECK ((lease_owner IS NULL) = (lease_until IS NULL)),
    CONSTRAINT queue_heartbeat_lease_has_epoch CHECK (lease_owner IS NULL OR lease_epoch IS NOT NULL)
) WITH (fillfactor = 50, autovacuum_vacuum_threshold = 100, autovacuum_vacuum_scale_factor = 0);

-- Drawn at each claim, so that a row that is removed and registered again never gets an old epoch.
CREATE SEQUENCE ${schema}.lease_epoch_seq AS bigint;
