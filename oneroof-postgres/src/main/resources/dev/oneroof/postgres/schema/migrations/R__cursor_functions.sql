-- Which rows of a source a cursor cannot see, as text; null where its contract excludes such rows. Rows behind the re-read
-- window are neither read nor counted, so that no figure of a cursor covers them. Every view and command that shows a
-- cursor's lag or state uses this function.
CREATE OR REPLACE FUNCTION ${schema}.fn_source_not_known(p_contract text, p_ts_column text, p_reread interval)
RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
AS $$
    SELECT CASE
        WHEN p_contract <> 'external' THEN NULL
        -- Registration refuses this: such a row is older than that check, or was inserted directly.
        WHEN p_ts_column IS NULL
        THEN 'new rows may get an id below those already read, and are lost then: the id is not made in order and the'
             || ' source has no time column; remove the source and register it with a time column'
        ELSE 'rows may arrive behind the re-read window of '
             || trim_scale(round(extract(epoch FROM p_reread)::numeric, 3))
             || ' s; an audit or a replay finds them'
    END
$$;

REVOKE EXECUTE ON FUNCTION ${schema}.fn_source_not_known(text, text, interval) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION ${schema}.fn_source_not_known(text, text, interval) TO ${server}, ${admin}, ${viewer};
