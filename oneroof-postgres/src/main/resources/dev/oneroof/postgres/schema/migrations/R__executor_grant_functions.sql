-- The boundary between executors: what a login may lease, end, beat for and emit; see queue_executor_grant.
--
-- The functions that ${executor} may call run with their owner's rights, so they check the login: session_user. That is
-- the same after SET ROLE, and within any function on the way. They ask once a call. The server's own sessions are known by
-- pg_has_role alone, in the calling function; only the others come here.

-- Whether grants are not asked of this login: it has, or may take, the rights of the server, of an admin or of the owner. A
-- superuser has them all.
CREATE OR REPLACE FUNCTION ${schema}.fn_executor_exempt(p_login oid) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    SELECT pg_has_role(p_login, '${server}'::regrole, m.privilege)
        OR pg_has_role(p_login, '${admin}'::regrole, m.privilege)
        -- Here that is the owner.
        OR pg_has_role(p_login, current_user, m.privilege)
    -- Up to 15 a member inherits the rights or may take the role. From 16 on there are members that may do neither.
    FROM (SELECT CASE WHEN current_setting('server_version_num')::integer >= 160000 THEN 'USAGE, SET' ELSE 'MEMBER' END)
        m (privilege)
$$;

CREATE OR REPLACE FUNCTION ${schema}.fn_executor_bounded() RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$ SELECT NOT ${schema}.fn_executor_exempt(quote_ident(session_user)::regrole) $$;

-- Domains in which OneRoof itself emits. A listener takes an event there for OneRoof's own.
CREATE OR REPLACE FUNCTION ${schema}.fn_event_domain_internal(p_domain text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN p_domain IN ('system', 'governance');

-- Which of these names are not granted to the login of this session, whether it is exempt or not.
CREATE OR REPLACE FUNCTION ${schema}.fn_executor_not_granted(p_subject text, p_names text[]) RETURNS SETOF text
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
-- A plan that was made while there were few grants must not be one that reads them all for each name.
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off
SET enable_mergejoin = off SET jit = off
AS $$
DECLARE
    v_login regrole := quote_ident(session_user)::regrole;
BEGIN
    RETURN QUERY
        SELECT n.name
        FROM (SELECT DISTINCT u.name FROM unnest(p_names) u (name)) n
        LEFT JOIN LATERAL (
            SELECT true AS holds
            FROM ${schema}.queue_executor_grant g
            WHERE g.login = v_login AND g.subject = p_subject AND g.name = n.name
            LIMIT 1) exact ON true
        -- In this order: the prefixes of a login are read one by one.
        WHERE CASE WHEN exact.holds IS NULL THEN (
                  SELECT true
                  FROM ${schema}.queue_executor_grant g
                  WHERE g.login = v_login AND g.subject = p_subject AND right(g.name, 1) = '*'
                    AND starts_with(n.name, left(g.name, -1))
                  LIMIT 1) IS NULL
              ELSE false END
        UNION
        SELECT u.name FROM unnest(p_names) u (name) WHERE p_subject = 'domain' AND ${schema}.fn_event_domain_internal(u.name);
END
$$;

-- Refuses what is not granted to the login of this session. All of these names must be.
--
-- OR004: not granted.
CREATE OR REPLACE FUNCTION ${schema}.fn_executor_demand(p_subject text, p_names text[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    v_name    text;
    v_granted text;
BEGIN
    IF NOT ${schema}.fn_executor_bounded() THEN
        RETURN;
    END IF;
    SELECT n INTO v_name FROM ${schema}.fn_executor_not_granted(p_subject, p_names) n ORDER BY n LIMIT 1;
    IF NOT FOUND THEN
        RETURN;
    ELSIF p_subject = 'domain' AND ${schema}.fn_event_domain_internal(v_name) THEN
        RAISE EXCEPTION USING ERRCODE = 'OR004',
            MESSAGE = format('login: ''%s'' may not emit domain ''%s'': it is internal, and never an executor''s',
                             session_user, v_name),
            HINT = 'Emit in a domain of your own.';
    END IF;
    -- Ten are enough for a message.
    SELECT string_agg(CASE WHEN g.no <= 10 THEN format('''%s''', left(g.name, 80)) ELSE 'more' END, ', ' ORDER BY g.no)
    INTO v_granted
    FROM (SELECT g.name, row_number() OVER (ORDER BY g.name) AS no
          FROM ${schema}.queue_executor_grant g
          WHERE g.login = quote_ident(session_user)::regrole AND g.subject = p_subject
          ORDER BY g.name
          LIMIT 11) g;
    RAISE EXCEPTION USING ERRCODE = 'OR004',
        MESSAGE = format('login: ''%s'' is not granted %s %s; %s', session_user, p_subject,
                         CASE WHEN v_name IS NULL THEN 'NULL' ELSE format('''%s''', left(v_name, 80)) END,
                         CASE WHEN v_granted IS NULL THEN 'nothing is granted'
                              WHEN strpos(v_granted, ''', ''') > 0 THEN 'granted are ' || v_granted
                              ELSE 'granted is ' || v_granted END),
        HINT = format('An operator grants it: oneroof executor grant LOGIN --%s NAME --reason TEXT', p_subject);
END
$$;

-- Refuses jobs that this login may not touch, though it has their tokens: of a kind that is not granted, or leased by an
-- executor that is not. A job whose token does not match is left out: the caller treats it as lost.
CREATE OR REPLACE FUNCTION ${schema}.fn_executor_demand_jobs(p_jobs uuid[], p_tokens uuid[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET jit = off
SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
DECLARE
    v_kinds  text[];
    v_owners text[];
BEGIN
    IF NOT ${schema}.fn_executor_bounded() THEN
        RETURN;
    END IF;
    SELECT array_agg(DISTINCT l.job_kind), array_agg(DISTINCT l.lease_owner)
    INTO v_kinds, v_owners
    FROM unnest(p_jobs, p_tokens) g (id, token)
    CROSS JOIN LATERAL (
        SELECT q.job_kind, q.lease_owner
        FROM ${schema}.job_queue q
        WHERE q.job_id = g.id AND q.lease_token = g.token
        LIMIT 1) l;
    PERFORM ${schema}.fn_executor_demand('kind', v_kinds);
    PERFORM ${schema}.fn_executor_demand('executor', v_owners);
END
$$;

-- Grants of logins that were dropped. They open nothing; but a dump has only their number, which on another server may be
-- another role's.
CREATE OR REPLACE FUNCTION ${schema}.fn_executor_grants_forget() RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    WITH gone AS (
        DELETE FROM ${schema}.queue_executor_grant g
        WHERE NOT EXISTS (SELECT FROM pg_roles r WHERE r.oid = g.login)
        RETURNING g.login, g.subject, g.name)
    INSERT INTO ${schema}.operator_act (act, target, actor, reason, details)
    SELECT 'executor_revoke', 'login ' || g.login::oid, 'fn_executor_grants_forget', 'the login was dropped',
           jsonb_build_object('names', jsonb_agg(g.subject || ' ' || g.name ORDER BY g.subject, g.name))
    FROM gone g
    GROUP BY g.login
$$;

-- The login of this name, as the catalog has it: quotation marks and capitals are part of a name.
CREATE OR REPLACE FUNCTION ${schema}.fn_executor_login(p_login text) RETURNS regrole
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    v_role record;
BEGIN
    SELECT r.oid::regrole AS login, r.rolcanlogin INTO v_role FROM pg_roles r WHERE r.rolname = p_login;
    IF NOT FOUND THEN
        RAISE EXCEPTION USING ERRCODE = 'OR003',
            MESSAGE = format('login: there is no role ''%s''%s', left(p_login, 80),
                             (SELECT format('; there is ''%s''', r.rolname) FROM pg_roles r
                              WHERE lower(r.rolname) = lower(btrim(p_login, '" ')) LIMIT 1)),
            HINT = 'Create it with: CREATE ROLE … LOGIN IN ROLE ${executor}';
    ELSIF NOT v_role.rolcanlogin THEN
        RAISE EXCEPTION USING ERRCODE = '22023',
            MESSAGE = format('login: ''%s'' is not allowed; allowed is a role that can log in, and this one cannot', p_login);
    END IF;
    RETURN v_role.login;
END
$$;

-- All that is named, in one form.
CREATE OR REPLACE FUNCTION ${schema}.fn_executor_names(p_kinds text[], p_executors text[], p_domains text[])
RETURNS TABLE (subject text, name text)
LANGUAGE sql IMMUTABLE
AS $$
    SELECT 'kind', k FROM unnest(p_kinds) k
    UNION SELECT 'executor', e FROM unnest(p_executors) e
    UNION SELECT 'domain', d FROM unnest(p_domains) d
$$;

-- Grants to a login what it does not have yet, all or nothing. A name is exact, or a prefix with a * at its end.
-- Returns how many are new.
CREATE OR REPLACE FUNCTION ${schema}.fn_executor_grant(
    p_login text,
    p_reason text,
    p_actor text DEFAULT session_user,
    p_kinds text[] DEFAULT NULL,
    p_executors text[] DEFAULT NULL,
    p_domains text[] DEFAULT NULL)
RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    v_login regrole;
    v_bad   record;
    v_new   jsonb;
BEGIN
    PERFORM ${schema}.fn_job_demand(p_reason, p_actor);
    v_login := ${schema}.fn_executor_login(p_login);
    SELECT n.subject, n.name,
           CASE n.subject
               WHEN 'kind' THEN 'allowed are 1 to 100 of a-z, 0-9, _ and ., beginning with a letter, or the beginning of one and *'
               WHEN 'executor' THEN 'allowed are 1 to 500 bytes'
               ELSE CASE WHEN ${schema}.fn_event_domain_internal(n.name) THEN 'it is internal, and never an executor''s'
                         ELSE 'allowed are 1 to 50 of a-z, 0-9 and _, beginning with a letter, or the beginning of one and *' END
           END AS why
    INTO v_bad
    FROM ${schema}.fn_executor_names(p_kinds, p_executors, p_domains) n
    WHERE NOT coalesce(
        CASE n.subject
            WHEN 'kind' THEN n.name ~ '^([a-z][a-z0-9_.]{0,99}|([a-z][a-z0-9_.]{0,98})?\*)$'
            WHEN 'executor' THEN octet_length(n.name) BETWEEN 1 AND 500
            ELSE n.name ~ '^([a-z][a-z0-9_]{0,49}|([a-z][a-z0-9_]{0,48})?\*)$'
                 AND NOT ${schema}.fn_event_domain_internal(n.name)
        END, false)
    ORDER BY n.subject, n.name
    LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION USING ERRCODE = '22023',
            MESSAGE = format('%s: ''%s'' is not allowed; %s', v_bad.subject, left(v_bad.name, 120), v_bad.why);
    ELSIF NOT EXISTS (SELECT FROM ${schema}.fn_executor_names(p_kinds, p_executors, p_domains)) THEN
        RAISE EXCEPTION USING ERRCODE = '22023',
            MESSAGE = 'grant: nothing is named; allowed are kinds, executors and domains, at least one';
    END IF;
    PERFORM ${schema}.fn_executor_grants_forget();
    WITH granted AS (
        INSERT INTO ${schema}.queue_executor_grant (login, subject, name, actor, reason)
        SELECT v_login, n.subject, n.name, left(p_actor, 500), left(p_reason, 500)
        FROM ${schema}.fn_executor_names(p_kinds, p_executors, p_domains) n
        -- One order for all: two that grant the same at once wait for each other one way only.
        ORDER BY n.subject, n.name COLLATE "C"
        ON CONFLICT DO NOTHING
        RETURNING subject, name)
    SELECT jsonb_agg(g.subject || ' ' || g.name ORDER BY g.subject, g.name) INTO v_new FROM granted g;
    IF v_new IS NULL THEN
        RETURN 0;
    END IF;
    INSERT INTO ${schema}.operator_act (act, target, actor, reason, details)
    VALUES ('executor_grant', 'login ' || p_login, left(p_actor, 500), left(p_reason, 500),
            jsonb_build_object('names', v_new));
    RETURN jsonb_array_length(v_new);
END
$$;

-- Takes grants from a login: those that are named, or with p_all every one. What it has leased it can end no more; such a
-- lease expires. Returns how many there were.
CREATE OR REPLACE FUNCTION ${schema}.fn_executor_revoke(
    p_login text,
    p_reason text,
    p_actor text DEFAULT session_user,
    p_kinds text[] DEFAULT NULL,
    p_executors text[] DEFAULT NULL,
    p_domains text[] DEFAULT NULL,
    p_all boolean DEFAULT false)
RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    v_login regrole;
    v_gone  jsonb;
BEGIN
    PERFORM ${schema}.fn_job_demand(p_reason, p_actor);
    IF coalesce(p_all, false)
       = EXISTS (SELECT FROM ${schema}.fn_executor_names(p_kinds, p_executors, p_domains)) THEN
        RAISE EXCEPTION USING ERRCODE = '22023',
            MESSAGE = 'revoke: allowed are kinds, executors and domains, at least one, or all of them';
    END IF;
    -- Of a role that cannot log in any more, too.
    SELECT r.oid INTO v_login FROM pg_roles r WHERE r.rolname = p_login;
    IF NOT FOUND THEN
        v_login := ${schema}.fn_executor_login(p_login);
    END IF;
    PERFORM ${schema}.fn_executor_grants_forget();
    WITH gone AS (
        DELETE FROM ${schema}.queue_executor_grant g
        WHERE g.login = v_login
          AND (p_all OR (g.subject, g.name) IN (
              SELECT n.subject, n.name FROM ${schema}.fn_executor_names(p_kinds, p_executors, p_domains) n))
        RETURNING g.subject, g.name)
    SELECT jsonb_agg(g.subject || ' ' || g.name ORDER BY g.subject, g.name) INTO v_gone FROM gone g;
    IF v_gone IS NULL THEN
        RETURN 0;
    END IF;
    INSERT INTO ${schema}.operator_act (act, target, actor, reason, details)
    VALUES ('executor_revoke', 'login ' || p_login, left(p_actor, 500), left(p_reason, 500),
            jsonb_build_object('names', v_gone));
    RETURN jsonb_array_length(v_gone);
END
$$;

-- Whether grants to a login have an effect, and why not. Not in the view: a role's number must not stand in one.
CREATE OR REPLACE FUNCTION ${schema}.fn_executor_grant_state(p_login oid) RETURNS text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
    SELECT CASE
        WHEN r.oid IS NULL THEN 'dropped'
        WHEN ${schema}.fn_executor_exempt(p_login) THEN 'exempt'
        WHEN NOT r.rolcanlogin THEN 'no login'
        WHEN NOT pg_has_role(p_login, '${executor}'::regrole, 'MEMBER') THEN 'no executor'
        ELSE 'granted'
    END
    FROM (SELECT) one
    LEFT JOIN pg_roles r ON r.oid = p_login
$$;

CREATE OR REPLACE VIEW ${schema}.v_executor_grant AS
SELECT coalesce(r.rolname::text, g.login::oid::text) AS login, g.subject, g.name, s.state, g.actor, g.reason, g.db_user,
       g.granted_at
FROM ${schema}.queue_executor_grant g
-- Once for each login.
JOIN (SELECT l.login, ${schema}.fn_executor_grant_state(l.login) AS state
      FROM (SELECT DISTINCT d.login FROM ${schema}.queue_executor_grant d) l) s ON s.login = g.login
LEFT JOIN pg_catalog.pg_roles r ON r.oid = g.login;

GRANT SELECT ON ${schema}.v_executor_grant TO ${viewer}, ${admin}, ${server};

REVOKE EXECUTE ON FUNCTION
    ${schema}.fn_executor_exempt(oid),
    ${schema}.fn_executor_grant_state(oid),
    ${schema}.fn_executor_bounded(),
    ${schema}.fn_event_domain_internal(text),
    ${schema}.fn_executor_not_granted(text, text[]),
    ${schema}.fn_executor_demand(text, text[]),
    ${schema}.fn_executor_demand_jobs(uuid[], uuid[]),
    ${schema}.fn_executor_grants_forget(),
    ${schema}.fn_executor_login(text),
    ${schema}.fn_executor_names(text[], text[], text[]),
    ${schema}.fn_executor_grant(text, text, text, text[], text[], text[]),
    ${schema}.fn_executor_revoke(text, text, text, text[], text[], text[], boolean)
FROM PUBLIC;

-- The view asks it.
GRANT EXECUTE ON FUNCTION ${schema}.fn_executor_grant_state(oid) TO ${viewer}, ${admin}, ${server};

GRANT EXECUTE ON FUNCTION
    ${schema}.fn_executor_grant(text, text, text, text[], text[], text[]),
    ${schema}.fn_executor_revoke(text, text, text, text[], text[], text[], boolean)
TO ${admin}, ${server};
