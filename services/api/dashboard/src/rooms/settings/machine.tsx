/** Document sources and skills. */
import { addSource, installSkill, syncSource } from "../../api/calls";
import { paths } from "../../api/paths";
import type { Connectors, DocumentPage, Skills as SkillList } from "../../api/types";
import { useResource } from "../../lib/resource";
import { brief } from "../../lib/time";
import { act } from "../../lib/undo";
import { count } from "../../lib/words";
import { Card, Empty, Load, Shown } from "../../ui/states";
import { Add, Remove } from "./add";
import { Table } from "../../ui/table";

export function Sources() {
  const sources = useResource<Connectors>(paths.connectors, ["job", "config"]);
  const documents = useResource<DocumentPage>(paths.documents(), ["job", "memory"]);
  const sync = (id: string, name: string) => act(() => syncSource(id, name), `${name} is being read.`);
  return <>
    <Shown of={sources} rows={2} what="sources">{({ connectors }) => connectors.length === 0 ? <Empty title="No source yet"><p>Files of a folder become memories that stay up to date.</p></Empty> :
      <div class="cards">{connectors.map((one) => {
        const name = one.display_name ?? one.provider;
        return <Card key={one.id} title={name}>
          <p class={`dot ${one.status === "error" ? "bad" : "good"}`}><span>{one.status === "syncing" ? "reading it" : one.status}</span></p>
          <p class="small soft">{one.last_sync_at ? `Last read ${brief(one.last_sync_at)}.` : "Not read yet."} {one.progress && `${count(one.progress.filesSeen, "file")} seen, ${count(one.progress.errorCount, "error")}.`}</p>
          {one.last_error && <p class="small bad">{one.last_error}</p>}
          <p class="tools"><button disabled={one.status === "syncing"} onClick={() => sync(one.id, name)}>Read it again</button>
            <Remove kind="connectors" id={one.id} name={name} loses="Its folder is no longer read. Its memories stay." /></p></Card>;
      })}</div>}</Shown>
    <Add title="Add a folder" does={({ folder }) => addSource(folder!)} done={({ folder }) => `${folder} is being read.`}
      fields={[{ name: "folder", label: "Full path on the daemon's machine", placeholder: "/home/me/notes" }]} note="Its .md and .txt files are read." />
    <h2>Documents</h2>
    <Shown of={documents} rows={3} what="documents">{(page) => page.documents.length === 0 ? <p class="soft">None yet.</p> : <Table of={["Document", "State", "Memories", "Read"]}>{page.documents.map((one) => <tr key={one.id}><th scope="row">{one.title ?? one.source_url ?? one.id}</th><td class={one.error ? "bad" : ""}>{one.error ?? one.status}</td><td>{one.memory_count}</td><td>{brief(one.completed_at ?? one.created_at)}</td></tr>)}</Table>}</Shown>
  </>;
}

export function Skills() {
  return <><Load<SkillList> path={paths.skills} topics={["config"]} rows={4} what="skills">{({ skills }) => skills.length === 0 ? <Empty title="No skill is installed"><p>Find one: <code>signet skill search WORDS</code></p></Empty> :
    <ul class="needs">{skills.map((one) => <li key={one.name}><p><strong>{one.name}</strong> <span class="meta"><span>{one.builtin ? "comes with Signet" : one.author ?? "author unknown"}</span>{one.version && <span>{one.version}</span>}</span></p>
      <p class="small soft">{one.description.slice(0, 300)}</p>
      {!one.builtin && <p><Remove kind="skills" id={one.name} name={one.name} loses="Its folder is deleted, with your changes." /></p>}</li>)}</ul>}</Load>
    <Add title="Install a skill" verb="Install" does={({ name }) => installSkill(name!)} done={({ name }) => `${name} is installed.`}
      fields={[{ name: "name", label: "Name in a catalog, or owner/repository@skill", placeholder: "web-search" }]} note="A skill tells agents what to do: read it first." /></>;
}
