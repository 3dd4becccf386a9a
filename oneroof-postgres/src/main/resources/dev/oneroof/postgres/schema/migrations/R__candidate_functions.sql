-- The key of a candidate: its canonical address, or collection and code. The parts' own colons and backslashes are
-- escaped, so that ('a:b', 'c') and ('a', 'b:c') stay two objects. Plain SQL, so that the planner inlines it.
CREATE OR REPLACE FUNCTION ${schema}.fn_candidate_key(p_address text, p_collection text, p_code text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN coalesce(
    p_address,
    replace(replace(p_collection, '\', '\\'), ':', '\:') || ':' || replace(replace(p_code, '\', '\\'), ':', '\:'));

GRANT EXECUTE ON FUNCTION ${schema}.fn_candidate_key(text, text, text) TO ${server}, ${admin}, ${executor}, ${viewer};
