-- How far back a source under contract external is read again, and by which collation a text key was ordered when the
-- source was registered: under another one, or another version of it, a watermark means another place.
ALTER TABLE ${schema}.tail_source
    ADD COLUMN reread_window        interval NOT NULL DEFAULT '10 minutes' CHECK (reread_window > interval '0'),
    ADD COLUMN id_collation         text,
    ADD COLUMN id_collation_version text;

-- Who registered a source and who removed it, why, and what it was.
CREATE TABLE ${schema}.tail_source_audit (
    audit_id    bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    source_name text NOT NULL,
    action      text NOT NULL CHECK (action IN ('registered', 'removed')),
    definition  jsonb NOT NULL,
    actor       text NOT NULL,
    reason      text NOT NULL,
    db_user     text NOT NULL DEFAULT session_user,
    happened_at timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX tail_source_audit_source_idx ON ${schema}.tail_source_audit (source_name, audit_id);

GRANT SELECT ON ${schema}.tail_source_audit TO ${viewer}, ${admin};
GRANT SELECT, INSERT ON ${schema}.tail_source_audit TO ${server};
