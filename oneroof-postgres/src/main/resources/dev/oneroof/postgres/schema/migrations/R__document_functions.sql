-- Of documents, before those who use it: it comes first by its name, so that nobody misses it in an upgrade.

-- Why a document is no signal, in words. Asked where fn_signal_only has said that it is none, which has the same keys. They
-- are named, by the way to them; values are not, since they may be contents.
CREATE OR REPLACE FUNCTION ${schema}.fn_signal_fault(p_document jsonb) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
AS $$
    SELECT CASE
        WHEN p_document IS NULL THEN 'it is missing'
        WHEN jsonb_typeof(p_document) <> 'object' THEN 'it is no object'
        -- Before one steps down: what is walked through is small, and not deep.
        WHEN octet_length(p_document::text) > 8192 THEN format('it has %s bytes', octet_length(p_document::text))
        WHEN p_document @? 'strict $.**{100} ? (@.type() == "object" || @.type() == "array")'
        THEN 'it is more than 100 levels deep'
        ELSE (
            WITH RECURSIVE part AS (
                SELECT '' AS path, NULL AS key, p_document AS value
                UNION ALL
                SELECT m.path, m.key, m.value
                FROM part p
                CROSS JOIN LATERAL (
                    SELECT concat_ws('.', nullif(p.path, ''), o.key), o.key, o.value
                    FROM jsonb_each(CASE jsonb_typeof(p.value) WHEN 'object' THEN p.value ELSE '{}' END) o
                    UNION ALL
                    SELECT format('%s[%s]', p.path, a.no - 1), NULL, a.value
                    FROM jsonb_array_elements(CASE jsonb_typeof(p.value) WHEN 'array' THEN p.value ELSE '[]' END)
                         WITH ORDINALITY a (value, no)) m (path, key, value)
            )
            SELECT format('its key ''%s'' is one of those that hold contents or secrets',
                          -- Whoever wrote a key begins no line of a log.
                          regexp_replace(
                              CASE WHEN length(k.path) > 200 THEN '...' || right(k.path, 200) ELSE k.path END,
                              '[[:cntrl:]]', ' ', 'g'))
            FROM part k
            WHERE lower(k.key COLLATE "C") = ANY (
                '{body,content,raw,vector,embedding,secret,token,password,ssn,personal_data}')
            ORDER BY k.path
            LIMIT 1)
    END
$$;

REVOKE EXECUTE ON FUNCTION ${schema}.fn_signal_fault(jsonb) FROM PUBLIC;
