/** Agents and whose memories are shown; who may call the daemon, and with which tokens. */
import { paths } from "../../api/paths";
import type { Agents, Tokens, WhoAmI } from "../../api/types";
import { useResource } from "../../lib/resource";
import { agent } from "../../lib/store";
import { brief } from "../../lib/time";
import { count } from "../../lib/words";
import { Load } from "../../ui/states";
import { Table } from "../../ui/table";

const DEFAULT = "default";

export function Access() {
  return <>
    <Roster />
    <Caller />
  </>;
}

function Roster() {
  return <Load<Agents> path={paths.agents} topics={["config"]} rows={3} what="agents">{({ agents }) => <><Table of={["Agent", "Reads", "Memories", "This page"]}>{agents.map((one) => {
      const value = one.id === DEFAULT ? "" : one.id;
      return <tr key={one.id}><th scope="row">{one.name}</th><td>{one.reads}</td><td>{count(one.memories, "memory", "memories")}</td>
        <td><label class="small"><input type="radio" name="agent" checked={agent.value === value} onChange={() => (agent.value = value)} /> shows it</label></td></tr>;
    })}</Table>
    <p class="small soft">Another one: <code>signet agent add NAME</code></p></>}</Load>;
}

function Caller() {
  const me = useResource<WhoAmI>(paths.whoami).value;
  if (!me) return null;
  return <>
    <h2>Who may call</h2>
    <p>{me.mode === "team" ? "Whoever has a token." : `Your own programs on this machine${me.mode === "hybrid" ? ", others with a token" : ""}.`}</p>
    <p class="small soft">This page may: {me.permissions.join(", ")}.{me.standing === "peer" && <> For more, open it with <code>signet dashboard</code>.</>}</p>
    {me.mode !== "local" && me.permissions.includes("admin") && <TokenList />}
  </>;
}

function TokenList() {
  return <Load<Tokens> path={paths.tokens} topics={["config"]} rows={2} what="tokens">{({ tokens }) => <><Table of={["Token of", "Role", "Limited to", "Until"]}>{tokens.map((one) => <tr key={one.jti}><th scope="row" dir="auto">{one.sub}</th><td>{one.role}</td><td>{Object.entries(one.scope).map(([part, name]) => `${part} ${typeof name === "string" ? name : Object.keys(name as object)}`).join(", ") || "nothing"}</td>
      <td class={one.revokedAt ? "warn" : ""}>{one.revokedAt ? `taken back ${brief(one.revokedAt)}` : brief(one.expiresAt)}</td></tr>)}</Table>
    <p class="small soft">Another one: <code>signet auth token create</code>. Take one back: <code>signet auth token revoke ID</code></p></>}</Load>;
}
