/** Draws the graph: points and lines by WebGL2, names on a canvas over it. Nothing is drawn while nothing changes. */
import { folded, type Graph, type Placed } from "./data";

export interface Camera { x: number; y: number; scale: number }

/** Places points, and the ends of lines, which have neither size nor tone. */
const POINTS = `#version 300 es
layout(location = 0) in vec2 place; layout(location = 1) in float size; layout(location = 2) in vec3 tone;
uniform vec3 camera; uniform vec2 half_size; uniform float zoom;
out vec3 colour; out float radius;
void main() {
  gl_Position = vec4((place - camera.xy) * camera.z / half_size * vec2(1, -1), 0, 1);
  radius = max(1.0, size * zoom);
  gl_PointSize = 2.0 * radius + 2.0;
  colour = tone;
}`;
const DISC = `#version 300 es
precision mediump float;
in vec3 colour; in float radius; out vec4 result;
void main() {
  float far = length(gl_PointCoord - 0.5) * (2.0 * radius + 2.0);
  result = vec4(colour, 1.0) * (1.0 - smoothstep(radius - 1.0, radius + 0.5, far));
}`;
const FLAT = `#version 300 es
precision mediump float;
uniform vec4 tone; out vec4 result;
void main() { result = tone; }`;

/** Names that are shown at once. */
const NAMES = 60;
/** How much of a line covers what is under it. */
const FAINT = 0.4;
/** At a smaller scale lines are fainter, or a large graph would be one grey disc. */
const CLEAR = 0.3;
/** At a smaller scale a large graph is shown by its communities. */
const FAR = 0.35;

export interface Look { groups: [number, number, number][]; line: [number, number, number]; text: string; halo: string }

export class Painter {
  readonly camera: Camera = { x: 0, y: 0, scale: 1 };
  private readonly gl: WebGL2RenderingContext;
  private readonly words: CanvasRenderingContext2D;
  private readonly points: Layer;
  private readonly lines: Layer;
  private readonly buffers: Readonly<Record<"place" | "size" | "tone" | "edge", WebGLBuffer>>;
  private frame = 0;
  /** What there is, its communities where it is large, and which of these the buffers have. */
  private near: Placed | null = null;
  private far: Placed | null = null;
  private loaded: Placed | null = null;
  private graph: Graph | null = null;

  /** Take a canvas for points and one for names; throws where there is no WebGL2. */
  constructor(private readonly canvas: HTMLCanvasElement, names: HTMLCanvasElement, private look: Look) {
    // Points are smooth by their shader, and for lines alone every frame would be drawn four times over.
    const gl = canvas.getContext("webgl2", { antialias: false });
    const words = names.getContext("2d");
    if (!gl || !words) throw new Error("no WebGL2");
    [this.gl, this.words] = [gl, words];
    const { place, size, tone } = (this.buffers = { place: gl.createBuffer(), size: gl.createBuffer(), tone: gl.createBuffer(), edge: gl.createBuffer() });
    this.points = layer(gl, program(gl, POINTS, DISC), [[place, 2], [size, 1], [tone, 3]]);
    this.lines = layer(gl, program(gl, POINTS, FLAT), [[place, 2]]);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  }

  /** Show a graph at these places. */
  show(near: Placed, chosen: number): void {
    this.near = near;
    this.far = folded(near);
    this.chosen = chosen;
    this.draw();
  }

  /** Whether communities are shown in place of their members. */
  get isFar(): boolean {
    return this.far !== null && this.camera.scale < FAR;
  }

  /** What is shown: everything, or from afar the communities. */
  get shown(): Placed | null {
    return this.isFar ? this.far : this.near;
  }

  /** How large points are beside the layout's: those seen from near grow less than the ways between them. */
  private get zoom(): number {
    return Math.min(this.camera.scale, Math.sqrt(this.camera.scale));
  }

  /** Look into a community that is shown. */
  enter(at: number): void {
    const { places } = this.shown!;
    Object.assign(this.camera, { x: places[at * 2], y: places[at * 2 + 1], scale: FAR });
    this.draw();
  }

  private load({ graph, places }: Placed): void {
    const { gl, buffers } = this;
    const fill = (buffer: WebGLBuffer, data: BufferSource, target: number = gl.ARRAY_BUFFER) => {
      gl.bindBuffer(target, buffer);
      gl.bufferData(target, data, gl.DYNAMIC_DRAW);
    };
    fill(buffers.place, places);
    // While a layout goes on only places change.
    if (this.graph === graph) return;
    this.graph = graph;
    const tones = new Float32Array(graph.sizes.length * 3);
    graph.groups.forEach((group, at) => tones.set(this.look.groups[group]!, at * 3));
    const ends = new Uint32Array(graph.sources.length * 2);
    graph.sources.forEach((source, at) => {
      ends[at * 2] = source;
      ends[at * 2 + 1] = graph.targets[at]!;
    });
    fill(buffers.size, graph.sizes);
    fill(buffers.tone, tones);
    gl.bindVertexArray(this.lines.array);
    fill(buffers.edge, ends, gl.ELEMENT_ARRAY_BUFFER);
  }

  private chosen = -1;

  /** Mark one entity. */
  choose(at: number): void {
    this.chosen = at;
    this.draw();
  }

  /** Draw at the next frame. */
  draw(): void {
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      this.paint();
    });
  }

  /** Put everything in view. */
  fit(): void {
    const { canvas } = this;
    const places = this.near?.places ?? [];
    if (places.length === 0) return;
    let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
    for (let at = 0; at < places.length; at += 2) {
      left = Math.min(left, places[at]!);
      right = Math.max(right, places[at]!);
      top = Math.min(top, places[at + 1]!);
      bottom = Math.max(bottom, places[at + 1]!);
    }
    // Names at the edges take room that does not shrink with the picture.
    const scale = Math.min((canvas.clientWidth - 120) / (right - left + 1), (canvas.clientHeight - 80) / (bottom - top + 1));
    Object.assign(this.camera, { x: (left + right) / 2, y: (top + bottom) / 2, scale: Math.max(0.05, Math.min(2.2, scale)) });
    this.fitted = { ...this.camera };
    this.draw();
  }

  private fitted: Camera = { ...this.camera };

  /** Keep everything in view, unless somebody looks at a part. */
  follow(): void {
    const { camera, fitted } = this;
    if (camera.scale === fitted.scale && camera.x === fitted.x) this.fit();
    else this.draw();
  }

  /** Return the place under a point of the canvas. */
  at(px: number, py: number): [number, number] {
    const { camera, canvas } = this;
    return [camera.x + (px - canvas.clientWidth / 2) / camera.scale, camera.y + (py - canvas.clientHeight / 2) / camera.scale];
  }

  private paint(): void {
    const { gl, canvas, camera, shown } = this;
    const ratio = devicePixelRatio;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    for (const one of [canvas, this.words.canvas]) if (one.width !== width * ratio || one.height !== height * ratio) [one.width, one.height] = [width * ratio, height * ratio];
    gl.viewport(0, 0, canvas.width, canvas.height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    if (!shown) return;
    if (this.loaded !== shown) this.load((this.loaded = shown));
    const { graph } = shown;
    const view = ({ program, array, at }: Layer) => {
      gl.useProgram(program);
      gl.bindVertexArray(array);
      gl.uniform3f(at.camera, camera.x, camera.y, camera.scale);
      gl.uniform2f(at.half_size, width / 2, height / 2);
    };
    view(this.lines);
    const faint = FAINT * Math.min(1, camera.scale / CLEAR) ** 2;
    const [red, green, blue] = this.look.line.map((one) => one * faint) as [number, number, number];
    gl.uniform4f(this.lines.at.tone, red, green, blue, faint);
    gl.drawElements(gl.LINES, graph.sources.length * 2, gl.UNSIGNED_INT, 0);
    view(this.points);
    gl.uniform1f(this.points.at.zoom, this.zoom * ratio);
    gl.drawArrays(gl.POINTS, 0, graph.sizes.length);
    this.name(shown, width, height, ratio);
  }

  private readonly halves = new Map<string, number>();

  /** Return half the width of a name in the font that is set. */
  private half(name: string): number {
    const key = this.words.font + name;
    const half = this.halves.get(key) ?? this.words.measureText(name).width / 2;
    this.halves.set(key, half);
    return half;
  }

  private name({ graph, places }: Placed, width: number, height: number, ratio: number): void {
    const { words, camera, look } = this;
    const chosen = this.isFar ? -1 : this.chosen;
    words.setTransform(ratio, 0, 0, ratio, 0, 0);
    words.clearRect(0, 0, width, height);
    words.textAlign = "center";
    words.lineJoin = "round";
    const seen: { at: number; x: number; y: number }[] = [];
    const see = (at: number) => {
      const x = (places[at * 2]! - camera.x) * camera.scale + width / 2;
      const y = (places[at * 2 + 1]! - camera.y) * camera.scale + height / 2;
      if (at === chosen || (x > 0 && x < width && y > 0 && y < height)) seen.push({ at, x, y });
    };
    if (chosen >= 0) see(chosen);
    for (let at = 0; at < graph.entities.length && seen.length < NAMES; at += 1) if (at !== chosen) see(at);
    const taken: [number, number, number][] = [];
    for (const { at, x, y } of seen) {
      const radius = graph.sizes[at]! * this.zoom;
      const below = this.isFar ? y : y + radius + 14;
      words.font = `${at === chosen ? 600 : 400} ${Math.round(Math.min(17, 10 + graph.sizes[at]! / 3))}px system-ui, sans-serif`;
      if (at === chosen) {
        words.beginPath();
        words.arc(x, y, radius + 4, 0, 7);
        words.strokeStyle = look.text;
        words.lineWidth = 2;
        words.stroke();
      }
      const { name } = graph.entities[at]!;
      const half = this.half(name);
      // A name that would stand on another one waits until there is room for it.
      if (at !== chosen && taken.some(([left, right, line]) => x + half > left && x - half < right && Math.abs(line - below) < 15)) continue;
      taken.push([x - half, x + half, below]);
      words.lineWidth = 3;
      words.strokeStyle = look.halo;
      words.strokeText(name, x, below);
      words.fillStyle = look.text;
      words.fillText(name, x, below);
    }
  }
}

/** A program with its buffers, and where it takes what holds for all points. */
interface Layer { program: WebGLProgram; array: WebGLVertexArrayObject; at: Readonly<Record<"camera" | "half_size" | "zoom" | "tone", WebGLUniformLocation | null>> }

/** `buffers` are in the order of the places that the program reads from, each with its numbers for a point. */
function layer(gl: WebGL2RenderingContext, program: WebGLProgram, buffers: [WebGLBuffer, number][]): Layer {
  const array = gl.createVertexArray();
  gl.bindVertexArray(array);
  buffers.forEach(([buffer, size], at) => {
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.enableVertexAttribArray(at);
    gl.vertexAttribPointer(at, size, gl.FLOAT, false, 0, 0);
  });
  const find = (name: string) => gl.getUniformLocation(program, name);
  return { program, array, at: { camera: find("camera"), half_size: find("half_size"), zoom: find("zoom"), tone: find("tone") } };
}

function program(gl: WebGL2RenderingContext, vertex: string, fragment: string): WebGLProgram {
  const made = gl.createProgram();
  for (const [kind, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]] as const) {
    const shader = gl.createShader(kind)!;
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(made, shader);
  }
  gl.linkProgram(made);
  if (!gl.getProgramParameter(made, gl.LINK_STATUS)) throw new Error("no program");
  return made;
}
