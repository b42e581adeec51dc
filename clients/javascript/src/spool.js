// Keep a call that could not be delivered in a file of the workspace, as hooks do; the daemon takes it when it is back.
import { createHash, randomBytes } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, statSync, unlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { UnavailableError } from "./errors.js"
import { attempt, objectOf } from "./values.js"

// The limits of signet/domain/sessions/spool.py.
const MOST_ENTRIES = 5_000
const MOST_BYTES = 512 * 1_048_576

/**
 * Write one call, private and whole, in place of an earlier one that holds the beginning of the same transcript. Throw
 * UnavailableError if nothing fits or the disk refuses.
 *
 * @param {import("./address.js").Workspace} workspace
 * @param {{ route: string, headers: Record<string, string>, body: Record<string, unknown>, daemon: string }} call
 */
export function spool({ daemon: folder, spool }, call) {
  try {
    if (!existsSync(folder)) throw new Error(`${folder} does not exist`)
    mkdirSync(spool, { recursive: true, mode: 0o700 })
    const slot = createHash("sha256").update(JSON.stringify([call.route, call.body.sessionKey])).digest("hex").slice(0, 16)
    const waiting = readdirSync(spool).filter((name) => name.endsWith(".json"))
    const bytes = waiting.reduce((sum, name) => sum + (attempt(() => statSync(join(spool, name)).size) ?? 0), 0)
    if (waiting.length >= MOST_ENTRIES || bytes >= MOST_BYTES) throw new Error(`${waiting.length} calls wait in ${spool}`)
    const file = join(spool, `${orderedName()}-${slot}`)
    writeFileSync(`${file}.new`, JSON.stringify(call), { flag: "wx", mode: 0o600 })
    renameSync(`${file}.new`, `${file}.json`)
    for (const name of waiting.filter((one) => one.endsWith(`-${slot}.json`))) {
      if (isPart(join(spool, name), call.body.transcript)) attempt(() => unlinkSync(join(spool, name)))
    }
  } catch (error) {
    throw new UnavailableError(`The session was not kept: ${/** @type {Error} */ (error).message}`, { code: "not_spooled", cause: error })
  }
}

/** Return whether an entry holds the beginning of a transcript. @param {string} file @param {unknown} transcript */
function isPart(file, transcript) {
  const body = /** @type {Record<string, unknown> | undefined} */ (objectOf(() => readFileSync(file, "utf8"))?.body)
  const before = body?.transcript
  return typeof before === "string" && before !== "" && typeof transcript === "string" && transcript.startsWith(before)
}

/** Return a name that sorts by time, as version 7 of UUID does. */
function orderedName() {
  const time = Date.now().toString(16).padStart(12, "0")
  const rest = randomBytes(10).toString("hex")
  return `${time.slice(0, 8)}-${time.slice(8)}-7${rest.slice(0, 3)}-a${rest.slice(3, 6)}-${rest.slice(6, 18)}`
}
