"""SQL of `audit_log`."""

_FIELDS = "at, actor, key_id, agent, action, operation, space, memory_ids, count"
INSERT = f"INSERT INTO audit_log ({_FIELDS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
_MATCHING = f"""
SELECT number, {_FIELDS} FROM audit_log
 WHERE number > :after AND (:since IS NULL OR at >= :since) AND (:until IS NULL OR at <= :until)
   AND (:actor IS NULL OR actor = :actor) AND (:action IS NULL OR action = :action)
   AND (:space IS NULL OR space = :space)"""
PAGE = f"{_MATCHING} ORDER BY number LIMIT :limit"
NEWEST = f"SELECT * FROM ({_MATCHING} ORDER BY number DESC LIMIT :limit) ORDER BY number"
LATEST = "SELECT coalesce(max(at), '') FROM audit_log"
SINCE = f"SELECT {_FIELDS} FROM audit_log WHERE at > ? ORDER BY number"
DELETE_OLD = """
DELETE FROM audit_log WHERE number IN (SELECT number FROM audit_log WHERE at < ? ORDER BY at LIMIT ?)"""
