/** Settings: how the page looks, the files of the workspace, harnesses, agents, secrets, this version. */
import { paths } from "../../api/paths";
import type { Harnesses, ProductPage, Status } from "../../api/types";
import { useResource } from "../../lib/resource";
import { DENSITIES, density, hasSingleKeys, theme } from "../../lib/store";
import { brief } from "../../lib/time";
import type { Signal } from "../../lib/signal";
import { Parts } from "../../ui/parts";
import { Card, Empty, Load } from "../../ui/states";
import { Access } from "./access";
import { Files } from "./files";
import { Form, Ten } from "./form";
import { Skills, Sources } from "./machine";
import { Secrets } from "./secrets";

export const PARTS = {
  "": ["General", General], agent: ["Advanced", Form], files: ["Files", Files], harnesses: ["Harnesses", Connected], sources: ["Sources", Sources], skills: ["Skills", Skills],
  access: ["Access", Access], secrets: ["Secrets", Secrets], about: ["About", About],
} as const;

export default () => <Parts room="settings" of={PARTS} />;

const THEMES = ["system", "light", "dark"] as const;
const SAYS = { system: "Same as the system", light: "Light", dark: "Dark", normal: "Normal", compact: "Compact: one line for each memory" } as const;

function Choose<T extends keyof typeof SAYS>({ title, of, from }: { title: string; of: Signal<T>; from: readonly T[] }) {
  return <label>{title} <select value={of.value} onChange={(event) => (of.value = event.currentTarget.value as T)}>{from.map((name) => <option key={name} value={name}>{SAYS[name]}</option>)}</select></label>;
}

function General() {
  return <>
    <Ten />
    <h2>This browser</h2>
    <div class="choices">
      <Choose title="Theme" of={theme} from={THEMES} />
      <Choose title="Density" of={density} from={DENSITIES} />
      <label><input type="checkbox" checked={hasSingleKeys.value} onChange={(event) => (hasSingleKeys.value = event.currentTarget.checked)} /> Keyboard shortcuts</label>
    </div>
  </>;
}

function Connected() {
  return <Load<Harnesses> path={paths.harnesses} topics={["config", "session"]} rows={4} what="harnesses">{({ harnesses }) => <div class="cards">{[...harnesses].sort((a, b) => Number(b.connected) - Number(a.connected) || (b.lastSeen ?? "").localeCompare(a.lastSeen ?? "")).map((one) => <Card key={one.id} title={one.name}>
    <p class={`dot ${one.connected ? "good" : ""}`}><span>{one.connected ? "connected" : one.lastSeen ? "not connected by Signet, but it calls" : "not connected"}</span></p>
    <p class="small soft">{one.lastSeen ? `Last call ${brief(one.lastSeen)}.` : "No call yet."}</p>
    {one.problems.map((problem) => <p key={problem} class="small warn">{problem}</p>)}
    {!one.connected && <p class="small"><code>signet harness install {one.id}</code></p>}
    <p class="small soft">{one.path}</p></Card>)}</div>}</Load>;
}

function About() {
  const status = useResource<Required<Status>>(paths.about);
  return <div class="narrow">
    {status.value && <p>Signet {status.value.version}{status.value.update.updateAvailable ? `; update to ${status.value.update.latestVersion}: signet update install` : ""}. The workspace is {status.value.agentsDir}.</p>}
    <p class="soft">This page loads nothing from elsewhere. Only calls to your models leave this machine.</p>
    <Load<ProductPage> path={paths.changelog} rows={6} what="the changelog">{(page) => page.content ? <pre>{page.content}</pre> : <Empty title="No changelog came with this version" />}</Load>
  </div>;
}
