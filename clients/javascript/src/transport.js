// One exchange with the daemon over a socket of its own. It uses no proxy and follows no redirect.
import { createHmac, randomBytes } from "node:crypto"
import { lstatSync, readFileSync, statSync } from "node:fs"
import { connect } from "node:net"
import { dirname, join } from "node:path"
import { connect as connectTls } from "node:tls"
import { BadAnswerError, ConnectionBrokenError, DaemonNotRunningError, DaemonSilentError, InvalidError, SignetError, UnavailableError } from "./errors.js"
import { Malformed, Reader } from "./http1.js"
import { objectOf } from "./values.js"

const TOKEN_SECONDS = 900
const PROOF_BYTES = 16_384
const ANSWER_BYTES = 64 * 1_048_576
// Every answer of a daemon has this header.
const OURS = "x-signet-request-id"
const UNSENDABLE = /[\0-\x1f\x7f]/

/** @import { Socket } from "node:net" */
/** @import { Daemon, Workspace } from "./address.js" */

/**
 * @typedef {object} Request
 * @property {string} method
 * @property {string} target Path and query.
 * @property {Record<string, string>} headers
 * @property {string} [content]
 */

/**
 * Return a daemon's answer, whole.
 *
 * @param {Daemon} daemon
 * @param {Request} request
 * @param {{ signal: AbortSignal, role: string }} options
 */
export async function exchange(daemon, request, options) {
  const { status, headers, body } = await open(daemon, request, options)
  const parts = []
  let size = 0
  for await (const part of body) {
    parts.push(part)
    if ((size += part.length) > ANSWER_BYTES) throw new BadAnswerError(`The answer is larger than ${ANSWER_BYTES} bytes`)
  }
  const text = Buffer.concat(parts).toString()
  if (!(OURS in headers) && !text.trimStart().startsWith("{")) throw foreign(daemon)
  return { status, headers, text }
}

/**
 * Send a request and return its answer when its head has arrived. The connection ends with the body, `close` or the signal.
 *
 * @param {Daemon} daemon
 * @param {Request} request
 * @param {{ signal: AbortSignal, role: string }} options
 */
export async function open(daemon, request, { signal, role }) {
  /** @type {Socket | undefined} */
  let socket
  const stop = () => socket?.destroy()
  const close = () => {
    signal.removeEventListener("abort", stop)
    stop()
  }
  /** @param {unknown} error */
  const told = (error) => {
    close()
    if (signal.aborted) return signal.reason
    if (error instanceof SignetError) return error
    if (error instanceof Malformed && error.isForeign) return foreign(daemon)
    return new ConnectionBrokenError(`The connection to ${daemon.url} broke: ${/** @type {Error} */ (error).message}`, { cause: error })
  }
  /** @param {AsyncGenerator<Buffer>} parts */
  async function* guarded(parts) {
    try {
      yield* parts
    } catch (error) {
      throw told(error)
    } finally {
      close()
    }
  }
  signal.addEventListener("abort", stop, { once: true })
  try {
    const found = await connected(daemon, request.headers, role, (made) => {
      socket = made.on("error", () => {}) // the waiting call gets it
      if (signal.aborted) stop()
    })
    signal.throwIfAborted()
    found.socket.write(written(daemon, { ...request, headers: { ...found.headers, ...request.headers } }))
    const { status, headers } = await found.reader.head()
    return { status, headers, body: guarded(found.reader.body(headers)), close }
  } catch (error) {
    throw told(error)
  }
}

/**
 * Connect to a daemon, and return the headers that say who calls. A workspace's own daemon is reached through its socket,
 * or through its port after it has proved that it has the workspace token: any user may listen on a TCP port.
 *
 * @param {Daemon} daemon
 * @param {Record<string, string>} headers
 * @param {string} role
 * @param {(socket: Socket) => void} take Receives each socket at once, so that it can be ended.
 * @returns {Promise<{ socket: Socket, reader: Reader, headers: Record<string, string> }>}
 */
async function connected(daemon, headers, role, take) {
  /** @type {Record<string, string>} */
  const named = daemon.token ? { authorization: `Bearer ${daemon.token}` } : {}
  const path = daemon.isOwn && socketPath(daemon.workspace)
  const local = path && (await linked(connect({ path }), take).catch(() => undefined))
  if (local) return { socket: local, reader: new Reader(local), headers: named }
  const key = daemon.isOwn ? workspaceToken(daemon) : undefined
  const { protocol, hostname, port } = new URL(daemon.url)
  const host = hostname.replace(/^\[|\]$/g, "")
  const isTls = protocol === "https:"
  const place = { host, port: Number(port) || (isTls ? 443 : 80) }
  const socket = await linked(isTls ? connectTls({ ...place, servername: host }) : connect(place), take, isTls).catch((error) => {
    throw absent(daemon, error)
  })
  socket.setNoDelay(true)
  const reader = new Reader(socket)
  if (key === undefined) return { socket, reader, headers: named }
  await prove(daemon, { socket, reader, key, port: place.port })
  return { socket, reader, headers: { authorization: `Bearer ${ownToken(key, headers["x-signet-actor"] ?? "", role)}`, ...named } }
}

/** @param {Socket} socket @param {(socket: Socket) => void} take @param {boolean} [isTls] @returns {Promise<Socket>} */
function linked(socket, take, isTls = false) {
  take(socket)
  return new Promise((resolve, reject) => {
    const fail = (/** @type {unknown} */ error) => reject(error instanceof Error ? error : new Error("the connection was closed"))
    socket.once("error", fail).once("close", fail).once(isTls ? "secureConnect" : "connect", () => {
      socket.off("error", fail).off("close", fail)
      resolve(socket)
    })
  })
}

/**
 * Ask the program on the port for its proof. The proof contains the port, so that no program can relay the question.
 *
 * @param {Daemon} daemon
 * @param {{ socket: Socket, reader: Reader, key: Buffer, port: number }} connection
 */
async function prove(daemon, { socket, reader, key, port }) {
  const nonce = randomBytes(16).toString("hex")
  const wanted = createHmac("sha256", key).update(`signet-server-proof\0${nonce}\0${port}`).digest("hex")
  const { host } = new URL(daemon.url)
  socket.write(`GET /api/auth/proof?nonce=${nonce} HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
  const found = await reader.whole(PROOF_BYTES).catch((error) => {
    if (error instanceof Malformed) return undefined
    throw error
  })
  if (found && objectOf(() => found.toString())?.proof === wanted) return
  throw new BadAnswerError(
    `Another program answers on port ${port}, not the Signet daemon of ${daemon.workspace.root}. Nothing was sent to it. ` +
      "To start Signet on another port: signet daemon start --port NUMBER",
    { code: "other_program" },
  )
}

/** Return the path of the API socket, if no other user could have created it. @param {Workspace} workspace */
function socketPath({ socket: path }) {
  try {
    const [folder, socket] = [lstatSync(dirname(path)), lstatSync(path)]
    const isPrivate = folder.isDirectory() && !(folder.mode & 0o022)
    const isOurs = folder.uid === process.getuid?.() && socket.uid === folder.uid
    return isPrivate && isOurs && socket.isSocket() ? path : undefined
  } catch {
    return undefined
  }
}

/** Return the key that the workspace's daemon wrote at its start. @param {Daemon} daemon */
function workspaceToken(daemon) {
  const file = join(daemon.workspace.daemon, "token")
  try {
    if (process.platform !== "win32" && statSync(file).mode & 0o077) {
      throw new UnavailableError(`${file} is readable by other users. Run: signet daemon restart`, { code: "bad_auth_secret" })
    }
    return readFileSync(file)
  } catch (error) {
    if (error instanceof SignetError) throw error
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (error)
    if (code === "ENOENT") throw absent(daemon, error)
    throw new UnavailableError(
      `The daemon of ${daemon.workspace.root} cannot prove its identity: ${message}. To call it anyway: SIGNET_DAEMON_URL=${daemon.url}`,
      { code: "token_unreadable", cause: error },
    )
  }
}

/** Return a token for the workspace's own daemon. @param {Buffer} key @param {string} sub @param {string} role */
function ownToken(key, sub, role) {
  const iat = Math.floor(Date.now() / 1000)
  const claims = { sub, role, scope: {}, iat, exp: iat + TOKEN_SECONDS, own: true }
  const payload = Buffer.from(JSON.stringify(claims)).toString("base64url")
  return `${payload}.${createHmac("sha256", key).update(payload).digest("base64url")}`
}

/** Return the bytes of a request. @param {Daemon} daemon @param {Request} request */
function written(daemon, { method, target, headers, content = "" }) {
  const { host, pathname } = new URL(daemon.url)
  const known = { host, connection: "close", "accept-encoding": "identity", ...headers }
  const length = content || method !== "GET" ? { "content-length": Buffer.byteLength(content) } : {}
  const lines = Object.entries({ ...known, ...length }).map(([name, value]) => {
    // The error does not quote the value, which may be a token.
    if (UNSENDABLE.test(`${name}${value}`)) throw new InvalidError(`The header ${name} has a line break or a control character`)
    return `${name}: ${value}`
  })
  return [`${method} ${pathname.replace(/\/$/, "")}${target} HTTP/1.1`, ...lines, "", content].join("\r\n")
}

/** @param {Daemon} daemon @param {unknown} cause */
function absent(daemon, cause) {
  return new DaemonNotRunningError(
    daemon.isElsewhere
      ? `The daemon at ${daemon.url}, which this machine is connected to, cannot be reached. To try again: signet connect`
      : daemon.isOwn
        ? `The daemon of ${daemon.workspace.root} is not running. Start it with: ${daemon.start}`
        : `No daemon answers at ${daemon.url}`,
    { cause },
  )
}

/** @param {Daemon} daemon @param {number} ms */
export function silent(daemon, ms) {
  return new DaemonSilentError(`${daemon.url} did not answer within ${ms / 1000} s. To find out why: signet doctor`)
}

/** @param {Daemon} daemon */
function foreign(daemon) {
  return new BadAnswerError(`Another program, not Signet, answers at ${daemon.url}. Nothing of its answer was used`)
}
