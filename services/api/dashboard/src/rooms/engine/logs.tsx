/** The log of all processes, newest at the end. */
import { useState } from "preact/hooks";
import { paths } from "../../api/calls";
import type { LogLines } from "../../api/types";
import { useResource } from "../../lib/resource";
import { filter, route } from "../../lib/route";
import { clock } from "../../lib/time";
import { Empty, Shown } from "../../ui/states";

const LEVELS = { "": "Every level", info: "Info and above", warn: "Warnings and errors", error: "Errors" } as const;
const LINES = 300;

export function Logs() {
  const { level, text } = route.value.query;
  const [opened, setOpened] = useState(-1);
  const found = useResource<LogLines>(paths.logs({ limit: LINES, level }), ["log", "job"]);
  return <>
    <div class="filters bar" role="group" aria-label="Filters">
      <select aria-label="Level" class={level ? "on" : ""} value={level ?? ""} onChange={(event) => filter({ level: event.currentTarget.value || undefined })}>
        {Object.entries(LEVELS).map(([name, title]) => <option key={name} value={name}>{title}</option>)}</select>
      <input type="search" aria-label="Words in a line" placeholder="Words in a line" value={text ?? ""} onInput={(event) => filter({ text: event.currentTarget.value || undefined })} />
      <button onClick={found.again}>Read again</button>
    </div>
    <Shown of={found} rows={8} what="the log">{({ logs }) => {
      const lines = logs.filter((line) => !text || JSON.stringify(line).toLowerCase().includes(text.toLowerCase())).reverse();
      return lines.length === 0 ? <Empty title="No line passes these filters" /> : <ul class="log" aria-label="Log, newest first">{lines.map((line, at) => <li key={at}>
        <button class="plain" aria-expanded={opened === at} onClick={() => setOpened(opened === at ? -1 : at)}>
          <time class="soft">{clock(String(line.timestamp ?? line.at ?? line.time ?? ""))}</time>
          <span class={String(line.level).startsWith("err") ? "bad" : String(line.level).startsWith("warn") ? "warn" : "soft"}>{String(line.level ?? "")}</span>
          <span class="soft">{String(line.process ?? line.category ?? "")}</span>
          <span>{String(line.message ?? line.event ?? "")}</span></button>
        {opened === at && <pre class="block">{JSON.stringify(line, null, 1)}</pre>}
      </li>)}</ul>;
    }}</Shown>
  </>;
}
