/** What narrows the list; each choice says how many there are. */
import { paths } from "../../api/paths";
import type { KeyCount, MemoryPage, Spaces } from "../../api/types";
import { useResource } from "../../lib/resource";
import { filter, route } from "../../lib/route";
import { dayName } from "../../lib/time";
import { count, number } from "../../lib/words";
import { Choice } from "../../ui/choice";

const STATES = Object.entries({ "": "Any state", active: "Current", superseded: "Corrected", forgotten: "Forgotten", archived: "Archived" });
const SORTS = Object.entries({ "": "Newest", importance: "Most important", used: "Most used", updated: "Changed last", event: "By the time they are about" });

/** Filters of the list, as the address names them. */
export function filters(): Record<string, string | undefined> {
  const { type, who, project, tag, pinned, state, sort, since, until, q, as_of, origin, source_type, space } = route.value.query;
  return { type, who, project, tag, pinned, state, sort, since, until, q, as_of, origin, source_type, space };
}

export function Filters() {
  const { query } = route.value;
  const { sort: _, ...narrowed } = filters();
  const { pinned, q, state, since, origin } = narrowed;
  const found = useResource<MemoryPage>(
    paths.memories({ ...narrowed, limit: 1, total: 1, stats: Object.values(narrowed).some(Boolean) ? 1 : 0, facets: "type,who,tag" }), ["memory"]);
  const spaces = useResource<Spaces>(paths.spaces, ["memory"]).value?.spaces ?? [];
  const facets = found.value?.facets ?? {};
  const stats = found.value?.stats;
  const total = found.value?.total;
  return <div class="filters" role="group" aria-label="Filters">
    <Facet label="Type" name="type" of={facets.type} />
    <Facet label="Who" name="who" of={facets.who} />
    <Facet label="Tag" name="tag" of={facets.tag} />
    {spaces.length > 0 && <Choice label="Space" name="space" of={[["", "Space"], ...spaces.map(({ name }) => [name, name] as const)]} />}
    <button class="chip" aria-pressed={pinned === "true"} onClick={() => filter({ pinned: pinned ? undefined : "true" })}>Pinned</button>
    {!query.ask && <>
      <button class="chip" aria-pressed={Boolean(query.bar)} onClick={() => filter({ bar: query.bar ? undefined : "1", as_of: undefined })}>As of a day</button>
      {!query.as_of && <Choice label="State" name="state" of={STATES} />}
      <Choice label="Order" name="sort" of={SORTS} />
    </>}
    {origin && <button class="chip on" onClick={() => filter({ origin: undefined, source_type: undefined })}>{origin} ×</button>}
    {q && <button class="chip on" onClick={() => filter({ q: undefined })}>“{q}” ×</button>}
    {since && <button class="chip on" onClick={() => filter({ since: undefined, until: undefined })}>{dayName(new Date(since))} ×</button>}
    {!query.ask && total !== undefined && <span class="found" role="status">
      {stats && total !== stats.total && state !== "forgotten" && state !== "archived" ? `${number(total)} of ${count(stats.total, "memory", "memories")}` : count(total, "memory", "memories")}
    </span>}
  </div>;
}

export function Facet({ label, name, of = [] }: { label: string; name: string; of: readonly KeyCount[] | undefined }) {
  return route.value.query[name] || of.length > 1 ? <Choice label={label} name={name} of={[["", label], ...of.map((one) => [one.key, `${one.says ?? one.key} (${number(one.count)})`] as const)]} /> : null;
}
