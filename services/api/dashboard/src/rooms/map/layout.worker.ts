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
  const together = (gap: number) => PULL * (LENGTH - gap);
  // From the left to the right, those in reach of one follow it.
  const order = Uint32Array.from(sizes.keys()).sort((a, b) => places[a * 2]! - places[b * 2]!);
  for (let at = 0; at < order.length; at += 1)
    for (let next = at + 1; next < order.length && places[order[next]! * 2]! - places[order[at]! * 2]! < REACH; next += 1) push(order[at]!, order[next]!, away, REACH);
  sources.forEach((a, at) => push(a, targets[at]!, together));
  for (let at = 0; at < sizes.length; at += 1) {
    const fx = forces[at * 2]! - places[at * 2]! * TO_MIDDLE;
    const fy = forces[at * 2 + 1]! - places[at * 2 + 1]! * TO_MIDDLE;
    const by = Math.min(1, stride / Math.max(1e-6, Math.sqrt(fx * fx + fy * fy)));
    places[at * 2]! += fx * by;
    places[at * 2 + 1]! += fy * by;
  }
}
