/** The log of all processes, newest first, as it is written; while it stands still, new lines are counted. */
import { useEffect, useState } from "preact/hooks";
import { paths } from "../../api/paths";
import type { LogLines } from "../../api/types";
import { useResource } from "../../lib/resource";
import { filter, route } from "../../lib/route";
import { clock } from "../../lib/time";
import { number } from "../../lib/words";
import { Choice } from "../../ui/choice";
import { Empty, noneOf, Shown } from "../../ui/states";

const LEVELS = Object.entries({ "": "Every level", info: "Info and above", warn: "Warnings and errors", error: "Errors" });
const LINES = 300;

export function Logs() {
  const { level, text } = route.value.query;
  const [opened, setOpened] = useState("");
  const [still, setStill] = useState<LogLines["logs"] | null>(null);
  const found = useResource<LogLines>(paths.logs({ limit: LINES, level }), ["log"]);
  const logs = found.value?.logs ?? [];
  useEffect(() => setStill(null), [level]);
  const missed = still && logs.filter((line) => stamp(line) > stamp(still[still.length - 1])).length;
  return <>
    <div class="filters bar" role="group" aria-label="Filters">
      <Choice label="Level" name="level" of={LEVELS} />
      <input type="search" aria-label="Words in a line" placeholder="Words in a line" value={text ?? ""} onInput={(event) => filter({ text: event.currentTarget.value || undefined })} />
      <button class="chip" aria-pressed={still !== null} onClick={() => setStill(still ? null : logs)}>{still ? "Continue" : "Pause"}</button>
      {still && <span class="small soft" role="status">{number(missed ?? 0)} new</span>}
    </div>
    <Shown of={found} rows={8} what="the log">{() => {
      const lines = (still ?? logs).filter((line) => !text || JSON.stringify(line).toLowerCase().includes(text.toLowerCase())).reverse();
      return lines.length === 0 ? <Empty title={noneOf("line")} /> : <ul class="log" aria-label="Log, newest first">{lines.map((line, at) => { const key = `${stamp(line)} ${String(line.message)}`; return <li key={`${key} ${at}`}>
        <button class="plain" aria-expanded={opened === key} onClick={() => setOpened(opened === key ? "" : key)}>
          <time class="soft">{clock(stamp(line))}</time>
          <span class={String(line.level).startsWith("err") ? "bad" : String(line.level).startsWith("warn") ? "warn" : "soft"}>{String(line.level ?? "")}</span>
          <span class="soft">{String(line.category ?? "")}</span>
          <span><span class="cap">{named(line.message)}</span> <span class="soft">{more(line)}</span></span></button>
        {opened === key && <pre class="block" tabIndex={0}>{JSON.stringify(line, null, 1)}</pre>}
      </li>; })}</ul>;
    }}</Shown>
  </>;
}

/** Return what a line says besides its columns. */
const more = ({ timestamp: _, level: __, category: ___, message: ____, data, ...rest }: LogLines["logs"][number]) =>
  Object.entries({ ...(data as object), ...rest }).map(([name, value]) => `${name}=${typeof value === "object" ? JSON.stringify(value) : value}`).join(" ").slice(0, 240);

/** Return the name of an event as words. */
export const named = (message: unknown) => String(message ?? "").replace(/[._]/g, " ");

function stamp(line: LogLines["logs"][number] | undefined): string {
  return String(line?.timestamp ?? "");
}
