/**
 * My plugin: imports the entries of a feed, RSS or Atom. `POST /api/dev/v1/imports` with
 *
 *     {"folder_id": "…", "source": {"type": "my-plugin", "url": "https://example.com/feed.xml"}}
 */
import { definePlugin, fill, t } from "dossier";
import { ImportSources, SourceFailure, type ImportSource } from "dossier/contracts";

const feed_bytes_max = 4 * 1024 * 1024;

interface Feed {
  readonly url: string;
  readonly entries_max?: number;
}
/** What the caller sends beside `type`. Anything else is answered with 400 that names the field. */
const schema = t.Object({
  url: t.String({ description: "The address of the feed." }),
  entries_max: t.Optional(
    t.Integer({ minimum: 1, description: "Only so many entries; all of them unless given." }),
  ),
});

export interface Entry {
  readonly link: string;
  readonly title: string | undefined;
  /** Changes whenever the entry does: one that did not is not fetched again. */
  readonly changed: string | undefined;
}

const source: ImportSource<Feed> = {
  type: "my-plugin",
  description: "A feed, RSS or Atom: the pages of its entries.",
  schema,

  /** Lists what there is. Dossier fetches each address itself: public hosts, pauses, retries. */
  async *items({ url, entries_max }, tools) {
    const file = await tools.fetch(url, { bytes_max: feed_bytes_max });
    const entries = entriesOf(await file.text());
    // The sentence is what the person who started the import reads.
    if (entries.length === 0) throw new SourceFailure("This is no feed, or one without entries.");
    for (const { link, title, changed } of entries.slice(0, entries_max))
      yield {
        uri: new URL(link, file.url).href,
        ...(title === undefined ? {} : { name: title }),
        ...(changed === undefined ? {} : { etag: changed }),
      };
  },
};

/** The entries of a feed that lead somewhere, as they stand in it. */
export function entriesOf(xml: string): Entry[] {
  const parts = xml.match(/<(item|entry)[\s>][\s\S]*?<\/\1>/g) ?? [];
  return parts.flatMap((part) => {
    const link = textOf(part, "link") ?? /<link\b[^>]*\bhref\s*=\s*["']([^"']+)/.exec(part)?.[1];
    const changed = textOf(part, "updated") ?? textOf(part, "pubDate");
    return link && URL.canParse(link, "http://base.invalid")
      ? [{ link, title: textOf(part, "title"), changed }]
      : [];
  });
}

/** What an element holds, without mark-up; undefined when it is empty or not there. */
function textOf(xml: string, name: string): string | undefined {
  const inner = new RegExp(`<${name}(?:\\s[^>]*)?>([\\s\\S]*?)</${name}>`).exec(xml)?.[1] ?? "";
  const plain = inner
    .replace(/<!\[CDATA\[([\s\S]*?)\]\]>/g, (_, text: string) => text.replace(/&/g, "&amp;"))
    .replace(/<[^>]*>?/g, "")
    .replace(/&(?!(?:amp|lt|gt|quot|apos|#\d+|#x[\da-f]+);)/gi, "&amp;");
  return String((Bun.XML.parse(`<x>${plain}</x>`) as { x?: unknown }).x ?? "").trim() || undefined;
}

export default definePlugin({
  name: "my-plugin",
  version: "0.1.0",
  setup: () => ({ fills: [fill(ImportSources, source)] }),
});
