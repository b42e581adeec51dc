// Find the daemon to call, in the order of the Python client: the option `url`, the option `workspace`, SIGNET_DAEMON_URL,
// SIGNET_HOST and SIGNET_PORT, the remote daemon that the workspace is connected to, the workspace's own daemon.
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { homedir, tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { InvalidError } from "./errors.js"
import { attempt, objectOf, words } from "./values.js"

const DEFAULT_URL = "http://127.0.0.1:3850"
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[?::1\]?)$/i
// A longer path of the runtime folder does not fit a Unix socket.
const RUNTIME_PATH_LIMIT = 61

/**
 * @typedef {object} Workspace Paths of a workspace.
 * @property {string} root
 * @property {string} daemon Private folder of its daemon.
 * @property {string} socket
 * @property {string} spool Calls that wait for the daemon.
 */

/**
 * @typedef {object} Daemon
 * @property {string} url
 * @property {Workspace} workspace
 * @property {string} start Command that starts the workspace's daemon.
 * @property {boolean} isOwn Whether the workspace's own daemon must answer.
 * @property {boolean} isElsewhere Whether it is the remote daemon of a connected workspace.
 * @property {string} [token]
 */

/** @typedef {Record<string, string | undefined>} Environ */

/**
 * @param {{ url?: string, workspace?: string, token?: string, env: Environ }} options
 * @returns {Daemon}
 */
export function findDaemon({ url, workspace: path, token, env }) {
  const workspace = workspaceAt(path === undefined ? chosenFolder(env) : resolve(path), env)
  const isChosen = path === undefined
  const named = url ?? (isChosen ? words(env.SIGNET_DAEMON_URL) : undefined)
  const start = `signet daemon start${isChosen ? "" : ` --path ${quoted(workspace.root)}`}`
  const own = { workspace, start, isOwn: true, isElsewhere: false, token: token ?? words(env.SIGNET_TOKEN) }
  if (named !== undefined) return { ...own, url: checked(named), isOwn: false }
  if (isChosen && (words(env.SIGNET_HOST) || words(env.SIGNET_PORT))) {
    const host = words(env.SIGNET_HOST) ?? "127.0.0.1"
    return { ...own, url: ofEnvironment(host, env), isOwn: LOOPBACK.test(host) }
  }
  const elsewhere = connection(workspace)
  if (elsewhere) return { ...own, ...elsewhere, token: own.token ?? elsewhere.token, isOwn: false, isElsewhere: true }
  return { ...own, url: recorded(workspace) ?? DEFAULT_URL }
}

/** Return text as one word for a shell. @param {string} text */
function quoted(text) {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'"'"'`)}'`
}

/** @param {string} root @param {Environ} env @returns {Workspace} */
function workspaceAt(root, env) {
  const daemon = join(root, ".daemon")
  return { root, daemon, socket: join(runtimeFolder(root, daemon, env), "api.sock"), spool: join(daemon, "spool") }
}

/** @param {string} root @param {string} daemon @param {Environ} env */
function runtimeFolder(root, daemon, env) {
  const near = join(daemon, "run")
  if (Buffer.byteLength(near) <= RUNTIME_PATH_LIMIT) return near
  const digest = createHash("sha256").update(root).digest("hex").slice(0, 16)
  return join(env.XDG_RUNTIME_DIR || tmpdir(), `signet-${process.getuid?.() ?? 0}-${digest}`)
}

/** @param {Environ} env */
function chosenFolder(env) {
  const home = env.HOME || homedir()
  const settings = join(env.XDG_CONFIG_HOME || join(home, ".config"), "signet", "workspace.json")
  const saved = objectOf(() => readFileSync(settings, "utf8"))?.workspace
  const chosen = words(env.SIGNET_PATH) ?? words(env.SIGNET_WORKSPACE) ?? words(saved) ?? "~/.agents"
  return resolve(chosen.replace(/^~(?=\/|$)/, home))
}

/** @param {string} host @param {Environ} env */
function ofEnvironment(host, env) {
  const port = words(env.SIGNET_PORT) ?? "3850"
  if (!/^\d{1,5}$/.test(port) || !(Number(port) > 0 && Number(port) < 65_536)) {
    throw new InvalidError(`SIGNET_PORT: ${JSON.stringify(port)} is not a port`)
  }
  return checked(`http://${host.includes(":") ? `[${host}]` : host}:${port}`)
}

/** @param {string} url */
function checked(url) {
  const { protocol, username, password } = attempt(() => new URL(url)) ?? {}
  if ((protocol === "http:" || protocol === "https:") && !username && !password) return url.replace(/\/+$/, "")
  throw new InvalidError(`${JSON.stringify(url)} is not the URL of a daemon, such as ${DEFAULT_URL}`)
}

/** Return the remote daemon that a workspace is connected to. Its key goes only there. @param {Workspace} workspace */
function connection({ daemon }) {
  const file = join(daemon, "connection.json")
  let content = ""
  try {
    content = readFileSync(file, "utf8")
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === "ENOENT") return undefined
  }
  const found = objectOf(() => content)
  if (typeof found?.url !== "string") {
    throw new InvalidError(`${file} cannot be read. Connect again: signet connect URL --key KEY`, { code: "bad_connection" })
  }
  return { url: checked(found.url), token: words(found.key) }
}

/** Return the URL of the workspace's current or last daemon. @param {Workspace} workspace */
function recorded({ daemon }) {
  const url = objectOf(() => readFileSync(join(daemon, "state.json"), "utf8"))?.url
  if (typeof url === "string" && url.startsWith("http")) return url
  const port = Number(attempt(() => readFileSync(join(daemon, "port"), "utf8").trim()))
  return port > 0 && port < 65_536 ? `http://127.0.0.1:${port}` : undefined
}
