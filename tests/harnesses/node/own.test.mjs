// Runs a plugin whose workspace has the token of the real daemon at DAEMON, but not its socket.
import assert from "node:assert/strict"
import { chmodSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { connect, createServer } from "node:net"
import { dirname } from "node:path"
import { after, test } from "node:test"
import { pathToFileURL } from "node:url"

const { default: plugin } = await import(pathToFileURL(process.env.PLUGIN))
const folder = process.env.FOLDER
const real = Number(new URL(process.env.DAEMON).port)
const tools = {}
plugin.register({ on() {}, registerTool: (tool) => (tools[tool.name] = tool) })

async function saved(content) {
  const told = await tools.signet_memory_store.execute("1", { content })
  return told.content[0].text
}

function atPort(port) {
  writeFileSync(`${folder}/state.json`, JSON.stringify({ url: `http://127.0.0.1:${port}` }))
}

// A program that listens somewhere, and all that it hears.
async function listening(place, act = () => {}) {
  const heard = []
  const server = createServer((socket) => {
    socket.on("error", () => {}).on("data", (data) => heard.push(data.toString()))
    act(socket)
  })
  after(() => server.close())
  await new Promise((ready) => server.listen(place, ready))
  return { server, heard, port: server.address().port }
}

const answer = (body, length = Buffer.byteLength(body)) => `HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n\r\n${body}`
const OTHERS = {
  "a proof that is none": (socket) => socket.once("data", () => socket.write(answer('{"proof":"00","id":"INJECTED"}'))),
  "no JSON": (socket) => socket.once("data", () => socket.write(answer("INJECTED"))),
  "another protocol": (socket) => socket.write("SSH-2.0-INJECTED\r\n\r\n"),
  "an endless head": (socket) => socket.write("x".repeat(200_000)),
  "an endless answer": (socket) => socket.once("data", () => socket.write(answer("", 1e12))),
  "no answer": (socket) => socket.once("data", () => socket.destroy()),
  "the real daemon's answer": (socket) => {
    const daemon = connect({ host: "127.0.0.1", port: real })
    daemon.on("error", () => {})
    socket.pipe(daemon).pipe(socket)
    socket.on("close", () => daemon.destroy())
  },
}

test("the real daemon is spoken to once it has proved itself", async () => {
  atPort(real)
  assert.match(await saved("The gull sleeps on the buoy."), /^Remembered as /)
})

test("the path of a request is encoded", async () => {
  const told = await tools.signet_memory_list.execute("1", { limit: "1 HTTP/1.1\r\nX-Signet-Actor: x\r\n\r\n" })
  assert.match(told.content[0].text, /limit: not a whole number/)
})

for (const [name, act] of Object.entries(OTHERS)) {
  test(`a program on the port that sends ${name} hears a question and nothing else`, async () => {
    const { heard, port } = await listening({ host: "127.0.0.1", port: 0 }, act)
    atPort(port)
    const told = await saved("My password is hunter2.")
    const broke = `The connection to http://127.0.0.1:${port} broke`
    assert.match(told, new RegExp(`^The memory is not available: (Another program answers on port ${port}|${broke})`))
    assert.doesNotMatch(told, /INJECTED/)
    assert.match(heard.join(""), /^(GET \/api\/auth\/proof\?nonce=[0-9a-f]{32} HTTP\/1.1\r\n|$)/)
    assert.doesNotMatch(heard.join(""), /hunter2|authorization/i)
  })
}

test("a socket that another user could have put there is not used", async () => {
  atPort(real)
  const path = process.env.SOCKET
  const other = `${dirname(path)}/o.sock`
  const { server, heard } = await listening({ path: other })
  symlinkSync(other, path)
  assert.match(await saved("The gull eats a link."), /^Remembered as /)
  rmSync(path)
  renameSync(other, path)
  chmodSync(dirname(path), 0o777)
  assert.match(await saved("The gull eats an open folder."), /^Remembered as /)
  chmodSync(dirname(path), 0o700)
  assert.deepEqual(heard, [])
  server.close()
  assert.match(await saved("The gull eats a socket of the dead."), /^Remembered as /)
})

test("without a token nothing is tried", async () => {
  const { heard, port } = await listening({ host: "127.0.0.1", port: 0 })
  atPort(port)
  const token = readFileSync(`${folder}/token`)
  rmSync(`${folder}/token`)
  assert.match(await saved("My password is hunter2."), /The daemon of \S+ is not running/)
  writeFileSync(`${folder}/token`, token, { mode: 0o600 })
  assert.deepEqual(heard, [])
})
