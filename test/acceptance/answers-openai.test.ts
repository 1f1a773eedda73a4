/** Acceptance, on the executable: answers by a language model at an endpoint. */
import { expect, onTestFinished, test } from "bun:test";
import { startExecutable } from "../helpers/executable";
import { fails, says, startProvider } from "../helpers/provider";

const key = "sk-test-0123456789abcdef";
const birds =
  "The heron stands in shallow water. It waits for fish without moving.\n\nHerons nest in tall " +
  "trees near rivers. A heron weighs about 1.5 kilograms.";
const question = "Where does the heron stand?";
const good = "The heron stands in shallow water [1].";

test("answers come from the model without a proxy, and the log has no key", async () => {
  const provider = startProvider();
  onTestFinished(() => void provider.stop());
  await using dossier = await startExecutable({
    env: {
      ...{
        DOSSIER_ANSWERS_PROVIDER: "openai",
        DOSSIER_ANSWERS_BASE_URL: provider.base_url,
        DOSSIER_ANSWERS_API_KEY: key,
        DOSSIER_ANSWERS_MODEL: "tiny-1",
      },
      HTTP_PROXY: "http://127.0.0.1:1",
      http_proxy: "http://127.0.0.1:1",
      OPENAI_BASE_URL: "http://127.0.0.1:1",
      OPENAI_LOG: "debug",
      DOSSIER_SERVER_LOG_LEVEL: "debug",
    },
  });
  await dossier.createUser();
  const folder = (await dossier.api("POST", "/folders", { name: "Birds" })).body.id;
  const document = (await dossier.api("POST", "/documents", { folder_id: folder, content: birds }))
    .body.id;
  await dossier.until(`/documents/${document}`, ({ body }) => body.status === "synced");
  const chat = (await dossier.api("POST", "/chats", { usedFolders: [folder] })).body.id;
  const ask = async () => {
    const { requestId } = (await dossier.api("POST", `/chats/${chat}/messages`, { text: question }))
      .body;
    return (
      await dossier.until(
        `/chats/${chat}/messages/${requestId}`,
        ({ body }) => body.status === "COMPLETED",
      )
    ).body.result;
  };
  provider.answerWith(() => says(good));
  expect(await ask()).toMatchObject({
    answer: good,
    model: "tiny-1",
    citations: [{ quote: "The heron stands in shallow water.", document_id: document }],
  });
  provider.answerWith(() => fails(401, { message: `Incorrect API key provided: ${key}` }));
  expect(await ask()).toMatchObject({
    model: "extractive",
    warnings: [{ code: "provider_unavailable" }],
  });
  expect(dossier.output()).toContain("check answers.api_key");
  expect(dossier.output()).not.toMatch(new RegExp(`${key}|${provider.base_url}`));
}, 180_000);
