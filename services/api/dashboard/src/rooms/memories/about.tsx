/** The memories nearest to one. */
import { paths } from "../../api/paths";
import type { FoundMany } from "../../api/types";
import { useResource } from "../../lib/resource";
import { brief } from "../../lib/time";
import { percent } from "../../lib/words";
import { Empty, Shown } from "../../ui/states";
import { open } from "./room";

export function About({ id }: { id: string }) {
  const found = useResource<FoundMany>(paths.similar(id), ["memory"]);
  if (found.error?.status === 404) return <p class="soft">It has no vector yet.</p>;
  return <Shown of={found} what="similar memories">{({ results }) => results.length === 0 ? <Empty title="Nothing is similar" /> :
    <ul class="rows">{results.map((one) => <li key={one.id}><a class="hit" href={`#/memories?id=${one.id}`} onClick={(event) => { event.preventDefault(); open(one.id); }}>
      <span class="text">{one.content}</span>
      <span class="score">{one.score === undefined ? "" : percent(one.score)}</span>
      <span class="meta"><span>{one.type}</span><span>{brief(one.created_at)}</span></span>
    </a></li>)}</ul>}</Shown>;
}
