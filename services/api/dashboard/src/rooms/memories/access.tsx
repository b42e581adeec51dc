/** Who may read a memory: each agent, yes or no, and the rule that decides it. */
import { paths } from "../../api/paths";
import type { Access as Answer } from "../../api/types";
import { Load } from "../../ui/states";
import { Table } from "../../ui/table";
import { Shares } from "./shares";

export function Access({ id }: { id: string }) {
  return <Load<Answer> path={paths.access(id)} topics={["memory", "config"]} rows={2} what="who may read it">{({ owner, visibility, agents }) => <>
    <p class="soft">It belongs to {owner} and is {visibility === "global" ? "shared" : visibility.replace("space:", "in the space ")}.</p>
    <Shares memory={id} query={{ memory_id: id }} />
    <Table of={["Agent", "Reads it", "Because"]}>{agents.map((one) => <tr key={one.id}><th scope="row">{one.name}</th><td class={one.reads ? "good" : "warn"}>{one.reads ? "yes" : "no"}</td><td>{one.says}</td></tr>)}</Table>
  </>}</Load>;
}
