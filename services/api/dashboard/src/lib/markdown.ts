/** Reads Markdown into blocks of text; nothing of it ever becomes HTML. */

export type Inline = { readonly kind: "text" | "code" | "strong" | "em"; readonly text: string } | { readonly kind: "link"; readonly text: string; readonly to: string };
export type Block =
  | { readonly kind: "heading"; readonly level: number; readonly parts: readonly Inline[] }
  | { readonly kind: "text"; readonly parts: readonly Inline[] }
  | { readonly kind: "list"; readonly items: readonly (readonly Inline[])[] }
  | { readonly kind: "code"; readonly text: string };

const INLINE = /`([^`]+)`|\*\*([^*]+)\*\*|\*([^*\s][^*]*)\*|\[([^\]]+)\]\(([^)\s]+)\)/g;
const SAFE = /^(https?:|mailto:)/i;

/** Return the pieces of one stretch of text; only links to the web and to mail stay links. */
export function inline(text: string): Inline[] {
  const found: Inline[] = [];
  let from = 0;
  for (const match of text.matchAll(INLINE)) {
    if (match.index > from) found.push({ kind: "text", text: text.slice(from, match.index) });
    const [whole, code, strong, em, name, to] = match;
    if (code !== undefined) found.push({ kind: "code", text: code });
    else if (strong !== undefined) found.push({ kind: "strong", text: strong });
    else if (em !== undefined) found.push({ kind: "em", text: em });
    else if (to !== undefined && SAFE.test(to)) found.push({ kind: "link", text: name!, to });
    else found.push({ kind: "text", text: name ?? whole });
    from = match.index + whole.length;
  }
  if (from < text.length) found.push({ kind: "text", text: text.slice(from) });
  return found;
}

/** Return the blocks of a text. */
export function blocks(text: string): Block[] {
  const found: Block[] = [];
  let items: string[] | null = null;
  let lines: string[] = [];
  const flush = () => {
    if (lines.length > 0) found.push({ kind: "text", parts: inline(lines.join(" ")) });
    if (items) found.push({ kind: "list", items: items.map(inline) });
    [lines, items] = [[], null];
  };
  const rows = text.split("\n");
  for (let at = 0; at < rows.length; at += 1) {
    const row = rows[at]!;
    const heading = /^(#{1,6})\s+(.*)/.exec(row);
    const item = /^\s*(?:[-*]|\d+\.)\s+(.*)/.exec(row);
    if (row.startsWith("```")) {
      flush();
      const end = rows.findIndex((other, index) => index > at && other.startsWith("```"));
      const to = end < 0 ? rows.length : end;
      found.push({ kind: "code", text: rows.slice(at + 1, to).join("\n") });
      at = to;
    } else if (heading) {
      flush();
      found.push({ kind: "heading", level: heading[1]!.length, parts: inline(heading[2]!) });
    } else if (item) {
      if (!items) flush();
      (items ??= []).push(item[1]!);
    } else if (row.trim() === "") flush();
    else if (items) items[items.length - 1] += ` ${row.trim()}`;
    else lines.push(row.trim());
  }
  flush();
  return found;
}
