-- Before the files that use it: repeatable migrations run in the order of their names.

-- What differs between two rows, for the details of an act: each field with what it was and what it is.
CREATE OR REPLACE FUNCTION ${schema}.fn_act_changes(p_was jsonb, p_is jsonb) RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
AS $$
    SELECT coalesce(jsonb_object_agg(i.key, jsonb_build_object('from', p_was -> i.key, 'to', i.value)), '{}')
    FROM jsonb_each(p_is) i
    WHERE i.key NOT IN ('created_at', 'updated_at') AND i.value IS DISTINCT FROM p_was -> i.key
$$;

REVOKE EXECUTE ON FUNCTION ${schema}.fn_act_changes(jsonb, jsonb) FROM PUBLIC;
