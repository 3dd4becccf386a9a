-- By default every role may call a function. Here none may, unless granted.
ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;

-- True for a document that carries addresses and figures but no contents: none of the forbidden keys at any depth, in
-- capitals or not, and small enough that no row can be hidden in it. Most are flat, and without a key that has a capital and
-- begins like a forbidden one: two quick tests recognise them. In the text of a document a quotation mark with a colon is
-- the end of a key, and one that is part of a text follows a backslash.
-- No deeper than a hundred levels: programs that read it step down a level at a time. A flat one is not checked for that.
CREATE FUNCTION ${schema}.fn_signal_only(p_document jsonb) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN jsonb_typeof(p_document) = 'object'
   AND octet_length(p_document::text) <= 8192
   AND NOT p_document ?| '{body,content,raw,vector,embedding,secret,token,password,ssn,personal_data}'
   AND (p_document::text COLLATE "C" !~ '.[{\[]|"(?:[BCEPRSTV]|[bceprstv]\w*[A-Z])\w*": '
        OR (p_document::text COLLATE "C"
            !~* '[{ ]"(?:body|content|raw|vector|embedding|secret|token|password|ssn|personal_data)": '
            -- Strict: otherwise an array would be taken for what is in it.
            AND NOT p_document @? 'strict $.**{100} ? (@.type() == "object" || @.type() == "array")'));

GRANT EXECUTE ON FUNCTION ${schema}.fn_signal_only(jsonb) TO ${server}, ${admin}, ${executor}, ${viewer};

-- Gates and settings. A gate that is missing, expired or unreadable is closed.
CREATE TABLE ${schema}.dot_config (
    key         text PRIMARY KEY CHECK (key ~ '^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+$'),
    kind        text NOT NULL CHECK (kind IN ('gate', 'setting')),
    value       text NOT NULL,
    description text NOT NULL,
    actor       text NOT NULL DEFAULT session_user,
    reason      text NOT NULL DEFAULT '',
    expires_at  timestamptz,
    created_at  timestamptz NOT NULL DEFAULT now(),
    updated_at  timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT dot_config_gate_is_open_or_closed CHECK (kind <> 'gate' OR value IN ('true', 'false'))
);

CREATE TABLE ${schema}.dot_config_audit (
    audit_id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key            text NOT NULL,
    old_value      text,
    new_value      text,
    old_expires_at timestamptz,
    new_expires_at timestamptz,
    actor          text NOT NULL,
    reason         text NOT NULL,
    db_user        text NOT NULL DEFAULT session_user,
    -- Not now(), which is the start of the transaction: a long one may make the change at its end.
    changed_at     timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE INDEX dot_config_audit_key_idx ON ${schema}.dot_config_audit (key, audit_id);
