/** A project by its name and colour, the same in every list; and the list of all, of which one is chosen for every room. */
import { useEffect } from "preact/hooks";
import { paths } from "../api/paths";
import type { Projects as All, ListedProject } from "../api/types";
import { useResource } from "../lib/resource";
import { go, href, route } from "../lib/route";
import { signal } from "../lib/signal";
import { number, projectName } from "../lib/words";

/** Rooms that show nothing of a project: choosing one there leads to Today. */
const OF_ALL = ["engine", "settings"];
const STEP = 30;
const HUES = 360 / STEP;
/** From a hue that another project has to the next one: this way all are reached. */
const LEAP = 5;

/** The projects that are known, and which of the hues each has: no two have one while there are enough. */
const hues = signal<ReadonlyMap<string, number>>(new Map());

function spread(projects: readonly string[]): void {
  const found = new Map<string, number>();
  for (const one of [...projects].sort()) {
    let hue = hashed(one);
    while (found.size < HUES && [...found.values()].includes(hue)) hue = (hue + LEAP) % HUES;
    found.set(one, hue);
  }
  hues.value = found;
}

function hashed(project: string): number {
  let sum = 0;
  for (const one of project) sum = (sum * 31 + one.codePointAt(0)!) % 9973;
  return sum % HUES;
}

/** Return the hue of a project, by its identity: two of the same name differ. */
export const hueOf = (project: string) => STEP * (hues.value.get(project) ?? hashed(project));

export function Project({ of }: { of: string }) {
  return <span class="project hued" style={{ "--hue": hueOf(of) }}>{projectName(of)}</span>;
}

function useProjects(): readonly ListedProject[] {
  const { room, query: { project } } = route.value;
  // Today asks for them with the rest.
  return useResource<All>(room === "today" ? paths.home(project) : paths.projects(), ["memory", "session"]).value?.projects ?? [];
}

/** Return this view with another project, without what was opened in it. */
function withProject(project: string | undefined): string {
  const { room, parts, query } = route.value;
  const isList = room !== "sessions" || !parts[0];
  return OF_ALL.includes(room) ? href("today", { project }) : href(room, { ...(isList && query), id: undefined, part: undefined, focus: undefined, project }, ...(isList ? parts : []));
}

export function Projects() {
  const found = useProjects();
  const { room, query: { project } } = route.value;
  useEffect(() => { if (found.length) spread(found.map((one) => one.project)); }, [found]);
  useEffect(() => {
    const { style } = document.documentElement;
    if (project) style.setProperty("--hue", String(hueOf(project)));
    else style.removeProperty("--hue");
  }, [project, hues.value]);
  if (found.length === 0) return null;
  const counted = room === "sessions" ? "sessions" : "memories";
  return <div class="projects" role="group" aria-label="Projects"><h2>Projects</h2>
    <a class="every" href={withProject(undefined)} aria-current={project ? undefined : "true"}><span>All</span></a>
    {found.map((one) => <a key={one.project} class="hued" style={{ "--hue": hueOf(one.project) }} href={withProject(one.project)} title={one.project}
      aria-current={one.project === project ? "true" : undefined}><span>{projectName(one.project)}</span><small>{number(one[counted])}</small></a>)}
  </div>;
}

/** The same on a narrow page. */
export function ProjectChoice() {
  const found = useProjects();
  const { project = "" } = route.value.query;
  return found.length === 0 ? null : <select aria-label="Project" value={project} onChange={(event) => go(withProject(event.currentTarget.value || undefined))}>
    <option value="">All projects</option>{found.map((one) => <option key={one.project} value={one.project}>{projectName(one.project)}</option>)}</select>;
}
