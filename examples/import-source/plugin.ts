/**
 * Reading list: imports every page that a text links to, such as a Markdown file with links or a
 * plain list of addresses. A complete plugin that adds a kind of import source. To use it, copy it
 * to `<data directory>/plugins/reading-list.ts`, restart Dossier, and send
 * `POST /api/dev/v1/imports` with the body
 *
 *     {"folder_id": "…", "source": {"type": "reading-list", "url": "https://example.com/links.md"}}
 */
import { definePlugin, fill, t } from "dossier";
import { ImportSources, SourceFailure, type ImportSource } from "dossier/contracts";

const text_bytes_max = 1024 * 1024;

/**
 * The caller's `source`, besides its type. Dossier validates it against this schema and answers 400
 * naming the field.
 */
const schema = t.Object({
  url: t.String({ description: "The address of the text." }),
  section: t.Optional(t.String({ description: "Only the links below this Markdown heading." })),
});
interface ReadingList {
  readonly url: string;
  readonly section?: string;
}

const source: ImportSource<ReadingList> = {
  type: "reading-list",
  description: "The pages linked in a text, such as a Markdown file.",
  schema,

  /**
   * Lists the items to import. Dossier itself fetches each address, with its rules: public hosts
   * only, robots.txt, pauses, main text, retries.
   */
  async *items({ url, section }, tools) {
    const file = await tools.fetch(url, { bytes_max: text_bytes_max });
    const text = await file.text();
    const wanted = section === undefined ? text : partBelow(text, section);
    // The user who started the import reads this sentence in its record.
    if (wanted === null) throw new SourceFailure(`The text has no heading “${section}”.`);
    for (const { address, name } of linksIn(wanted)) {
      if (URL.canParse(address, file.url))
        yield { uri: new URL(address, file.url).href, ...(name === undefined ? {} : { name }) };
      else yield { uri: address, error: "This link is not an address." };
    }
  },
};

/**
 * The lines from a heading to the next one of the same or a higher level; null if there is no such
 * heading.
 */
function partBelow(text: string, heading: string): string | null {
  const lines = text.split(/\r?\n/);
  const levelOf = (line: string): number => /^(#{1,6})\s/.exec(line)?.[1]!.length ?? 7;
  const start = lines.findIndex(
    (line) =>
      levelOf(line) < 7 &&
      line
        .replace(/^#+\s+/, "")
        .trim()
        .toLowerCase() === heading.trim().toLowerCase(),
  );
  if (start < 0) return null;
  const length = lines
    .slice(start + 1)
    .findIndex((line) => levelOf(line) <= levelOf(lines[start]!));
  return lines.slice(start + 1, length < 0 ? undefined : start + 1 + length).join("\n");
}

/** `[name](address)`, and bare addresses. */
function* linksIn(text: string): Generator<{ readonly address: string; readonly name?: string }> {
  for (const [, name, address, plain] of text.matchAll(
    /\[([^\]\n]*)\]\(\s*<?([^)\s>]+)>?[^)\n]*\)|(https?:\/\/[^\s<>()"']+)/g,
  )) {
    if (plain !== undefined) yield { address: plain };
    else if (!address!.startsWith("#") && !/^mailto:/i.test(address!))
      yield { address: address!, name: name! };
  }
}

export default definePlugin({
  name: "reading-list",
  version: "1.0.0",
  setup: () => ({ fills: [fill(ImportSources, source)] }),
});
