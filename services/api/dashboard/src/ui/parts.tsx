/** A room of several parts, each with an address: their names, and the part that is open. */
import type { ComponentType } from "preact";
import { href, route } from "../lib/route";

/** `of` has the title of each part and what shows it; the one without a name is shown at first. */
export function Parts({ room, of }: { room: string; of: Readonly<Record<string, readonly [string, ComponentType]>> }) {
  const asked = route.value.parts[0] ?? "";
  const now = asked in of ? asked : "";
  const Part = of[now]![1];
  return <>
    <nav class="tabs" aria-label={`Parts of the ${room}`}>{Object.entries(of).map(([name, [title]]) =>
      <a key={name} href={name ? href(room, {}, name) : href(room)} aria-current={name === now ? "page" : undefined}>{title}</a>)}</nav>
    <Part />
  </>;
}
