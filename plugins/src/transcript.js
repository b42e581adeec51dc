// Transcripts from the messages of a harness.

// The answer of a call, or null if there is none in time: nothing ever throws into the harness.
export const quiet = (call, log = () => {}) =>
  call.catch((error) => {
    log(error.message)
    return null
  })

// The text of a message, whose content is a text or a list of parts.
export function textOf(content) {
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
export function transcriptOf(messages) {
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
