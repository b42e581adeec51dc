/** The name of a project with its colour: the same in every list. */
import { projectName } from "../lib/words";

const HUES = ["accent", "good", "graph", "meaning", "beside", "hint"];

export function Project({ of }: { of: string }) {
  const name = projectName(of);
  let sum = 0;
  for (const one of name) sum = (sum * 31 + one.codePointAt(0)!) % 9973;
  return <span class="project" style={{ "--hue": `var(--${HUES[sum % HUES.length]})` }}>{name}</span>;
}
