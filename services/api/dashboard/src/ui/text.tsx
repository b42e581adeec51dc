/** Markdown of our own as elements: headings, items, code, links to the web. Nothing of it becomes HTML. */

/** Where a block begins. */
const BLOCK = /\n(?=#|- |\n)/;
const PARTS = /^\s*(#+|-)?\s*([^]*)/;
/** Code, the words of a link and where it leads, bold words. */
const INLINE = /`([^`]+)`|\[([^\]]+)\]\(([^)\s]+)\)|\*\*(.+?)\*\*/;

export function Text({ of }: { of: string }) {
  return <div class="text">{of.split(BLOCK).map((block, at) => {
    const [, mark = "", words = ""] = PARTS.exec(block)!;
    const Tag = mark.startsWith("#") ? (mark.length <= 2 ? "h2" : "h3") : "p";
    return words && <Tag key={at}>{mark === "-" && "• "}{words.split(INLINE).map(inline)}</Tag>;
  })}</div>;
}

function inline(part: string | undefined, at: number, all: readonly (string | undefined)[]) {
  const kind = at % 5;
  const to = all[at + 1] ?? "";
  return !part || kind === 3 ? null : kind === 1 ? <code key={at}>{part}</code> : kind === 4 ? <strong key={at}>{part}</strong>
    : kind === 2 && /^https?:/.test(to) ? <a key={at} href={to} target="_blank" rel="noreferrer">{part}</a> : part;
}
