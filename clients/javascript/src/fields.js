// Written from /openapi.json by `PYTHONPATH=tests python -m client.javascript`; not to be edited.

/** @type {Record<string, string | undefined>} */
export const FIELDS = {
  "GET /api/memories": "agentId asOf before cursor eventSince eventUntil facets ids importanceMin limit notOrigin offset order origin pinned project q scope since sort sourceId sourceType space state stats tags total type unreviewed until who",
  "POST /api/memory/remember": "agentId aspect aspects attributes changedBy confidence content createdAt entities entity eventAt harness hints idempotencyKey importance kind name ordinal origin pinned project relationship scope sessionKey source sourceId sourceType supersedes tags target targetType transcript type visibility who",
  "PATCH /api/memory/{memory_id}": "agentId changedBy content ifVersion importance pinned project reason sessionKey tags type who",
  "DELETE /api/memory/{memory_id}": "agentId changedBy erase force ifVersion reason sessionKey wrong",
  "GET /api/memory/{memory_id}": "agentId",
  "POST /api/memory/{memory_id}/recover": "agentId changedBy ifVersion reason sessionKey",
  "POST /api/memory/context": "agentId id limit maxChars minScore page project prompt scope sessionKey",
  "POST /api/memory/recall": "agentId asOf asPrompt cards community entities expand explain floor highlights importanceMin keywordQuery limit minScore now pinned project query scope sessionKey since tags timezone touch type until who whyNot",
  "GET /api/sessions": "agentId cursor harness limit project state use",
  "POST /api/sessions/search": "agentId limit project query sessionKey",
  "GET /api/sessions/{session_key}/transcript": "agentId",
  "GET /api/status": "parts",
}
