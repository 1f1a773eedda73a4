/** Tests settings of the language model by asking it for one word, like an answer would. */
import { fieldOf } from "../../core/lib/json-values";
import { askEndpoint, hostOf, wrongShape, type EndpointFinding } from "../../core/sdk";
import { endpointOf, type AnswersSettings } from "./settings";

/** People wait for it; a model that is loaded for the first time may take longer. */
const timeout_ms_max = 20_000;
const path = "/chat/completions";
const messages = [{ role: "user", content: "Reply with the one word: yes" }];
/** Enough for one word, and for a reasoning model to begin. */
const max_tokens = 32;

/** @throws ConfigError when the settings are inconsistent. */
export async function tryModel(
  settings: AnswersSettings,
  signal: AbortSignal,
): Promise<EndpointFinding> {
  const endpoint = endpointOf(settings);
  if (endpoint === null)
    return {
      status: "ok",
      detail: "No language model is used: answers quote sentences from the documents.",
      fix: null,
      setting: null,
    };
  const at = { ...endpoint, section: "answers" };
  const { model } = endpoint;
  const reply = await askEndpoint(at, {
    path,
    // Not every server knows the limit by this name.
    bodies: [
      { model, messages, max_tokens },
      { model, messages },
    ],
    timeout_ms: Math.min(timeout_ms_max, settings.timeout),
    signal,
  });
  if ("finding" in reply) return reply.finding;
  if (!hasMessage(reply.json)) return wrongShape(at, path);
  const seconds = (reply.took_ms / 1_000).toFixed(1);
  return {
    status: "ok",
    detail: `${model} at ${hostOf(endpoint.base_url)} responded in ${seconds} s.`,
    fix: null,
    setting: null,
  };
}

/** Its text may be empty, when the model has only thought so far. */
function hasMessage(json: unknown): boolean {
  const choices = fieldOf(json, "choices");
  return Array.isArray(choices) && typeof fieldOf(choices[0], "message") === "object";
}
