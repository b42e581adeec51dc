// Signet's older hook in OpenClaw. Written by `signet harness install openclaw --legacy`; changes are replaced.
import { Signet } from "@signetai/client"
import { quiet } from "./transcript.js"

const CALL = { timeoutMs: 5_000 }

const env = process.env
const signet = new Signet({
  workspace: "@workspace",
  url: env.SIGNET_DAEMON_URL || undefined,
  role: "agent",
  actor: "openclaw-hook",
  actorType: "harness",
  headers: { "x-signet-harness": "openclaw", "x-signet-runtime-path": "legacy" },
})

// What each command asks for, and what is said then.
const COMMANDS = {
  async remember(about, words) {
    const told = await quiet(signet.request("POST /api/hooks/remember", { body: { ...about, content: words } }, CALL))
    return told ? `Remembered (${told.id}).` : "The memory is not available."
  },
  async recall(about, words) {
    const told = await quiet(signet.request("POST /api/hooks/recall", { body: { ...about, query: words, limit: 5 } }, CALL))
    if (!told) return "The memory is not available."
    return (told.results ?? []).map((one) => `- ${one.content}`).join("\n") || "Nothing is remembered about this."
  },
  // This hook hears no prompts, so the words behind the command say what earlier work is wanted of.
  async context(about, words) {
    const told = await quiet(signet.startSession({ ...about, context: words, needsContext: true }, CALL))
    return told?.inject || "There is nothing to tell yet."
  },
}

export default async function handler(event) {
  if (env.SIGNET_ENABLED === "false" || env.SIGNET_BYPASS === "1" || event?.type !== "command") return
  const about = { harness: "openclaw", sessionKey: event.sessionKey, runtimePath: "legacy" }
  if (event.action === "new" || event.action === "reset") {
    const transcriptPath = (event.context?.previousSessionEntry ?? event.context?.sessionEntry)?.sessionFile
    await quiet(signet.endSession({ ...about, transcriptPath, reason: event.action }, { ...CALL, spool: true }))
    return
  }
  const command = COMMANDS[event.action]
  const words = String(event.context?.args ?? event.context?.text ?? "").trim()
  if (!command || (!words && event.action !== "context")) return
  event.messages?.push(await command(about, words))
}
