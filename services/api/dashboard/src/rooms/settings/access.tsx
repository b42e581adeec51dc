/** Agents and whose memories are shown; who may call the daemon, and with which tokens. */
import { paths } from "../../api/paths";
import type { Agents, WhoAmI } from "../../api/types";
import { useResource } from "../../lib/resource";
import { agent } from "../../lib/store";
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
  return <Load<Agents> path={paths.agents} topics={["config"]} rows={3} what="agents">{({ agents }) => <><Table of={["Agent", "Reads", "Memories", "Shown on this page"]}>{agents.map((one) => {
      const value = one.id === DEFAULT ? "" : one.id;
      return <tr key={one.id}><th scope="row">{one.name}</th><td>{one.reads}</td><td>{count(one.memories, "memory", "memories")}</td>
        <td><label class="small"><input type="radio" name="agent" checked={agent.value === value} onChange={() => (agent.value = value)} aria-label={one.name} /></label></td></tr>;
    })}</Table>
    <p class="small soft">Another one: <code>signet agent add NAME</code></p></>}</Load>;
}

function Caller() {
  const me = useResource<WhoAmI>(paths.whoami).value;
  if (!me) return null;
  return <>
    <h2>Who may use Signet</h2>
    <p>{me.mode === "team" ? "Whoever has a token." : `Your own programs on this machine${me.mode === "hybrid" ? ", others with a token" : ""}.`} {me.mode !== "local" && <>All tokens: <code>signet auth token list</code></>}</p>
    <p class="small soft">{me.permissions.includes("programs") || me.permissions.includes("speak") ? "This page may do everything that you may; it asks before it runs a program." : me.standing === "peer" ? <>This page reads and changes memory. To approve memories and to change settings, open it with <code>signet dashboard</code>.</> : `Your role lets this page ${me.permissions.join(", ")}.`}</p>
  </>;
}
