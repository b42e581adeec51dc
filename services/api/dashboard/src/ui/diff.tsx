/** How one text became another. */
import { difference } from "../lib/words";

export function Diff({ before, after }: { before: string; after: string }) {
  const { start, old, now, end } = difference(before, after);
  return <p class="diff">{start}{old && <del>{old}</del>}{now && <ins>{now}</ins>}{end}</p>;
}
