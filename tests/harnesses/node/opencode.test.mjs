// Runs the plugin as OpenCode would: in a folder beside OpenCode's helper, with a real daemon at SIGNET_DAEMON_URL.
import assert from "node:assert/strict"
import { createServer } from "node:http"
import { test } from "node:test"
import { pathToFileURL } from "node:url"

const plugin = await import(pathToFileURL(process.env.PLUGIN))
const said = [
  { info: { role: "user" }, parts: [{ type: "text", text: "Which port does the harbour light use?" }] },
  { info: { role: "assistant" }, parts: [{ type: "tool" }, { type: "text", text: "It uses port 9944. ".repeat(40) }] },
]
const summary = { info: { role: "assistant", summary: true }, parts: [{ type: "text", text: "We spoke of the harbour light." }] }
let messages = said
const opencode = { session: { messages: async () => ({ data: messages }) } }
const load = () => plugin.Signet({ client: opencode, directory: "/work/boat" })
const message = (text) => [{ message: {}, parts: [{ type: "text", text }] }]

test("nothing but the plugin is exported, which OpenCode would load too", () => {
  assert.deepEqual(Object.keys(plugin), ["Signet"])
})

test("tools save, find, list, change and forget", async () => {
  const { tool } = await load()
  const stored = await tool.memory_store.execute({ content: "The harbour light uses port 9944" })
  const id = stored.match(/as (\S+)\./)[1]
  assert.match(await tool.memory_search.execute({ query: "harbour light port" }), /9944/)
  assert.match(await tool.memory_get.execute({ id }), /"content"/)
  assert.match(await tool.memory_list.execute({}), /9944/)
  assert.equal(await tool.memory_modify.execute({ id, reason: "test", importance: 0.9 }), "Changed.")
  const second = await tool.memory_store.execute({ content: "The old buoy is green" })
  assert.equal(await tool.memory_forget.execute({ id: second.match(/as (\S+)\./)[1], reason: "test" }), "Forgotten.")
  assert.match(await tool.memory_get.execute({ id: "none" }), /not available/)
})

test("a session begins, a prompt is told what is remembered once, a turn is read, the session ends", async () => {
  const hooks = await load()
  const sessionID = "oc-1"
  await hooks.event({ event: { type: "session.created", properties: { info: { id: sessionID } } } })
  await hooks["chat.message"]({ sessionID }, ...message("Tell me the harbour light port, please"))
  const first = { system: [] }
  await hooks["experimental.chat.system.transform"]({ sessionID }, first)
  assert.match(first.system.join("\n"), /9944/)
  const second = { system: [] }
  await hooks["experimental.chat.system.transform"]({ sessionID }, second)
  assert.ok(second.system.length < first.system.length || second.system.length === 1)
  const compacting = { context: [] }
  await hooks["experimental.session.compacting"]({ sessionID }, compacting)
  assert.equal(compacting.context.length, 1)
  await hooks.event({ event: { type: "session.idle", properties: { sessionID } } })
  messages = [...said, summary]
  await hooks.event({ event: { type: "session.compacted", properties: { sessionID } } })
  await hooks.event({ event: { type: "session.deleted", properties: { info: { id: sessionID } } } })
})

test("without a daemon nothing fails, and nothing is told", async () => {
  const url = process.env.SIGNET_DAEMON_URL
  process.env.SIGNET_DAEMON_URL = "http://127.0.0.1:9"
  const off = await load()
  await off["chat.message"]({ sessionID: "oc-2" }, ...message("Hello"))
  const told = { system: [] }
  await off["experimental.chat.system.transform"]({ sessionID: "oc-2" }, told)
  assert.deepEqual(told.system, [])
  assert.match(await off.tool.memory_search.execute({ query: "x" }), /not available/)
  process.env.SIGNET_DAEMON_URL = url
})

test("the end of a session that was not taken is sent again, one that was refused is not", async () => {
  const url = process.env.SIGNET_DAEMON_URL
  const asked = []
  let status = 503
  const server = createServer((request, response) => {
    asked.push(request.url.replace("/api/hooks/", ""))
    const isEnd = request.url.endsWith("session-end")
    response.writeHead(isEnd ? status : 200, { "content-type": "application/json" }).end("{}")
  })
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready))
  process.env.SIGNET_DAEMON_URL = `http://127.0.0.1:${server.address().port}`
  const { event } = await load()
  const send = (type, id) => event({ event: { type: `session.${type}`, properties: { info: { id } } } })
  const ends = () => asked.filter((one) => one === "session-end").length
  const until = async (count) => {
    while (ends() < count) await new Promise((next) => setImmediate(next))
  }
  await send("deleted", "oc-3")
  assert.equal(ends(), 1)
  status = 400
  await send("created", "oc-4")
  await until(2)
  await send("created", "oc-5")
  assert.equal(ends(), 2)
  server.closeAllConnections()
  server.close()
  process.env.SIGNET_DAEMON_URL = url
})

test("it can be switched off", async () => {
  process.env.SIGNET_ENABLED = "false"
  assert.deepEqual(await load(), {})
  delete process.env.SIGNET_ENABLED
})
