-- How many lines were left out before this one: past a thousand of an attempt the last line gives way to the next.
ALTER TABLE ${schema}.job_log ADD COLUMN left_out integer NOT NULL DEFAULT 0;

-- Closed letters go by the time they were closed at.
CREATE INDEX job_dead_letter_closed_idx
    ON ${schema}.job_dead_letter (resolved_at) WHERE resolved_at IS NOT NULL;

-- Those that did not end well are few, and are what somebody lists. An index by kind would be of all: to end a job would take
-- a twelfth more of WAL.
CREATE INDEX job_history_unsucceeded_idx ON ${schema}.job_history (job_id) WHERE state <> 'succeeded';

-- As it was, and no deeper than a hundred levels: programs that read it step down a level at a time. One that is flat is not
-- looked at for that.
CREATE OR REPLACE FUNCTION ${schema}.fn_signal_only(p_document jsonb) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN jsonb_typeof(p_document) = 'object'
   AND octet_length(p_document::text) <= 8192
   AND NOT p_document ?| '{body,content,raw,vector,embedding,secret,token,password,ssn,personal_data}'
   AND (p_document::text COLLATE "C" !~ '.[{\[]|"(?:[BCEPRSTV]|[bceprstv]\w*[A-Z])\w*": '
        OR (p_document::text COLLATE "C"
            !~* '[{ ]"(?:body|content|raw|vector|embedding|secret|token|password|ssn|personal_data)": '
            -- Strict: otherwise an array would be taken for what is in it.
            AND NOT p_document @? 'strict $.**{100} ? (@.type() == "object" || @.type() == "array")'));
