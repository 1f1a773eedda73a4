/** Validates the settings of the language model at the start: whether they are consistent. */
import { problemOfKey, problemOfUrl } from "../../core/lib/endpoint-settings";
import { ConfigError } from "../../core/sdk";

/** The endpoint and its model. */
export interface Endpoint {
  readonly base_url: string;
  readonly model: string;
  readonly api_key: string | undefined;
}
/** The settings as they are stored. Times are in ms. */
export interface AnswersSettings {
  readonly provider: "extractive" | "openai";
  readonly base_url?: string | undefined;
  readonly api_key?: string | undefined;
  readonly model?: string | undefined;
  readonly timeout: number;
  readonly first_word_timeout: number;
  readonly context_tokens: number;
  readonly answer_tokens: number;
}

/** Less than the five minutes of the job that answers. */
export const timeout_ms_max = 4 * 60_000;

/** Where the model is; null when none is configured. @throws ConfigError that says what to set. */
export function endpointOf({
  provider,
  base_url,
  model,
  api_key,
  timeout,
  first_word_timeout,
  context_tokens,
  answer_tokens,
}: AnswersSettings): Endpoint | null {
  if (provider !== "openai") return null;
  const problems = [
    base_url
      ? problemOfUrl("answers", base_url)
      : "answers.base_url is required when answers.provider is openai. Set " +
        "DOSSIER_ANSWERS_BASE_URL to the endpoint, such as http://127.0.0.1:11434/v1.",
    model?.trim()
      ? null
      : "answers.model is required when answers.provider is openai. Set " +
        "DOSSIER_ANSWERS_MODEL to the model's name at the endpoint.",
    timeout > 0 && timeout <= timeout_ms_max
      ? null
      : "answers.timeout must be more than 0s and at most 4m.",
    first_word_timeout > 0 ? null : "answers.first_word_timeout must be more than 0s.",
    answer_tokens * 2 <= context_tokens
      ? null
      : "answers.answer_tokens must be at most half of answers.context_tokens.",
    problemOfKey("answers", api_key),
  ].filter((problem) => problem !== null);
  if (problems.length > 0) throw new ConfigError(problems);
  return { base_url: base_url!.replace(/\/+$/, ""), model: model!.trim(), api_key };
}
