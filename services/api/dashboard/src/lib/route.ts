/** Where the page is: `#/room/part?filters`. All of a view is in its address. */
import { type Query, withQuery } from "./http";
import { signal } from "./signal";

export interface Route {
  readonly room: string;
  readonly parts: readonly string[];
  readonly query: Readonly<Record<string, string>>;
}

/** Return what an address behind `#` means. */
export function parse(hash: string): Route {
  const written = hash.replace(/^#?\/?/, "");
  const [path = "", search = ""] = written.split("?", 2);
  const [room = "", ...parts] = path.split("/").map(decoded);
  return { room, parts, query: Object.fromEntries(new URLSearchParams(search)) };
}

/** Return the address of a view, with its `#`. The project that was chosen stays, unless the query names it. */
export function href(room: string, query: Query = {}, ...parts: string[]): string {
  return withQuery(`#/${[room, ...parts].map(encodeURIComponent).join("/")}`, { project: route?.value.query.project, ...query });
}

export const route = signal<Route>(parse(location.hash));

addEventListener("hashchange", () => {
  route.value = parse(location.hash);
});

/** Go to another view; Back returns here. */
export function go(to: string): void {
  location.hash = to;
}

/** Change filters of this view; `undefined` or an empty text takes one away. Replaced in history unless `pushed`. */
export function filter(changes: Record<string, string | undefined>, pushed = false): void {
  const { room, parts, query } = parse(location.hash); // `route` still has the view that is being left
  const to = href(room, { ...query, ...changes }, ...parts);
  if (pushed) return go(to);
  history.replaceState(null, "", to);
  route.value = parse(to);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
