/** The least similarity that is found depends on the model, and on what a folder is about. */
import { expect, test } from "bun:test";
import { startEmbedder } from "../helpers/embedder";
import { startTestServer, type TestServer } from "../helpers/host";

const dimensions = 8_192;
const documents = 100;
const words_of_document = 140;
/** So many words are the same in each document of a folder about one subject. */
const words_of_subject = 24;
/** A word without synonyms. */
const wordOf = (number: number): string =>
  `${[...String(number)].map((digit) => "bcdfghjklm"[Number(digit)]).join("")}a`;

/** A document of a folder; the one in the middle is about a vehicle too. */
function contentOf(at: number, has_subject: boolean): string {
  const words = Array.from({ length: words_of_document }, (_, place) =>
    wordOf(has_subject && place < words_of_subject ? 100_000 + place : 1_000 * at + place),
  );
  words[0] = has_subject ? "doctor" : words[0]!;
  words[words_of_document - 1] = at === documents / 2 ? "vehicle" : "boat";
  return words.join(" ");
}
async function folderOf(server: TestServer, has_subject: boolean): Promise<string> {
  const { body } = await server.send("ada", "POST", "/folders", { name: "f" });
  for (let at = 0; at < documents; at++)
    await server.send("ada", "POST", "/documents", {
      folder_id: body.id,
      name: "n",
      content: contentOf(at, has_subject),
    });
  return body.id;
}

test("in a folder about one subject, a question off it must be nearer to a passage", async () => {
  const embedder = startEmbedder({ small: dimensions });
  const server = await startTestServer({
    env: { DOSSIER_EMBEDDINGS_BASE_URL: embedder.url, DOSSIER_EMBEDDINGS_MODEL: "small" },
  });
  const one_subject = await folderOf(server, true);
  const various = await folderOf(server, false);
  await server.settle();
  const isFound = async (query: string, folder_id: string): Promise<boolean> => {
    const { body } = await server.send("ada", "POST", "/search", {
      query,
      folder_ids: [folder_id],
    });
    return body.data.some(
      ({ quote, matched }: any) => matched === "meaning" && quote.endsWith("vehicle"),
    );
  };
  for (const [why, query, folder, expected] of [
    ["it is near enough among various subjects", "automobile", various, true],
    ["it is off the subject", "automobile", one_subject, false],
    ["it is on the subject", "automobile physician", one_subject, true],
  ] as const)
    expect([why, await isFound(query, folder)]).toEqual([why, expected]);
  await server.stop();
  embedder.stop();
}, 60_000);
