/** Settings of a language model that a server refuses at its start, and why. */
import { expect, test } from "bun:test";
import { startTestServer } from "../helpers/host";

const endpoint = {
  DOSSIER_ANSWERS_PROVIDER: "openai",
  DOSSIER_ANSWERS_BASE_URL: "http://127.0.0.1:1/v1",
  DOSSIER_ANSWERS_MODEL: "m",
};
const cases: [string, Record<string, string>, RegExp][] = [
  [
    "the endpoint and the model are required",
    { DOSSIER_ANSWERS_PROVIDER: "openai" },
    /Set DOSSIER_ANSWERS_BASE_URL [\s\S]*Set DOSSIER_ANSWERS_MODEL/,
  ],
  [
    "an address without a scheme",
    { ...endpoint, DOSSIER_ANSWERS_BASE_URL: "localhost:11434" },
    /must start with http/,
  ],
  [
    "a password in the address",
    { ...endpoint, DOSSIER_ANSWERS_BASE_URL: "http://u:hush@h/v1" },
    /^(?![\s\S]*hush)[\s\S]*must not contain a user name/,
  ],
  ["a timeout longer than a job's", { ...endpoint, DOSSIER_ANSWERS_TIMEOUT: "5m" }, /at most 4m/],
  [
    "an answer that would fill the context",
    {
      ...endpoint,
      DOSSIER_ANSWERS_ANSWER_TOKENS: "2000",
      DOSSIER_ANSWERS_CONTEXT_TOKENS: "2048",
    },
    /at most half/,
  ],
  [
    "a provider that does not exist",
    { DOSSIER_ANSWERS_PROVIDER: "parrot" },
    /"extractive" or "openai"/,
  ],
  [
    "a fallback that does not exist",
    { DOSSIER_ANSWERS_FALLBACK: "guess" },
    /"extractive" or "fail"/,
  ],
];
for (const [why, env, says] of cases)
  test(why, async () => {
    await expect(startTestServer({ env })).rejects.toThrow(says);
  });
