/** The graph as columns: what the painter and the layout read. */
import type { GraphColumns } from "../../api/types";
import { sum } from "../../lib/words";

/** What people call the kinds of entities. */
export const KINDS: Readonly<Record<string, string>> = { person: "people", project: "projects", file: "files", tool: "tools", system: "systems", concept: "subjects", extracted: "other names", unknown: "other names", skill: "skills", task: "tasks" };

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
  /** The community of each entity, -1 for none, and the names of communities. */
  readonly communities: readonly number[];
  readonly names: readonly string[];
}

/** A graph, and where its entities are: two numbers for each. */
export interface Placed {
  readonly graph: Graph;
  readonly places: Float32Array<ArrayBuffer>;
}

/** The colours, by their names in the style. */
export const COLOURS = ["accent", "meaning", "beside", "graph", "hint", "good"];
export const GROUPS = COLOURS.length;

/** Return the graph that the daemon sent. */
export function graphOf(found: GraphColumns): Graph {
  const [sources, targets] = [Uint32Array.from(found.sources), Uint32Array.from(found.targets)];
  return {
    entities: found.ids.map((id, at) => ({ id, name: found.names[at]!, kind: found.kindNames[found.kinds[at]!] ?? "", mentions: found.mentions[at]! })),
    sources, targets, communities: found.communities, names: found.communityNames,
    sizes: Float32Array.from(found.mentions, (mentions) => 5 + Math.min(17, 3 * Math.log2(1 + mentions))),
    // Where no communities are known yet, kinds tell entities apart.
    groups: Uint8Array.from(found.communityNames.length ? found.communities : found.kinds, (one) => (one < 0 ? GROUPS - 1 : one % (GROUPS - 1))),
  };
}

/** Return an entity with those that it is linked to, and the links among them. */
export function around(graph: Graph, id: string): Graph {
  const at = graph.entities.findIndex((one) => one.id === id);
  const near = new Set([at]);
  const edges = [...graph.sources].map((source, edge) => [source, graph.targets[edge]!] as const);
  for (const [source, target] of edges) {
    if (source === at) near.add(target);
    if (target === at) near.add(source);
  }
  const members = [...near];
  const inside = edges.filter((edge) => edge.every((end) => near.has(end)));
  const ends = (which: 0 | 1) => Uint32Array.from(inside, (edge) => members.indexOf(edge[which]));
  return {
    ...graph, entities: members.map((one) => graph.entities[one]!), communities: members.map((one) => graph.communities[one]!),
    sizes: Float32Array.from(members, (one) => graph.sizes[one]!), groups: Uint8Array.from(members, (one) => graph.groups[one]!), sources: ends(0), targets: ends(1),
  };
}

/** Return the name, size and middle of each cluster; nothing where there are no two. One whose project is shown has no name. */
export function middles({ graph: { communities, names, entities }, places }: Placed): { text: string; size: number; place: number[] }[] {
  const known = new Set(entities.map((one) => one.name.toLowerCase()));
  return names.length < 2 ? [] : names.map((name, one) => {
    const text = known.has(name.toLowerCase()) ? "" : name;
    const members = communities.flatMap((of, at) => (of === one ? at : []));
    return { text, size: members.length, place: [0, 1].map((axis) => sum(members.map((at) => places[at * 2 + axis]!)) / (members.length || 1)) };
  });
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
