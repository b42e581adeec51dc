// Runs the plugin as OpenCode would, with the real daemon of its workspace, which listens at DAEMON.
import assert from "node:assert/strict"
import { readFileSync, readdirSync, statSync } from "node:fs"
import { createServer } from "node:http"
import { test } from "node:test"
import { pathToFileURL } from "node:url"

const plugin = await import(pathToFileURL(process.env.PLUGIN))
const call = { type: "tool", tool: "bash", callID: "c-1", state: { input: { command: "light --port 9944" }, output: "lit" } }
const said = [
  { info: { role: "user" }, parts: [{ type: "text", text: "Which port does the harbour light use?" }] },
  { info: { role: "assistant" }, parts: [call, { type: "text", text: "It uses port 9944. ".repeat(40) }] },
]
const summary = { info: { role: "assistant", summary: true }, parts: [{ type: "text", text: "We spoke of the harbour light." }] }
let messages = said
const opencode = { session: { messages: async () => ({ data: messages }) } }
const load = () => plugin.Signet({ client: opencode, directory: "/work/boat" })
const message = (id, sessionID, text) => ({ message: { id, sessionID, role: "user" }, parts: [{ type: "text", text }] })
await fetch(`${process.env.DAEMON}/api/memory/remember`, {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ content: "The harbour light uses port 9944", importance: 0.9 }),
})

test("nothing but the plugin is exported, which OpenCode would load too", () => {
  assert.deepEqual(Object.keys(plugin), ["Signet"])
})

// What a request of the agent holds, as OpenCode builds it from the session.
async function asked(hooks, ...sent) {
  const messages = sent.map(({ message, parts }) => ({ info: message, parts }))
  const before = structuredClone(messages.map((one) => one.parts))
  const shown = [...messages]
  await hooks["experimental.chat.messages.transform"]({}, { messages: shown })
  assert.deepEqual(messages.map((one) => one.parts), before, "what the title is made from stays as it is")
  return shown.map(({ parts }) => parts.map((one) => one.text).join("\n"))
}

test("it has no tools: they come from the MCP server", async () => {
  assert.equal((await load()).tool, undefined)
})

test("what is remembered goes with the messages it was found for, a turn is read, the session ends", async () => {
  const hooks = await load()
  const sessionID = "oc-1"
  await hooks.event({ event: { type: "session.created", properties: { info: { id: sessionID } } } })
  const first = message("m-1", sessionID, "Tell me the harbour light port, please")
  await hooks["chat.message"]({ sessionID }, first)
  const [one] = await asked(hooks, first)
  assert.match(one, /^<signet-context>[^]*memory active[^]*9944[^]*<\/signet-context>\nTell me/)
  const second = message("m-2", sessionID, "And the colour of the buoy?")
  await hooks["chat.message"]({ sessionID }, second)
  const later = await asked(hooks, first, second)
  assert.equal(later[0], one, "what went with a message stays with it")
  assert.doesNotMatch(later[1], /memory active/)
  const compacting = { context: [] }
  await hooks["experimental.session.compacting"]({ sessionID }, compacting)
  assert.equal(compacting.context.length, 1)
  assert.deepEqual(await asked(hooks, first), [first.parts[0].text], "a summary is made of what was said")
  assert.deepEqual(await asked(hooks, first), [one])
  await hooks.event({ event: { type: "session.idle", properties: { sessionID } } })
  messages = [...said, summary]
  await hooks.event({ event: { type: "session.compacted", properties: { sessionID } } })
  const restarted = await load()
  await restarted["chat.message"]({ sessionID }, second)
  assert.match((await asked(restarted, second))[0], /memory active[^]*Agent Instructions|memory active[^]*Relevant Memories/)
  await hooks.event({ event: { type: "session.deleted", properties: { info: { id: sessionID } } } })
})

test("of a command the person said what they typed, not what its file says", async () => {
  const hooks = await load()
  const parts = [{ type: "text", text: "Deploy with make ship. Never on Fridays." }, { type: "file" }]
  await hooks["command.execute.before"]({ command: "deploy", sessionID: "oc-9", arguments: "now" }, { parts })
  messages = [{ info: { role: "user", time: { created: 1795460656041 } }, parts }, said[1], summary]
  await hooks["chat.message"]({ sessionID: "oc-9" }, { message: { id: "m-1", sessionID: "oc-9", role: "user" }, parts })
  await hooks.event({ event: { type: "session.idle", properties: { sessionID: "oc-9" } } })
  const kept = await (await fetch(`${process.env.DAEMON}/api/sessions/oc-9/transcript`)).json()
  assert.match(kept.content, /^User[^:]*\([^)]*\): \/deploy now\nAssistant/)
  assert.doesNotMatch(kept.content, /harbour light/, "nobody said the summary of a compaction")
  assert.equal(parts[0].text, "Deploy with make ship. Never on Fridays.", "the agent gets the file")
  messages = said
})

test("without a daemon nothing fails, and nothing is told", async () => {
  process.env.SIGNET_DAEMON_URL = "http://127.0.0.1:9"
  const off = await load()
  const sent = message("m-1", "oc-2", "Hello")
  await off["chat.message"]({ sessionID: "oc-2" }, sent)
  assert.deepEqual(await asked(off, sent), ["Hello"])
  delete process.env.SIGNET_DAEMON_URL
})

test("a turn and an end that were not taken wait in the spool, once; one that was refused does not", async () => {
  let status = 503
  const server = createServer((_, response) => response.writeHead(status, { "content-type": "application/json" }).end("{}"))
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready))
  process.env.SIGNET_DAEMON_URL = `http://127.0.0.1:${server.address().port}`
  const { event } = await load()
  const send = (type, id) => event({ event: { type: `session.${type}`, properties: { info: { id } } } })
  const waiting = () => readdirSync(process.env.SPOOL).filter((name) => name.endsWith(".json"))
  messages = said
  await send("created", "oc-3")
  await send("idle", "oc-3")
  messages = [...said, { info: { role: "user" }, parts: [{ type: "text", text: "And the buoy?" }] }]
  await send("idle", "oc-3")
  const [name] = waiting()
  const entry = JSON.parse(readFileSync(`${process.env.SPOOL}/${name}`))
  assert.equal(waiting().length, 1)
  assert.match(entry.body.transcript, /harbour light[^]*And the buoy/)
  assert.deepEqual([entry.route, entry.body.reason, entry.daemon], ["/api/hooks/session-end", "session.idle", ""])
  assert.deepEqual([statSync(`${process.env.SPOOL}/${name}`).mode & 0o777, statSync(process.env.SPOOL).mode & 0o777], [0o600, 0o700])
  assert.equal(JSON.stringify(entry).includes("authorization"), false)
  status = 400
  await send("idle", "oc-4")
  await send("deleted", "oc-4")
  assert.equal(waiting().length, 1)
  server.closeAllConnections()
  server.close()
  delete process.env.SIGNET_DAEMON_URL
})

test("it can be switched off", async () => {
  for (const [name, value] of [["SIGNET_ENABLED", "false"], ["SIGNET_BYPASS", "1"]]) {
    process.env[name] = value
    assert.deepEqual(await load(), {})
    delete process.env[name]
  }
})
