/** A table with the names of its columns. */
import type { ComponentChildren } from "preact";

export function Table({ of, children }: { of: readonly ComponentChildren[]; children: ComponentChildren }) {
  return <div class="scroll" tabIndex={0}><table><thead><tr>{of.map((name, at) => <th key={at} scope="col">{name}</th>)}</tr></thead><tbody>{children}</tbody></table></div>;
}
