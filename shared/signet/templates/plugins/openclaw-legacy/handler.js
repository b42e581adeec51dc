// Signet's older hook in OpenClaw. Written by `signet harness install openclaw --legacy`; changes are replaced.
// @client

const CALL_MS = 5_000

const env = process.env
const { url, elsewhere, authorization } = daemonOf(env)
const headers = {
  "x-signet-runtime-path": "legacy",
  "x-signet-actor": "openclaw-hook",
  "x-signet-actor-type": "harness",
  ...authorization,
}
const signet = signetClient({ url, elsewhere, harness: "openclaw", headers })

// What each command asks for, and what is said then.
const COMMANDS = {
  async remember(about, words) {
    const told = await signet.hook("remember", { ...about, content: words }, CALL_MS)
    return told ? `Remembered (${told.id}).` : "The memory is not available."
  },
  async recall(about, words) {
    const told = await signet.hook("recall", { ...about, query: words, limit: 5 }, CALL_MS)
    if (!told) return "The memory is not available."
    return (told.results ?? []).map((one) => `- ${one.content}`).join("\n") || "Nothing is remembered about this."
  },
  // This hook hears no prompts, so the words behind the command say what earlier work is wanted of.
  async context(about, words) {
    const told = await signet.hook("session-start", { ...about, context: words, needsContext: true }, CALL_MS)
    return told?.inject || "There is nothing to tell yet."
  },
}

export default async function handler(event) {
  if (env.SIGNET_ENABLED === "false" || event?.type !== "command") return
  const about = { sessionKey: event.sessionKey, runtimePath: "legacy" }
  if (event.action === "new" || event.action === "reset") {
    const transcriptPath = (event.context?.previousSessionEntry ?? event.context?.sessionEntry)?.sessionFile
    await signet.keep("session-end", { ...about, transcriptPath, reason: event.action }, CALL_MS)
    return
  }
  const command = COMMANDS[event.action]
  const words = String(event.context?.args ?? event.context?.text ?? "").trim()
  if (!command || (!words && event.action !== "context")) return
  event.messages?.push(await command(about, words))
}
