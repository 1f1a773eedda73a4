/**
 * Answers written by a language model behind any OpenAI-compatible chat endpoint, when the settings
 * name one.
 */
import { probeEndpoint, definePlugin, Duration, fill, Secret, t } from "../../core/sdk";
import { AnswerLimits, Answerers } from "../chats/contract";
import { SystemChecks } from "../doctor/contract";
import { SearchIndex } from "../search-index/contract";
import { Retrieval } from "../search/contract";
import { LanguageModelAnswerer } from "./answerer";
import { endpointOf } from "./settings";

export default definePlugin({
  name: "answers-openai",
  version: "1.0.0",
  section: "answers",
  config: t.Object({
    provider: t.Union([t.Literal("extractive"), t.Literal("openai")], {
      default: "extractive",
      description: "Who answers: sentences of the documents, or a language model.",
    }),
    base_url: t.Optional(
      t.String({
        description:
          "Of the OpenAI-compatible endpoint, such as http://127.0.0.1:11434/v1. A proxy of the " +
          "environment is not used.",
      }),
    ),
    api_key: t.Optional(
      Secret({ description: "Sent to the endpoint; none for one that wants none." }),
    ),
    model: t.Optional(t.String({ description: "The model's name there." })),
    fallback: t.Union([t.Literal("extractive"), t.Literal("fail")], {
      default: "extractive",
      description: "When the model can't answer: quote the documents with a warning, or fail.",
    }),
    timeout: Duration({
      default: "60s",
      description: "For one answer in all, further attempts included.",
    }),
    silence_timeout: Duration({
      default: "20s",
      description: "The longest pause in the middle of an answer.",
    }),
    concurrency: t.Integer({
      default: 4,
      minimum: 1,
      maximum: 64,
      description:
        "Answers that the server works on at the same time; users take turns. One that waits for " +
        "the model does not count.",
    }),
    model_concurrency: t.Integer({
      default: 64,
      minimum: 1,
      maximum: 256,
      description:
        "Answers that wait for the model at the same time, of one user at most an eighth. Set it " +
        "to what the endpoint works on at once: an answer that waits there uses up its time.",
    }),
    context_tokens: t.Integer({
      default: 8_192,
      minimum: 2_048,
      description: "What the model reads and writes at once.",
    }),
    answer_tokens: t.Integer({
      default: 800,
      minimum: 64,
      maximum: 8_192,
      description: "The longest answer.",
    }),
  }),
  needs: { index: SearchIndex, retrieval: Retrieval },
  slots: { answerers: Answerers },
  setup: async ({ config, services: { index, retrieval }, slots, now_ms, log }) => {
    const endpoint = endpointOf(config);
    const limits = fill(AnswerLimits, {
      concurrency: config.concurrency,
      waiting_max: config.model_concurrency,
    });
    if (endpoint === null) return { fills: [limits] };
    // The client is large: only a server that uses it loads it.
    const { Provider } = await import("./provider");
    const { context_tokens, answer_tokens, fallback, timeout, silence_timeout } = config;
    const provider = new Provider({ ...endpoint, answer_tokens, silence_ms: silence_timeout });
    const answerer = new LanguageModelAnswerer({
      complete: (messages, options) => provider.complete(messages, options),
      model: endpoint.model,
      limits: { context_tokens, answer_tokens },
      timeout_ms: timeout,
      fallback,
      answerers: () => slots.answerers(),
      retrieval,
      analyze: (text) => index.analyze(text),
      now_ms,
      log,
    });
    return {
      fills: [
        limits,
        fill(Answerers, answerer),
        fill(SystemChecks, {
          name: "Language model",
          run: () => probeEndpoint({ ...endpoint, section: "answers" }),
        }),
      ],
    };
  },
});
