/** Draws the graph: points and lines by WebGL2, names on a canvas over it. Nothing is drawn while nothing changes. */
import { GROUPS, middles, type Graph, type Placed } from "./data";

export interface Camera { x: number; y: number; scale: number }

/** Places points, and the ends of lines, which have neither size nor tone: a line has one tone. */
const POINTS = `#version 300 es
layout(location=0)in vec2 place;layout(location=1)in float size;layout(location=2)in vec3 tone;
uniform vec3 camera;uniform vec2 half_size;uniform float zoom;
out vec3 colour;out float radius;
void main(){
gl_Position=vec4((place-camera.xy)*camera.z/half_size*vec2(1,-1),0,1);
radius=max(1.0,size*zoom);
gl_PointSize=2.0*radius+2.0;
colour=tone;
}`;
const COLOURS = `#version 300 es
precision mediump float;
uniform vec4 line;
in vec3 colour;in float radius;out vec4 result;
void main(){
float far=length(gl_PointCoord-0.5)*(2.0*radius+2.0);
result=line.a>0.0?line:vec4(colour,1.0)*(1.0-smoothstep(radius-1.0,radius+0.5,far));
}`;

/** Entities of a cluster whose name is shown. */
const CLUSTER = 3;
/** Names that are shown at once. */
const NAMES = 60;
/** How much of a line covers what is under it. */
const FAINT = 0.4;
/** At a smaller scale lines are fainter, or a large graph would be one grey disc. */
const CLEAR = 0.3;

export interface Look { groups: [number, number, number][]; line: [number, number, number]; text: string; halo: string }

export type Painter = ReturnType<typeof painter>;

/** Take a canvas for points and one for names; throws where there is no WebGL2. */
export function painter(canvas: HTMLCanvasElement, names: HTMLCanvasElement, look: Look) {
  // Points are smooth by their shader, and for lines alone every frame would be drawn four times over.
  const gl = canvas.getContext("webgl2", { antialias: false });
  const words = names.getContext("2d");
  if (!gl || !words) throw new Error("no WebGL2");
  const program = programOf(gl);
  const [place, size, tone, edge] = Array.from({ length: 4 }, () => gl.createBuffer()) as [WebGLBuffer, WebGLBuffer, WebGLBuffer, WebGLBuffer];
  const points = array(gl, [[place, 2], [size, 1], [tone, 3]]);
  const lines = array(gl, [[place, 2]]);
  const [cameraAt, halfAt, zoomAt, lineAt] = ["camera", "half_size", "zoom", "line"].map((name) => gl.getUniformLocation(program, name)) as [WebGLUniformLocation, WebGLUniformLocation, WebGLUniformLocation, WebGLUniformLocation];
  gl.enable(gl.BLEND);
  gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);

  const camera: Camera = { x: 0, y: 0, scale: 1 };
  let fitted = { ...camera };
  let frame = 0;
  let chosen = -1;
  /** What there is, the middles of its clusters, and what the buffers have. */
  let near: Placed | null = null;
  let clusters: ReturnType<typeof middles> = [];
  let loaded: Placed | null = null;
  let graph: Graph | null = null;
  const halves = new Map<string, number>();

  /** How large points are beside the layout's: those seen from near grow less than the ways between them. */
  const zoom = () => Math.min(camera.scale, Math.sqrt(camera.scale));

  const draw = () => {
    frame ||= requestAnimationFrame(() => {
      frame = 0;
      paint();
    });
  };

  const load = (found: Placed) => {
    const fill = (buffer: WebGLBuffer, data: BufferSource, target: number = gl.ARRAY_BUFFER) => {
      gl.bindBuffer(target, buffer);
      gl.bufferData(target, data, gl.DYNAMIC_DRAW);
    };
    fill(place, found.places);
    // While a layout goes on only places change.
    if (graph === found.graph) return;
    graph = found.graph;
    const { sizes, groups, sources, targets } = graph;
    fill(size, sizes);
    fill(tone, Float32Array.from([...groups].flatMap((group) => look.groups[group]!)));
    gl.bindVertexArray(lines);
    fill(edge, Uint32Array.from([...sources].flatMap((source, at) => [source, targets[at]!])), gl.ELEMENT_ARRAY_BUFFER);
  };

  const fit = () => {
    const places = near?.places ?? [];
    if (places.length === 0) return;
    const [[left, width], [top, height]] = [0, 1].map((axis) => {
      const all = [...places].filter((_, at) => at % 2 === axis);
      const least = Math.min(...all);
      return [least, Math.max(...all) - least];
    }) as [[number, number], [number, number]];
    // Names at the edges take room that does not shrink with the picture.
    const scale = Math.min((canvas.clientWidth - 120) / (width + 1), (canvas.clientHeight - 80) / (height + 1));
    fitted = { x: left + width / 2, y: top + height / 2, scale: Math.max(0.05, Math.min(2.2, scale)) };
    Object.assign(camera, fitted);
    draw();
  };

  function paint(): void {
    const found = near;
    const ratio = devicePixelRatio;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    for (const one of [canvas, names]) if (one.width !== width * ratio || one.height !== height * ratio) [one.width, one.height] = [width * ratio, height * ratio];
    // The canvas may have another painter by now: a theme has its own.
    gl!.useProgram(program);
    gl!.viewport(0, 0, canvas.width, canvas.height);
    gl!.clearColor(0, 0, 0, 0);
    gl!.clear(gl!.COLOR_BUFFER_BIT);
    if (!found) return;
    if (loaded !== found) load((loaded = found));
    gl!.uniform3f(cameraAt, camera.x, camera.y, camera.scale);
    gl!.uniform2f(halfAt, width / 2, height / 2);
    gl!.uniform1f(zoomAt, zoom() * ratio);
    const faint = FAINT * Math.min(1, camera.scale / CLEAR) ** 2;
    gl!.uniform4f(lineAt, ...(look.line.map((one) => one * faint) as [number, number, number]), faint);
    gl!.bindVertexArray(lines);
    gl!.drawElements(gl!.LINES, found.graph.sources.length * 2, gl!.UNSIGNED_INT, 0);
    gl!.uniform4f(lineAt, 0, 0, 0, 0);
    gl!.bindVertexArray(points);
    gl!.drawArrays(gl!.POINTS, 0, found.graph.sizes.length);
    name(found, width, height, ratio);
  }

  const tint = (group: number) => `rgb(${look.groups[group]!.map((one) => one * 255).join()})`;

  /** Return half the width of a name in the font that is set. */
  const halfOf = (text: string): number => {
    const key = words.font + text;
    const half = halves.get(key) ?? words.measureText(text).width / 2;
    halves.set(key, half);
    return half;
  };

  function name({ graph: { entities, sizes, groups }, places }: Placed, width: number, height: number, ratio: number): void {
    const pen = words!;
    const marked = chosen;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    pen.textAlign = "center";
    pen.lineJoin = "round";
    const taken: [number, number, number][] = [];
    const across = (of: ArrayLike<number>, at: number) => (of[at * 2]! - camera.x) * camera.scale + width / 2;
    const down = (of: ArrayLike<number>, at: number) => (of[at * 2 + 1]! - camera.y) * camera.scale + height / 2;
    const write = (text: string, x: number, y: number, colour: string) => {
      const half = halfOf(text);
      taken.push([x - half, x + half, y]);
      pen.lineWidth = 3;
      pen.strokeStyle = look.halo;
      pen.strokeText(text, x, y);
      pen.fillStyle = colour;
      pen.fillText(text, x, y);
    };
    pen.font = "650 19px system-ui, sans-serif";
    clusters.forEach(({ text, size, place }, at) => {
      if (size >= CLUSTER) write(text, across(place, 0), down(place, 0), tint(at % (GROUPS - 1)));
    });
    let seen = 0;
    // The marked one comes first, then projects.
    const rank = (at: number) => (at === marked ? 2 : Number(entities[at]!.kind === "project"));
    for (const at of entities.map((_, at) => at).sort((one, other) => rank(other) - rank(one))) {
      const [x, y] = [across(places, at), down(places, at)];
      if (seen === NAMES || (at !== marked && !(x > 0 && x < width && y > 0 && y < height))) continue;
      seen += 1;
      const radius = sizes[at]! * zoom();
      const below = y + radius + 14;
      const isProject = entities[at]!.kind === "project";
      pen.font = `${at === marked || isProject ? 650 : 400} ${Math.round(Math.min(17, 10 + sizes[at]! / (isProject ? 2 : 3)))}px system-ui, sans-serif`;
      if (at === marked) {
        pen.beginPath();
        pen.arc(x, y, radius + 4, 0, 7);
        pen.strokeStyle = look.text;
        pen.lineWidth = 2;
        pen.stroke();
      }
      const text = entities[at]!.name;
      const half = halfOf(text);
      // A name that would stand on another one waits until there is room for it.
      if (at === marked || !taken.some(([left, right, line]) => x + half > left && x - half < right && Math.abs(line - below) < 15)) write(text, x, below, isProject ? tint(groups[at]!) : look.text);
    }
  }

  return {
    camera, draw, fit,
    /** Show a graph at these places. */
    show(found: Placed, at: number): void {
      [near, clusters, chosen] = [found, middles(found), at];
      draw();
    },
    /** Mark one entity. */
    choose(at: number): void {
      chosen = at;
      draw();
    },
    /** Keep everything in view, unless somebody looks at a part. */
    follow: () => (camera.scale === fitted.scale && camera.x === fitted.x ? fit() : draw()),
    /** Return the place under a point of the canvas. */
    at: (px: number, py: number): [number, number] => [camera.x + (px - canvas.clientWidth / 2) / camera.scale, camera.y + (py - canvas.clientHeight / 2) / camera.scale],
  };
}

/** `buffers` are in the order of the places that the program reads from, each with its numbers for a point. */
function array(gl: WebGL2RenderingContext, buffers: [WebGLBuffer, number][]): WebGLVertexArrayObject {
  const made = gl.createVertexArray();
  gl.bindVertexArray(made);
  buffers.forEach(([buffer, size], at) => {
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.enableVertexAttribArray(at);
    gl.vertexAttribPointer(at, size, gl.FLOAT, false, 0, 0);
  });
  return made;
}

function programOf(gl: WebGL2RenderingContext): WebGLProgram {
  const made = gl.createProgram();
  for (const [kind, source] of [[gl.VERTEX_SHADER, POINTS], [gl.FRAGMENT_SHADER, COLOURS]] as const) {
    const shader = gl.createShader(kind)!;
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(made, shader);
  }
  gl.linkProgram(made);
  if (!gl.getProgramParameter(made, gl.LINK_STATUS)) throw new Error("no program");
  return made;
}
