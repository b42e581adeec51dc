/** Settings: how the page looks, the files of the workspace, harnesses, agents, secrets, this version. */
import { paths } from "../../api/calls";
import type { Harnesses, ProductPage, Status } from "../../api/types";
import { useResource } from "../../lib/resource";
import { hasSingleKeys, isCompact, theme, type Theme } from "../../lib/store";
import { brief } from "../../lib/time";
import { Parts } from "../../ui/parts";
import { Empty, Shown } from "../../ui/states";
import { Text } from "../../ui/text";
import { Access } from "./access";
import { Files } from "./files";
import { Form } from "./form";
import { Skills, Sources } from "./machine";
import { Secrets } from "./secrets";

const PARTS = {
  "": ["Appearance", Appearance], agent: ["Signet", Form], files: ["Files", Files], harnesses: ["Harnesses", Connected], sources: ["Sources", Sources], skills: ["Skills", Skills],
  access: ["Access", Access], secrets: ["Secrets", Secrets], about: ["About", About],
} as const;

export default () => <Parts room="settings" of={PARTS} />;

const THEMES: Readonly<Record<Theme, string>> = { system: "As the system", light: "Light", dark: "Dark" };

function Appearance() {
  return <div class="narrow">
    <fieldset class="plainset"><legend>Theme</legend>{(Object.keys(THEMES) as Theme[]).map((name) =>
      <label key={name}><input type="radio" name="theme" checked={theme.value === name} onChange={() => (theme.value = name)} /> {THEMES[name]}</label>)}</fieldset>
    <label><input type="checkbox" checked={isCompact.value} onChange={(event) => (isCompact.value = event.currentTarget.checked)} /> Compact rows</label>
    <label><input type="checkbox" checked={hasSingleKeys.value} onChange={(event) => (hasSingleKeys.value = event.currentTarget.checked)} /> Single keys act</label>
    <p class="small soft">These are kept in this browser.</p>
  </div>;
}

function Connected() {
  const found = useResource<Harnesses>(paths.harnesses, ["config", "session"]);
  return <Shown of={found} rows={4} what="harnesses">{({ harnesses }) => <div class="cards">{harnesses.map((one) => <section key={one.id} class="card" aria-label={one.name}>
    <h2>{one.name}</h2>
    <p class={`dot ${one.connected ? "good" : ""}`}><span>{one.connected ? "connected" : "not connected"}</span></p>
    <p class="small soft">{one.lastSeen ? `It called last ${brief(one.lastSeen)}.` : "It has never called."}</p>
    {one.problems.map((problem) => <p key={problem} class="small warn">{problem}</p>)}
    {!one.connected && <p class="small"><code>signet harness install {one.id}</code></p>}
    <p class="small soft">{one.path}</p></section>)}</div>}</Shown>;
}

function About() {
  const status = useResource<Required<Status>>(paths.about);
  const changes = useResource<ProductPage>(paths.changelog);
  return <div class="narrow">
    {status.value && <p>Signet {status.value.version}{status.value.update.updateAvailable ? `; ${status.value.update.latestVersion} is there: signet update install` : ""}. The workspace is {status.value.agentsDir}.</p>}
    <p class="soft">This page loads nothing from elsewhere. Only calls to models that you configured leave this machine.</p>
    <Shown of={changes} rows={6} what="the changelog">{(page) => page.content ? <Text of={page.content.replace(/^# .*\n/, "")} /> : <Empty title="No changelog came with this version" />}</Shown>
  </div>;
}
