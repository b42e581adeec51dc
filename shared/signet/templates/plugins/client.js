// Calls of the Signet daemon. Nothing here ever throws into the harness or waits longer than its limit;
// the end of a session that could not be delivered is kept and sent with the next call that succeeds.
const MOST_KEPT = 100

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

const MEMORY_TOOLS = {
  memory_search: {
    description: "Search what is remembered from earlier sessions.",
    args: { query: "string", limit: "number?", type: "string?" },
    call: (client, args) => client.ask("POST", "/api/memory/recall", { limit: 10, ...args }, 5_000),
    show: (told) =>
      (told.results ?? []).map((one) => `[${one.id}] (${one.type}, ${one.score.toFixed(2)}) ${one.content}`).join("\n") ||
      "Nothing is remembered about this.",
  },
  memory_store: {
    description: "Remember a fact, a decision or a preference for later sessions.",
    args: { content: "string", type: "string?", importance: "number?", tags: "string?" },
    call: (client, args) => client.ask("POST", "/api/memory/remember", args, 5_000),
    show: (told) => `Remembered as ${told.id ?? told.memoryId}.`,
  },
  memory_get: {
    description: "Read one memory by its id.",
    args: { id: "string" },
    call: (client, { id }) => client.ask("GET", `/api/memory/${encodeURIComponent(id)}`, undefined, 5_000),
    show: (told) => JSON.stringify(told),
  },
  memory_list: {
    description: "List the newest memories.",
    args: { limit: "number?", offset: "number?" },
    call: (client, { limit = 20, offset = 0 }) =>
      client.ask("GET", `/api/memories?limit=${limit}&offset=${offset}`, undefined, 5_000),
    show: (told) => (told.memories ?? []).map((one) => `[${one.id}] (${one.type}) ${one.content}`).join("\n"),
  },
  memory_modify: {
    description: "Change a memory; the reason is kept in its history.",
    args: { id: "string", reason: "string", content: "string?", type: "string?", importance: "number?" },
    call: (client, { id, ...rest }) =>
      client.ask("PATCH", `/api/memory/${encodeURIComponent(id)}`, rest, 5_000),
    show: () => "Changed.",
  },
  memory_forget: {
    description: "Forget a memory; the reason is kept, and it can be recovered for a while.",
    args: { id: "string", reason: "string" },
    call: (client, { id, reason }) =>
      client.ask("DELETE", `/api/memory/${encodeURIComponent(id)}?reason=${encodeURIComponent(reason)}`, undefined, 5_000),
    show: () => "Forgotten.",
  },
}

async function runTool(tool, client, args) {
  try {
    return tool.show(await tool.call(client, args))
  } catch (error) {
    return `The memory is not available: ${error.message}`
  }
}

// What was said, from messages whose content is a text or a list of parts.
function transcriptOf(messages) {
  const lines = []
  for (const { role, content } of messages) {
    const parts = typeof content === "string" ? [content] : (content ?? []).filter((one) => one.type === "text").map((one) => one.text)
    const text = parts.join("\n").trim()
    if (text && (role === "user" || role === "assistant")) lines.push(`${role === "user" ? "User" : "Assistant"}: ${text}`)
  }
  return lines.join("\n\n")
}
