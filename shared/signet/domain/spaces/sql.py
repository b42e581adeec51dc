"""SQL of `spaces` and `shares`."""

from signet.db.dialect import LIST, list_of

_COUNTS = """
       (SELECT count(*) FROM shares h WHERE h.space = s.name AND h.state = 'shared') AS memories,
       (SELECT count(*) FROM shares h WHERE h.space = s.name AND h.state = 'proposed') AS waiting"""
SPACES = f"""
SELECT s.name, s.description, s.is_reviewed AS review, s.created_by, s.created_at, {_COUNTS}
  FROM spaces s WHERE :name IS NULL OR s.name = :name ORDER BY s.name"""
IS_REVIEWED = "SELECT is_reviewed FROM spaces WHERE name = ?"
ADD_SPACE = """
INSERT INTO spaces (name, description, is_reviewed, created_by, created_at) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (name) DO NOTHING"""
CHANGE_SPACE = """
UPDATE spaces SET description = coalesce(?, description), is_reviewed = coalesce(?, is_reviewed) WHERE name = ?"""
DELETE_SPACE = "DELETE FROM spaces WHERE name = ?"

ADD = """
INSERT INTO shares (id, memory_id, space, state, agent_id, version, before, note, shared_by, shared_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""
_FIELDS = """
h.id, h.memory_id, h.space, h.state, h.agent_id, h.version, h.before, h.note, h.shared_by, h.shared_at, h.decided_by,
h.decided_at, h.ended_by, h.ended_at"""
BY_ID = f"SELECT {_FIELDS} FROM shares h WHERE h.id = ?"
OPEN = f"SELECT {_FIELDS} FROM shares h WHERE h.memory_id = ? AND h.state IN ('proposed', 'shared')"
#: Of the agent, of a space whose proposals the caller decides, or shared in a space that it reads.
PAGE = f"""
SELECT {_FIELDS} FROM shares h
 WHERE (:space IS NULL OR h.space = :space) AND (:state IS NULL OR h.state = :state)
   AND (:memory IS NULL OR h.memory_id = :memory)
   AND (:project IS NULL OR EXISTS (SELECT 1 FROM memories m WHERE m.id = h.memory_id AND m.project = :project))
   AND (:any = 1 OR h.agent_id = :agent OR h.space IN {list_of(":writes")}
     OR h.state = 'shared' AND h.space IN {list_of(":reads")})
   AND (:at IS NULL OR (h.shared_at, h.id) < (:at, :last))
 ORDER BY h.shared_at DESC, h.id DESC LIMIT :limit"""
DECIDE = "UPDATE shares SET state = ?, decided_by = ?, decided_at = ? WHERE id = ?"
END = "UPDATE shares SET state = 'withdrawn', ended_by = ?, ended_at = ? WHERE id = ?"
OPEN_IN = "SELECT id FROM shares WHERE space = ? AND state IN ('proposed', 'shared') LIMIT ?"
WITHDRAWN = "SELECT id FROM shares WHERE state = 'withdrawn'"
DELETE_OF = f"DELETE FROM shares WHERE memory_id IN {LIST}"
