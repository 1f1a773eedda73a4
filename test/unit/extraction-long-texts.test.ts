/**
 * Long texts passed on by the child process that read a file: in parts that together are the whole
 * and meet the contract.
 */
import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LongText } from "../../core/lib/text-pieces";
import type { Extractor } from "../../plugins/extraction/contract";
import { handOver } from "../../plugins/extraction/server/written-text";
import { ExtractionService } from "../../plugins/extraction/service";

const directory = mkdtempSync(join(tmpdir(), "dossier-long-texts-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** Consumes a text and returns it. */
function taking() {
  const taken: string[] = [];
  return {
    taken,
    takeLong: async ({ units_max, parts }: LongText): Promise<void> => {
      for await (const part of parts) taken.push(part);
      expect(taken.join("").length).toBeLessThanOrEqual(units_max);
    },
  };
}

describe("a text written by a child process", () => {
  const long = "Ein Lotse 🚢 fährt über die Außenförde.\n".repeat(40_000);
  const cases: [why: string, files: readonly string[]][] = [
    ["one file", [long]],
    ["a surrogate pair across the end of every part", [`x${"🚢".repeat(400_000)}`]],
    ["several files", ["page 1", long, "page 8"]],
    ["a file that begins with U+FEFF", [`\ufeff${long}`, "\ufeffpage 2"]],
  ];
  for (const [why, texts] of cases)
    test(`is the same in parts as in one piece: ${why}`, async () => {
      const files = texts.map((text, index) => {
        const path = join(directory, `${Bun.hash(why)}-${index}`);
        // The child's output for an unfinished page comes after it.
        writeFileSync(path, `${text}not finished`);
        return { path, bytes: Buffer.byteLength(text) };
      });
      const { taken, takeLong } = taking();
      expect(
        (await handOver(files, { takeLong: undefined, separator: "\n\n" })) === texts.join("\n\n"),
      ).toBe(true);
      expect(await handOver(files, { takeLong, separator: "\n\n" })).toBe("");
      expect(taken.join("") === texts.join("\n\n")).toBe(true);
      expect(Math.max(...taken.map((part) => part.length))).toBeLessThanOrEqual(256 * 1024);
    });
  test("comes in one piece when it is short", async () => {
    const path = join(directory, "short");
    const { taken, takeLong } = taking();
    writeFileSync(path, "page 1");
    expect(await handOver([{ path, bytes: 6 }], { takeLong })).toBe("page 1");
    expect(taken).toEqual([]);
  });
});

describe("a long text from an extractor", () => {
  const cases: [why: string, parts: readonly string[], expected: string | RegExp][] = [
    ["is accepted unchanged", ["one ", "two"], "one two"],
    ["may be split within a surrogate pair", ["a\ud83d", "\udea2b"], "a🚢b"],
    [
      "loses U+0000 and lone surrogates",
      ["a\0b\ud83d", "c", "\udea2\ud83d"],
      "a b\ufffdc\ufffd\ufffd",
    ],
    ["is refused when blank", [" \n", "\t"], /has no text/],
  ];
  for (const [why, parts, expected] of cases)
    test(why, async () => {
      const path = join(directory, "any");
      writeFileSync(path, "anything");
      const extractor: Extractor = {
        rank: 1,
        recognises: () => true,
        async extract(_source, options) {
          await options.takeLong!({
            units_max: 100,
            parts: (async function* () {
              yield* parts;
            })(),
          });
          return { text: "", media_type: "x/y", pages: [], page_count: null, warnings: [] };
        },
      };
      const { taken, takeLong } = taking();
      const extracted = new ExtractionService(() => [extractor]).extract(
        { path, size_bytes: 8, name: "a", declared_type: null },
        { signal: new AbortController().signal, onProgress: () => {}, takeLong },
      );
      if (typeof expected !== "string") return expect(extracted).rejects.toThrow(expected);
      expect((await extracted).text).toBe("");
      expect(taken.join("")).toBe(expected);
    });
});
