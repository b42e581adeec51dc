/** Markdown of our own as elements: headings, items, code. Nothing of it becomes HTML. */

/** Where a block begins. */
const BLOCK = /\n(?=#|- |\n)/;
const PARTS = /^\s*(#+|-)?\s*([^]*)/;

export function Text({ of }: { of: string }) {
  return <div class="text">{of.split(BLOCK).map((block, at) => {
    const [, mark = "", words = ""] = PARTS.exec(block)!;
    const Tag = mark.startsWith("#") ? (mark.length <= 2 ? "h2" : "h3") : "p";
    return words && <Tag key={at}>{mark === "-" && "• "}{words.split(/`([^`]+)`/).map((part, index) => index % 2 ? <code key={index}>{part}</code> : part)}</Tag>;
  })}</div>;
}
