-- The types of findings, with the severity of a new one. Severity grows with age and count.
CREATE TABLE ${schema}.system_issue_type (
    issue_type     text PRIMARY KEY CHECK (issue_type ~ '^[a-z][a-z0-9_]*$'),
    bucket         text NOT NULL,
    route          text NOT NULL,
    severity       text NOT NULL CHECK (severity IN ('low', 'medium', 'high', 'critical')),
    escalate_after interval CHECK (escalate_after > interval '0'),
    escalate_count bigint CHECK (escalate_count > 0),
    description    text NOT NULL
);

-- One row per condition that holds or has held. Raising it again counts up; the end of the condition resolves it.
CREATE TABLE ${schema}.system_issues (
    issue_id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    issue_type       text NOT NULL REFERENCES ${schema}.system_issue_type,
    bucket           text NOT NULL,
    route            text NOT NULL,
    severity         text NOT NULL CHECK (severity IN ('low', 'medium', 'high', 'critical')),
    coalesce_key     text NOT NULL CHECK (coalesce_key <> ''),
    summary          text NOT NULL,
    evidence         jsonb NOT NULL DEFAULT '{}' CHECK (${schema}.fn_signal_only(evidence)),
    occurrence_count bigint NOT NULL DEFAULT 1 CHECK (occurrence_count > 0),
    status           text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'acknowledged', 'muted', 'resolved')),
    muted_until      timestamptz,
    first_seen_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    last_seen_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
    resolved_at      timestamptz,
    CONSTRAINT system_issues_resolved_has_time CHECK ((status = 'resolved') = (resolved_at IS NOT NULL)),
    CONSTRAINT system_issues_muted_has_end CHECK (status <> 'muted' OR muted_until IS NOT NULL)
);

CREATE UNIQUE INDEX system_issues_alive_key ON ${schema}.system_issues (issue_type, coalesce_key)
    WHERE status <> 'resolved';
CREATE INDEX system_issues_resolved_idx ON ${schema}.system_issues (resolved_at) WHERE status = 'resolved';

GRANT SELECT ON ${schema}.system_issue_type, ${schema}.system_issues TO ${viewer}, ${admin}, ${server};
