-- Acts of operators, with target and reason. The caller states the actor; the database sets db_user and acted_at.
CREATE TABLE ${schema}.operator_act (
    act_id   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    act      text NOT NULL,
    target   text NOT NULL,
    actor    text NOT NULL CHECK (actor <> ''),
    reason   text NOT NULL CHECK (reason <> ''),
    details  jsonb NOT NULL DEFAULT '{}',
    db_user  text NOT NULL DEFAULT session_user,
    acted_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE INDEX operator_act_target_idx ON ${schema}.operator_act (target, act_id);

GRANT SELECT ON ${schema}.operator_act TO ${viewer}, ${admin}, ${server};
-- Not db_user, acted_at and act_id: those always have their defaults.
GRANT INSERT (act, target, actor, reason, details) ON ${schema}.operator_act TO ${server};
