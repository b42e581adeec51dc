// Runs the plugin and the legacy hook as OpenClaw would, with the real daemon of their workspace.
import assert from "node:assert/strict"
import { test } from "node:test"
import { pathToFileURL } from "node:url"

const { default: plugin } = await import(pathToFileURL(process.env.PLUGIN))
const { default: handler } = await import(pathToFileURL(process.env.HANDLER))
const call = { type: "toolCall", id: "c-1", name: "bash", arguments: { command: "light --port 9944" } }
const messages = [
  { role: "user", content: "The anchor chain is forty metres long. ".repeat(20) },
  { role: "assistant", content: [{ type: "thinking", text: "hm" }, { type: "text", text: "Noted." }, call] },
  { role: "toolResult", toolCallId: "c-1", toolName: "bash", content: [{ type: "text", text: "lit" }] },
]

function load(daemonUrl, version = "2026.9.6") {
  const api = { hooks: {}, tools: {}, runtime: { version }, pluginConfig: { daemonUrl }, logger: { info() {}, warn() {} } }
  api.on = (name, call) => (api.hooks[name] = call)
  api.registerTool = (tool) => (api.tools[tool.name] = tool)
  plugin.register(api)
  return api
}

test("it is a memory plugin of the name that the slot holds", () => {
  assert.equal(plugin.id, "signet-memory-openclaw")
  assert.equal(plugin.kind, "memory")
})

test("tools say which arguments they need", async () => {
  const { tools } = load()
  assert.deepEqual(Object.keys(tools).length, 7)
  assert.ok(Object.keys(tools).every((name) => name.startsWith("signet_memory_")))
  assert.deepEqual(tools.signet_memory_search.parameters.required, ["query"])
  const told = await tools.signet_memory_store.execute("1", { content: "The anchor chain is forty metres long" })
  assert.match(told.content[0].text, /^Remembered as /)
})

test("building a prompt is told what is remembered; the end of a run gives what was said", async () => {
  const { hooks } = load()
  const context = { agentId: "main", sessionKey: "agent:main:main", workspaceDir: "/work/boat" }
  const told = await hooks.before_prompt_build({ prompt: "How long is the anchor chain?", messages: [] }, context)
  assert.equal((told.prependContext + told.appendSystemContext).split("forty metres").length, 2)
  assert.match(told.appendSystemContext, /memory active/)
  const next = await hooks.before_prompt_build({ prompt: "Is it rusty?", messages }, context)
  assert.equal(next.appendSystemContext, told.appendSystemContext)
  const restarted = await load().hooks.before_prompt_build({ prompt: "Is it long?", messages }, context)
  assert.match(restarted.appendSystemContext, /Today is /)
  assert.ok(restarted.appendSystemContext.length > 100)
  const old = await load(undefined, "2026.3.2").hooks.before_prompt_build({ prompt: "And the anchor chain?", messages }, context)
  assert.match(old.prependContext, /memory active/)
  assert.equal(old.appendSystemContext, undefined)
  await hooks.before_compaction({}, context)
  await hooks.after_compaction({ summary: "The anchor chain was spoken of." }, context)
  await hooks.agent_end({ messages, success: true }, context)
  const other = { agentId: "helm", sessionId: "s-7" }
  await hooks.before_prompt_build({ prompt: "Hello", messages }, other)
  await hooks.session_end({}, other)
})

test("what was told once goes with every later prompt", async () => {
  const { hooks, tools } = load()
  const context = { agentId: "main", sessionKey: "agent:main:long", workspaceDir: "/work/dock" }
  for (let n = 0; n < 8; n++) {
    await tools.signet_memory_store.execute("1", { content: `Bollard ${n}${n} of the dock carries ${n + 20} tonnes.` })
    await hooks.before_prompt_build({ prompt: `What does bollard ${n}${n} of the dock carry?`, messages: [] }, context)
  }
  const last = await hooks.before_prompt_build({ prompt: "thanks", messages: [] }, context)
  for (let n = 0; n < 8; n++) {
    const all = last.prependContext + last.appendSystemContext
    assert.equal(all.split(`carries ${n + 20} tonnes`).length, 2, `bollard ${n}`)
  }
  const asked = await tools.signet_memory_context.execute("1", { prompt: "What does bollard 77 of the dock carry?" })
  assert.match(asked.content[0].text, /27 tonnes/)
  const unknown = await tools.signet_memory_context.execute("1", { id: "session:nobody" })
  assert.match(unknown.content[0].text, /No such episode/)
})

test("a run that OpenClaw makes for itself is no session", async () => {
  const { hooks } = load()
  const flush = { sessionKey: "agent:main:flushed", trigger: "memory" }
  for (const context of [flush, { sessionKey: "agent:main:internal-session-effects:7" }]) {
    const asked = { prompt: "Pre-compaction memory flush. How long is the anchor chain?", messages }
    assert.equal(await hooks.before_prompt_build(asked, context), undefined)
    await hooks.agent_end({ messages, success: true, sessionKey: context.sessionKey }, context)
  }
})

test("without a daemon a prompt is built at once", async () => {
  const { hooks, tools } = load("http://127.0.0.1:9")
  const context = { sessionKey: "agent:main:off" }
  assert.equal(await hooks.before_prompt_build({ prompt: "Hello", messages }, context), undefined)
  await hooks.agent_end({ messages }, context)
  assert.match((await tools.signet_memory_get.execute("1", { id: "x" })).content[0].text, /not available/)
})

test("the legacy hook remembers, recalls and ends sessions", async () => {
  const told = []
  const event = (action, args) => ({ type: "command", action, sessionKey: "agent:main:old", context: { args }, messages: told })
  await handler(event("remember", "The mast is made of spruce"))
  await handler(event("recall", "mast spruce"))
  await handler(event("new"))
  await handler({ type: "gateway", action: "startup" })
  assert.match(told[0], /^Remembered/)
  assert.match(told[1], /spruce/)
  await handler(event("context", "the mast"))
  assert.match(told[2], /memory active/)
  assert.equal(told.length, 3)
})
