// Calls of the Signet daemon. Nothing here ever throws into the harness or waits longer than its limit;
// the end of a session that could not be delivered is kept and sent with the next call that succeeds.
import { readFileSync } from "node:fs"

const MOST_KEPT = 100

// Where the daemon is and the token for it: as the environment says, else the one elsewhere that this machine is
// connected to (`signet connect`), whose key goes nowhere else, else the usual one.
function daemonOf(env, usual) {
  let elsewhere = {}
  try {
    if (!env.SIGNET_DAEMON_URL) elsewhere = JSON.parse(readFileSync("@connection", "utf8"))
  } catch {} // not connected
  const url = (env.SIGNET_DAEMON_URL || elsewhere.url || usual).replace(/\/+$/, "")
  const token = env.SIGNET_TOKEN || elsewhere.key
  return { url, authorization: token ? { authorization: `Bearer ${token}` } : {} }
}

function signetClient({ url, harness, headers, log = () => {} }) {
  const undelivered = new Map()

  async function ask(method, path, body, limitMs) {
    const answer = await fetch(url + path, {
      method,
      headers: { "content-type": "application/json", "x-signet-harness": harness, ...headers },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: AbortSignal.timeout(limitMs),
    })
    const told = await answer.json().catch(() => ({}))
    if (!answer.ok) {
      const error = new Error(told.error || `Signet answered ${answer.status}`)
      throw Object.assign(error, { isRefused: answer.status < 500 })
    }
    return told
  }

  // The answer of a hook, or null when there is none in time.
  async function hook(name, body, limitMs, otherwise = () => {}) {
    try {
      const sent = { harness, runtimePath: "plugin", ...body }
      const told = await ask("POST", `/api/hooks/${name}`, sent, limitMs)
      void deliver()
      return told
    } catch (error) {
      log(`${name}: ${error.message}`)
      if (!error.isRefused) otherwise()
      return null
    }
  }

  // Like `hook`, for what must not be lost: a later call about the same session takes its place.
  async function keep(name, body, limitMs) {
    undelivered.delete(body.sessionKey)
    await hook(name, body, limitMs, () => {
      undelivered.set(body.sessionKey, [name, body])
      if (undelivered.size > MOST_KEPT) undelivered.delete(undelivered.keys().next().value)
    })
  }

  async function deliver() {
    for (const [key, [name, body]] of [...undelivered]) {
      undelivered.delete(key)
      await keep(name, body, 10_000)
    }
  }

  return { ask, hook, keep, deliver }
}

// The text of a message, whose content is a text or a list of parts.
function textOf(content) {
  const parts = typeof content === "string" ? [content] : (content ?? []).filter((one) => one.type === "text" && !one.synthetic).map((one) => one.text)
  return parts.join("\n").trim()
}

// Of what goes into a tool, and comes out of it, so much is handed over; and of all tools of a session, newest first.
const TOOL_CHARS = 8_000
const TOOLS_CHARS = 1_000_000

// The calls of tools among the parts of a message, with what OpenCode says that they answered.
function toolsOf(content) {
  const parts = Array.isArray(content) ? content.filter((one) => one.type === "tool" || one.type === "toolCall") : []
  const kept = parts.map(({ type, id, callID, tool, name, arguments: given, state }) => {
    return { type, id, callID, tool, name, arguments: given, state: state && { input: state.input, output: state.output } }
  })
  return JSON.parse(JSON.stringify(kept, (_name, value) => (typeof value === "string" ? value.slice(0, TOOL_CHARS) : value)))
}

// What was said and done, as lines of JSON that keep the times of messages; `timestamp` is in milliseconds.
function transcriptOf(messages) {
  let room = TOOLS_CHARS
  const fits = (one) => (room -= JSON.stringify(one).length) >= 0
  const lines = []
  for (const { role, content, timestamp, toolCallId } of [...messages].reverse()) {
    const text = textOf(content)
    const result = { type: role, toolCallId, content: text.slice(0, TOOL_CHARS) }
    if (role === "toolResult" && fits(result)) lines.push(result)
    if (role !== "user" && role !== "assistant") continue
    const tools = toolsOf(content)
    const said = tools.length && fits(tools) ? [{ type: "text", text }, ...tools] : text
    if (said) lines.push({ role, content: said, timestamp })
  }
  return lines.reverse().map((one) => JSON.stringify(one)).join("\n")
}
