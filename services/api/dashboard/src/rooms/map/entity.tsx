/** One entity: what is known of it, what it is linked to, its memories. */
import { useState } from "preact/hooks";
import { pinEntity } from "../../api/calls";
import { paths } from "../../api/paths";
import type { Aspects, AttributePage, CountedAspect, Dependencies, WholeEntity } from "../../api/types";
import { useResource } from "../../lib/resource";
import { filter, href } from "../../lib/route";
import { brief } from "../../lib/time";
import { act } from "../../lib/undo";
import { count } from "../../lib/words";
import { Side } from "../../ui/dialog";
import { Icon } from "../../ui/icons";
import { KINDS, type Named } from "./data";
import { Load, Shown } from "../../ui/states";

/** So many facts are shown at once. */
const FEW = 8;

export function EntityPanel({ id, near }: { id: string; near: readonly Named[] }) {
  const aspects = useResource<Aspects>(paths.aspects(id), ["memory"]);
  const linked = useResource<Dependencies>(paths.dependencies(id), ["memory"]);
  const pin = (how: "pin" | "suppress" | null) => () => pinEntity(id, how);
  return <Side label="Entity"><Load<WholeEntity> path={paths.entity(id)} topics={["memory"]} rows={4} what="this entity">{({ entity, attributeCount, suppressed }) => {
    const now = entity.pinned ? "pin" : suppressed ? "suppress" : null;
    return <>
    <header>
      <h2 class="said">{entity.name}</h2>
      <p class="meta"><span>{KINDS[entity.entityType] ?? entity.entityType}</span><span>{count(entity.mentions, "mention")}</span><span>known since {brief(entity.createdAt)}</span>{entity.pinned && <span>pinned</span>}{suppressed && <span class="warn">left out of answers</span>}</p>
      {entity.description && <p>{entity.description}</p>}
      <div class="tools">
        <button class="plain" onClick={() => act(pin(entity.pinned ? null : "pin"), entity.pinned ? "No longer pinned." : "Pinned.", pin(now))}><Icon name="pin" />{entity.pinned ? "Unpin" : "Pin"}</button>
        <button class="plain" onClick={() => act(pin(suppressed ? null : "suppress"), suppressed ? "Used in answers again." : "Not used in answers now.", pin(now))}>{suppressed ? "Use it again" : "Leave it out"}</button>
        <a class="plain small" href={href("memories", { ask: entity.name })}>Its memories</a>
        <button class="plain" onClick={() => filter({ focus: undefined }, true)}><Icon name="close" />Close</button>
      </div>
    </header>
    <div class="body">
      {attributeCount > 0 && <Shown of={aspects} rows={2} what="aspects">{({ items }) => <><h3>Known of it</h3>{items.map((one) => <Facts key={one.aspect.id} of={one} entity={id} isFew={attributeCount <= FEW} />)}</>}</Shown>}
      <Shown of={linked} rows={2} what="links">{({ items }) => {
        const linkedTo = new Set(items.flatMap((one) => [one.sourceEntityId, one.targetEntityId]));
        const beside = near.filter((one) => !linkedTo.has(one.id));
        return <>{items.length > 0 && <h3>Linked to</h3>}
        <ul class="needs">{items.map((one) => {
          const isOut = one.sourceEntityId === id;
          return <li key={one.id}><button class="link" onClick={() => filter({ focus: isOut ? one.targetEntityId : one.sourceEntityId }, true)}>{isOut ? one.targetEntityName : one.sourceEntityName}</button>
            <span class="meta"><span>{one.dependencyType.replaceAll("_", " ")}</span></span></li>;
        })}</ul>
        {beside.length > 0 && <><h3>Occurs together with</h3><p class="tools">{beside.map((one) => <button key={one.id} class="link" onClick={() => filter({ focus: one.id }, true)}>{one.name}</button>)}</p></>}</>; }}</Shown>
    </div></>; }}</Load></Side>;
}

/** What is said under an aspect; asked for when it is opened. */
function Facts({ of: { aspect, attributeCount, constraintCount }, entity, isFew }: { of: CountedAspect; entity: string; isFew: boolean }) {
  const [isOpen, setOpen] = useState(isFew);
  const found = useResource<AttributePage>(isOpen ? paths.facts(entity, aspect.id) : null, ["memory"]).value;
  const facts = <ul class="needs">{found?.items.map((one) => <li key={one.id}>{one.memoryId ? <a class="quiet" href={href("memories", { id: one.memoryId })}>{one.content}</a> : one.content}</li>)}</ul>;
  // Few facts need no headings.
  return isFew ? facts : <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}><summary>{aspect.name} <span class="small">{count(attributeCount + constraintCount, "fact")}</span></summary>{facts}</details>;
}
