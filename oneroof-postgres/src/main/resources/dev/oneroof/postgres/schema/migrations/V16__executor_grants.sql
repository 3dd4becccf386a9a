-- What each executor's login may do: lease and end jobs of these kinds, under and for these executors, and emit events of
-- these domains. A login without a row here may do none of it; the members of the server's and the admin's roles need none.
CREATE TABLE ${schema}.queue_executor_grant (
    -- A regrole is kept as the role's number and dumped as its name: the grant follows a login that is renamed, a login that
    -- is created again under the old name inherits nothing, and a dump finds the login by its name on another server.
    login      regrole NOT NULL,
    subject    text NOT NULL CHECK (subject IN ('kind', 'executor', 'domain')),
    -- An exact name, or a prefix with a * at its end.
    name       text COLLATE "C" NOT NULL CHECK (name <> ''),
    actor      text NOT NULL,
    reason     text NOT NULL,
    db_user    text NOT NULL DEFAULT session_user,
    granted_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (login, subject, name)
);

-- An exact name is looked up by the key; prefixes are searched among these few.
CREATE INDEX queue_executor_grant_prefix_idx ON ${schema}.queue_executor_grant (login, subject) WHERE right(name, 1) = '*';

GRANT SELECT ON ${schema}.queue_executor_grant TO ${viewer}, ${admin}, ${server};
