/** Places entities: communities apart, linked ones near each other, everything around the middle. Posts the places now and then. */

interface Asked {
  readonly sizes: Float32Array;
  readonly sources: Uint32Array;
  readonly targets: Uint32Array;
  /** The community of each entity, -1 for none. */
  readonly communities: readonly number[];
}

const STEPS = 120;
const EACH = 15;
/** Farther apart than this, two entities leave each other alone. */
const REACH = 320;
/** The length that links tend to, how strongly the only link of an entity does, and one between communities in comparison. */
const LENGTH = 70;
const PULL = 0.5;
const ACROSS = 0.05;
const PUSH = 900;
const TO_MIDDLE = 0.006;
/** How strongly entities tend to the middle of their community. */
const TOGETHER = 0.03;
/** Farthest way of one step, in the beginning. */
const STRIDE = 40;
/** The room that an entity begins with, and the angle between one and the next of a spiral that fills a disc evenly. */
const ROOM = 32;
const GOLDEN = Math.PI * (3 - Math.sqrt(5));

addEventListener("message", ({ data }: MessageEvent<Asked>) => {
  const members = Map.groupBy(data.communities.keys(), (at) => data.communities[at]!);
  const degrees = new Float32Array(data.sizes.length);
  for (const ends of [data.sources, data.targets]) ends.forEach((at) => (degrees[at]! += 1));
  const places = begin(data.sizes.length, members);
  for (let step = 1; step <= STEPS; step += 1) {
    move(places, data, members, degrees, STRIDE * (1 - step / (STEPS + 1)));
    if (step % EACH === 0) postMessage({ places: places.slice(), isDone: step === STEPS });
  }
});

/** Return a place of a spiral. */
function spiral(turn: number): [number, number] {
  const far = ROOM * Math.sqrt(turn);
  return [far * Math.cos(turn * GOLDEN), far * Math.sin(turn * GOLDEN)];
}

/** Return where entities begin: each community is a disc, the largest in the middle, those without one at the rim. */
function begin(size: number, members: ReadonlyMap<number, number[]>): Float32Array {
  const places = new Float32Array(size * 2);
  const discs: [number, number, number][] = [];
  let turn = 0;
  for (const [, of] of [...members].sort(([a, some], [b, others]) => Number(a < 0) - Number(b < 0) || others.length - some.length)) {
    const radius = ROOM * Math.sqrt(of.length);
    let [x, y] = spiral(turn);
    while (discs.some(([left, top, room]) => Math.hypot(left - x, top - y) < room + radius)) [x, y] = spiral((turn += 1));
    discs.push([x, y, radius]);
    of.forEach((at, place) => {
      const [dx, dy] = spiral(place + 0.5);
      places.set([x + dx, y + dy], at * 2);
    });
  }
  return places;
}

function move(places: Float32Array, { sizes, sources, targets, communities }: Asked, members: ReadonlyMap<number, number[]>, degrees: Float32Array, stride: number): void {
  const forces = new Float32Array(places.length);
  const push = (a: number, b: number, by: (far: number) => number, reach = Infinity) => {
    const [x, y] = [places[b * 2]! - places[a * 2]!, places[b * 2 + 1]! - places[a * 2 + 1]!];
    const far = Math.max(1, Math.sqrt(x * x + y * y));
    if (far > reach) return;
    const force = by(far - sizes[a]! - sizes[b]!) / far;
    forces[a * 2]! -= x * force;
    forces[a * 2 + 1]! -= y * force;
    forces[b * 2]! += x * force;
    forces[b * 2 + 1]! += y * force;
  };
  const away = (gap: number) => PUSH / Math.max(4, gap) - PUSH / REACH;
  // From the left to the right, those in reach of one follow it.
  const order = Uint32Array.from(sizes.keys()).sort((a, b) => places[a * 2]! - places[b * 2]!);
  for (let at = 0; at < order.length; at += 1)
    for (let next = at + 1; next < order.length && places[order[next]! * 2]! - places[order[at]! * 2]! < REACH; next += 1) push(order[at]!, order[next]!, away, REACH);
  sources.forEach((a, at) => {
    const b = targets[at]!;
    const pull = (PULL * (communities[a] === communities[b] ? 1 : ACROSS)) / Math.min(degrees[a]!, degrees[b]!);
    push(a, b, (gap) => pull * (LENGTH - gap));
  });
  for (const [community, of] of members) if (community >= 0) for (const axis of [0, 1]) {
    const middle = of.reduce((sum, at) => sum + places[at * 2 + axis]!, 0) / of.length;
    for (const at of of) forces[at * 2 + axis]! += (middle - places[at * 2 + axis]!) * TOGETHER;
  }
  for (let at = 0; at < sizes.length; at += 1) {
    const fx = forces[at * 2]! - places[at * 2]! * TO_MIDDLE;
    const fy = forces[at * 2 + 1]! - places[at * 2 + 1]! * TO_MIDDLE;
    const by = Math.min(1, stride / Math.max(1e-6, Math.sqrt(fx * fx + fy * fy)));
    places[at * 2]! += fx * by;
    places[at * 2 + 1]! += fy * by;
  }
}
