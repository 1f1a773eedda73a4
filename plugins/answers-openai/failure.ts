/** Why a model gave no answer: what may be tried again, and what the person who asked is told. */

/**
 * `unavailable`: not reached, broken off or silent. `busy`: over its limit. `refused`: wrong key,
 * model or address. `too_long`: more than it reads. `nonsense`: no usable answer.
 */
export type FailureKind = "unavailable" | "busy" | "refused" | "too_long" | "nonsense";

/** The message is for the log: it never holds what the provider wrote, a key or an address. */
export class ProviderFailure extends Error {
  override readonly name = "ProviderFailure";
  constructor(
    readonly kind: FailureKind,
    message: string,
    readonly options: {
      readonly again: boolean;
      readonly status?: number | undefined;
      readonly retry_after_ms?: number | undefined;
    },
  ) {
    super(message);
  }
}

const sentences: Readonly<Record<FailureKind, string>> = {
  unavailable:
    "The language model that answers questions can't be reached at the moment. Please ask again " +
    "later.",
  busy: "The language model that answers questions is too busy at the moment. Please ask again later.",
  refused:
    "The language model that answers questions refuses this server's requests. Please tell the " +
    "administrator of this server.",
  too_long:
    "The question with its passages is longer than the language model can read. Please ask a " +
    "shorter question.",
  nonsense:
    "The language model gave no answer that the documents support. Please word the question " +
    "differently.",
};
/** For the person who asked. */
export const sentenceOf = ({ kind }: ProviderFailure): string => sentences[kind];

/** What the answer warns of when it is quoted from the documents instead. */
export const warningOf = ({
  kind,
}: ProviderFailure): { readonly code: string; readonly message: string } =>
  kind === "nonsense"
    ? {
        code: "answer_unsupported",
        message:
          "The language model gave no answer that the documents support, so this answer quotes " +
          "them.",
      }
    : {
        code: "provider_unavailable",
        message: "The language model could not answer, so this answer quotes the documents.",
      };

/** Statuses that may pass by themselves. */
const passing = (status: number): boolean =>
  status === 408 || status === 409 || status === 425 || status >= 500;

/**
 * What an answer with this status means. `code` is the provider's word for it, when it is one word.
 */
export function failureOfStatus(
  status: number,
  code: string | undefined,
  headers: Headers | undefined,
): ProviderFailure {
  const words = `the provider answered ${status}${code === undefined ? "" : ` (${code})`}`,
    retry_after_ms = retryAfter(headers);
  if (code === "context_length_exceeded" || status === 413)
    return new ProviderFailure("too_long", words, { again: false, status });
  if (status === 429 && code !== "insufficient_quota")
    return new ProviderFailure("busy", words, { again: true, status, retry_after_ms });
  if (passing(status))
    return new ProviderFailure("unavailable", words, { again: true, status, retry_after_ms });
  return new ProviderFailure("refused", `${words}${advice[status] ?? ""}`, {
    again: false,
    status,
  });
}
const advice: Readonly<Record<number, string>> = {
  401: ": check answers.api_key (DOSSIER_ANSWERS_API_KEY)",
  403: ": check answers.api_key (DOSSIER_ANSWERS_API_KEY)",
  404: ": check answers.model (DOSSIER_ANSWERS_MODEL) and answers.base_url (DOSSIER_ANSWERS_BASE_URL)",
};

/** Seconds, or a date measured against the provider's own clock; milliseconds. */
function retryAfter(headers: Headers | undefined): number | undefined {
  const value = headers?.get("retry-after")?.trim();
  if (!value) return undefined;
  if (/^\d+(?:\.\d+)?$/.test(value)) return Number(value) * 1_000;
  const wait_ms = Date.parse(value) - Date.parse(headers!.get("date") ?? "");
  return Number.isFinite(wait_ms) ? Math.max(0, wait_ms) : undefined;
}
