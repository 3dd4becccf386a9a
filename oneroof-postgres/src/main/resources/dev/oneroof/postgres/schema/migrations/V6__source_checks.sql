-- How far back a source under contract external is read again, and by which collation a text key was ordered when the
-- source was registered: under another one, or another version of it, a watermark means another place.
ALTER TABLE ${schema}.tail_source
    ADD COLUMN reread_window        interval NOT NULL DEFAULT '10 minutes' CHECK (reread_window > interval '0'),
    ADD COLUMN id_collation         text,
    ADD COLUMN id_collation_version text;

-- What operators did, to what, and why. The actor is a claim; db_user and acted_at are the database's own.
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
-- Not db_user, acted_at and act_id: those have their defaults, whoever inserts.
GRANT INSERT (act, target, actor, reason, details) ON ${schema}.operator_act TO ${server};
