// Signet as the memory of OpenClaw. Written by `signet harness install openclaw`; changes are replaced.
// @client

const CALL_MS = 5_000
const HEALTH_MS = 60_000

function schemaOf(args) {
  const entries = Object.entries(args)
  return {
    type: "object",
    properties: Object.fromEntries(entries.map(([name, kind]) => [name, { type: kind.replace("?", "") }])),
    required: entries.filter(([, kind]) => !kind.endsWith("?")).map(([name]) => name),
  }
}

// Session keys are `agent:<id>:<rest>`, so that each agent has its own memory.
function keyOf(context) {
  const key = context?.sessionKey || context?.sessionId
  if (!key) return undefined
  return key.startsWith("agent:") ? key : `agent:${context.agentId || "main"}:${key}`
}

function register(api) {
  const env = process.env
  if (env.SIGNET_ENABLED === "false") return
  const config = api.pluginConfig ?? {}
  const url = (env.SIGNET_DAEMON_URL || config.daemonUrl || "http://localhost:3850").replace(/\/+$/, "")
  const headers = {
    "x-signet-runtime-path": "plugin",
    "x-signet-actor": "openclaw-plugin",
    "x-signet-actor-type": "harness",
    ...(env.SIGNET_TOKEN ? { authorization: `Bearer ${env.SIGNET_TOKEN}` } : {}),
  }
  const signet = signetClient({ url, harness: "openclaw", headers, log: (text) => api.logger?.warn?.(`[signet] ${text}`) })
  const sessions = new Map()
  let isUp = true

  async function look() {
    const was = isUp
    isUp = await signet.ask("GET", "/health", undefined, CALL_MS).then(() => true, () => false)
    if (isUp !== was) api.logger?.info?.(isUp ? "[signet] the daemon is back" : "[signet] the daemon does not answer")
    if (isUp) await signet.deliver()
  }
  const watch = setInterval(look, HEALTH_MS)
  watch.unref?.()
  const looked = look()

  function about(context) {
    return { sessionKey: keyOf(context), agentId: context?.agentId, project: context?.workspaceDir }
  }

  function known(key) {
    if (!sessions.has(key)) sessions.set(key, { isStarted: false, transcript: "" })
    return sessions.get(key)
  }

  async function building(event, context) {
    await looked
    const key = keyOf(context)
    if (!isUp || !key) return undefined
    const session = known(key)
    session.transcript = transcriptOf(event.messages ?? []) || session.transcript
    const asked = { ...about(context), userMessage: event.prompt ?? "", userPrompt: event.prompt ?? "" }
    const start = session.isStarted ? null : signet.hook("session-start", about(context), CALL_MS)
    const [started, told] = await Promise.all([
      start,
      asked.userMessage.trim() ? signet.hook("user-prompt-submit", asked, CALL_MS) : null,
    ])
    session.isStarted ||= started !== null
    const texts = [started?.inject, told?.inject].filter(Boolean)
    return texts.length ? { prependContext: texts.join("\n\n") } : undefined
  }

  async function ended(event, context, reason) {
    const key = keyOf(context) ?? keyOf(event)
    if (!key) return
    const transcript = transcriptOf(event?.messages ?? []) || sessions.get(key)?.transcript || ""
    if (!transcript && reason !== "agent_end" && !sessions.has(key)) return
    await signet.keep("session-end", { ...about(context), sessionKey: key, transcript, reason }, CALL_MS)
  }

  api.on("before_prompt_build", building)
  api.on("agent_end", (event, context) => ended(event, context, "agent_end"))
  api.on("session_end", async (event, context) => {
    await ended(event, context, "session_end")
    sessions.delete(keyOf(context) ?? keyOf(event))
  })
  api.on("before_compaction", async (event, context) => {
    if (keyOf(context)) await signet.hook("pre-compaction", about(context), CALL_MS)
  })
  api.on("after_compaction", async (event, context) => {
    if (!keyOf(context)) return
    known(keyOf(context)).isStarted = false // its context is gone, so it is told again
    if (event?.summary) await signet.hook("compaction-complete", { ...about(context), summary: event.summary }, CALL_MS)
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
