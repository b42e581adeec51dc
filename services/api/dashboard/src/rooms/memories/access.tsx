/** Who may read a memory: each agent, yes or no, and the rule that decides it. */
import { paths } from "../../api/paths";
import type { Access as Answer } from "../../api/types";
import { Load } from "../../ui/states";
import { Table } from "../../ui/table";

const RULES: Readonly<Record<string, string>> = {
  own: "it is its own", shared: "it is shared, and this agent reads what is shared", group: "it is shared, and its owner is of the same group",
  private: "it is private to its owner", isolated: "this agent reads only its own", other_group: "its owner is of no group of this agent", archived: "it is archived, and nobody reads it",
};

export function Access({ id }: { id: string }) {
  return <Load<Answer> path={paths.access(id)} topics={["memory", "config"]} rows={2} what="who may read it">{({ owner, visibility, agents }) => <>
    <p class="soft">It belongs to {owner}, and is {visibility === "global" ? "shared" : visibility}.</p>
    <Table of={["Agent", "Reads it", "Because"]}>{agents.map((one) => <tr key={one.id}><th scope="row">{one.name}</th><td class={one.reads ? "good" : "warn"}>{one.reads ? "yes" : "no"}</td><td>{RULES[one.rule] ?? one.rule}</td></tr>)}</Table>
  </>}</Load>;
}
