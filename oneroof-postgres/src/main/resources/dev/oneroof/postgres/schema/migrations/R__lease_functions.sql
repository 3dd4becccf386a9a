-- The name of a session while it works under a lease. Epochs are counted per schema, and a database may hold more
-- than one OneRoof: the sequence's own number tells them apart.
CREATE OR REPLACE FUNCTION ${schema}.fn_session_name(p_epoch bigint) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
RETURN 'oneroof ' || '${schema}.lease_epoch_seq'::regclass::oid::text || ' epoch ' || p_epoch::text;

GRANT EXECUTE ON FUNCTION ${schema}.fn_session_name(bigint) TO ${server}, ${admin}, ${executor}, ${viewer};
