// Calls the real daemon of the workspace SIGNET_PATH, and servers that break.
import assert from "node:assert/strict"
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync, mkdirSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import * as client from "@signetai/client"

const { Signet } = client
const signet = new Signet()
const env = {}

// A server that gives each connection to the next act, and what it received.
async function serving(...acts) {
  const heard = []
  const server = createServer((socket) => {
    const act = acts[Math.min(heard.length, acts.length - 1)]
    const place = heard.push("") - 1
    socket.on("error", () => {}).on("data", (data) => {
      const isFirst = !heard[place]
      heard[place] += data
      if (isFirst) act(socket)
    })
  })
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready))
  after(() => server.close())
  return { heard, url: `http://127.0.0.1:${server.address().port}` }
}

const answers = (status, body, ...headers) => (socket) => {
  const text = typeof body === "string" ? body : JSON.stringify(body)
  const head = [`HTTP/1.1 ${status} X`, "x-signet-request-id: 1", `content-length: ${Buffer.byteLength(text)}`, ...headers]
  socket.end(`${head.join("\r\n")}\r\n\r\n${text}`)
}
const breaks = (socket) => socket.destroy()
const hangs = () => {}

function streams(...messages) {
  const head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nx-signet-request-id: 1\r\ntransfer-encoding: chunked\r\n\r\n"
  const chunk = (text) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`
  return (socket) => socket.write(head + messages.map((one) => chunk(one.slice(0, 7)) + chunk(one.slice(7))).join(""))
}
const message = (id, event, data = {}) => `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`
const changed = (id, name) => message(id, "memory", { kind: "created", ids: [name], count: 1 })

test("a memory is saved, found, changed, forgotten and recovered", async () => {
  const saved = await signet.remember("The harbour light uses port 9944.", { tags: ["port"], type: "fact" })
  const { results } = await signet.recall("harbour light port", { limit: 3, minScore: 0 })
  assert.equal(results[0].content, "The harbour light uses port 9944.")
  const { context, sources } = await signet.context("Which port does the harbour light use?")
  assert.match(context, /9944/)
  assert.equal(sources[0].id, saved.id)
  assert.deepEqual(await ids(signet.memories({ type: "fact" })), [saved.id])
  const { version } = await signet.memory(saved.id)
  await signet.modify(saved.id, { content: "The harbour light uses port 9945.", reason: "moved", ifVersion: version })
  await assert.rejects(signet.modify(saved.id, { content: "x", reason: "late", ifVersion: version }), (error) => {
    assert.ok(error instanceof client.ConflictError && error instanceof client.SignetError && error instanceof Error)
    assert.equal(error.name, "ConflictError")
    assert.equal(error.details.currentVersion, version + 1)
    return true
  })
  await signet.forget(saved.id, { reason: "an example" })
  assert.deepEqual(await ids(signet.memories({ type: "fact" })), [])
  await signet.recover(saved.id, { reason: "needed" })
  assert.equal((await signet.memory(saved.id)).content, "The harbour light uses port 9945.")
})

async function ids(found) {
  const all = []
  for await (const one of found) all.push(one.id ?? one.key)
  return all
}

test("a field that a method does not know is refused", async () => {
  await assert.rejects(signet.recall("buoy", { limt: 3 }), { name: "InvalidError", message: /no field "limt"; it has: .*limit/ })
  await assert.rejects(signet.remember("The buoy is red.", { tpye: "fact" }), client.InvalidError)
  await assert.rejects(ids(signet.memories({ knd: "fact" })), client.InvalidError)
  assert.ok((await signet.recall("buoy", { limit: 3, agent_id: "default" })).results)
})

test("an option that is not known or not usable is refused", async () => {
  const refused = (options, message) => assert.throws(() => new Signet(options), { name: "InvalidError", message })
  refused({ baseUrl: "http://h:1" }, /no option "baseUrl"; it has: url, workspace/)
  refused({ timeoutMs: "5" }, /timeoutMs must be a number/)
  refused({ retries: -1 }, /retries must be/)
  refused({ role: "reader" }, /role must be "admin" or "agent"/)
  for (const wrong of [{ timeout: 5 }, { timeoutMs: -1 }, { timeoutMs: NaN }, { signal: 5 }, { spool: true }, 5, []]) {
    await assert.rejects(signet.recall("buoy", {}, wrong), client.InvalidError, JSON.stringify(wrong))
  }
  await assert.rejects(signet.endTurn({ harness: "demo", sessionKey: "s" }, { spol: true }), { name: "InvalidError", message: /it has: .*spool/ })
  await assert.rejects(signet.events({ topic: ["memory"] }), /no option "topic"/)
  await assert.rejects(signet.request("GET /api/jobs", { qurey: {} }), /no option "qurey"/)
  for (const hook of ["startSession", "submitPrompt", "endTurn", "endSession", "beforeCompaction", "afterCompaction"]) {
    await assert.rejects(signet[hook]({ harness: "demo", sesionKey: "s" }), { name: "InvalidError", message: /no field "sesionKey"; it has: .*sessionKey/ })
  }
})

test("a transcript without messages is refused", async () => {
  const user = { role: "user", content: "Hello" }
  const wrong = [
    [[{ role: "robot", content: "x" }], /transcript\[0\] has the unknown role "robot"/],
    [[user, 2], /transcript\[1\] is not a message/],
    [[{ role: "user" }], /has no content/],
    [[{ role: "user", parts: [{ text: "x" }] }], /has no content/],
    [[{ content: "x" }], /has no role/],
    [{ messages: [user] }, /is an object/],
    [JSON.stringify({ messages: [user] }), /without speakers/],
    [JSON.stringify([user]), /pass the array itself/],
    ["Paint the buoy.", /without speakers/],
    [5, /is a number/],
  ]
  for (const [transcript, message] of wrong) {
    for (const call of ["endTurn", "endSession", "submitPrompt"]) {
      await assert.rejects(signet[call]({ harness: "demo", sessionKey: "js/3", transcript }), { name: "InvalidError", message })
    }
  }
  const calls = { role: "assistant", content: null, tool_calls: [] }
  const log = JSON.stringify({ type: "user", message: user })
  const fine = [[{ role: "system", content: "x" }, user, calls, { role: "tool", content: "1" }], log, "User: Hello", "", undefined]
  for (const transcript of fine) await signet.endSession({ harness: "demo", sessionKey: "js/4", transcript })
})

test("every page of memories and sessions is read, each once", async () => {
  const page = (memories) => answers(200, { memories })
  const many = await serving(page([{ id: "a" }, { id: "b" }]), page([{ id: "c" }]), page([]))
  assert.deepEqual(await ids(new Signet({ url: many.url, env }).memories({ agentId: "x" })), ["a", "b", "c"])
  assert.match(many.heard[1], /^GET \/api\/memories\?agentId=x&limit=200&before=b HTTP/)
  const two = await serving(answers(200, { sessions: [{ key: "s" }], next: "n" }), answers(200, { sessions: [{ key: "t" }], next: null }))
  assert.deepEqual(await ids(new Signet({ url: two.url, env }).sessions()), ["s", "t"])
  assert.match(two.heard[1], /state=all&limit=200&cursor=n/)
})

test("a session is started, prompted, delivered and read", async () => {
  const about = { harness: "demo", sessionKey: "js/1", project: "/work/boat" }
  assert.match((await signet.startSession(about)).inject, /memory active/)
  await signet.submitPrompt({ ...about, userMessage: "Which port does the harbour light use?" })
  const transcript = "User: Paint the buoy red.\nAssistant: The buoy is red now."
  assert.equal((await signet.endTurn({ ...about, transcript })).spooled, undefined)
  await signet.endSession({ ...about, transcript })
  assert.match((await signet.transcript("js/1")).content, /buoy is red/)
  const messages = [{ role: "user", content: "Paint the anchor\nblue." }, { role: "assistant", content: [{ type: "text", text: "It is blue now." }] }]
  await signet.endSession({ ...about, sessionKey: "js/2", transcript: messages })
  assert.match((await signet.transcript("js/2")).content, /Paint the anchor blue\.[^]*It is blue now/)
  assert.ok((await ids(signet.sessions({ harness: "demo" }))).includes("js/1"))
  assert.equal((await signet.searchSessions("buoy"))[0].sessionKey, "js/1")
})

test("events come from the moment on, and a stream continues behind another", async () => {
  const events = await signet.events({ topics: ["memory"] })
  const { id } = await signet.remember("The mast is made of spruce.")
  for await (const event of events) {
    assert.deepEqual([event.topic, event.kind, event.ids], ["memory", "created", [id]])
    break
  }
  assert.deepEqual(await events.next(), { done: true, value: undefined })
  const next = await signet.remember("The keel is made of oak.")
  const later = await signet.events({ topics: ["memory"], after: events.lastId })
  assert.deepEqual((await later.next()).value.ids, [next.id])
  setImmediate(() => later.close())
  assert.equal((await later.next()).done, true)
  await assert.rejects(signet.events({ topics: ["weather"] }), client.InvalidError)
})

test("a stream that breaks continues with Last-Event-ID", async () => {
  const first = (socket) => (streams(message("1", "hello"), ": still here\n\n", changed("2", "a"))(socket), setImmediate(breaks, socket))
  const full = answers(429, { error: "Too many", code: "too_many_listeners" })
  const second = streams(message("2", "hello"), message("3", "missed"), changed("4", "b"))
  const { heard, url } = await serving(first, breaks, full, second)
  const events = await new Signet({ url, env }).events()
  assert.deepEqual([(await events.next()).value.ids, (await events.next()).value.ids], [["a"], ["b"]])
  assert.deepEqual([events.missed, events.lastId, heard.length], [1, "4", 4])
  assert.match(heard[3], /\r\nlast-event-id: 2\r\n/)
  events.close()
})

test("a stream gives up after its time, and ends with its signal", async () => {
  const { url } = await serving(streams(message("1", "hello")), breaks)
  const ending = new AbortController()
  const events = await new Signet({ url, env }).events({ signal: ending.signal })
  setImmediate(() => ending.abort(new Error("enough")))
  await assert.rejects(events.next(), /enough/)
  const short = await serving((socket) => (streams(message("1", "hello"))(socket), setImmediate(breaks, socket)), breaks)
  const gone = await new Signet({ url: short.url, env }).events({ reconnectMs: 300 })
  await assert.rejects(gone.next(), client.ConnectionBrokenError)
})

test("each refusal is an error of its kind, with the daemon's code, text and fields", async () => {
  await assert.rejects(signet.memory("../status"), { name: "NotFoundError", code: "not_found", status: 404, message: "not found" })
  await assert.rejects(signet.remember(""), { name: "InvalidError", status: 400 })
  await assert.rejects(signet.request("GET /api/jobs", { query: { nonsense: 1 } }), /Unknown query parameter 'nonsense'/)
  await assert.rejects(signet.request("/api/jobs"), { name: "InvalidError", message: '"/api/jobs" is not a route, such as "GET /api/jobs"' })
  await assert.rejects(signet.request("GET /api/jobs/{job_id}", { path: { id: 1 } }), /^InvalidError: .* needs \{ path: \{ job_id/)
  const kinds = { 401: "Unauthenticated", 403: "Forbidden", 413: "TooLarge", 429: "RateLimited", 500: "Signet", 503: "Unavailable" }
  for (const [status, kind] of Object.entries(kinds)) {
    const { url } = await serving(answers(status, { error: "No.", code: "why", more: 1 }, "retry-after: 7"))
    const call = new Signet({ url, env }).status()
    await assert.rejects(call, { name: `${kind}Error`, code: "why", message: "No.", details: { more: 1 }, retryAfter: 7 })
  }
  const { url } = await serving(answers(502, "{}"))
  await assert.rejects(new Signet({ url, env }).status(), { name: "BadAnswerError", status: 502 })
})

test("calls that are safe to repeat are repeated, and no others", async () => {
  const busy = answers(503, { error: "busy", code: "storage_busy" }, "retry-after: 0")
  const fine = answers(200, { results: [] })
  const recalls = await serving(busy, breaks, fine)
  await new Signet({ url: recalls.url, env }).recall("x")
  assert.equal(recalls.heard.length, 3)
  const once = await serving(busy, fine)
  await assert.rejects(new Signet({ url: once.url, env }).remember("x"), client.UnavailableError)
  assert.equal(once.heard.length, 1)
  const keyed = await serving(breaks, fine)
  await new Signet({ url: keyed.url, env }).remember("x", { idempotencyKey: "k" })
  assert.equal(keyed.heard.length, 2)
  const never = await serving(busy, fine)
  await assert.rejects(new Signet({ url: never.url, env, retries: 0 }).recall("x"), { code: "storage_busy" })
})

test("a call ends at its limit or with its signal", async () => {
  const { url } = await serving(hangs)
  const silent = new Signet({ url, env })
  await assert.rejects(silent.recall("x", {}, { timeoutMs: 50 }), { name: "DaemonSilentError", message: /within 0.05 s/ })
  await assert.rejects(silent.recall("x", {}, { signal: AbortSignal.abort(new Error("no")) }), /no/)
  const ending = new AbortController()
  const waiting = silent.recall("x", {}, { signal: ending.signal })
  setImmediate(() => ending.abort())
  await assert.rejects(waiting, { name: "AbortError" })
})

test("an answer that is cut or of another program is not used", async () => {
  const cut = await serving((socket) => socket.end("HTTP/1.1 200 OK\r\nx-signet-request-id: 1\r\ncontent-length: 20\r\n\r\n{"))
  await assert.rejects(new Signet({ url: cut.url, env }).remember("x"), { name: "ConnectionBrokenError", message: /part of the answer is missing/ })
  for (const said of ["SSH-2.0-OpenSSH\r\n", "HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\n<html>", "x".repeat(100_000)]) {
    const other = await serving((socket) => socket.end(said))
    await assert.rejects(new Signet({ url: other.url, env }).remember("x"), { name: "BadAnswerError", code: "bad_answer" })
  }
  const open = await serving((socket) => socket.end('HTTP/1.1 200 OK\r\nx-signet-request-id: 1\r\n\r\n{"id":"é"}'))
  assert.equal((await new Signet({ url: open.url, env }).remember("x")).id, "é")
})

test("a session that cannot be delivered waits in the workspace", async () => {
  const workspace = mkdtempSync(join(tmpdir(), "js-"))
  after(() => rmSync(workspace, { recursive: true }))
  const away = new Signet({ workspace, url: "http://127.0.0.1:9", env })
  const session = { harness: "demo", sessionKey: "s", transcript: "User: Hello" }
  await assert.rejects(away.endSession(session), { name: "DaemonNotRunningError", message: "No daemon answers at http://127.0.0.1:9" })
  await assert.rejects(away.endSession(session, { spool: true }), { code: "not_spooled", message: /\.daemon does not exist/ })
  mkdirSync(join(workspace, ".daemon"))
  assert.equal((await away.endTurn(session, { spool: true })).spooled, true)
  await away.endSession({ ...session, transcript: "User: Hello\nAssistant: Hi" }, { spool: true })
  const [name, ...more] = readdirSync(join(workspace, ".daemon/spool"))
  assert.deepEqual(more, [])
  const file = join(workspace, ".daemon/spool", name)
  const entry = JSON.parse(readFileSync(file))
  assert.deepEqual([entry.route, entry.body.transcript], ["/api/hooks/session-end", "User: Hello\nAssistant: Hi"])
  assert.deepEqual([entry.headers["x-signet-actor"], statSync(file).mode & 0o777], ["javascript", 0o600])
  const { url } = await serving(answers(400, { error: "bad" }))
  await assert.rejects(new Signet({ workspace, url, env }).endSession(session, { spool: true }), client.InvalidError)
  assert.equal(readdirSync(join(workspace, ".daemon/spool")).length, 1)
})

test("the key of a remote daemon goes there and nowhere else", async () => {
  const workspace = mkdtempSync(join(tmpdir(), "js-"))
  after(() => rmSync(workspace, { recursive: true }))
  mkdirSync(join(workspace, ".daemon"))
  const [far, other] = [await serving(answers(200, {})), await serving(answers(200, {}))]
  writeFileSync(join(workspace, ".daemon/connection.json"), JSON.stringify({ url: far.url, key: "k", since: "" }))
  await new Signet({ workspace, env }).status()
  await new Signet({ workspace, env, url: other.url }).status()
  assert.match(far.heard[0], /\r\nauthorization: Bearer k\r\n/)
  assert.doesNotMatch(other.heard[0], /authorization/i)
})

test("the daemon is found in the documented order", async () => {
  const workspace = mkdtempSync(join(tmpdir(), "js-"))
  after(() => rmSync(workspace, { recursive: true }))
  const found = (more = {}, options = {}) => new Signet({ env: { SIGNET_PATH: workspace, ...more }, ...options }).url
  assert.equal(found(), "http://127.0.0.1:3850")
  mkdirSync(join(workspace, ".daemon"))
  writeFileSync(join(workspace, ".daemon/port"), "4000\n")
  assert.equal(found(), "http://127.0.0.1:4000")
  writeFileSync(join(workspace, ".daemon/state.json"), '{"url":"http://127.0.0.1:4001"}')
  assert.equal(found(), "http://127.0.0.1:4001")
  writeFileSync(join(workspace, ".daemon/connection.json"), '{"url":"https://far.example/","key":"k","since":""}')
  assert.equal(found(), "https://far.example")
  assert.equal(found({ SIGNET_PORT: "4002" }), "http://127.0.0.1:4002")
  assert.equal(found({ SIGNET_PORT: "4002", SIGNET_DAEMON_URL: "http://h:1" }), "http://h:1")
  assert.equal(found({ SIGNET_DAEMON_URL: "http://h:1" }, { workspace }), "https://far.example")
  assert.equal(found({ SIGNET_DAEMON_URL: "http://h:1" }, { url: "http://[::1]:2/" }), "http://[::1]:2")
  assert.throws(() => found({ SIGNET_PORT: "much" }), { name: "InvalidError", message: 'SIGNET_PORT: "much" is not a port' })
  assert.throws(() => found({}, { url: "localhost:3850" }), client.InvalidError)
  writeFileSync(join(workspace, ".daemon/connection.json"), "{")
  assert.throws(() => found(), { code: "bad_connection" })
  await assert.rejects(new Signet({ token: "secret\nx" }).status(), { name: "InvalidError", message: /^The header authorization has/ })
})
