-- Workers that an operator has paused: no pass starts until the row is removed or its time is over. A pause belongs to the
-- scope, whether it has a cursor or not, and outlives the scope's row in queue_heartbeat.
CREATE TABLE ${schema}.worker_pause (
    executor_name text PRIMARY KEY CHECK (executor_name <> ''),
    actor         text NOT NULL CHECK (actor <> ''),
    reason        text NOT NULL CHECK (reason <> ''),
    until         timestamptz,
    -- Both are set by a trigger, on insert and on update.
    db_user       text NOT NULL,
    paused_at     timestamptz NOT NULL
);

GRANT SELECT ON ${schema}.worker_pause TO ${viewer}, ${admin}, ${server};
GRANT INSERT (executor_name, actor, reason, until), UPDATE (actor, reason, until), DELETE ON ${schema}.worker_pause TO ${server};
