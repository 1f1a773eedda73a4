/** Tests of my plugin, on a server of their own: `dossier plugin test`. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { startDossier, type Dossier, type Received } from "dossier/test";
import { vectorsOf } from "./plugin";

let dossier: Dossier;
beforeAll(async () => {
  // The receiver of the test plays the service. Nobody else makes vectors: the tests' servers have
  // embeddings.provider = "none".
  dossier = await startDossier({
    env: ({ receiver }) => ({ DOSSIER_MY_PLUGIN_URL: receiver.url }),
  });
  dossier.receiver.answers(({ body }) =>
    Response.json({ embeddings: body.input.map((text: string) => vectorOf(text)) }),
  );
});
afterAll(() => dossier.stop());

/** How often each letter comes: texts of the same words are near to each other. */
function vectorOf(text: string): number[] {
  const counts = Array.from({ length: 26 }, () => 0.01);
  for (const letter of text.toLowerCase().match(/[a-z]/g) ?? [])
    counts[letter.charCodeAt(0) - 97]! += 1;
  return counts;
}
const textsOf = ({ body }: Received): string[] => body.input;

test("an answer that has no vectors is refused", () => {
  expect(vectorsOf({ embeddings: [[1, 2]] }, 1)).toEqual([new Float32Array([1, 2])]);
  expect(() => vectorsOf({ embeddings: [[1, 2]] }, 2)).toThrow("something else than vectors");
  expect(() => vectorsOf({ error: "no such model" }, 1)).toThrow("something else than vectors");
});

test("the passages of a document get vectors of the service", async () => {
  const folder_id = await dossier.folder("ada", "Birds");
  const text = "The heron stands in the shallow water and waits for fish.";
  await dossier.upload("ada", folder_id, "herons.md", text);
  await dossier.until(async () => {
    const { vectors } = (await dossier.send(null, "GET", "//health")).body;
    return vectors.state === "ready" && vectors.documents === 0;
  });
  const texts = dossier.receiver.received.flatMap(textsOf);
  expect(texts.some((embedded) => embedded.includes(text))).toBe(true);
});

test("a question is turned into a vector, too", async () => {
  const question = "Which bird waits for fish?";
  const found = await dossier.send("ada", "POST", "/search", { query: question });
  expect(found.body.data[0].quote).toContain("The heron");
  expect(dossier.receiver.received.flatMap(textsOf)).toContain(question);
});
