// Written from /openapi.json by `PYTHONPATH=tests python -m client.javascript`; not to be edited.

/** @type {Record<string, string | undefined>} */
export const FIELDS = {
  "POST /api/memory/remember": "agentId aspects changedBy content createdAt entities eventAt harness hints idempotencyKey importance ordinal origin pinned project scope sessionKey sourceId sourceType supersedes tags transcript type visibility who",
  "GET /api/memories": "agentId asOf before cursor eventSince eventUntil facets ids importanceMin limit notOrigin offset order origin pinned project q scope since sort sourceId sourceType space state stats tags total type unreviewed until who",
  "PATCH /api/memory/{memory_id}": "agentId changedBy content ifVersion importance pinned project reason sessionKey tags type who",
  "DELETE /api/memory/{memory_id}": "agentId changedBy erase force ifVersion reason sessionKey wrong",
  "GET /api/memory/{memory_id}": "agentId",
  "POST /api/memory/{memory_id}/recover": "agentId changedBy ifVersion reason sessionKey",
  "POST /api/memory/recall": "agentId asOf asPrompt cards community entities expand explain floor highlights importanceMin keywordQuery limit minScore now pinned project query scope sessionKey since tags timezone touch type until who whyNot",
  "POST /api/memory/context": "agentId id limit maxChars minScore page project prompt scope sessionKey",
  "POST /api/hooks/session-start": "agentId context cwd harness needsContext project repository runtimePath sessionId sessionKey",
  "POST /api/hooks/user-prompt-submit": "agentId cwd harness lastAssistantMessage memoryFeedback project repository runtimePath sessionKey transcript transcriptPath userMessage userPrompt",
  "POST /api/hooks/pre-compaction": "agentId harness project repository runtimePath sessionContext sessionKey",
  "POST /api/hooks/compaction-complete": "agentId harness idempotencyKey project repository runtimePath sessionKey summary",
  "POST /api/hooks/session-checkpoint-extract": "agentId cwd harness project reason repository runtimePath sessionId sessionKey transcript transcriptPath",
  "POST /api/hooks/session-end": "agentId cwd harness project reason repository runtimePath sessionId sessionKey transcript transcriptPath",
  "GET /api/sessions": "agentId cursor harness limit project since state until use",
  "POST /api/sessions/search": "agentId limit project query sessionKey",
  "GET /api/sessions/{session_key}/transcript": "agentId",
  "GET /api/status": "parts",
}
