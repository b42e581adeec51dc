/** The files of the workspace: read, change, save; what changed on disk meanwhile is not overwritten unseen. */
import { useEffect, useState } from "preact/hooks";
import { writeFile } from "../../api/calls";
import { paths } from "../../api/paths";
import type { ConfigFile, ConfigFiles } from "../../api/types";
import { ask } from "../../lib/http";
import { filter, route } from "../../lib/route";
import { act } from "../../lib/undo";
import { Diff } from "../../ui/diff";
import { Empty, Load } from "../../ui/states";

export function Files() {
  const chosen = route.value.query.file;
  return <Load<ConfigFiles> path={paths.files} topics={["config"]} rows={6} what="the files of the workspace">{({ files }) => {
    const file = files.find((one) => one.name === chosen) ?? files[0];
    return !file ? <Empty title="No file yet"><p><code>signet setup</code> makes them.</p></Empty> : <>
      <div class="filters bar" role="group" aria-label="Files">{files.map((one) =>
        <button key={one.name} class="chip" aria-pressed={one === file} onClick={() => filter({ file: one.name })}>{one.name}</button>)}</div>
      <Editor key={file.name} file={file} />
    </>;
  }}</Load>;
}

function Editor({ file }: { file: ConfigFile }) {
  const [seen, setSeen] = useState(file.content);
  const [text, setText] = useState(file.content);
  const [clash, setClash] = useState<string | null>(null);
  const isChanged = text !== seen;
  useEffect(() => {
    if (!isChanged) {
      setSeen(file.content);
      setText(file.content);
    }
  }, [file.content]);
  useEffect(() => {
    if (!isChanged) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", warn);
    return () => removeEventListener("beforeunload", warn);
  }, [isChanged]);
  const write = (content: string, before: string) => writeFile(file.name, content, before);
  const save = async (isSure = false) => {
    const now = (await ask<ConfigFiles>("GET", paths.files)).files.find((one) => one.name === file.name)?.content ?? "";
    if (!isSure && now !== seen) return setClash(now);
    if (await act(() => write(text, now), `${file.name} is saved.`, () => write(now, text))) {
      setSeen(text);
      setClash(null);
    }
  };
  return <form onSubmit={(event) => { event.preventDefault(); void act(() => save(), ""); }}>
    <label class="field"><span>{file.name}</span>
      <textarea class="editor" spellcheck={false} value={text} onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => { if ((event.ctrlKey || event.metaKey) && event.key === "s") { event.preventDefault(); void act(() => save(), ""); } }} /></label>
    {clash !== null && <div class="note warn-edge" role="alert"><p>The file has changed on disk. Difference to your text:</p><Diff before={clash} after={text} />
      <div class="buttons"><button type="button" onClick={() => { setSeen(clash); setText(clash); setClash(null); }}>Use the file on disk</button>
        <button type="button" class="primary" onClick={() => act(() => save(true), "")}>Save my text</button></div></div>}
    <div class="buttons bar">{isChanged && <span class="small soft">not saved</span>}<button class="primary" disabled={!isChanged}>Save <kbd>Ctrl S</kbd></button></div>
  </form>;
}
