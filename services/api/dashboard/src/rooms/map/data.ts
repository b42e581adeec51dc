/** The graph as columns: what the painter and the layout read. */
import type { GraphColumns } from "../../api/types";

export interface Named {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
  readonly mentions: number;
}

export interface Graph {
  readonly entities: readonly Named[];
  /** Radius of each entity, in the units of the layout. */
  readonly sizes: Float32Array<ArrayBuffer>;
  /** Which colour each entity has. */
  readonly groups: Uint8Array;
  readonly sources: Uint32Array;
  readonly targets: Uint32Array;
}

/** How many colours there are. */
export const GROUPS = 6;

/** Return the graph that the daemon sent. */
export function graphOf(found: GraphColumns): Graph {
  const [sources, targets] = [Uint32Array.from(found.sources), Uint32Array.from(found.targets)];
  const hasCommunities = new Set(found.communities).size > 2;
  return {
    entities: found.ids.map((id, at) => ({ id, name: found.names[at]!, kind: found.kindNames[found.kinds[at]!] ?? "", mentions: found.mentions[at]! })),
    sources, targets,
    sizes: Float32Array.from(found.mentions, (mentions) => 5 + Math.min(17, 3 * Math.log2(1 + mentions))),
    groups: hasCommunities ? Uint8Array.from(found.communities, (one) => (one < 0 ? GROUPS - 1 : one % (GROUPS - 1))) : groupsOf(found.ids.length, sources, targets),
  };
}

/** Colour each entity as the largest that it is linked to; the last colour is for those that are linked to none of them. */
function groupsOf(size: number, sources: Uint32Array, targets: Uint32Array): Uint8Array {
  // The daemon sends the most important ones first.
  const group = Uint8Array.from({ length: size }, (_, at) => Math.min(at, GROUPS - 1));
  sources.forEach((source, at) => {
    const target = targets[at]!;
    group[source] = Math.min(group[source]!, target);
    group[target] = Math.min(group[target]!, source);
  });
  for (let at = 0; at < Math.min(size, GROUPS - 1); at += 1) group[at] = at;
  return group;
}

/** Return the entity nearest to a point, within its radius and some more; -1 when there is none. */
export function nearest(graph: Graph, places: Float32Array<ArrayBuffer>, x: number, y: number, slack: number): number {
  let best = -1;
  let least = Infinity;
  for (let at = 0; at < graph.sizes.length; at += 1) {
    const far = Math.hypot(places[at * 2]! - x, places[at * 2 + 1]! - y) - graph.sizes[at]!;
    if (far < slack && far < least) [best, least] = [at, far];
  }
  return best;
}

/** Return the nearest entity in a direction from another, by distance and angle; the same when there is none. */
export function towards(places: Float32Array<ArrayBuffer>, from: number, dx: number, dy: number): number {
  let best = from;
  let least = Infinity;
  for (let at = 0; at < places.length / 2; at += 1) {
    const [x, y] = [places[at * 2]! - places[from * 2]!, places[at * 2 + 1]! - places[from * 2 + 1]!];
    const along = x * dx + y * dy;
    const cost = Math.hypot(x, y) + 2 * Math.abs(x * dy - y * dx);
    if (at !== from && along > 0 && cost < least) [best, least] = [at, cost];
  }
  return best;
}
