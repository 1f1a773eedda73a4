/** Tests of my plugin, on a server of their own: `dossier plugin test`. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { startDossier, type Dossier } from "dossier/test";
import { listOf } from "./plugin";

let dossier: Dossier;
let folder_id: string;
beforeAll(async () => {
  dossier = await startDossier();
  folder_id = await dossier.folder("ada", "Handbooks");
  await dossier.upload(
    "ada",
    folder_id,
    "filters.md",
    "# Filters\n\nThe ceramic filter is replaced every six months.\n",
  );
});
afterAll(() => dossier.stop());

test("an answer has a line with a marker for each quote", () => {
  expect(listOf(["One\nline.", "Another."])).toBe("- One line. [1]\n- Another. [2]");
});

test("a question is answered with what the documents say", async () => {
  const result = await dossier.ask("ada", [folder_id], "How often is the ceramic filter replaced?");
  expect(result).toMatchObject({ outcome: "answered", model: "my-plugin" });
  expect(result.answer).toContain("every six months. [1]");
  expect(result.citations[0]).toMatchObject({ document_name: "filters.md" });
});

test("a question about something else finds nothing", async () => {
  const result = await dossier.ask("ada", [folder_id], "Quokka?");
  expect(result).toMatchObject({ outcome: "no_answer", citations: [] });
});
