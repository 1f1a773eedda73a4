/**
 * Outline: a panel on the page of every document in the console, with its reading time and its
 * headings, each linked to its position. A plugin with only a user interface: no table, no route.
 * To use it, `dossier plugin add examples/outline/plugin.ts` and restart Dossier.
 */
import { definePlugin, fill } from "dossier";
import { ConsolePanels } from "dossier/contracts";

/** In code points from the beginning, as links into a document need them. */
interface Heading {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

export default definePlugin({
  name: "outline",
  version: "1.0.0",
  setup: () => ({
    fills: [
      fill(ConsolePanels, {
        where: "document",
        id: "outline",
        title: "Outline",
        // Only its source text is sent to the browser: it must be self-contained, except for types.
        module: async (root, { call, navigate, onRecord, record, ui }) => {
          const words_a_minute = 220;
          const headings_max = 40;

          /** `# Markdown`, and short lines surrounded by blank ones: `3.2 The roof`. */
          function headingsOf(content: string): Heading[] {
            const headings: Heading[] = [];
            let start = 0;
            let before = "";
            const lines = content.split("\n");
            for (const [place, line] of lines.entries()) {
              const length = [...line].length;
              const text = line.replace(/^#{1,6}\s+/, "").trim();
              const is_alone = before.trim() === "" && (lines[place + 1] ?? "").trim() === "";
              const is_short = text.length > 2 && length <= 80 && !/[.,;:!?]$/.test(text);
              const begins_well = /^(\d+(\.\d+)*\.?\s+)?\p{Lu}/u.test(text);
              if (/^#{1,6}\s+\S/.test(line) || (is_alone && is_short && begins_well))
                headings.push({ text, start, end: start + length });
              start += length + 1;
              before = line;
            }
            return headings;
          }

          function minutesOf(content: string): string {
            const words = content.split(/\s+/).filter(Boolean).length;
            const minutes = Math.max(1, Math.round(words / words_a_minute));
            return `${minutes} ${minutes === 1 ? "minute" : "minutes"} to read, ${words} words`;
          }

          async function show(): Promise<void> {
            const { id } = record();
            const { content } = await call<{ content: string }>(`/documents/${id}`);
            if (content === "")
              return root.replaceChildren(ui.text("There is no text yet.", { muted: true }));
            const headings = headingsOf(content);
            const links = headings.slice(0, headings_max).map(({ text, start, end }) =>
              ui.button({
                label: text,
                kind: "ghost",
                small: true,
                onPress: () => navigate(`/documents/${id}?start=${start}&end=${end}`),
              }),
            );
            const more = headings.length - links.length;
            root.replaceChildren(
              ui.text(minutesOf(content), { muted: true }),
              ui.stack(...links, more > 0 && ui.text(`and ${more} more`, { small: true })),
            );
          }

          // A document that was replaced, or indexed meanwhile, has another outline.
          let shown = record().synced_at;
          onRecord(({ synced_at }) => {
            if (synced_at === shown) return;
            shown = synced_at;
            void show();
          });
          await show();
        },
      }),
    ],
  }),
});
