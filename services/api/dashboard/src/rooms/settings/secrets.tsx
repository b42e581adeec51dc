/** Names of secrets. Values go in and never come back. */
import { putSecret } from "../../api/calls";
import { paths } from "../../api/paths";
import type { Secrets as Names } from "../../api/types";
import { Empty, Load } from "../../ui/states";
import { Add, Remove } from "./add";

export function Secrets() {
  return <div class="narrow">
    <p class="soft">Agents use secrets by name, in commands that Signet runs for them.</p>
    <Load<Names> path={paths.secrets} topics={["config"]} rows={2} what="secrets">{({ secrets }) => secrets.length === 0 ? <Empty title="No secret yet" /> : <ul class="rows">{secrets.map((name) => <li key={name} class="repair">
      <span>{name}</span><Remove kind="secrets" id={name} name={name} loses="Its value cannot be recovered." /></li>)}</ul>}</Load>
    <Add title="Keep a secret" verb="Keep" does={({ name, value }) => putSecret(name!, value!)} done={({ name }) => `${name} is kept.`}
      fields={[{ name: "name", label: "Name", placeholder: "GITHUB_TOKEN" }, { name: "value", label: "Value", type: "password" }]} />
  </div>;
}
