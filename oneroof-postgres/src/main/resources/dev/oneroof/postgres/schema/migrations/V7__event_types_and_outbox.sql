-- Which events may be emitted. A type is registered first, then activated; an event of any other type is refused.
CREATE TABLE ${schema}.event_type_registry (
    event_domain     text NOT NULL,
    event_type       text NOT NULL,
    active           boolean NOT NULL DEFAULT false,
    default_stream   text NOT NULL,
    default_lane     text NOT NULL,
    default_severity text NOT NULL,
    description      text NOT NULL,
    registered_by    text NOT NULL,
    changed_by       text NOT NULL,
    change_reason    text NOT NULL DEFAULT '',
    created_at       timestamptz NOT NULL DEFAULT now(),
    updated_at       timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (event_domain, event_type),
    -- The domain becomes part of the name of a channel, and those end at 63 bytes.
    CONSTRAINT event_type_registry_domain_is_a_name CHECK (event_domain ~ '^[a-z][a-z0-9_]{0,49}$'),
    CONSTRAINT event_type_registry_type_is_a_name
        CHECK (event_type ~ '^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*$' AND octet_length(event_type) <= 200),
    CONSTRAINT event_type_registry_stream_is_a_name CHECK (default_stream ~ '^[a-z][a-z0-9_]{0,62}$'),
    CONSTRAINT event_type_registry_lane_is_known CHECK (default_lane IN ('immediate', 'normal')),
    CONSTRAINT event_type_registry_severity_is_known CHECK (default_severity IN ('info', 'warning', 'critical')),
    CONSTRAINT event_type_registry_actors_are_named CHECK (registered_by <> '' AND changed_by <> '')
);

CREATE TABLE ${schema}.event_type_audit (
    audit_id     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    event_domain text NOT NULL,
    event_type   text NOT NULL,
    act          text NOT NULL CHECK (act IN ('registered', 'changed', 'activated', 'deactivated', 'deleted')),
    active       boolean NOT NULL,
    defaults     text NOT NULL,
    actor        text NOT NULL,
    reason       text NOT NULL,
    db_user      text NOT NULL DEFAULT session_user,
    changed_at   timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE INDEX event_type_audit_type_idx ON ${schema}.event_type_audit (event_domain, event_type, audit_id);

-- A uuid of version 7: milliseconds first, then the part of a millisecond in the twelve bits behind the version, then
-- chance. PostgreSQL 18 has its own, which never goes back within a session; ours is as monotonic as the clock.
DO $do$
BEGIN
    IF current_setting('server_version_num')::int >= 180000 THEN
        CREATE FUNCTION ${schema}.fn_uuid_v7() RETURNS uuid
        LANGUAGE sql VOLATILE PARALLEL SAFE
        AS 'SELECT pg_catalog.uuidv7()';
    ELSE
        CREATE FUNCTION ${schema}.fn_uuid_v7() RETURNS uuid
        LANGUAGE sql VOLATILE PARALLEL SAFE
        AS $$
            SELECT (lpad(to_hex(t.micros / 1000), 12, '0')
                    || '7' || lpad(to_hex(t.micros % 1000 * 4096 / 1000), 3, '0')
                    -- A random uuid of version 4 has the same variant, and at the same place.
                    || right(replace(gen_random_uuid()::text, '-', ''), 16))::uuid
            FROM (SELECT floor(extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS micros) t
        $$;
    END IF;
END
$do$;

GRANT EXECUTE ON FUNCTION ${schema}.fn_uuid_v7() TO ${server}, ${admin}, ${executor};

-- Events, appended and never changed. Each carries the address of the truth, never its contents. Only the owner's
-- functions may write here: so created_at is always the database's now(), and the tail may rely on it.
CREATE TABLE ${schema}.event_outbox (
    id                     uuid NOT NULL DEFAULT ${schema}.fn_uuid_v7(),
    event_domain           text NOT NULL,
    event_type             text NOT NULL,
    event_stream           text NOT NULL,
    delivery_lane          text NOT NULL,
    event_severity         text NOT NULL,
    event_subject_table    text NOT NULL,
    event_subject_ref      text NOT NULL,
    canonical_address      text,
    actor_ref              text NOT NULL,
    source_system          text NOT NULL,
    payload_classification text NOT NULL DEFAULT 'safe_metadata',
    safe_payload           jsonb NOT NULL DEFAULT '{}',
    occurred_at            timestamptz NOT NULL DEFAULT now(),
    created_at             timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (created_at, id),
    CONSTRAINT event_outbox_stream_is_a_name CHECK (event_stream ~ '^[a-z][a-z0-9_]{0,62}$'),
    CONSTRAINT event_outbox_lane_is_known CHECK (delivery_lane IN ('immediate', 'normal')),
    CONSTRAINT event_outbox_severity_is_known CHECK (event_severity IN ('info', 'warning', 'critical')),
    CONSTRAINT event_outbox_addresses_are_short CHECK (
        octet_length(event_subject_table) BETWEEN 1 AND 500 AND octet_length(event_subject_ref) BETWEEN 1 AND 2000
        AND coalesce(octet_length(canonical_address), 1) BETWEEN 1 AND 2000
        AND octet_length(actor_ref) BETWEEN 1 AND 500 AND octet_length(source_system) BETWEEN 1 AND 500),
    CONSTRAINT event_outbox_is_safe_metadata CHECK (payload_classification = 'safe_metadata'),
    CONSTRAINT event_outbox_payload_is_a_signal CHECK (${schema}.fn_signal_only(safe_payload))
) PARTITION BY RANGE (created_at);

-- Events of a month without a partition are stored here, so that no emit fails for want of one. fn_outbox_partitions_ensure
-- creates the months ahead, and moves what it finds here to a partition of its own.
CREATE TABLE ${schema}.event_outbox_default PARTITION OF ${schema}.event_outbox DEFAULT;

GRANT SELECT ON ${schema}.event_type_registry, ${schema}.event_type_audit, ${schema}.event_outbox
TO ${server}, ${admin}, ${viewer};
