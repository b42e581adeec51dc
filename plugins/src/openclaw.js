// Signet as the memory of OpenClaw. Written by `signet harness install openclaw`; changes are replaced.
import { Signet } from "@signetai/client"
import { quiet, transcriptOf } from "./transcript.js"

const CALL = { timeoutMs: 5_000 }
const KEPT = { ...CALL, spool: true }
const HEALTH_MS = 60_000
// OpenClaw keeps nothing that a hook adds to a prompt, and Signet says nothing twice in a session. So what was told
// goes with each prompt until a compaction: the first of it, and of the rest the newest up to so many characters.
const REPEATED_CHARS = 12_000
// Since then a hook can add to the system prompt, which is the same in each turn and so is cached by providers.
const SYSTEM_SINCE = [2026, 3, 7]
// In the keys of runs that OpenClaw makes for itself.
const OWN_RUNS = "internal-session-effects"

// OpenClaw has a memory_search and a memory_get of its own, whatever holds its memory slot.
const MEMORY_TOOLS = {
  signet_memory_search: {
    description: "Search what is remembered from earlier sessions.",
    args: { query: "string", limit: "number?", type: "string?" },
    call: (signet, { query, ...rest }) => signet.recall(query, { limit: 10, ...rest }, CALL),
    show: (told) =>
      (told.results ?? []).map((one) => `[${one.id}] (${one.type}, ${one.score.toFixed(2)}) ${one.content}`).join("\n") ||
      "Nothing is remembered about this.",
  },
  signet_memory_store: {
    description: "Remember a fact, a decision or a preference for later sessions.",
    args: { content: "string", type: "string?", importance: "number?", tags: "string?" },
    call: (signet, { content, ...rest }) => signet.remember(content, rest, CALL),
    show: (told) => `Remembered as ${told.id ?? told.memoryId}.`,
  },
  signet_memory_get: {
    description: "Read one memory by its id.",
    args: { id: "string" },
    call: (signet, { id }) => signet.memory(id, CALL),
    show: (told) => JSON.stringify(told),
  },
  signet_memory_context: {
    description: "What earlier sessions, commits, notes and rules say about a task, verbatim. Or all of one of them, by its id (session:abc).",
    args: { prompt: "string?", id: "string?", page: "number?" },
    call: (signet, args) => signet.request("POST /api/memory/context", { body: args }, CALL),
    show: (told) =>
      told.pages > 1 ? `${told.text}\n(page ${told.page} of ${told.pages})` : told.text || told.context || "Nothing is remembered about this.",
  },
  signet_memory_list: {
    description: "List the newest memories.",
    args: { limit: "number?", offset: "number?" },
    call: (signet, { limit = 20, offset = 0 }) => signet.request("GET /api/memories", { query: { limit, offset } }, CALL),
    show: (told) => (told.memories ?? []).map((one) => `[${one.id}] (${one.type}) ${one.content}`).join("\n"),
  },
  signet_memory_modify: {
    description: "Change a memory; the reason is kept in its history.",
    args: { id: "string", reason: "string", content: "string?", type: "string?", importance: "number?" },
    call: (signet, { id, ...rest }) => signet.modify(id, rest, CALL),
    show: () => "Changed.",
  },
  signet_memory_forget: {
    description: "Forget a memory; the reason is kept, and it can be recovered for a while.",
    args: { id: "string", reason: "string" },
    call: (signet, { id, reason }) => signet.forget(id, { reason }, CALL),
    show: () => "Forgotten.",
  },
}

async function runTool(tool, signet, args) {
  try {
    return tool.show(await tool.call(signet, args))
  } catch (error) {
    return `The memory is not available: ${error.message}`
  }
}

function schemaOf(args) {
  const entries = Object.entries(args)
  return {
    type: "object",
    properties: Object.fromEntries(entries.map(([name, kind]) => [name, { type: kind.replace("?", "") }])),
    required: entries.filter(([, kind]) => !kind.endsWith("?")).map(([name]) => name),
  }
}

// Session keys are `agent:<id>:<rest>`, so that each agent has its own memory. A run of OpenClaw's own, such as its
// notes before a compaction, is no session.
function keyOf(context) {
  const key = context?.sessionKey || context?.sessionId
  if (!key || context.trigger === "memory" || key.includes(OWN_RUNS)) return undefined
  return key.startsWith("agent:") ? key : `agent:${context.agentId || "main"}:${key}`
}

function repeated([first, ...rest]) {
  if (first === undefined) return []
  let room = REPEATED_CHARS - first.length
  const start = rest.findLastIndex((text) => (room -= text.length) < 0)
  return [first, ...rest.slice(start + 1)]
}

function isSince(version, wanted) {
  const parts = String(version ?? "").split(/[.-]/).map(Number)
  const place = wanted.findIndex((number, n) => parts[n] !== number)
  return place < 0 || parts[place] > wanted[place]
}

function register(api) {
  const env = process.env
  if (env.SIGNET_ENABLED === "false" || env.SIGNET_BYPASS === "1") return
  const config = api.pluginConfig ?? {}
  const signet = new Signet({
    workspace: "@workspace",
    url: env.SIGNET_DAEMON_URL || config.daemonUrl || undefined,
    role: "agent",
    actor: "openclaw-plugin",
    actorType: "harness",
    headers: { "x-signet-harness": "openclaw", "x-signet-runtime-path": "plugin" },
  })
  const attempt = (call) => quiet(call, (text) => api.logger?.warn?.(`[signet] ${text}`))
  const sessions = new Map()
  const hasSystem = isSince(api.runtime?.version, SYSTEM_SINCE)
  let isUp = true

  async function look() {
    const was = isUp
    isUp = await signet.request("GET /health", {}, CALL).then(() => true, () => false)
    if (isUp !== was) api.logger?.info?.(isUp ? "[signet] the daemon is back" : "[signet] the daemon does not answer")
  }
  const watch = setInterval(look, HEALTH_MS)
  watch.unref?.()
  const looked = look()

  function about(context) {
    const key = { sessionKey: keyOf(context), agentId: context?.agentId, project: context?.workspaceDir }
    return { harness: "openclaw", runtimePath: "plugin", ...key }
  }

  function known(key) {
    if (!sessions.has(key)) sessions.set(key, { isStarted: false, context: "", told: [], transcript: "" })
    return sessions.get(key)
  }

  async function building(event, context) {
    await looked
    const key = keyOf(context)
    if (!isUp || !key) return undefined
    const session = known(key)
    session.transcript = transcriptOf(event.messages ?? []) || session.transcript
    const asked = { ...about(context), userMessage: event.prompt ?? "", userPrompt: event.prompt ?? "" }
    const start = { ...about(context), needsContext: true }
    // One after the other: what a session begins with is not told again with its first prompt.
    const started = session.isStarted ? null : await attempt(signet.startSession(start, CALL))
    const told = asked.userMessage.trim() ? await attempt(signet.submitPrompt(asked, CALL)) : null
    if (started) Object.assign(session, { isStarted: true, context: started.inject ?? "" })
    const before = repeated(session.told)
    if (told?.memoryCount) session.told = [...before, told.inject]
    const prepended = [...before, told?.inject]
    if (!hasSystem) prepended.unshift(session.context)
    const found = { prependContext: prepended.filter(Boolean).join("\n\n") }
    if (hasSystem) found.appendSystemContext = session.context
    return Object.values(found).some(Boolean) ? found : undefined
  }

  async function ended(event, context, reason) {
    const key = keyOf(context) ?? keyOf({ ...event, trigger: context?.trigger })
    if (!key) return
    const transcript = transcriptOf(event?.messages ?? []) || sessions.get(key)?.transcript || ""
    if (!transcript && reason !== "agent_end" && !sessions.has(key)) return
    await attempt(signet.endSession({ ...about(context), sessionKey: key, transcript, reason }, KEPT))
  }

  api.on("before_prompt_build", building)
  api.on("agent_end", (event, context) => ended(event, context, "agent_end"))
  api.on("session_end", async (event, context) => {
    await ended(event, context, "session_end")
    sessions.delete(keyOf(context) ?? keyOf({ ...event, trigger: context?.trigger }))
  })
  api.on("before_compaction", async (event, context) => {
    if (keyOf(context)) await attempt(signet.beforeCompaction(about(context), CALL))
  })
  api.on("after_compaction", async (event, context) => {
    if (!keyOf(context)) return
    Object.assign(known(keyOf(context)), { isStarted: false, told: [] }) // the daemon tells all of it again
    if (event?.summary) await attempt(signet.afterCompaction({ ...about(context), summary: event.summary }, CALL))
  })
  for (const [name, tool] of Object.entries(MEMORY_TOOLS)) {
    api.registerTool({
      name,
      label: name,
      description: tool.description,
      parameters: schemaOf(tool.args),
      execute: async (_id, args) => ({ content: [{ type: "text", text: await runTool(tool, signet, args) }] }),
    })
  }
}

export default {
  id: "signet-memory-openclaw",
  name: "Signet",
  description: "Persistent memory for agents, on your own machine",
  kind: "memory",
  register,
}
