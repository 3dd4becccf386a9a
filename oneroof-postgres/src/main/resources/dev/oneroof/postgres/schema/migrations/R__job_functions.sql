-- Jobs, for executors in any language; the Java worker calls the same functions.
--
-- Every change of a leased job is conditional on its token. A token is chance, not a number that counts up: a server that
-- crashes may forget its last transactions, and must not give the same token out again.
--
-- A session keeps the plans of these statements. One that was made while the queue was empty, after a vacuum, takes any way
-- through the table for free, and may be used when there are a million jobs. So no statement leaves the planner a way that
-- reads more than what it is about: there is no scan of the table, what has an index comes by a value it can look up (not by
-- clock_timestamp(), which is another for each row), and jobs that are given by their ids are looked up one by one, or by
-- = ANY, and are not joined otherwise.

-- Makes a kind known, or changes how it is run. True when anything changed. One that is there as it is given is only looked
-- at: whoever leases of a limited kind holds its row until they commit, and every process that starts registers its kinds.
CREATE OR REPLACE FUNCTION ${schema}.fn_job_kind_register(
    p_kind text,
    p_domain text DEFAULT 'system',
    p_description text DEFAULT '',
    p_max_attempts integer DEFAULT 10,
    p_first_backoff_seconds double precision DEFAULT 5,
    p_longest_backoff_seconds double precision DEFAULT 3600,
    p_lease_seconds integer DEFAULT 60,
    p_deadline_seconds integer DEFAULT 300,
    p_max_running integer DEFAULT NULL,
    p_rate_count integer DEFAULT NULL,
    p_rate_seconds double precision DEFAULT NULL,
    p_lag_seconds integer DEFAULT 300,
    p_actor text DEFAULT session_user)
RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    v_bad record;
BEGIN
    SELECT c.field, c.given, c.allowed INTO v_bad
    FROM (VALUES
        ('kind', p_kind, p_kind ~ '^[a-z][a-z0-9_.]{0,99}$', '1 to 100 of a-z, 0-9, _ and ., beginning with a letter'),
        ('domain', p_domain, p_domain ~ '^[a-z][a-z0-9_]{0,49}$', '1 to 50 of a-z, 0-9 and _, beginning with a letter'),
        ('description', left(p_description, 80), octet_length(p_description) <= 2000, 'at most 2000 bytes'),
        ('max_attempts', p_max_attempts::text, p_max_attempts BETWEEN 1 AND 1000, '1 to 1000'),
        ('first_backoff_seconds', p_first_backoff_seconds::text, p_first_backoff_seconds BETWEEN 0 AND 86400, '0 to 86400'),
        ('longest_backoff_seconds', p_longest_backoff_seconds::text,
         p_longest_backoff_seconds BETWEEN p_first_backoff_seconds AND 604800, 'from the first backoff to 604800'),
        ('lease_seconds', p_lease_seconds::text, p_lease_seconds BETWEEN 1 AND 3600, '1 to 3600'),
        ('deadline_seconds', p_deadline_seconds::text, p_deadline_seconds BETWEEN 1 AND 604800, '1 to 604800'),
        ('max_running', p_max_running::text, coalesce(p_max_running >= 1, true), '1 and more, or none'),
        ('rate_count', p_rate_count::text,
         coalesce(p_rate_count >= 1, true) AND (p_rate_count IS NULL) = (p_rate_seconds IS NULL),
         '1 and more together with rate_seconds, or neither'),
        ('rate_seconds', p_rate_seconds::text, coalesce(p_rate_seconds BETWEEN 0.001 AND 86400, true),
         '0.001 to 86400, or none'),
        ('lag_seconds', p_lag_seconds::text, p_lag_seconds >= 1, '1 and more'),
        ('actor', left(p_actor, 80), p_actor <> '' AND octet_length(p_actor) <= 500, '1 to 500 bytes'))
        c (field, given, holds, allowed)
    WHERE NOT coalesce(c.holds, false)
    LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = '22023',
            MESSAGE = format('%s: ''%s'' is not allowed; allowed are %s', v_bad.field, v_bad.given, v_bad.allowed);
    END IF;
    PERFORM FROM ${schema}.job_kind k
    WHERE k.job_kind = p_kind
      AND (k.event_domain, k.description, k.max_attempts, k.first_backoff_seconds, k.longest_backoff_seconds,
           k.lease_seconds, k.deadline_seconds, k.max_running, k.rate_count, k.rate_seconds, k.lag_seconds)
          IS NOT DISTINCT FROM
          (p_domain, p_description, p_max_attempts, p_first_backoff_seconds, p_longest_backoff_seconds,
           p_lease_seconds, p_deadline_seconds, p_max_running, p_rate_count, p_rate_seconds, p_lag_seconds);
    IF FOUND THEN
        RETURN false;
    END IF;
    INSERT INTO ${schema}.job_kind AS k
        (job_kind, event_domain, description, max_attempts, first_backoff_seconds, longest_backoff_seconds, lease_seconds,
         deadline_seconds, max_running, rate_count, rate_seconds, lag_seconds, registered_by)
    VALUES
        (p_kind, p_domain, p_description, p_max_attempts, p_first_backoff_seconds, p_longest_backoff_seconds,
         p_lease_seconds, p_deadline_seconds, p_max_running, p_rate_count, p_rate_seconds, p_lag_seconds, p_actor)
    ON CONFLICT (job_kind) DO UPDATE
    SET event_domain = EXCLUDED.event_domain,
        description = EXCLUDED.description,
        max_attempts = EXCLUDED.max_attempts,
        first_backoff_seconds = EXCLUDED.first_backoff_seconds,
        longest_backoff_seconds = EXCLUDED.longest_backoff_seconds,
        lease_seconds = EXCLUDED.lease_seconds,
        deadline_seconds = EXCLUDED.deadline_seconds,
        max_running = EXCLUDED.max_running,
        rate_count = EXCLUDED.rate_count,
        rate_seconds = EXCLUDED.rate_seconds,
        lag_seconds = EXCLUDED.lag_seconds,
        updated_at = clock_timestamp()
    WHERE (k.event_domain, k.description, k.max_attempts, k.first_backoff_seconds, k.longest_backoff_seconds,
           k.lease_seconds, k.deadline_seconds, k.max_running, k.rate_count, k.rate_seconds, k.lag_seconds)
          IS DISTINCT FROM
          (EXCLUDED.event_domain, EXCLUDED.description, EXCLUDED.max_attempts, EXCLUDED.first_backoff_seconds,
           EXCLUDED.longest_backoff_seconds, EXCLUDED.lease_seconds, EXCLUDED.deadline_seconds, EXCLUDED.max_running,
           EXCLUDED.rate_count, EXCLUDED.rate_seconds, EXCLUDED.lag_seconds);
    RETURN FOUND;
END
$$;

-- Enqueues jobs under ids that the caller has made, in the caller's transaction: all of them or, when one is refused,
-- none. Null in the other arrays is the kind's own, or none. Returns only those whose key was alive already, and the job
-- that bears it; of equal keys in one call the first is enqueued.
CREATE OR REPLACE FUNCTION ${schema}.fn_job_put(
    p_ids uuid[],
    p_kinds text[],
    p_payloads jsonb[],
    p_keys text[] DEFAULT NULL,
    p_priorities integer[] DEFAULT NULL,
    p_scheduled timestamptz[] DEFAULT NULL,
    p_max_attempts integer[] DEFAULT NULL,
    p_runs uuid[] DEFAULT NULL,
    p_wake boolean DEFAULT true)
RETURNS TABLE (job_no bigint, existing uuid)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
DECLARE
    v_bad    record;
    v_put    uuid[];
    v_made   uuid[] := '{}';
    v_left   bigint[];
    v_known  bigint[];
    v_others uuid[];
    v_round  integer := 0;
BEGIN
    -- Whether all of them are good is told quickly; which one is not, only where one is not.
    IF cardinality(p_ids) IS DISTINCT FROM cardinality(p_kinds)
       OR cardinality(p_ids) IS DISTINCT FROM cardinality(p_payloads)
       OR cardinality(p_keys) NOT IN (0, cardinality(p_ids))
       OR cardinality(p_priorities) NOT IN (0, cardinality(p_ids))
       OR cardinality(p_scheduled) NOT IN (0, cardinality(p_ids))
       OR cardinality(p_max_attempts) NOT IN (0, cardinality(p_ids))
       OR cardinality(p_runs) NOT IN (0, cardinality(p_ids))
       OR array_position(p_ids, NULL) IS NOT NULL
       OR EXISTS (
           SELECT FROM (SELECT DISTINCT unnest(p_kinds) AS kind) g
           WHERE NOT EXISTS (SELECT FROM ${schema}.job_kind k WHERE k.job_kind = g.kind))
       OR EXISTS (
           SELECT FROM (SELECT unnest(p_payloads) AS payload) g
           WHERE NOT coalesce(${schema}.fn_signal_only(g.payload), false))
       OR 0 > ANY (p_priorities) OR 100 < ANY (p_priorities)
       OR 1 > ANY (p_max_attempts) OR 1000 < ANY (p_max_attempts)
       OR '-infinity' = ANY (p_scheduled) OR 'infinity' = ANY (p_scheduled)
       OR EXISTS (SELECT FROM (SELECT unnest(p_keys) AS key) g WHERE octet_length(g.key) NOT BETWEEN 1 AND 500)
    THEN
        SELECT c.field, c.given, c.allowed INTO v_bad
        FROM (VALUES
            ('kinds', coalesce(cardinality(p_kinds), 0), ''),
            ('payloads', coalesce(cardinality(p_payloads), 0), ''),
            ('keys', nullif(cardinality(p_keys), 0), ', or none'),
            ('priorities', nullif(cardinality(p_priorities), 0), ', or none'),
            ('scheduled', nullif(cardinality(p_scheduled), 0), ', or none'),
            ('max_attempts', nullif(cardinality(p_max_attempts), 0), ', or none'),
            ('runs', nullif(cardinality(p_runs), 0), ', or none')) c (field, given, allowed)
        WHERE c.given <> coalesce(cardinality(p_ids), 0)
        LIMIT 1;
        IF FOUND THEN
            RAISE EXCEPTION USING ERRCODE = '22023',
                MESSAGE = format('%s: there are %s; allowed are as many as there are jobs (%s)%s', v_bad.field, v_bad.given,
                                 coalesce(cardinality(p_ids), 0), v_bad.allowed);
        END IF;
        SELECT g.no, g.kind, g.priority, g.scheduled, g.max_attempts, g.key, k.job_kind IS NULL AS unknown,
               coalesce(${schema}.fn_signal_only(g.payload), false) AS signal
        INTO v_bad
        FROM unnest(p_ids, p_kinds, p_payloads, p_keys, p_priorities, p_scheduled, p_max_attempts)
             WITH ORDINALITY g (id, kind, payload, key, priority, scheduled, max_attempts, no)
        LEFT JOIN ${schema}.job_kind k ON k.job_kind = g.kind
        WHERE k.job_kind IS NULL OR g.id IS NULL
           OR NOT coalesce(${schema}.fn_signal_only(g.payload), false)
           OR g.priority NOT BETWEEN 0 AND 100
           OR g.max_attempts NOT BETWEEN 1 AND 1000
           OR NOT isfinite(g.scheduled)
           OR octet_length(g.key) NOT BETWEEN 1 AND 500
        ORDER BY g.no
        LIMIT 1;
        RAISE EXCEPTION USING
            ERRCODE = CASE WHEN v_bad.unknown THEN 'OR003' WHEN NOT v_bad.signal THEN 'OR002' ELSE '22023' END,
            MESSAGE = format('job %s: ', v_bad.no) || CASE
                WHEN v_bad.unknown THEN format('kind ''%s'' is not registered', left(v_bad.kind, 80))
                WHEN NOT v_bad.signal THEN format('the payload of this ''%s'' is no signal; allowed are addresses and '
                    'figures, at most 8192 bytes, with none of the keys that hold contents or secrets', v_bad.kind)
                WHEN v_bad.priority NOT BETWEEN 0 AND 100 THEN
                    format('priority ''%s'' is not allowed; allowed are 0 to 100', v_bad.priority)
                WHEN v_bad.max_attempts NOT BETWEEN 1 AND 1000 THEN
                    format('max_attempts ''%s'' is not allowed; allowed are 1 to 1000', v_bad.max_attempts)
                WHEN NOT isfinite(v_bad.scheduled) THEN
                    format('scheduled_at ''%s'' is not allowed; allowed is a time', v_bad.scheduled)
                WHEN octet_length(v_bad.key) NOT BETWEEN 1 AND 500 THEN
                    format('idempotency_key ''%s'' of %s bytes is not allowed; allowed are 1 to 500 bytes',
                           left(v_bad.key, 80), octet_length(v_bad.key))
                ELSE 'it has no id'
            END;
    END IF;

    IF coalesce(array_remove(p_keys, NULL), '{}') = '{}' THEN
        INSERT INTO ${schema}.job_queue
            (job_id, job_kind, event_domain, state, priority, scheduled_at, order_at, enqueued_at, max_attempts, run_id,
             payload)
        SELECT g.id, g.kind, k.event_domain, CASE WHEN g.scheduled > now() THEN 'scheduled' ELSE 'queued' END,
               coalesce(g.priority, 0), coalesce(g.scheduled, now()),
               coalesce(g.scheduled, now()) - coalesce(g.priority, 0) * interval '1 minute', now(),
               coalesce(g.max_attempts, k.max_attempts), g.run, g.payload
        FROM unnest(p_ids, p_kinds, p_payloads, p_priorities, p_scheduled, p_max_attempts, p_runs)
             g (id, kind, payload, priority, scheduled, max_attempts, run)
        JOIN ${schema}.job_kind k ON k.job_kind = g.kind;
    ELSE
        LOOP
            -- In the order of the keys: two that enqueue the same ones at once wait for each other one way only.
            WITH put AS (
                INSERT INTO ${schema}.job_queue
                    (job_id, job_kind, event_domain, state, priority, scheduled_at, order_at, enqueued_at, max_attempts,
                     idempotency_key, run_id, payload)
                SELECT g.id, g.kind, k.event_domain, CASE WHEN g.scheduled > now() THEN 'scheduled' ELSE 'queued' END,
                       coalesce(g.priority, 0), coalesce(g.scheduled, now()),
                       coalesce(g.scheduled, now()) - coalesce(g.priority, 0) * interval '1 minute', now(),
                       coalesce(g.max_attempts, k.max_attempts), g.key, g.run, g.payload
                FROM unnest(p_ids, p_kinds, p_payloads, p_keys, p_priorities, p_scheduled, p_max_attempts, p_runs)
                     WITH ORDINALITY g (id, kind, payload, key, priority, scheduled, max_attempts, run, no)
                JOIN ${schema}.job_kind k ON k.job_kind = g.kind
                WHERE v_left IS NULL OR g.no = ANY (v_left)
                ORDER BY g.key, g.no
                ON CONFLICT (idempotency_key) WHERE idempotency_key IS NOT NULL DO NOTHING
                RETURNING job_id)
            SELECT array_agg(p.job_id) INTO v_put FROM put p;
            v_made := v_made || v_put;
            EXIT WHEN cardinality(v_made) = cardinality(p_ids);

            -- Whose keys the others are. One that has ended since the insert leaves its key to us. A transaction that keeps
            -- its snapshot may see one that has ended beside the one it has made itself: that is the younger row.
            SELECT array_agg(g.no) FILTER (WHERE q.job_id IS NULL),
                   array_agg(g.no) FILTER (WHERE q.job_id IS NOT NULL),
                   array_agg(q.job_id) FILTER (WHERE q.job_id IS NOT NULL)
            INTO v_left, v_known, v_others
            FROM unnest(p_ids, p_keys) WITH ORDINALITY g (id, key, no)
            LEFT JOIN LATERAL (
                SELECT q.job_id
                FROM ${schema}.job_queue q
                WHERE q.idempotency_key = g.key
                ORDER BY age(q.xmin)
                LIMIT 1) q ON true
            WHERE g.id NOT IN (SELECT unnest(v_made));
            EXIT WHEN v_left IS NULL;
            v_round := v_round + 1;
            IF v_round >= 20 THEN
                RAISE EXCEPTION USING ERRCODE = '40001',
                    MESSAGE = 'idempotency_key: jobs with this key end as fast as they are enqueued; try again';
            END IF;
        END LOOP;
        RETURN QUERY SELECT k.no, k.other FROM unnest(v_known, v_others) k (no, other) ORDER BY k.no;
    END IF;

    IF p_wake AND ${schema}.fn_queue_notify_enabled()
       AND (p_scheduled IS NULL OR EXISTS (SELECT FROM unnest(p_scheduled) s WHERE s IS NULL OR s <= now())) THEN
        PERFORM ${schema}.fn_queue_wake(d.event_domain, 'job')
        FROM (SELECT DISTINCT k.event_domain FROM ${schema}.job_kind k WHERE k.job_kind = ANY (p_kinds)) d;
    END IF;
END
$$;

-- Enqueues jobs. Of one whose key is alive already the job that bears it is returned, with created false.
CREATE OR REPLACE FUNCTION ${schema}.fn_job_enqueue_many(
    p_kinds text[],
    p_payloads jsonb[],
    p_keys text[] DEFAULT NULL,
    p_priorities integer[] DEFAULT NULL,
    p_scheduled timestamptz[] DEFAULT NULL,
    p_max_attempts integer[] DEFAULT NULL,
    p_runs uuid[] DEFAULT NULL)
RETURNS TABLE (job_no bigint, job_id uuid, created boolean)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    -- Made first and dealt out in order: two calls within one tick of the clock differ by chance alone.
    v_ids uuid[] := ARRAY(
        SELECT ${schema}.fn_uuid_v7() AS id FROM generate_series(1, coalesce(cardinality(p_kinds), 0)) ORDER BY id);
BEGIN
    RETURN QUERY
        SELECT g.no, coalesce(p.existing, g.id), p.existing IS NULL
        FROM unnest(v_ids) WITH ORDINALITY g (id, no)
        LEFT JOIN ${schema}.fn_job_put(
            v_ids, p_kinds, p_payloads, p_keys, p_priorities, p_scheduled, p_max_attempts, p_runs) p ON p.job_no = g.no
        ORDER BY g.no;
END
$$;

CREATE OR REPLACE FUNCTION ${schema}.fn_job_enqueue(
    p_kind text,
    p_payload jsonb DEFAULT '{}',
    p_idempotency_key text DEFAULT NULL,
    p_priority integer DEFAULT NULL,
    p_scheduled_at timestamptz DEFAULT NULL,
    p_max_attempts integer DEFAULT NULL,
    p_run_id uuid DEFAULT NULL)
RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    v_id       uuid := ${schema}.fn_uuid_v7();
    v_existing uuid;
BEGIN
    SELECT p.existing INTO v_existing
    FROM ${schema}.fn_job_put(
        ARRAY[v_id], ARRAY[p_kind], ARRAY[p_payload], ARRAY[p_idempotency_key], ARRAY[p_priority], ARRAY[p_scheduled_at],
        ARRAY[p_max_attempts], ARRAY[p_run_id]) p;
    RETURN jsonb_build_object('job_id', coalesce(v_existing, v_id), 'created', v_existing IS NULL);
END
$$;

-- Jobs for later, and those between two attempts, whose time has come. Returns how many there were.
CREATE OR REPLACE FUNCTION ${schema}.fn_job_promote(p_limit integer DEFAULT 1000, p_wake boolean DEFAULT true)
RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
DECLARE
    v_now     timestamptz := clock_timestamp();
    v_domains text[];
    v_count   integer;
BEGIN
    WITH promoted AS (
        UPDATE ${schema}.job_queue q
        SET state = 'queued'
        WHERE q.ctid = ANY (ARRAY(
            SELECT d.ctid
            FROM ${schema}.job_queue d
            WHERE d.state = 'scheduled' AND d.scheduled_at <= v_now
            ORDER BY d.scheduled_at
            LIMIT p_limit
            FOR NO KEY UPDATE SKIP LOCKED))
        RETURNING q.event_domain)
    SELECT count(*), array_agg(DISTINCT p.event_domain) INTO v_count, v_domains FROM promoted p;
    IF v_count > 0 AND p_wake AND ${schema}.fn_queue_notify_enabled() THEN
        PERFORM ${schema}.fn_queue_wake(d, 'job') FROM unnest(v_domains) d;
    END IF;
    RETURN v_count;
END
$$;

-- In how many seconds the next of the jobs for later is due; null where there is none.
CREATE OR REPLACE FUNCTION ${schema}.fn_job_until_due() RETURNS double precision
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
BEGIN
    RETURN (
        SELECT extract(epoch FROM q.scheduled_at - clock_timestamp())
        FROM ${schema}.job_queue q
        WHERE q.state = 'scheduled'
        ORDER BY q.scheduled_at
        LIMIT 1);
END
$$;

-- Leases due jobs of these kinds, in their order, and returns them with their payloads. Nothing while the gate is closed;
-- nothing of a kind that is paused. Of a kind with a limit, or a rate, no more than is left of it.
--
-- p_limits, one per kind, is how many of it at most, 0 and more. p_floors, one per kind, is for workers that ask often:
-- nothing below is looked at. While somebody holds an old snapshot open, the index keeps every job that was ever leased, and a
-- look from its beginning steps over all of them.
CREATE OR REPLACE FUNCTION ${schema}.fn_job_lease(
    p_kinds text[],
    p_limit integer,
    p_owner text,
    p_lease_seconds integer DEFAULT NULL,
    p_limits integer[] DEFAULT NULL,
    p_floors timestamptz[] DEFAULT NULL)
RETURNS TABLE (
    job_id uuid, job_kind text, payload jsonb, attempt integer, max_attempts integer, lease_token uuid,
    lease_until timestamptz, priority smallint, scheduled_at timestamptz, order_at timestamptz, idempotency_key text,
    run_id uuid)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
-- One plan for good: to plan it anew would take longer than to run it. Made while the queue was empty, it must not be one
-- that reads the whole table.
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    v_kinds    refcursor;
    v_kind     record;
    v_count    integer := cardinality(p_kinds);
    v_token    uuid := gen_random_uuid();
    v_now      timestamptz := clock_timestamp();
    v_left     integer := p_limit;
    v_take     integer;
    v_rate     double precision;
    v_rated    timestamptz;
    v_rows     bigint;
    v_before   integer;
    v_shared   bigint;
    v_taken    integer[];
    v_unshared boolean := false;
    v_promoted boolean := false;
BEGIN
    -- Every expression here is made ready once a transaction, which takes longer than to work it out: so there are few on
    -- the way of a lease from which nothing keeps it.
    IF p_limit BETWEEN 1 AND 10000 AND octet_length(p_owner) BETWEEN 1 AND 500
       AND coalesce(p_lease_seconds BETWEEN 1 AND 3600, true) AND (0 > ANY (p_limits)) IS NOT TRUE
       AND current_setting('transaction_isolation') = 'read committed' THEN
        NULL;
    ELSIF p_limit IS NULL OR p_limit NOT BETWEEN 1 AND 10000 THEN
        RAISE EXCEPTION USING ERRCODE = '22023',
            MESSAGE = format('limit: ''%s'' is not allowed; allowed are 1 to 10000', p_limit);
    ELSIF coalesce(p_owner, '') = '' OR octet_length(p_owner) > 500 THEN
        RAISE EXCEPTION USING ERRCODE = '22023',
            MESSAGE = format('owner: ''%s'' is not allowed; allowed are 1 to 500 bytes', left(p_owner, 80));
    ELSIF p_lease_seconds NOT BETWEEN 1 AND 3600 THEN
        RAISE EXCEPTION USING ERRCODE = '22023',
            MESSAGE = format('lease_seconds: ''%s'' is not allowed; allowed are 1 to 3600', p_lease_seconds);
    ELSIF 0 > ANY (p_limits) THEN
        RAISE EXCEPTION USING ERRCODE = '22023',
            MESSAGE = format('limits: ''%s'' is not allowed; allowed are 0 and more',
                             (SELECT g.at_most FROM unnest(p_limits) g (at_most) WHERE g.at_most < 0 LIMIT 1));
    ELSE
        -- A limit is looked at behind a lock, and an older snapshot would not see who came before.
        RAISE EXCEPTION USING ERRCODE = '25001',
            MESSAGE = format('isolation: ''%s'' is not allowed; allowed is read committed',
                             current_setting('transaction_isolation'));
    END IF;

    WHILE v_count > 0 LOOP
        IF v_count > 1 THEN
            v_before := v_left;
            v_shared := 0;
            -- All there is to know of the kinds by one look.
            OPEN v_kinds FOR
                SELECT k.job_kind AS kind, k.max_running, k.rate_count, k.rate_seconds, g.floor, c.key IS NOT NULL AS open,
                       coalesce(p_lease_seconds, k.lease_seconds) AS seconds, g.no,
                       CASE
                           WHEN k.paused_at IS NULL THEN
                               least(v_left, w.share, g.at_most - coalesce(v_taken[g.no::integer], 0))
                           ELSE 0
                       END AS take
                FROM unnest(p_kinds, p_limits, p_floors) WITH ORDINALITY g (kind, at_most, floor, no)
                LEFT JOIN ${schema}.job_kind k ON k.job_kind = g.kind
                -- As fn_gate_open has it.
                LEFT JOIN ${schema}.dot_config c
                    ON c.key = 'queue.jobs.enabled' AND c.kind = 'gate' AND c.value = 'true'
                    AND (c.expires_at IS NULL OR c.expires_at > v_now)
                LEFT JOIN (
                    -- How many of each kind are among the first. Only looked at, so nobody is kept from them.
                    SELECT f.no, count(*)::integer AS share
                    FROM (
                        SELECT o.no, d.order_at
                        FROM unnest(p_kinds, p_limits, p_floors) WITH ORDINALITY o (kind, at_most, floor, no)
                        JOIN ${schema}.job_kind k ON k.job_kind = o.kind AND k.paused_at IS NULL
                        CROSS JOIN LATERAL (
                            SELECT d.order_at
                            FROM ${schema}.job_queue d
                            WHERE d.state = 'queued' AND d.job_kind = o.kind
                              AND d.order_at >= coalesce(o.floor, '-infinity')
                            ORDER BY d.order_at
                            LIMIT CASE WHEN v_unshared THEN 0 ELSE least(v_left, o.at_most) END) d
                        ORDER BY d.order_at
                        LIMIT v_left) f
                    GROUP BY f.no) w ON w.no = g.no
                WHERE g.no <= v_count AND (w.share > 0 OR v_unshared OR k.job_kind IS NULL OR c.key IS NULL)
                -- One order for all: those of limited kinds are locked. One that is not known comes first.
                ORDER BY k.job_kind NULLS FIRST;
        END IF;
        FOR v_no IN 1 .. v_count LOOP
            IF v_count > 1 THEN
                FETCH v_kinds INTO v_kind;
                EXIT WHEN NOT FOUND;
                v_shared := v_shared + v_kind.take;
            ELSE
                -- One kind needs no share, and no cursor: that would take as long as the look itself.
                SELECT k.job_kind AS kind, k.max_running, k.rate_count, k.rate_seconds, p_floors[1] AS floor,
                       c.key IS NOT NULL AS open, coalesce(p_lease_seconds, k.lease_seconds) AS seconds,
                       CASE WHEN k.paused_at IS NULL THEN least(v_left, p_limits[1]) ELSE 0 END AS take
                INTO v_kind
                FROM ${schema}.job_kind k
                LEFT JOIN ${schema}.dot_config c
                    ON c.key = 'queue.jobs.enabled' AND c.kind = 'gate' AND c.value = 'true'
                    AND (c.expires_at IS NULL OR c.expires_at > v_now)
                WHERE k.job_kind = p_kinds[1];
            END IF;
            IF v_kind.kind IS NULL THEN
                SELECT g.kind INTO v_kind
                FROM unnest(p_kinds) g (kind)
                WHERE NOT EXISTS (SELECT FROM ${schema}.job_kind k WHERE k.job_kind = g.kind)
                LIMIT 1;
                RAISE EXCEPTION USING ERRCODE = 'OR003',
                    MESSAGE = format('kind: ''%s'' is not registered', left(v_kind.kind, 80)),
                    HINT = 'Register it with fn_job_kind_register.';
            ELSIF NOT v_kind.open THEN
                IF v_count > 1 THEN
                    CLOSE v_kinds;
                END IF;
                RETURN;
            END IF;
            v_take := least(v_left, v_kind.take);
            IF v_kind.max_running IS NOT NULL OR v_kind.rate_count IS NOT NULL THEN
                -- One at a time counts what is left. Who holds it takes what there is; nobody waits for it.
                PERFORM FROM ${schema}.job_kind k WHERE k.job_kind = v_kind.kind FOR NO KEY UPDATE SKIP LOCKED;
                CONTINUE WHEN NOT FOUND;
                IF v_kind.max_running IS NOT NULL THEN
                    -- A lease that has run out counts until it is reaped: until then its owner may still extend it.
                    SELECT least(v_take, v_kind.max_running - count(*)) INTO v_take
                    FROM ${schema}.job_queue q
                    WHERE q.state = 'leased' AND q.job_kind = v_kind.kind;
                END IF;
                IF v_kind.rate_count IS NOT NULL THEN
                    -- Behind the lock: somebody who began later may have been here before.
                    v_rated := clock_timestamp();
                    INSERT INTO ${schema}.job_kind_rate (job_kind, left_over, refilled_at)
                    VALUES (v_kind.kind, v_kind.rate_count, v_rated)
                    ON CONFLICT DO NOTHING;
                    -- A clock that went back refills nothing.
                    SELECT least(v_kind.rate_count,
                                 r.left_over + greatest(0, extract(epoch FROM v_rated - r.refilled_at))
                                               * v_kind.rate_count / v_kind.rate_seconds)
                    INTO v_rate
                    FROM ${schema}.job_kind_rate r
                    WHERE r.job_kind = v_kind.kind;
                    v_take := least(v_take, floor(v_rate)::integer);
                END IF;
            END IF;
            CONTINUE WHEN v_take < 1;
            RETURN QUERY
                UPDATE ${schema}.job_queue q
                SET state = 'leased',
                    lease_owner = p_owner,
                    -- It may have come, or become due, since this began.
                    leased_at = greatest(v_now, q.scheduled_at),
                    lease_until = v_now + make_interval(secs => v_kind.seconds),
                    lease_token = v_token
                -- By their places: they are locked, and stay where they are.
                WHERE q.ctid = ANY (ARRAY(
                    SELECT d.ctid
                    FROM ${schema}.job_queue d
                    WHERE d.state = 'queued' AND d.job_kind = v_kind.kind
                      AND d.order_at >= coalesce(v_kind.floor, '-infinity')
                    ORDER BY d.order_at
                    LIMIT v_take
                    FOR NO KEY UPDATE SKIP LOCKED))
                RETURNING q.job_id, q.job_kind, q.payload, q.attempts + 1, q.max_attempts, q.lease_token, q.lease_until,
                    q.priority, q.scheduled_at, q.order_at, q.idempotency_key, q.run_id;
            GET DIAGNOSTICS v_rows = ROW_COUNT;
            v_left := v_left - v_rows;
            IF v_count > 1 THEN
                v_taken[v_kind.no] := coalesce(v_taken[v_kind.no], 0) + v_rows;
            END IF;
            IF v_kind.rate_count IS NOT NULL AND v_rows > 0 THEN
                UPDATE ${schema}.job_kind_rate r
                SET left_over = v_rate - v_rows, refilled_at = v_rated
                WHERE r.job_kind = v_kind.kind;
            END IF;
        END LOOP;
        IF v_count > 1 THEN
            CLOSE v_kinds;
            -- A kind that is at its limit does not keep the others from their jobs.
            IF NOT v_unshared AND v_left > 0 AND v_before - v_left < v_shared THEN
                v_unshared := true;
                CONTINUE;
            END IF;
        END IF;
        -- What is for later is looked at by the one who found nothing, and by the keeper of the queue.
        EXIT WHEN v_left < p_limit OR v_promoted;
        EXIT WHEN ${schema}.fn_job_promote(1000) = 0;
        v_promoted := true;
    END LOOP;
END
$$;

-- Keeps leases for so many seconds from now, without a number for as long as the kind says. Says of each lease whether it is
-- still held, is lost, or the job shall be given up because somebody wants it cancelled; that one is held, too. One that
-- somebody else is just changing is busy: it was not extended, and can be in a moment.
CREATE OR REPLACE FUNCTION ${schema}.fn_job_extend(p_jobs uuid[], p_tokens uuid[], p_seconds integer DEFAULT NULL)
RETURNS TABLE (job_id uuid, lease_token uuid, verdict text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
SET enable_nestloop = off SET enable_mergejoin = off
AS $$
BEGIN
    IF p_seconds NOT BETWEEN 1 AND 3600 THEN
        RAISE EXCEPTION USING ERRCODE = '22023',
            MESSAGE = format('seconds: ''%s'' is not allowed; allowed are 1 to 3600', p_seconds);
    END IF;
    RETURN QUERY
        WITH mine AS MATERIALIZED (
            SELECT g.id, g.token, l.cancel_requested_at
            FROM unnest(p_jobs, p_tokens) g (id, token)
            CROSS JOIN LATERAL (
                SELECT q.cancel_requested_at
                FROM ${schema}.job_queue q
                WHERE q.job_id = g.id AND q.lease_token = g.token
                LIMIT 1
                -- Nobody waits for one that somebody is just changing: the others would run out meanwhile.
                FOR NO KEY UPDATE SKIP LOCKED) l
        ), extended AS (
            UPDATE ${schema}.job_queue q
            SET lease_until = clock_timestamp() + make_interval(secs => coalesce(
                    p_seconds, (SELECT k.lease_seconds FROM ${schema}.job_kind k WHERE k.job_kind = q.job_kind), 60))
            -- Not by their places: one that was changed since this statement began is locked at a place that it cannot see.
            WHERE q.job_id = ANY (ARRAY(SELECT m.id FROM mine m)))
        SELECT g.id, g.token,
               CASE
                   WHEN m.id IS NOT NULL AND m.cancel_requested_at IS NULL THEN 'held'
                   WHEN m.id IS NOT NULL THEN 'cancel'
                   -- No EXISTS: that may be answered by a look at all jobs.
                   WHEN (SELECT true
                         FROM ${schema}.job_queue q
                         WHERE q.job_id = g.id AND q.lease_token = g.token
                         LIMIT 1) THEN 'busy'
                   ELSE 'lost'
               END
        FROM unnest(p_jobs, p_tokens) g (id, token)
        -- Somebody may ask of two leases of one job, of which one is lost.
        LEFT JOIN mine m ON m.id = g.id AND m.token = g.token;
END
$$;

-- Ends jobs well. Returns those that were not this holder's any more: they are as they were.
CREATE OR REPLACE FUNCTION ${schema}.fn_job_complete_many(p_jobs uuid[], p_tokens uuid[]) RETURNS uuid[]
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
SET enable_nestloop = off SET enable_mergejoin = off
AS $$
DECLARE
    v_ended uuid[];
BEGIN
    WITH ended AS (
        DELETE FROM ${schema}.job_queue q
        USING unnest(p_jobs, p_tokens) g (id, token)
        WHERE q.job_id = ANY (p_jobs) AND q.job_id = g.id AND q.lease_token = g.token
        RETURNING q.*
    ), kept AS (
        INSERT INTO ${schema}.job_history
            (job_id, job_kind, event_domain, state, priority, scheduled_at, enqueued_at, attempts, max_attempts,
             idempotency_key, run_id, lease_owner, leased_at, finished_at, last_error, payload)
        SELECT e.job_id, e.job_kind, e.event_domain, 'succeeded', e.priority, e.scheduled_at, e.enqueued_at, e.attempts + 1,
               e.max_attempts, e.idempotency_key, e.run_id, e.lease_owner, e.leased_at, clock_timestamp(), e.last_error,
               e.payload
        FROM ended e
        RETURNING job_id)
    SELECT array_agg(k.job_id) INTO v_ended FROM kept k;
    RETURN CASE WHEN cardinality(v_ended) = cardinality(p_jobs) THEN '{}'
                ELSE ARRAY(SELECT DISTINCT g.id FROM unnest(p_jobs) g (id) WHERE g.id <> ALL (coalesce(v_ended, '{}'))) END;
END
$$;

CREATE OR REPLACE FUNCTION ${schema}.fn_job_complete(p_job uuid, p_token uuid) RETURNS boolean
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$ SELECT ${schema}.fn_job_complete_many(ARRAY[p_job], ARRAY[p_token]) = '{}' $$;

-- Takes one job out of the queue into the history. The caller holds its lock.
CREATE OR REPLACE FUNCTION ${schema}.fn_job_retire(p_job uuid, p_state text, p_attempts integer, p_error text)
RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    WITH ended AS (DELETE FROM ${schema}.job_queue q WHERE q.job_id = p_job RETURNING q.*)
    INSERT INTO ${schema}.job_history
        (job_id, job_kind, event_domain, state, priority, scheduled_at, enqueued_at, attempts, max_attempts,
         idempotency_key, run_id, lease_owner, leased_at, finished_at, last_error, payload)
    SELECT e.job_id, e.job_kind, e.event_domain, p_state, e.priority, e.scheduled_at, e.enqueued_at, p_attempts,
           e.max_attempts, e.idempotency_key, e.run_id, e.lease_owner, e.leased_at, clock_timestamp(),
           coalesce(left(p_error, 2000), e.last_error), e.payload
    FROM ended e
$$;

-- What failures have in common: a message without what differs from job to job. That is what stands in quotation marks (an
-- apostrophe behind a letter opens none), uuids, the addresses of objects, hexadecimal numbers (those of six and more that hold
-- a digit, or begin with 0x), and figures.
CREATE OR REPLACE FUNCTION ${schema}.fn_job_fingerprint(p_kind text, p_class text, p_message text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
    SELECT left(md5(concat_ws(E'\n', p_kind, p_class,
        regexp_replace(
            regexp_replace(
                regexp_replace(
                    regexp_replace(left(p_message, 500), '"[^"]*"|(?<!\w)''[^'']*''', '?', 'g'),
                    '[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}', '#', 'g'),
                '(?<=@)[0-9a-fA-F]+(?![0-9a-zA-Z])'
                '|(?<![0-9a-zA-Z])(?:0[xX][0-9a-fA-F]+|(?=[a-fA-F]*[0-9])[0-9a-fA-F]{6,})(?![0-9a-zA-Z])', '#', 'g'),
            '[0-9]+', '#', 'g'))), 16)
$$;

-- An attempt has ended badly: another one after a while, or none. The caller holds the job's lock.
CREATE OR REPLACE FUNCTION ${schema}.fn_job_attempt_failed(
    p_job ${schema}.job_queue, p_class text, p_error text, p_retry_seconds double precision, p_final boolean)
RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
DECLARE
    v_attempts integer := p_job.attempts + 1;
    v_error    text := left(coalesce(p_error, ''), 2000);
    v_class    text := left(coalesce(nullif(p_class, ''), 'unknown'), 200);
    v_seconds  double precision;
    v_at       timestamptz;
BEGIN
    IF p_job.cancel_requested_at IS NOT NULL THEN
        PERFORM ${schema}.fn_job_retire(p_job.job_id, 'cancelled', v_attempts, p_job.last_error);
        RETURN jsonb_build_object('job_id', p_job.job_id, 'outcome', 'cancelled', 'attempts', v_attempts);
    END IF;
    IF p_final OR v_attempts >= p_job.max_attempts THEN
        PERFORM ${schema}.fn_job_retire(p_job.job_id, 'failed', v_attempts, v_error);
        -- No finding is raised here: its one row would be every failing worker's to wait for.
        WITH letter AS (
            INSERT INTO ${schema}.job_dead_letter
                (dead_letter_id, job_id, job_kind, event_domain, priority, attempts, max_attempts, idempotency_key, run_id,
                 payload, error_class, last_error, fingerprint, enqueued_at, last_failed_at)
            VALUES
                (${schema}.fn_uuid_v7(), p_job.job_id, p_job.job_kind, p_job.event_domain, p_job.priority, v_attempts,
                 p_job.max_attempts, p_job.idempotency_key, p_job.run_id, p_job.payload, v_class, v_error,
                 ${schema}.fn_job_fingerprint(p_job.job_kind, v_class, v_error), p_job.enqueued_at, clock_timestamp())
            RETURNING job_kind, fingerprint, dead_letter_id)
        INSERT INTO ${schema}.job_dead_letter_news (job_kind, fingerprint, dead_letter_id)
        SELECT l.job_kind, l.fingerprint, l.dead_letter_id FROM letter l;
        RETURN jsonb_build_object('job_id', p_job.job_id, 'outcome', 'dead', 'attempts', v_attempts);
    END IF;
    -- Doubled each time up to the longest, and up to a fifth more or less, so that jobs that failed together do not come
    -- back together. The power ends where a number would.
    SELECT coalesce(
               p_retry_seconds,
               least(k.longest_backoff_seconds, k.first_backoff_seconds * 2 ^ least(v_attempts - 1, 60))
                   * (0.8 + 0.4 * random()))
    INTO v_seconds
    FROM ${schema}.job_kind k
    WHERE k.job_kind = p_job.job_kind;
    v_at := clock_timestamp() + make_interval(secs => coalesce(v_seconds, 60));
    UPDATE ${schema}.job_queue q
    SET state = 'scheduled',
        scheduled_at = v_at,
        order_at = v_at - q.priority * interval '1 minute',
        attempts = v_attempts,
        last_error = v_class || ': ' || v_error,
        lease_owner = NULL, leased_at = NULL, lease_until = NULL, lease_token = NULL
    WHERE q.job_id = p_job.job_id;
    RETURN jsonb_build_object('job_id', p_job.job_id, 'outcome', 'retry', 'attempts', v_attempts, 'scheduled_at', v_at);
END
$$;

-- An attempt has failed. The next one comes after the kind's backoff, or after the given seconds; p_final: never.
CREATE OR REPLACE FUNCTION ${schema}.fn_job_fail(
    p_job uuid,
    p_token uuid,
    p_error_class text,
    p_error text,
    p_retry_seconds double precision DEFAULT NULL,
    p_final boolean DEFAULT false)
RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
DECLARE
    v_job ${schema}.job_queue;
BEGIN
    IF p_retry_seconds NOT BETWEEN 0 AND 31536000 THEN
        RAISE EXCEPTION USING ERRCODE = '22023',
            MESSAGE = format('retry_seconds: ''%s'' is not allowed; allowed are 0 to 31536000', p_retry_seconds);
    END IF;
    SELECT * INTO v_job FROM ${schema}.job_queue q WHERE q.job_id = p_job AND q.lease_token = p_token FOR UPDATE;
    IF NOT FOUND THEN
        RETURN jsonb_build_object('job_id', p_job, 'outcome', 'lost');
    END IF;
    RETURN ${schema}.fn_job_attempt_failed(v_job, p_error_class, p_error, p_retry_seconds, coalesce(p_final, false));
END
$$;

-- Not now: again in so many seconds, and no attempt is counted. False when the job was not this holder's any more.
CREATE OR REPLACE FUNCTION ${schema}.fn_job_snooze(p_job uuid, p_token uuid, p_seconds double precision) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
DECLARE
    v_unwanted timestamptz;
    v_at       timestamptz;
BEGIN
    IF p_seconds IS NULL OR p_seconds NOT BETWEEN 0 AND 31536000 THEN
        RAISE EXCEPTION USING ERRCODE = '22023',
            MESSAGE = format('seconds: ''%s'' is not allowed; allowed are 0 to 31536000', p_seconds);
    END IF;
    -- Who wanted it cancelled is not put off. Locked first, and then looked at: that may be at this moment.
    SELECT q.cancel_requested_at INTO v_unwanted
    FROM ${schema}.job_queue q
    WHERE q.job_id = p_job AND q.lease_token = p_token
    FOR UPDATE;
    IF NOT FOUND THEN
        RETURN false;
    ELSIF v_unwanted IS NOT NULL THEN
        RETURN ${schema}.fn_job_give_up(p_job, p_token, NULL);
    END IF;
    v_at := clock_timestamp() + make_interval(secs => p_seconds);
    UPDATE ${schema}.job_queue q
    SET state = 'scheduled',
        scheduled_at = v_at,
        order_at = v_at - q.priority * interval '1 minute',
        lease_owner = NULL, leased_at = NULL, lease_until = NULL, lease_token = NULL
    WHERE q.job_id = p_job;
    RETURN true;
END
$$;

-- Hands jobs back that were not begun: they are due as before, at their old place. Returns how many there were; one that
-- somebody is just changing stays with its holder.
CREATE OR REPLACE FUNCTION ${schema}.fn_job_hand_back(p_jobs uuid[], p_tokens uuid[]) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
SET enable_nestloop = off SET enable_mergejoin = off
AS $$
DECLARE
    v_back     uuid[];
    v_unwanted uuid[];
    v_count    bigint;
BEGIN
    -- Locked first, and then looked at: somebody may want one cancelled at this moment.
    SELECT array_agg(l.job_id) FILTER (WHERE l.cancel_requested_at IS NULL),
           array_agg(l.job_id) FILTER (WHERE l.cancel_requested_at IS NOT NULL)
    INTO v_back, v_unwanted
    FROM unnest(p_jobs, p_tokens) g (id, token)
    CROSS JOIN LATERAL (
        SELECT q.job_id, q.cancel_requested_at
        FROM ${schema}.job_queue q
        WHERE q.job_id = g.id AND q.lease_token = g.token
        LIMIT 1
        -- Nobody waits for one that somebody is just changing; it can be handed back in a moment.
        FOR UPDATE SKIP LOCKED) l;
    PERFORM ${schema}.fn_job_give_up(g.id, g.token, NULL)
    FROM unnest(p_jobs, p_tokens) g (id, token)
    WHERE g.id = ANY (v_unwanted);
    UPDATE ${schema}.job_queue q
    SET state = 'queued', lease_owner = NULL, leased_at = NULL, lease_until = NULL, lease_token = NULL
    WHERE q.job_id = ANY (v_back);
    GET DIAGNOSTICS v_count = ROW_COUNT;
    IF v_count > 0 AND ${schema}.fn_queue_notify_enabled() THEN
        PERFORM ${schema}.fn_queue_wake(d.event_domain, 'job')
        FROM (SELECT DISTINCT q.event_domain FROM ${schema}.job_queue q WHERE q.job_id = ANY (v_back)) d;
    END IF;
    RETURN v_count;
END
$$;

-- Who does it and why is told with every act.
CREATE OR REPLACE FUNCTION ${schema}.fn_job_demand(p_reason text, p_actor text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF coalesce(btrim(p_reason), '') = '' OR coalesce(btrim(p_actor), '') = '' THEN
        RAISE EXCEPTION USING ERRCODE = '22023',
            MESSAGE = format('%s: '''' is not allowed; allowed is a text that is not blank',
                             CASE WHEN coalesce(btrim(p_reason), '') = '' THEN 'reason' ELSE 'actor' END);
    END IF;
END
$$;

-- Gives up a job that nobody works on; asks the one who works on it to do so. That one hears of it at its next extend.
CREATE OR REPLACE FUNCTION ${schema}.fn_job_cancel(p_job uuid, p_reason text, p_actor text DEFAULT session_user)
RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
DECLARE
    v_job   ${schema}.job_queue;
    v_state text;
    v_why   text := left(format('cancelled by %s: %s', p_actor, p_reason), 2000);
BEGIN
    PERFORM ${schema}.fn_job_demand(p_reason, p_actor);
    SELECT * INTO v_job FROM ${schema}.job_queue q WHERE q.job_id = p_job FOR UPDATE;
    IF NOT FOUND THEN
        SELECT h.state INTO v_state FROM ${schema}.job_history h WHERE h.job_id = p_job LIMIT 1;
        RETURN jsonb_build_object('job_id', p_job, 'outcome', CASE WHEN v_state IS NULL THEN 'unknown' ELSE 'ended' END, 'state', v_state);
    END IF;
    INSERT INTO ${schema}.operator_act (act, target, actor, reason)
    VALUES ('job_cancel', 'job ' || p_job, left(p_actor, 500), left(p_reason, 500));
    IF v_job.state <> 'leased' THEN
        PERFORM ${schema}.fn_job_retire(p_job, 'cancelled', v_job.attempts, v_why);
        RETURN jsonb_build_object('job_id', p_job, 'outcome', 'cancelled');
    END IF;
    UPDATE ${schema}.job_queue q
    SET cancel_requested_at = coalesce(q.cancel_requested_at, clock_timestamp()), last_error = v_why
    WHERE q.job_id = p_job;
    IF ${schema}.fn_queue_notify_enabled() THEN
        PERFORM ${schema}.fn_queue_wake(v_job.event_domain, 'job_cancel');
    END IF;
    RETURN jsonb_build_object('job_id', p_job, 'outcome', 'requested', 'lease_owner', v_job.lease_owner);
END
$$;

-- Which of these jobs somebody wants cancelled.
CREATE OR REPLACE FUNCTION ${schema}.fn_job_cancel_wanted(p_jobs uuid[]) RETURNS SETOF uuid
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
BEGIN
    RETURN QUERY
        SELECT q.job_id
        FROM ${schema}.job_queue q
        WHERE q.job_id = ANY (p_jobs) AND q.cancel_requested_at IS NOT NULL;
END
$$;

-- The holder has given a job up: because it was asked to, or because it wants no further attempt and no dead letter.
CREATE OR REPLACE FUNCTION ${schema}.fn_job_give_up(p_job uuid, p_token uuid, p_reason text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
DECLARE
    v_job ${schema}.job_queue;
BEGIN
    SELECT * INTO v_job FROM ${schema}.job_queue q WHERE q.job_id = p_job AND q.lease_token = p_token FOR UPDATE;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    PERFORM ${schema}.fn_job_retire(
        p_job, 'cancelled', v_job.attempts + 1,
        CASE WHEN v_job.cancel_requested_at IS NULL THEN p_reason ELSE v_job.last_error END);
    RETURN true;
END
$$;

-- Has a job that waits for its time, or its next attempt, tried now.
CREATE OR REPLACE FUNCTION ${schema}.fn_job_retry_now(p_job uuid, p_reason text, p_actor text DEFAULT session_user)
RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
DECLARE
    v_job   ${schema}.job_queue;
    v_state text;
BEGIN
    PERFORM ${schema}.fn_job_demand(p_reason, p_actor);
    SELECT * INTO v_job FROM ${schema}.job_queue q WHERE q.job_id = p_job FOR UPDATE;
    IF NOT FOUND THEN
        SELECT h.state INTO v_state FROM ${schema}.job_history h WHERE h.job_id = p_job LIMIT 1;
        RETURN jsonb_build_object('job_id', p_job, 'outcome', CASE WHEN v_state IS NULL THEN 'unknown' ELSE 'ended' END, 'state', v_state);
    ELSIF v_job.state <> 'scheduled' THEN
        RETURN jsonb_build_object('job_id', p_job, 'outcome', v_job.state);
    END IF;
    INSERT INTO ${schema}.operator_act (act, target, actor, reason)
    VALUES ('job_retry', 'job ' || p_job, left(p_actor, 500), left(p_reason, 500));
    UPDATE ${schema}.job_queue q
    SET state = 'queued', scheduled_at = clock_timestamp(), order_at = clock_timestamp() - q.priority * interval '1 minute'
    WHERE q.job_id = p_job;
    IF ${schema}.fn_queue_notify_enabled() THEN
        PERFORM ${schema}.fn_queue_wake(v_job.event_domain, 'job');
    END IF;
    RETURN jsonb_build_object('job_id', p_job, 'outcome', 'queued');
END
$$;

-- Takes jobs from holders whose lease has run out: an attempt that failed. Anybody may call it, as often as they like.
CREATE OR REPLACE FUNCTION ${schema}.fn_job_lease_reaper(
    p_batch_limit integer DEFAULT 100, p_actor text DEFAULT 'lease_reaper')
RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
DECLARE
    v_now    timestamptz := clock_timestamp();
    v_job    ${schema}.job_queue;
    v_counts jsonb := '{"reaped": 0, "retry": 0, "dead": 0, "cancelled": 0}';
    v_what   text;
BEGIN
    IF p_batch_limit IS NULL OR p_batch_limit NOT BETWEEN 1 AND 10000 THEN
        RAISE EXCEPTION USING ERRCODE = '22023',
            MESSAGE = format('batch_limit: ''%s'' is not allowed; allowed are 1 to 10000', p_batch_limit);
    END IF;
    FOR v_job IN
        -- From kind to kind, by the index: so nobody looks at a lease that goes on.
        WITH RECURSIVE kinds AS (
            (SELECT q.job_kind FROM ${schema}.job_queue q WHERE q.state = 'leased' ORDER BY q.job_kind LIMIT 1)
            UNION ALL
            SELECT (SELECT q.job_kind
                    FROM ${schema}.job_queue q
                    WHERE q.state = 'leased' AND q.job_kind > k.job_kind
                    ORDER BY q.job_kind
                    LIMIT 1)
            FROM kinds k
            WHERE k.job_kind IS NOT NULL)
        SELECT l.*
        FROM kinds k
        CROSS JOIN LATERAL (
            SELECT *
            FROM ${schema}.job_queue q
            WHERE q.state = 'leased' AND q.job_kind = k.job_kind AND q.lease_until < v_now
            ORDER BY q.lease_until
            LIMIT p_batch_limit
            FOR UPDATE SKIP LOCKED) l
        LIMIT p_batch_limit
    LOOP
        v_what := ${schema}.fn_job_attempt_failed(
            v_job, 'lease_expired', format('the lease of ''%s'' ran out; taken back by %s', v_job.lease_owner, p_actor),
            NULL, false) ->> 'outcome';
        v_counts := v_counts || jsonb_build_object(
            'reaped', (v_counts ->> 'reaped')::integer + 1, v_what, (v_counts ->> v_what)::integer + 1);
    END LOOP;
    RETURN v_counts;
END
$$;

-- What waits of a kind, and what is leased, each counted up to ten thousand: cheap at any size. The oldest is that of the
-- first ten thousand in their order, which priority moves by a hundred minutes at most. A lease that ran out an hour ago is
-- not counted.
CREATE OR REPLACE FUNCTION ${schema}.fn_job_backlog(
    p_kind text, OUT queued bigint, OUT oldest_due_at timestamptz, OUT leased bigint)
-- Not in the view: there nobody could say that the table is not to be read as a whole.
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
DECLARE
    v_since timestamptz := clock_timestamp() - interval '1 hour';
BEGIN
    SELECT count(*), min(c.scheduled_at) INTO queued, oldest_due_at
    FROM (SELECT q.scheduled_at
          FROM ${schema}.job_queue q
          WHERE q.state = 'queued' AND q.job_kind = p_kind
          ORDER BY q.order_at
          LIMIT 10001) c;
    SELECT count(*) INTO leased
    FROM (SELECT
          FROM ${schema}.job_queue q
          WHERE q.state = 'leased' AND q.job_kind = p_kind AND q.lease_until > v_since
          LIMIT 10001) c;
END
$$;

-- What the holder of a job has to say: a line, and how far it is. At most a thousand lines of an attempt are kept.
CREATE OR REPLACE FUNCTION ${schema}.fn_job_say(
    p_job uuid, p_token uuid, p_line text, p_level text DEFAULT 'info', p_percent integer DEFAULT NULL)
RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
AS $$
DECLARE
    v_attempt integer;
BEGIN
    IF p_level IS NULL OR p_level NOT IN ('info', 'warning', 'error') THEN
        RAISE EXCEPTION USING ERRCODE = '22023',
            MESSAGE = format('level: ''%s'' is not allowed; allowed are info, warning, error', left(p_level, 80));
    ELSIF p_percent NOT BETWEEN 0 AND 100 THEN
        RAISE EXCEPTION USING ERRCODE = '22023',
            MESSAGE = format('percent: ''%s'' is not allowed; allowed are 0 to 100', p_percent);
    END IF;
    SELECT q.attempts + 1 INTO v_attempt
    FROM ${schema}.job_queue q
    WHERE q.job_id = p_job AND q.lease_token = p_token;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    IF (SELECT count(*) FROM ${schema}.job_log l WHERE l.job_id = p_job AND l.attempt = v_attempt) >= 1000 THEN
        RETURN true;
    END IF;
    INSERT INTO ${schema}.job_log (job_id, attempt, level, line, percent)
    VALUES (p_job, v_attempt, p_level, left(coalesce(p_line, ''), 500), p_percent);
    RETURN true;
END
$$;

-- Stops a kind, or lets it go on: what is leased is finished, nothing more is leased. True when that was a change.
CREATE OR REPLACE FUNCTION ${schema}.fn_job_kind_pause(
    p_kind text, p_paused boolean, p_reason text, p_actor text DEFAULT session_user)
RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    v_kind ${schema}.job_kind;
BEGIN
    IF p_paused IS NULL THEN
        RAISE EXCEPTION USING ERRCODE = '22023', MESSAGE = 'paused: '''' is not allowed; allowed are true, false';
    END IF;
    PERFORM ${schema}.fn_job_demand(p_reason, p_actor);
    SELECT * INTO v_kind FROM ${schema}.job_kind k WHERE k.job_kind = p_kind FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'OR003',
            MESSAGE = format('kind: ''%s'' is not registered; ''oneroof job kinds'' has those that are', left(p_kind, 80));
    ELSIF (v_kind.paused_at IS NOT NULL) = p_paused THEN
        RETURN false;
    END IF;
    UPDATE ${schema}.job_kind k
    SET pause_actor = CASE WHEN p_paused THEN p_actor END,
        pause_reason = CASE WHEN p_paused THEN p_reason END,
        paused_at = CASE WHEN p_paused THEN clock_timestamp() END,
        updated_at = clock_timestamp()
    WHERE k.job_kind = p_kind;
    INSERT INTO ${schema}.operator_act (act, target, actor, reason)
    VALUES (CASE WHEN p_paused THEN 'job_kind_pause' ELSE 'job_kind_resume' END, 'kind ' || p_kind, left(p_actor, 500),
            left(p_reason, 500));
    RETURN true;
END
$$;

REVOKE EXECUTE ON FUNCTION
    ${schema}.fn_job_kind_register(
        text, text, text, integer, double precision, double precision, integer, integer, integer, integer,
        double precision, integer, text),
    ${schema}.fn_job_put(uuid[], text[], jsonb[], text[], integer[], timestamptz[], integer[], uuid[], boolean),
    ${schema}.fn_job_enqueue_many(text[], jsonb[], text[], integer[], timestamptz[], integer[], uuid[]),
    ${schema}.fn_job_enqueue(text, jsonb, text, integer, timestamptz, integer, uuid),
    ${schema}.fn_job_promote(integer, boolean),
    ${schema}.fn_job_until_due(),
    ${schema}.fn_job_lease(text[], integer, text, integer, integer[], timestamptz[]),
    ${schema}.fn_job_extend(uuid[], uuid[], integer),
    ${schema}.fn_job_complete_many(uuid[], uuid[]),
    ${schema}.fn_job_complete(uuid, uuid),
    ${schema}.fn_job_retire(uuid, text, integer, text),
    ${schema}.fn_job_fingerprint(text, text, text),
    ${schema}.fn_job_attempt_failed(${schema}.job_queue, text, text, double precision, boolean),
    ${schema}.fn_job_fail(uuid, uuid, text, text, double precision, boolean),
    ${schema}.fn_job_snooze(uuid, uuid, double precision),
    ${schema}.fn_job_hand_back(uuid[], uuid[]),
    ${schema}.fn_job_demand(text, text),
    ${schema}.fn_job_cancel(uuid, text, text),
    ${schema}.fn_job_cancel_wanted(uuid[]),
    ${schema}.fn_job_give_up(uuid, uuid, text),
    ${schema}.fn_job_retry_now(uuid, text, text),
    ${schema}.fn_job_lease_reaper(integer, text),
    ${schema}.fn_job_backlog(text),
    ${schema}.fn_job_say(uuid, uuid, text, text, integer),
    ${schema}.fn_job_kind_pause(text, boolean, text, text)
FROM PUBLIC;

GRANT EXECUTE ON FUNCTION
    ${schema}.fn_job_kind_register(
        text, text, text, integer, double precision, double precision, integer, integer, integer, integer,
        double precision, integer, text),
    ${schema}.fn_job_put(uuid[], text[], jsonb[], text[], integer[], timestamptz[], integer[], uuid[], boolean),
    ${schema}.fn_job_enqueue_many(text[], jsonb[], text[], integer[], timestamptz[], integer[], uuid[]),
    ${schema}.fn_job_enqueue(text, jsonb, text, integer, timestamptz, integer, uuid),
    ${schema}.fn_job_promote(integer, boolean),
    ${schema}.fn_job_until_due(),
    ${schema}.fn_job_cancel(uuid, text, text),
    ${schema}.fn_job_retry_now(uuid, text, text),
    ${schema}.fn_job_lease_reaper(integer, text),
    ${schema}.fn_job_kind_pause(text, boolean, text, text)
TO ${server}, ${admin};

GRANT EXECUTE ON FUNCTION ${schema}.fn_job_backlog(text) TO ${server}, ${admin}, ${viewer};

-- What an executor needs, and no more: it sees a payload only as the result of its lease.
GRANT EXECUTE ON FUNCTION
    ${schema}.fn_job_lease_reaper(integer, text),
    ${schema}.fn_job_lease(text[], integer, text, integer, integer[], timestamptz[]),
    ${schema}.fn_job_extend(uuid[], uuid[], integer),
    ${schema}.fn_job_complete_many(uuid[], uuid[]),
    ${schema}.fn_job_complete(uuid, uuid),
    ${schema}.fn_job_fail(uuid, uuid, text, text, double precision, boolean),
    ${schema}.fn_job_snooze(uuid, uuid, double precision),
    ${schema}.fn_job_hand_back(uuid[], uuid[]),
    ${schema}.fn_job_cancel_wanted(uuid[]),
    ${schema}.fn_job_give_up(uuid, uuid, text),
    ${schema}.fn_job_say(uuid, uuid, text, text, integer)
TO ${server}, ${executor};
