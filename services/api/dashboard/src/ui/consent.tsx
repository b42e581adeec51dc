/** The question whether something may run or change: what it does, in the daemon's words, and all that it consists of. */
import { consent } from "../lib/http";
import { Dialog } from "./dialog";
import { Diff } from "./diff";

export default function Consent() {
  const { says, shows, answer } = consent.value!;
  const { before, after, ...rest } = shows;
  return <Dialog title="Allow this?" isWide onClose={() => answer(false)}>
    <p>{says}</p>
    <ul class="sample">{Object.entries(rest).map(([name, value]) => <li key={name}>{name}: <strong>{typeof value === "string" ? value : JSON.stringify(value)}</strong></li>)}
      {after !== undefined && <li><Diff before={String(before)} after={String(after)} /></li>}</ul>
    <div class="buttons"><button onClick={() => answer(false)}>Cancel</button><button class="primary" onClick={() => answer(true)}>Allow</button></div>
  </Dialog>;
}
