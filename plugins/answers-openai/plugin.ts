/**
 * Answers written by a language model behind any OpenAI-compatible chat endpoint, when the settings
 * name one.
 */
import {
  OneOf,
  definePlugin,
  Duration,
  EndpointLimits,
  fill,
  fillWith,
  KeyLimits,
  NotBlankLimits,
  Secret,
  SomeTimeLimits,
  t,
} from "../../core/sdk";
import { AnswerLimits, Answerers } from "../chats/contract";
import { SystemChecks } from "../doctor/contract";
import { SearchIndex } from "../search-index/contract";
import { Retrieval } from "../search/contract";
import { TriedSections } from "../settings/contract";
import { CurrentModel } from "./connection";
import { endpointOf, timeout_ms_max } from "./settings";
import { tryModel } from "./model-trial";

const providers = ["openai"];

export default definePlugin({
  name: "answers-openai",
  version: "1.0.0",
  section: "answers",
  config: t.Object({
    provider: OneOf(["extractive", "openai"], {
      default: "extractive",
      changes: "now",
      description: "What answers questions: quotes from the documents, or a language model.",
    }),
    base_url: t.Optional(
      t.String({
        changes: "now",
        stored: EndpointLimits,
        providers,
        description:
          "The address of the OpenAI-compatible endpoint, such as http://127.0.0.1:11434/v1. " +
          "Proxies in environment variables are ignored.",
      }),
    ),
    api_key: t.Optional(
      Secret({
        changes: "now",
        stored: KeyLimits,
        providers,
        description: "The API key for the endpoint, if it requires one.",
      }),
    ),
    model: t.Optional(
      t.String({
        changes: "now",
        stored: NotBlankLimits,
        providers,
        description: "The name of the model at the endpoint.",
      }),
    ),
    fallback: OneOf(["extractive", "fail"], {
      default: "extractive",
      changes: "now",
      providers,
      description:
        "What happens when the model can't answer: the documents are quoted with a warning, or " +
        "the question fails.",
    }),
    timeout: Duration({
      default: "60s",
      changes: "now",
      stored: { least_ms: 1, most_ms: timeout_ms_max },
      providers,
      description: "The time limit for one answer, including retries.",
    }),
    silence_timeout: Duration({
      default: "20s",
      changes: "now",
      providers,
      description: "The longest pause in the middle of an answer.",
    }),
    first_word_timeout: Duration({
      default: "30s",
      changes: "now",
      stored: SomeTimeLimits,
      providers,
      description:
        "How long to wait for the first word of an answer before the documents are quoted " +
        "instead.",
    }),
    rewrite_timeout: Duration({
      default: "3s",
      changes: "now",
      providers,
      description:
        "The time limit for having the model rephrase a follow-up question, or one in " +
        "another language than the documents, before the search. 0s: questions are not " +
        "rephrased.",
    }),
    passages_max: t.Integer({
      default: 8,
      minimum: 1,
      maximum: 50,
      changes: "now",
      providers,
      description:
        "The maximum number of passages sent to the model, as far as they fit. With fewer, " +
        "the first word comes sooner.",
    }),
    concurrency: t.Integer({
      default: 4,
      minimum: 1,
      maximum: 64,
      changes: "now",
      description:
        "How many answers the server works on at the same time; users take turns. Answers " +
        "that are waiting for the model do not count.",
    }),
    model_concurrency: t.Integer({
      default: 64,
      minimum: 1,
      maximum: 256,
      changes: "now",
      providers,
      description:
        "How many answers may wait for the model at the same time, at most an eighth of them " +
        "for one user. Set it to the number of requests that the endpoint processes at once, " +
        "because an answer that is queued there uses up its time.",
    }),
    context_tokens: t.Integer({
      default: 8_192,
      minimum: 2_048,
      changes: "now",
      providers,
      description: "The size of the model's context window, in tokens.",
    }),
    answer_tokens: t.Integer({
      default: 800,
      minimum: 64,
      maximum: 8_192,
      changes: "now",
      providers,
      description: "The maximum length of an answer, in tokens.",
    }),
  }),
  needs: { index: SearchIndex, retrieval: Retrieval },
  slots: { answerers: Answerers },
  checkConfig: (config) => {
    endpointOf(config);
  },
  setup: async (ctx) => {
    const { config, services, slots, now_ms, log } = ctx;
    const model = new CurrentModel({
      answerers: () => slots.answerers(),
      retrieval: services.retrieval,
      analyze: (text) => services.index.analyze(text),
      languageOf: (text, options) => services.index.languageOf(text, options),
      now_ms,
      log,
    });
    await model.choose(config);
    ctx.whenSettingsChange(
      () =>
        void model
          .choose(config)
          .catch((error: unknown) =>
            log.error("the changed language model could not be applied", { error: String(error) }),
          ),
    );
    return {
      fills: [
        fillWith(AnswerLimits, () => ({
          concurrency: config.concurrency,
          waiting_max: config.model_concurrency,
        })),
        fillWith(Answerers, () => model.current?.answerer ?? null),
        fillWith(SystemChecks, () => model.current?.check ?? null),
        fill(TriedSections, { section: "answers", title: "Language model", run: tryModel }),
      ],
      health: async () => {
        const failing = model.current?.answerer.failing() ?? null;
        return failing === null ? "ok" : { failing };
      },
    };
  },
});
