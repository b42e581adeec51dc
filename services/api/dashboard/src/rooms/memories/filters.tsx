/** What narrows the list; each choice says how many there are. */
import { paths } from "../../api/calls";
import type { KeyCount, MemoryPage } from "../../api/types";
import { useResource } from "../../lib/resource";
import { filter, route } from "../../lib/route";
import { count, number, projectName } from "../../lib/words";

const STATES = { "": "Any state", active: "Current", superseded: "Corrected", forgotten: "Forgotten" } as const;
const SORTS = { "": "Newest", importance: "Most important", used: "Most used", updated: "Changed last", event: "By the time they are about" } as const;

/** Filters of the list, as the address names them. */
export function filters(): Record<string, string | undefined> {
  const { type, who, project, tag, pinned, state, sort, since, until, q, as_of } = route.value.query;
  return { type, who, project, tag, pinned, state, sort, since, until, q, as_of };
}

export function Filters() {
  const { query } = route.value;
  const { sort: _, ...narrowed } = filters();
  const { type, who, project, tag, pinned, state, since } = narrowed;
  const found = useResource<MemoryPage>(
    paths.memories({ ...narrowed, limit: 1, total: 1, stats: 1, facets: "type,who,project,tag" }), ["memory"]);
  const facets = found.value?.facets ?? {};
  const stats = found.value?.stats;
  const total = found.value?.total;
  const choose = (name: string) => (value: string) => filter({ [name]: value || undefined });
  return <div class="filters" role="group" aria-label="Filters">
    <Choice label="Type" value={type} of={facets.type} onChoose={choose("type")} />
    <Choice label="Who" value={who} of={facets.who} onChoose={choose("who")} />
    <Choice label="Project" value={project} of={facets.project} onChoose={choose("project")} say={projectName} least={1} />
    <Choice label="Tag" value={tag} of={facets.tag ?? facets.tags} onChoose={choose("tag")} />
    <button class="chip" aria-pressed={pinned === "true"} onClick={() => filter({ pinned: pinned ? undefined : "true" })}>Pinned</button>
    {!query.ask && <>
      <button class="chip" aria-pressed={Boolean(query.bar)} onClick={() => filter({ bar: query.bar ? undefined : "1", as_of: undefined })}>Time</button>
      {!query.as_of && <Named label="State" value={state} of={STATES} onChoose={choose("state")} />}
      <Named label="Order" value={query.sort} of={SORTS} onChoose={choose("sort")} />
    </>}
    {since && <button class="chip on" onClick={() => filter({ since: undefined, until: undefined })}>{since.slice(0, 10)} ×</button>}
    {!query.ask && total !== undefined && <span class="found" role="status">
      {stats && total !== stats.total && state !== "forgotten" ? `${number(total)} of ${count(stats.total, "memory", "memories")}` : count(total, "memory", "memories")}
    </span>}
  </div>;
}

function Choice({ label, value, of, onChoose, say = (key) => key, least = 2 }: {
  label: string; value: string | undefined; of: readonly KeyCount[] | undefined; onChoose: (value: string) => void; say?: (key: string) => string; least?: number;
}) {
  if (!value && (!of || of.length < least)) return null;
  const known = of ?? [];
  return <select aria-label={label} class={value ? "on" : ""} value={value ?? ""} onChange={(event) => onChoose(event.currentTarget.value)}>
    <option value="">{label}</option>
    {value && !known.some((one) => one.key === value) && <option value={value}>{say(value)}</option>}
    {known.map((one) => <option key={one.key} value={one.key}>{say(one.key)} ({number(one.count)})</option>)}
  </select>;
}

function Named({ label, value, of, onChoose }: {
  label: string; value: string | undefined; of: Readonly<Record<string, string>>; onChoose: (value: string) => void;
}) {
  return <select aria-label={label} class={value ? "on" : ""} value={value ?? ""} onChange={(event) => onChoose(event.currentTarget.value)}>
    {Object.entries(of).map(([key, text]) => <option key={key} value={key}>{text}</option>)}
  </select>;
}
