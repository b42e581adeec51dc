/** Places entities: linked ones near each other, all apart, everything around the middle. Posts the places now and then. */

interface Asked {
  readonly sizes: Float32Array;
  readonly sources: Uint32Array;
  readonly targets: Uint32Array;
}

const STEPS = 300;
const EACH = 15;
/** Farther apart than this, two entities leave each other alone. */
const REACH = 320;
/** The length that links tend to, and how strongly. */
const LENGTH = 70;
const PULL = 0.08;
const PUSH = 900;
const TO_MIDDLE = 0.012;
/** Farthest way of one step, in the beginning. */
const STRIDE = 40;
/** The angle between one entity and the next of a spiral that fills a disc evenly. */
const GOLDEN = Math.PI * (3 - Math.sqrt(5));

addEventListener("message", ({ data }: MessageEvent<Asked>) => {
  const size = data.sizes.length;
  const places = new Float32Array(size * 2);
  for (let at = 0; at < size; at += 1) {
    const far = 32 * Math.sqrt(at + 0.5);
    places.set([far * Math.cos(at * GOLDEN), far * Math.sin(at * GOLDEN)], at * 2);
  }
  for (let step = 1; step <= STEPS; step += 1) {
    move(places, data, STRIDE * (1 - step / (STEPS + 1)));
    if (step % EACH === 0) postMessage({ places: places.slice(), isDone: step === STEPS });
  }
});

function move(places: Float32Array, { sizes, sources, targets }: Asked, stride: number): void {
  const forces = new Float32Array(places.length);
  const push = (a: number, b: number, by: number, dx: number, dy: number) => {
    forces[a * 2]! -= dx * by;
    forces[a * 2 + 1]! -= dy * by;
    forces[b * 2]! += dx * by;
    forces[b * 2 + 1]! += dy * by;
  };
  const between = (a: number, b: number) => [places[b * 2]! - places[a * 2]!, places[b * 2 + 1]! - places[a * 2 + 1]!] as const;
  for (const [a, b] of pairs(places)) {
    const [dx, dy] = between(a, b);
    const far = Math.max(1, Math.hypot(dx, dy));
    const gap = Math.max(4, far - sizes[a]! - sizes[b]!);
    if (far < REACH) push(a, b, PUSH / (gap * far) - PUSH / (REACH * far), dx, dy);
  }
  sources.forEach((a, at) => {
    const b = targets[at]!;
    const [dx, dy] = between(a, b);
    const far = Math.max(1, Math.hypot(dx, dy));
    push(a, b, (-PULL * (far - LENGTH - sizes[a]! - sizes[b]!)) / far, dx, dy);
  });
  for (let at = 0; at < sizes.length; at += 1) {
    const fx = forces[at * 2]! - places[at * 2]! * TO_MIDDLE;
    const fy = forces[at * 2 + 1]! - places[at * 2 + 1]! * TO_MIDDLE;
    const by = Math.min(1, stride / Math.max(1e-6, Math.hypot(fx, fy)));
    places[at * 2]! += fx * by;
    places[at * 2 + 1]! += fy * by;
  }
}

/** Yield each two that may be in reach of each other: those of one square of a grid, and of the squares beside it. */
function* pairs(places: Float32Array): Iterable<[number, number]> {
  const squares = new Map<string, number[]>();
  const name = (x: number, y: number) => `${x} ${y}`;
  for (let at = 0; at < places.length / 2; at += 1) {
    const key = name(Math.floor(places[at * 2]! / REACH), Math.floor(places[at * 2 + 1]! / REACH));
    const known = squares.get(key);
    if (known) known.push(at);
    else squares.set(key, [at]);
  }
  for (const [key, members] of squares) {
    const [x, y] = key.split(" ").map(Number) as [number, number];
    for (let at = 0; at < members.length; at += 1) for (let to = at + 1; to < members.length; to += 1) yield [members[at]!, members[to]!];
    for (const [dx, dy] of [[1, 0], [0, 1], [1, 1], [1, -1]] as const)
      for (const a of members) for (const b of squares.get(name(x + dx, y + dy)) ?? []) yield [a, b];
  }
}
