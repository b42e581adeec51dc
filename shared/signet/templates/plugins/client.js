// Calls of the Signet daemon. Nothing here ever throws into the harness or waits longer than its limit.
// The transcript of a session that could not be delivered waits in the spool of the workspace, as those of hooks do.
import { createHash, createHmac, randomBytes } from "node:crypto"
import { existsSync, lstatSync, mkdirSync, readFileSync, readdirSync, renameSync, statSync, unlinkSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { dirname } from "node:path"

// The spool, with the limits that signet/domain/sessions/spool.py has.
const SPOOL = "@spool"
const MOST_ENTRIES = 5_000
const MOST_BYTES = 512 * 1_048_576
// Longer is no head, and no proof.
const MOST_HEAD = 16_384
// The private folder of the workspace's daemon, and its socket.
const FOLDER = "@daemon"
const SOCKET = "@socket"
const TOKEN_SECONDS = 300

// The daemon to call and the token for it: the one that the environment or a setting names, the one elsewhere that this
// machine is connected to (`signet connect`), whose key goes nowhere else; without a URL the workspace's own daemon.
function daemonOf(env, named) {
  const url = env.SIGNET_DAEMON_URL || named
  const elsewhere = (!url && json(() => readFileSync(`${FOLDER}/connection.json`))) || {}
  const token = env.SIGNET_TOKEN || elsewhere.key
  return { elsewhere: url ? "" : elsewhere.url || "", url: (url || elsewhere.url)?.replace(/\/+$/, ""), authorization: token ? { authorization: `Bearer ${token}` } : {} }
}

function json(read) {
  try {
    return JSON.parse(read())
  } catch {
    return undefined
  }
}

// The path of the daemon's socket, if no other user could have put it there.
function socketPath() {
  try {
    const folder = lstatSync(dirname(SOCKET))
    const socket = lstatSync(SOCKET)
    const isPrivate = folder.isDirectory() && !(folder.mode & 0o022)
    const isOurs = folder.uid === process.getuid() && socket.uid === folder.uid
    return isPrivate && isOurs && socket.isSocket() ? SOCKET : undefined
  } catch {
    return undefined
  }
}

// A connection that is cut when the time is over.
function opened(place, signal) {
  return new Promise((resolve, reject) => {
    const socket = connect(place)
    const stop = () => socket.destroy(new Error("no answer in time"))
    signal.addEventListener("abort", stop, { once: true })
    socket.on("error", reject).once("connect", () => resolve(socket))
  })
}

// Sends one request, and resolves with the status and the body of the answer, which states its length.
function exchange(socket, method, path, headers, body = "", most = Infinity) {
  const { pathname, search } = new URL(path, "http://localhost")
  const length = Buffer.byteLength(body)
  const lines = [...new Headers({ host: "localhost", ...headers, "content-length": length })] // throws for a line break
  const head = [`${method} ${pathname}${search} HTTP/1.1`, ...lines.map(([name, value]) => `${name}: ${value}`), "", ""]
  return new Promise((resolve, reject) => {
    let received = Buffer.alloc(0)
    const fail = (error) => reject(error instanceof Error ? error : new Error("the connection broke"))
    const hear = (data) => {
      received = Buffer.concat([received, data])
      const end = received.indexOf("\r\n\r\n")
      if (end < 0 && received.length < MOST_HEAD) return
      const said = received.toString("latin1", 0, Math.max(end, 0))
      const status = Number(said.match(/^HTTP\/1\.[01] (\d{3})/)?.[1])
      const size = Number(said.match(/\r\ncontent-length: *(\d+)/i)?.[1])
      if (!status || !(size <= most)) return fail(new Error("it is not a Signet daemon"))
      const text = received.subarray(end + 4)
      if (text.length < size) return
      socket.off("data", hear).off("error", fail).off("close", fail)
      resolve({ status, text: text.toString() })
    }
    if (socket.destroyed) return fail()
    socket.on("data", hear).on("error", fail).on("close", fail)
    socket.write(head.join("\r\n") + body)
  })
}

// A connection to the workspace's own daemon, and the headers that say who calls. Any user may listen on a TCP port, so
// who answers there proves first that it has the workspace token. The proof contains the port.
async function ownDaemon(actor, signal) {
  const path = socketPath()
  const local = path && (await opened({ path }, signal).catch(() => undefined))
  if (local) return [local, {}]
  let key
  try {
    key = readFileSync(`${FOLDER}/token`)
  } catch {
    throw new Error("the daemon is not running")
  }
  const { hostname, port } = new URL(json(() => readFileSync(`${FOLDER}/state.json`))?.url ?? "http://127.0.0.1:3850")
  const socket = await opened({ host: hostname, port: Number(port) }, signal)
  try {
    const nonce = randomBytes(16).toString("hex")
    const { text } = await exchange(socket, "GET", `/api/auth/proof?nonce=${nonce}`, {}, "", MOST_HEAD)
    const proof = createHmac("sha256", key).update(`signet-server-proof\0${nonce}\0${port}`).digest("hex")
    if (json(() => text)?.proof !== proof) throw new Error("it is not a Signet daemon")
  } catch (error) {
    socket.destroy()
    throw new Error(`no daemon of this workspace answers on port ${port}: ${error.message}`)
  }
  const now = Math.floor(Date.now() / 1000)
  const claims = { sub: actor, role: "agent", scope: {}, iat: now, exp: now + TOKEN_SECONDS, own: true }
  const payload = Buffer.from(JSON.stringify(claims)).toString("base64url")
  const signature = createHmac("sha256", key).update(payload).digest("base64url")
  return [socket, { authorization: `Bearer ${payload}.${signature}` }]
}

async function askOwn(method, path, headers, body, limitMs) {
  const [socket, own] = await ownDaemon(headers["x-signet-actor"], AbortSignal.timeout(limitMs))
  try {
    return await exchange(socket, method, path, { connection: "close", ...own, ...headers }, body)
  } finally {
    socket.destroy()
  }
}

async function askNamed(url, method, path, headers, body, limitMs) {
  const answer = await fetch(url + path, { method, headers, body, signal: AbortSignal.timeout(limitMs) })
  return { status: answer.status, text: await answer.text() }
}

// A name that sorts by time, as version 7 of UUID does.
function orderedName() {
  const time = Date.now().toString(16).padStart(12, "0")
  const rest = randomBytes(10).toString("hex")
  return `${time.slice(0, 8)}-${time.slice(8)}-7${rest.slice(0, 3)}-a${rest.slice(3, 6)}-${rest.slice(6, 18)}`
}

// Writes one call into the spool, private and whole, in place of an earlier one that holds the beginning of the same
// transcript; the daemon takes it. Throws what the file system throws, and when the spool is full.
function spool(route, headers, body, daemon) {
  if (!existsSync(dirname(SPOOL))) throw new Error("there is no workspace")
  mkdirSync(SPOOL, { recursive: true, mode: 0o700 })
  const slot = createHash("sha256").update(JSON.stringify([route, body.sessionKey])).digest("hex").slice(0, 16)
  const files = readdirSync(SPOOL).filter((name) => name.endsWith(".json"))
  const bytes = files.reduce((sum, name) => sum + (statSync(`${SPOOL}/${name}`, { throwIfNoEntry: false })?.size ?? 0), 0)
  if (files.length >= MOST_ENTRIES || bytes >= MOST_BYTES) throw new Error(`${files.length} calls wait in ${SPOOL}`)
  const file = `${SPOOL}/${orderedName()}-${slot}`
  writeFileSync(`${file}.new`, JSON.stringify({ route, headers, body, daemon }), { flag: "wx", mode: 0o600 })
  renameSync(`${file}.new`, `${file}.json`)
  for (const name of files.filter((one) => one.endsWith(`-${slot}.json`))) {
    const before = json(() => readFileSync(`${SPOOL}/${name}`))?.body?.transcript
    if (before && body.transcript?.startsWith(before)) unlinkSync(`${SPOOL}/${name}`)
  }
}

function signetClient({ url, elsewhere, harness, headers, log = () => {} }) {
  async function ask(method, path, body, limitMs) {
    const sent = { "content-type": "application/json", "x-signet-harness": harness, ...headers }
    const content = body === undefined ? undefined : JSON.stringify(body)
    const { status, text } = url
      ? await askNamed(url, method, path, sent, content, limitMs)
      : await askOwn(method, path, sent, content, limitMs)
    const told = json(() => text) ?? {}
    if (status >= 400) {
      const error = new Error(told.error || `Signet answered ${status}`)
      throw Object.assign(error, { isRefused: status < 500 })
    }
    return told
  }

  // The answer of a hook, or null when there is none in time.
  async function hook(name, body, limitMs, otherwise = () => {}) {
    try {
      const sent = { harness, runtimePath: "plugin", ...body }
      return await ask("POST", `/api/hooks/${name}`, sent, limitMs)
    } catch (error) {
      log(`${name}: ${error.message}`)
      if (!error.isRefused) otherwise()
      return null
    }
  }

  // Like `hook`, for the end of a session or, with `reason`, of a turn: what is not delivered is spooled.
  async function keep(name, { reason, ...body }, limitMs) {
    await hook(name, { ...body, reason }, limitMs, () => {
      const ended = { harness, runtimePath: "plugin", ...body, reason }
      const kept = Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith("x-signet-")))
      try {
        spool("/api/hooks/session-end", kept, ended, elsewhere)
      } catch (error) {
        log(`${name}: not kept: ${error.message}`)
      }
    })
  }

  return { ask, hook, keep }
}

// The text of a message, whose content is a text or a list of parts.
function textOf(content) {
  const parts = typeof content === "string" ? [content] : (content ?? []).filter((one) => one.type === "text" && !one.synthetic).map((one) => one.metadata?.signet ?? one.text)
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
