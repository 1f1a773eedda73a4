/** The cache of texts just stored: each handed out once, within a size limit, exactly as stored. */
import { expect, test } from "bun:test";
import { FreshTexts } from "../../plugins/documents/creation/fresh-texts";
import type { PendingVersion } from "../../plugins/documents/texts/text-store";

const versionOf = (id: string, content: string): PendingVersion => ({
  id,
  owner_id: "usr_ada",
  name: id,
  version: 1,
  sha256: "",
  size_bytes: content.length,
  media_type: "text/plain",
  in_files: 0,
  text_ready: 0,
  pages: "[]",
  page_labels: null,
  headings: null,
  times: null,
  text_id: 1,
  text_units: content.length,
  text_points: content.length,
  piece: content,
  content: null,
  text: {
    stored: { id: 1, units: content.length, points: content.length },
    content,
    units: content.length,
  },
});

test("a version is handed out once, and never a different one", () => {
  const texts = new FreshTexts();
  texts.keep(versionOf("a", "words"));
  expect(texts.take("a", 2)).toBeUndefined();
  expect(texts.take("b", 1)).toBeUndefined();
  expect(texts.take("a", 1)?.text.content).toBe("words");
  expect(texts.take("a", 1)).toBeUndefined();
});

test("the oldest is dropped when there are many", () => {
  const texts = new FreshTexts();
  const long = "x".repeat(16_384);
  for (let i = 0; i < 257; i++) texts.keep(versionOf(`doc_${i}`, long));
  expect(texts.take("doc_0", 1)).toBeUndefined();
  for (let i = 1; i < 257; i++) expect(texts.take(`doc_${i}`, 1)).toBeDefined();
  // All of them are gone, so there is room again.
  for (let i = 0; i < 256; i++) texts.keep(versionOf(`doc_${i}`, long));
  expect(texts.take("doc_0", 1)).toBeDefined();
});

test("a text that reads back differently or exceeds a piece is not kept", () => {
  const texts = new FreshTexts();
  for (const content of ["a lone \ud800 surrogate", "x".repeat(16_385)]) {
    texts.keep(versionOf("a", content));
    expect(texts.take("a", 1)).toBeUndefined();
  }
});
