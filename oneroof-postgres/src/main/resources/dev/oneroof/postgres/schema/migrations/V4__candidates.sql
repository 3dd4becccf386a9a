-- An object under governance, once per ruleset version.
CREATE TABLE ${schema}.gov_candidate_state (
    candidate_key        text NOT NULL,
    ruleset_version      integer NOT NULL CHECK (ruleset_version > 0),
    candidate_seq        bigint GENERATED ALWAYS AS IDENTITY,
    object_type          text NOT NULL,
    object_ref           text NOT NULL,
    canonical_address    text,
    group_key            text,
    source               text NOT NULL,
    source_system        text,
    actor_ref            text,
    occurred_at          timestamptz,
    dirty                boolean NOT NULL DEFAULT true,
    dirty_reason         text,
    dirtied_at           timestamptz,
    input_quality_state  text NOT NULL DEFAULT 'pending' CHECK (input_quality_state IN (
                             'pending', 'accepted', 'rejected', 'untrusted_source', 'duplicate')),
    input_quality_reason text,
    candidate_verdict    text CHECK (candidate_verdict IN ('covered', 'gap', 'exempt', 'needs_review')),
    verdict_rule         text,
    verdict_evidence     jsonb,
    scan_time            timestamptz,
    stale_after          timestamptz,
    created_at           timestamptz NOT NULL DEFAULT now(),
    updated_at           timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (candidate_key, ruleset_version),
    CONSTRAINT gov_candidate_state_dirty_has_reason
        CHECK (NOT dirty OR (dirty_reason IS NOT NULL AND dirtied_at IS NOT NULL))
);
