// Signet in OpenCode: what is remembered goes to the agent with its prompts, what was said goes to the memory.
// The tools come from the MCP server.
// Written by `signet harness install opencode`; changes are replaced. SIGNET_BYPASS=1 switches it off.
import { Signet as Client } from "@signetai/client"
import { quiet, textOf, transcriptOf } from "./transcript.js"

const START = { timeoutMs: 2_000 }
const PROMPT = { timeoutMs: 2_000 }
const LATER = { timeoutMs: 10_000, spool: true }

// So that nobody takes it for the person's words; what is memory in it is enclosed for itself.
const wrapped = (text) => `<signet-context>\n${text}\n</signet-context>`

// A compaction stores its summary as a message of the assistant.
const isSaid = ({ info }) => !(info.role === "assistant" && info.summary)

export const Signet = async ({ client: opencode, directory, worktree } = {}) => {
  const env = process.env
  if (env.SIGNET_ENABLED === "false" || env.SIGNET_BYPASS === "1") return {}
  const signet = new Client({
    workspace: "@workspace",
    url: env.SIGNET_DAEMON_URL || undefined,
    role: "agent",
    actor: "opencode-plugin",
    actorType: "harness",
    headers: { "x-signet-harness": "opencode", "x-signet-runtime-path": "plugin" },
  })
  const project = worktree && worktree !== "/" ? worktree : directory
  const about = { harness: "opencode", runtimePath: "plugin", project, agentId: env.SIGNET_AGENT_ID || undefined }
  const sessions = new Map()

  function session(key) {
    if (!sessions.has(key)) sessions.set(key, { context: "", told: new Map(), transcript: "", isCompacting: false })
    const known = sessions.get(key)
    if (!known.context) known.started ??= start(key, known)
    return known
  }

  // A start that got no answer is tried again at the next prompt.
  async function start(key, known) {
    const told = await quiet(signet.startSession({ ...about, sessionKey: key, needsContext: true }, START))
    known.context = told?.inject || told?.recentContext || ""
    known.started = undefined
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
    const said = transcriptOf(
      messages.filter(isSaid).map(({ info, parts }) => ({ role: info.role, content: parts, timestamp: info.time?.created })),
    )
    const known = sessions.get(key)
    if (known && said) known.transcript = said
    return said || known?.transcript
  }

  async function ended(key, reason) {
    const transcript = sessions.get(key)?.transcript ?? ""
    sessions.delete(key)
    await quiet(signet.endSession({ ...about, sessionKey: key, transcript, reason }, LATER))
  }

  async function summarized(key) {
    const messages = await messagesOf(key)
    const last = messages.findLast((one) => !isSaid(one))
    const summary = last && textOf(last.parts)
    if (summary) await quiet(signet.afterCompaction({ ...about, sessionKey: key, summary }, LATER))
  }

  return {
    // The person typed the command; the text of its file is not theirs. OpenCode stores the mark with the part.
    "command.execute.before": async ({ command, arguments: given }, { parts }) => {
      const said = `/${command} ${given ?? ""}`.trim()
      const texts = (parts ?? []).filter((one) => one.type === "text")
      for (const [place, one] of texts.entries()) one.metadata = { ...one.metadata, signet: place ? "" : said }
    },
    "chat.message": async ({ sessionID }, { message, parts }) => {
      const known = session(sessionID)
      const text = textOf(parts)
      if (!text) return
      await known.started // what a session begins with is not told again with its first prompt
      const told = await quiet(signet.submitPrompt({ ...about, sessionKey: sessionID, userMessage: text }, PROMPT))
      if (told?.inject) known.told.set(message.id, told.inject)
    },
    // Called for each request of the agent itself, and for none that asks for a title. Each text goes with the message
    // that it was found for, in every request that holds this message, so that providers can cache what comes before.
    "experimental.chat.messages.transform": async (_input, { messages }) => {
      const known = sessions.get(messages[0]?.info.sessionID)
      if (!known) return
      if (known.isCompacting) {
        known.isCompacting = false
        return
      }
      let context = known.context
      for (const [place, { info, parts }] of messages.entries()) {
        if (info.role !== "user") continue
        const text = [context, known.told.get(info.id)].filter(Boolean).join("\n\n")
        context = ""
        if (!text) continue
        const added = { id: `prt_signet_${info.id}`, sessionID: info.sessionID, messageID: info.id }
        // A new message: the one that is there is also read for the title.
        messages[place] = { info, parts: [{ ...added, type: "text", synthetic: true, text: wrapped(text) }, ...parts] }
      }
    },
    "experimental.session.compacting": async ({ sessionID }, { context }) => {
      const known = sessions.get(sessionID)
      if (known) known.isCompacting = true
      const told = await quiet(signet.beforeCompaction({ ...about, sessionKey: sessionID }, PROMPT))
      const text = told?.guidelines || known?.context
      if (text) context.push(text)
    },
    event: async ({ event }) => {
      const key = event.properties?.sessionID ?? event.properties?.info?.id
      if (!key) return
      if (event.type === "session.created") await session(key).started
      if (event.type === "session.compacted" && sessions.has(key)) sessions.get(key).isCompacting = false
      if (event.type === "session.compacted") await summarized(key)
      if (event.type === "session.idle") {
        const transcript = await heard(key)
        // A turn has ended, not the session.
        const turn = { ...about, sessionKey: key, transcript, reason: event.type }
        if (transcript) await quiet(signet.endTurn(turn, LATER))
      }
      if (event.type === "session.deleted") await ended(key, "deleted")
    },
  }
}
