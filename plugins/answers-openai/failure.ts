/** Why a model gave no answer: whether a retry may help, and what the asker is told. */
import { retryAfterOfService } from "../../core/lib/retry-after";

/**
 * `unavailable`: not reached, broken off or silent. `slow`: no word in time. `busy`: over its
 * limit. `refused`: wrong key, model or address. `too_long`: more than it can read. `unusable`: no
 * usable answer.
 */
export type FailureKind = "unavailable" | "slow" | "busy" | "refused" | "too_long" | "unusable";

/** The message is for the log: it never contains text from the provider, a key or an address. */
export class ProviderFailure extends Error {
  override readonly name = "ProviderFailure";
  constructor(
    readonly kind: FailureKind,
    message: string,
    readonly options: {
      readonly retryable: boolean;
      readonly status?: number | undefined;
      readonly retry_after_ms?: number | undefined;
    },
  ) {
    super(message);
  }
}

const sentences: Readonly<Record<FailureKind, string>> = {
  unavailable: "The language model can't be reached at the moment. Try again later.",
  slow: "The language model is taking too long to respond. Try again later.",
  busy: "The language model is too busy at the moment. Try again later.",
  refused:
    "The language model rejects this server's requests. Tell the administrator of this " +
    "server.",
  too_long:
    "The question and its passages are longer than the language model can read. Ask a " +
    "shorter question.",
  unusable:
    "The language model gave no answer that the documents support. Try rephrasing the " +
    "question.",
};
/** For the asker. */
export const sentenceOf = ({ kind }: ProviderFailure): string => sentences[kind];

/** The warning on an answer that quotes the documents instead. */
export const warningOf = ({
  kind,
}: ProviderFailure): { readonly code: string; readonly message: string } =>
  kind === "unusable"
    ? {
        code: "answer_unsupported",
        message:
          "The language model gave no answer that the documents support, so this answer " +
          "quotes the documents instead.",
      }
    : {
        code: "provider_unavailable",
        message:
          kind === "slow"
            ? "The language model did not start responding in time, so this answer quotes " +
              "the documents instead."
            : "The language model could not answer, so this answer quotes the documents " +
              "instead.",
      };

const isTransient = (status: number): boolean =>
  status === 408 || status === 409 || status === 425 || status >= 500;

/**
 * The meaning of a response with this status. `code` is the provider's error code, if it is a word.
 */
export function failureOfStatus(
  status: number,
  code: string | undefined,
  headers: Headers | undefined,
): ProviderFailure {
  const message = `the provider answered ${status}${code === undefined ? "" : ` (${code})`}`;
  const retry_after_ms = retryAfterOfService(headers);
  if (code === "context_length_exceeded" || status === 413)
    return new ProviderFailure("too_long", message, { retryable: false, status });
  if (status === 429 && code !== "insufficient_quota")
    return new ProviderFailure("busy", message, { retryable: true, status, retry_after_ms });
  if (isTransient(status))
    return new ProviderFailure("unavailable", message, { retryable: true, status, retry_after_ms });
  return new ProviderFailure("refused", `${message}${advice[status] ?? ""}`, {
    retryable: false,
    status,
  });
}
const check_key = ": check answers.api_key (DOSSIER_ANSWERS_API_KEY)";
const advice: Readonly<Record<number, string>> = {
  401: check_key,
  403: check_key,
  404:
    ": check answers.model (DOSSIER_ANSWERS_MODEL) and answers.base_url " +
    "(DOSSIER_ANSWERS_BASE_URL)",
};
