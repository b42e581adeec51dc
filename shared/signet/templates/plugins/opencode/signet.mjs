// Signet in OpenCode: what is remembered goes into the system prompt, what was said goes to the memory.
// Written by `signet harness install opencode`; changes are replaced. SIGNET_ENABLED=false switches it off.
// @client

const START_MS = 2_000
const PROMPT_MS = 2_000
const LATER_MS = 10_000

async function toolsOf(client) {
  let made
  try {
    made = await import("@opencode-ai/plugin")
  } catch {
    return {} // OpenCode has not installed its helper; the MCP server offers the same tools.
  }
  const kinds = made.tool.schema
  const argument = (kind) => (kind.endsWith("?") ? kinds[kind.slice(0, -1)]().optional() : kinds[kind]())
  return Object.fromEntries(
    Object.entries(MEMORY_TOOLS).map(([name, tool]) => [
      name,
      made.tool({
        description: tool.description,
        args: Object.fromEntries(Object.entries(tool.args).map(([key, kind]) => [key, argument(kind)])),
        execute: (args) => runTool(tool, client, args),
      }),
    ]),
  )
}

export const Signet = async ({ client: opencode, directory, worktree } = {}) => {
  const env = process.env
  if (env.SIGNET_ENABLED === "false") return {}
  const headers = {
    "x-signet-runtime-path": "plugin",
    "x-signet-actor": "opencode-plugin",
    "x-signet-actor-type": "harness",
    ...(env.SIGNET_TOKEN ? { authorization: `Bearer ${env.SIGNET_TOKEN}` } : {}),
  }
  const url = (env.SIGNET_DAEMON_URL || "http://localhost:3850").replace(/\/+$/, "")
  const signet = signetClient({ url, harness: "opencode", headers })
  const about = { project: worktree && worktree !== "/" ? worktree : directory, agentId: env.SIGNET_AGENT_ID || undefined }
  const sessions = new Map()

  // What is known of a session; its start is told once.
  function session(key) {
    if (!sessions.has(key)) {
      const known = { context: "", next: "", transcript: "" }
      known.started = signet.hook("session-start", { ...about, sessionKey: key }, START_MS).then((told) => {
        known.context = told?.inject || told?.recentContext || ""
      })
      sessions.set(key, known)
    }
    return sessions.get(key)
  }

  async function messagesOf(key) {
    try {
      const told = await opencode.session.messages({ path: { id: key } })
      return told.data ?? []
    } catch {
      return []
    }
  }

  async function heard(key) {
    const messages = await messagesOf(key)
    const said = transcriptOf(messages.map((one) => ({ role: one.info.role, content: one.parts })))
    const known = session(key)
    known.transcript = said || known.transcript
    return known.transcript
  }

  async function ended(key, reason) {
    const transcript = sessions.get(key)?.transcript ?? ""
    sessions.delete(key)
    await signet.keep("session-end", { ...about, sessionKey: key, transcript, reason }, LATER_MS)
  }

  async function summarized(key) {
    const messages = await messagesOf(key)
    const last = messages.findLast((one) => one.info.role === "assistant" && one.info.summary)
    const summary = last && transcriptOf([{ role: "assistant", content: last.parts }]).replace(/^Assistant: /, "")
    if (summary) await signet.hook("compaction-complete", { ...about, sessionKey: key, summary }, LATER_MS)
  }

  return {
    tool: await toolsOf(signet),
    "chat.message": async ({ sessionID }, { parts }) => {
      const known = session(sessionID)
      const text = (parts ?? []).filter((one) => one.type === "text" && !one.synthetic).map((one) => one.text).join("\n")
      if (!text.trim()) return
      const asked = signet.hook("user-prompt-submit", { ...about, sessionKey: sessionID, userMessage: text }, PROMPT_MS)
      const [told] = await Promise.all([asked, known.started])
      known.next = told?.inject ?? ""
    },
    "experimental.chat.system.transform": async ({ sessionID } = {}, { system }) => {
      const known = sessions.get(sessionID)
      if (!known) return
      if (known.context) system.push(known.context)
      if (known.next) system.push(known.next)
      known.next = ""
    },
    "experimental.session.compacting": async ({ sessionID }, { context }) => {
      const told = await signet.hook("pre-compaction", { ...about, sessionKey: sessionID }, PROMPT_MS)
      const text = told?.guidelines || sessions.get(sessionID)?.context
      if (text) context.push(text)
    },
    event: async ({ event }) => {
      const key = event.properties?.sessionID ?? event.properties?.info?.id
      if (!key) return
      if (event.type === "session.created") await session(key).started
      if (event.type === "session.compacted") await summarized(key)
      if (event.type === "session.idle") {
        const transcript = await heard(key)
        // A turn has ended, not the session.
        if (transcript) await signet.hook("session-checkpoint-extract", { ...about, sessionKey: key, transcript }, LATER_MS)
      }
      if (event.type === "session.deleted") await ended(key, "deleted")
    },
  }
}
