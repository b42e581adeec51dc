/** Agents and whose memories are shown; who may call the daemon, and with which tokens. */
import { paths } from "../../api/paths";
import type { Agents, Tokens, WhoAmI } from "../../api/types";
import { useResource } from "../../lib/resource";
import { agent } from "../../lib/store";
import { brief, day } from "../../lib/time";
import { count } from "../../lib/words";
import { Load } from "../../ui/states";
import { Remove } from "./add";
import { Table } from "../../ui/table";

const DEFAULT = "default";

export function Access() {
  return <>
    <Roster />
    <Caller />
  </>;
}

function Roster() {
  return <Load<Agents> path={paths.agents} topics={["config"]} rows={3} what="agents">{({ agents }) => <><Table of={["Agent", "Reads", "Memories", "Shown on this page"]}>{agents.map((one) => {
      const value = one.id === DEFAULT ? "" : one.id;
      return <tr key={one.id}><th scope="row">{one.name}</th><td>{one.reads}</td><td>{count(one.memories, "memory", "memories")}</td>
        <td><label class="small"><input type="radio" name="agent" checked={agent.value === value} onChange={() => (agent.value = value)} aria-label={one.name} /></label></td></tr>;
    })}</Table>
    <p class="small soft">Add one: <code>signet agent add NAME</code></p></>}</Load>;
}

function Caller() {
  const me = useResource<WhoAmI>(paths.whoami).value;
  if (!me) return null;
  return <>
    <h2>Who may use Signet</h2>
    <p>{me.mode === "team" ? "Anyone with a token." : `Your own programs on this machine${me.mode === "hybrid" ? ", others with a token" : ""}.`} </p>
    {me.mode !== "local" && me.permissions.includes("admin") && <Given />}
    <p class="small soft">{me.permissions.includes("programs") || me.permissions.includes("speak") ? "This page has your rights. It asks before it runs a program." : me.standing === "peer" ? <>This page reads and changes memories. To approve them or change settings, open it with <code>signet dashboard</code>.</> : `Your role lets this page ${me.permissions.join(", ")}.`}</p>
  </>;
}

/** Every token that still opens something, and when it was used last. */
function Given() {
  return <Load<Tokens> path={paths.tokens} topics={["config"]} rows={3} what="tokens">{({ tokens }) => <><Table of={["Token", "Role", "Last used", "Until", <span class="hidden">Do</span>]}>{tokens.filter((one) => !one.revokedAt).map((one) => <tr key={one.jti}>
      <th scope="row">{one.sub ?? one.jti}</th><td>{one.role}</td><td>{one.lastSeenAt ? brief(one.lastSeenAt) : "never"}</td><td>{one.expiresAt ? day(one.expiresAt) : "revoked"}</td>
      <td><Remove kind="auth/tokens" id={one.jti} name={one.sub ?? one.jti} loses="Programs that use it are refused." /></td></tr>)}</Table>
    <p class="small soft">Add one: <code>signet auth token create</code></p></>}</Load>;
}
