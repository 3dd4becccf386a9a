-- The key of a candidate: its canonical address, or collection and code. The parts' own colons and backslashes are
-- escaped, so that ('a:b', 'c') and ('a', 'b:c') stay two objects. Plain SQL, so that the planner inlines it.
CREATE OR REPLACE FUNCTION ${schema}.fn_candidate_key(p_address text, p_collection text, p_code text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN coalesce(
    p_address,
    replace(replace(p_collection, '\', '\\'), ':', '\:') || ':' || replace(replace(p_code, '\', '\\'), ':', '\:'));

GRANT EXECUTE ON FUNCTION ${schema}.fn_candidate_key(text, text, text) TO ${server}, ${admin}, ${executor}, ${viewer};

-- The ruleset version that candidates are kept under. Without one nothing can be judged, and that is no row's fault: the
-- error says that something is not ready, and not that the data is bad.
CREATE OR REPLACE FUNCTION ${schema}.fn_ruleset_version() RETURNS integer
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    v_value text;
BEGIN
    SELECT value INTO v_value FROM ${schema}.dot_config WHERE key = 'governance.ruleset_version' AND kind = 'setting';
    IF v_value IS NULL OR v_value !~ '^[1-9][0-9]{0,8}$' THEN
        RAISE EXCEPTION 'governance.ruleset_version: ''%'' is not allowed; allowed is a whole number from 1 on',
            coalesce(v_value, 'nothing')
            USING ERRCODE = '55000';
    END IF;
    RETURN v_value::integer;
END
$$;

GRANT EXECUTE ON FUNCTION ${schema}.fn_ruleset_version() TO ${server}, ${admin}, ${executor}, ${viewer};
