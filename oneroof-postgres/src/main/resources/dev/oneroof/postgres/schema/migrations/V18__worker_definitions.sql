-- Workers that are rows: one statement over the rows of a source, run in the transaction that moves the cursor. Only the
-- functions below write here, and only an administrator may call them: the statement runs with the rights of the server.
CREATE TABLE ${schema}.worker_definition (
    worker_name text NOT NULL CHECK (worker_name ~ '^[a-z0-9_][a-z0-9_.-]{0,62}$'),
    source_name text NOT NULL REFERENCES ${schema}.tail_source,
    columns     text[] NOT NULL CHECK (array_position(columns, NULL) IS NULL),
    statement   text NOT NULL CHECK (octet_length(statement) BETWEEN 1 AND 65536),
    -- Another value means another statement: running instances replace the worker.
    version     bigint NOT NULL DEFAULT 1,
    actor       text NOT NULL,
    reason      text NOT NULL,
    db_user     text NOT NULL,
    created_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (worker_name, source_name)
);

GRANT SELECT ON ${schema}.worker_definition TO ${viewer}, ${admin}, ${server};
