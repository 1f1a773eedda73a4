/** Acceptance, on the executable: vectors from an endpoint survive a killed server. */
import { expect, onTestFinished, test } from "bun:test";
import { startEmbedder } from "../helpers/embedder";
import { startExecutable } from "../helpers/executable";

const car = "The vehicle is sold at a price of nine thousand.";
const sea = "Herons stand in shallow water.";

test("kill -9 while vectors are made loses none: the work resumes and completes", async () => {
  const embedder = startEmbedder();
  onTestFinished(() => void embedder.stop());
  await using dossier = await startExecutable({
    env: {
      DOSSIER_EMBEDDINGS_BASE_URL: embedder.url,
      DOSSIER_EMBEDDINGS_MODEL: "small",
      DOSSIER_EMBEDDINGS_BATCH_SIZE: "2",
    },
  });
  await dossier.createUser();
  const { id } = (await dossier.api("POST", "/folders", { name: "f" })).body;
  embedder.setBehaviour("silent");
  for (let i = 0; i < 30; i++)
    expect(
      (
        await dossier.api("POST", "/documents", {
          folder_id: id,
          name: `${i}`,
          content: i === 3 ? car : `${sea} ${i}`,
        })
      ).status,
    ).toBe(201);
  await dossier.until(`/folders/${id}`, ({ body }) => body.status_counts.synced === 30);
  for (let kill = 0; kill < 3; kill++) {
    const calls_before = embedder.asked.length;
    embedder.setBehaviour({
      refuses: () => (embedder.asked.length > calls_before + 4 ? 500 : undefined),
    });
    await dossier.kill();
    await dossier.restart();
    await dossier.untilTrue(() => embedder.asked.length > calls_before + 4);
  }
  await dossier.kill();
  embedder.setBehaviour("well");
  await dossier.restart();
  const query = { query: "How expensive are cars?" };
  for (let found: { quote: string }[] = []; found[0]?.quote !== car;) {
    await Bun.sleep(20);
    found = (await dossier.api("POST", "/search", query)).body.data;
  }
  await dossier.untilTrue(() => new Set(embedder.asked.flatMap(({ input }) => input)).size >= 30);
}, 120_000);

test("dossier ask without an answer mentions documents that have no vectors yet", async () => {
  const embedder = startEmbedder();
  onTestFinished(() => void embedder.stop());
  embedder.setBehaviour("silent");
  await using dossier = await startExecutable({
    env: { DOSSIER_EMBEDDINGS_BASE_URL: embedder.url, DOSSIER_EMBEDDINGS_MODEL: "small" },
  });
  await dossier.createUser();
  const { id } = (await dossier.api("POST", "/folders", { name: "f" })).body;
  await dossier.api("POST", "/documents", { folder_id: id, name: "car", content: car });
  await dossier.until(`/folders/${id}`, ({ body }) => body.status_counts.synced === 1);
  const ask = () => dossier.cli(["ask", "Quanto sono care le macchine?", "--folder", "f"]);
  expect((await ask()).stdout).toContain("Note: 1 document is not searched by meaning yet");
});
