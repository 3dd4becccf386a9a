-- Whether statements of this session send wake-ups. SET oneroof.notify = off turns them off: a transaction with a NOTIFY in it
-- cannot be prepared.
CREATE OR REPLACE FUNCTION ${schema}.fn_queue_notify_enabled() RETURNS boolean
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN lower(coalesce(current_setting('oneroof.notify', true), '')) NOT IN ('off', 'false', 'no', '0')
        AND ${schema}.fn_gate_open('queue.notify.bridge_enabled');
END
$$;

-- Wakes the listeners of a domain, unless another session has just done so. The payload is constant: the server sends equal
-- notifications of one transaction once. Commits with a NOTIFY wait for each other across the whole cluster; so one wake-up is
-- sent for all within five milliseconds, and a worker that is woken polls several times.
CREATE OR REPLACE FUNCTION ${schema}.fn_queue_wake(p_domain text, p_layer text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    c_slots CONSTANT regclass[] := ARRAY[
        '${schema}.queue_wake_0', '${schema}.queue_wake_1', '${schema}.queue_wake_2', '${schema}.queue_wake_3',
        '${schema}.queue_wake_4', '${schema}.queue_wake_5', '${schema}.queue_wake_6', '${schema}.queue_wake_7']::regclass[];
    v_hash bigint := hashtextextended(p_layer || ' ' || p_domain, 0) & 1048575;
    v_slot regclass := c_slots[1 + (v_hash & 7)];
    v_now  bigint := floor(extract(epoch FROM clock_timestamp()) * 1000);
    v_last bigint := pg_sequence_last_value(v_slot);
    v_mine text := format(',%s,', v_hash);
    v_done text := coalesce(current_setting('oneroof.woken', true), '');
BEGIN
    -- Once per transaction: its wake-up is sent at its commit. If it took the slot again and again until then, transactions that
    -- commit meanwhile would send none.
    IF strpos(v_done, v_mine) > 0 THEN
        RETURN;
    END IF;
    PERFORM set_config('oneroof.woken', v_done || v_mine, true);
    -- The domain's hash is in the upper bits, the time in milliseconds in the 42 lower ones. After a clock stepped back the
    -- times differ, too.
    IF v_last >> 42 = v_hash AND abs(v_now - (v_last & 4398046511103)) < 5 THEN
        RETURN;
    END IF;
    PERFORM setval(v_slot, (v_hash << 42) | v_now);
    PERFORM pg_notify('queue_wake_' || p_domain, p_layer);
END
$$;

CREATE OR REPLACE FUNCTION ${schema}.fn_queue_wake_notify_event_outbox() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM ${schema}.fn_queue_wake(d.event_domain, 'event')
    FROM (SELECT DISTINCT i.event_domain FROM inserted i) d;
    RETURN NULL;
END
$$;

CREATE OR REPLACE TRIGGER trg_event_outbox_wake_notify
    AFTER INSERT ON ${schema}.event_outbox
    REFERENCING NEW TABLE AS inserted
    FOR EACH STATEMENT
    WHEN (${schema}.fn_queue_notify_enabled())
    EXECUTE FUNCTION ${schema}.fn_queue_wake_notify_event_outbox();

REVOKE EXECUTE ON FUNCTION
    ${schema}.fn_queue_notify_enabled(),
    ${schema}.fn_queue_wake(text, text),
    ${schema}.fn_queue_wake_notify_event_outbox()
FROM PUBLIC;

GRANT EXECUTE ON FUNCTION ${schema}.fn_queue_notify_enabled() TO ${server}, ${admin}, ${executor}, ${viewer};
