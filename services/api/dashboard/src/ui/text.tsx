/** Markdown as elements. */
import { blocks, type Inline } from "../lib/markdown";

function Parts({ of }: { of: readonly Inline[] }) {
  return <>{of.map((one, at) => {
    switch (one.kind) {
      case "code": return <code key={at}>{one.text}</code>;
      case "strong": return <strong key={at}>{one.text}</strong>;
      case "em": return <em key={at}>{one.text}</em>;
      case "link": return <a key={at} href={one.to} rel="noreferrer">{one.text}</a>;
      default: return <span key={at}>{one.text}</span>;
    }
  })}</>;
}

export function Text({ of }: { of: string }) {
  return <div class="text">{blocks(of).map((one, at) => {
    switch (one.kind) {
      case "heading": return one.level <= 2 ? <h2 key={at}><Parts of={one.parts} /></h2> : <h3 key={at}><Parts of={one.parts} /></h3>;
      case "list": return <ul key={at}>{one.items.map((item, index) => <li key={index}><Parts of={item} /></li>)}</ul>;
      case "code": return <pre key={at} class="block" tabIndex={0}>{one.text}</pre>;
      default: return <p key={at}><Parts of={one.parts} /></p>;
    }
  })}</div>;
}
