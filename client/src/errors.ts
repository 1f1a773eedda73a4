/** One class for all errors: requests that were refused or failed, and later failures. */
import type { DocumentErrorCode, ErrorCode, FieldProblem } from "./schema.gen.js";

/** Codes of the client itself. */
export type ClientErrorCode =
  | "unreachable"
  | "timeout"
  | "bad_answer"
  | "answer_failed"
  | "answer_cancelled"
  | "upload_failed"
  | "bad_webhook";

/** A server with plugins may have further codes. */
export type DossierErrorCode = ErrorCode | DocumentErrorCode | ClientErrorCode | (string & {});

export interface DossierErrorOptions {
  readonly code: DossierErrorCode;
  /** The HTTP status; 0 if there was no response, or the error is not about a request. */
  readonly status?: number;
  readonly requestId?: string | null;
  readonly fields?: readonly FieldProblem[];
  /** How long the server asks to wait before a retry, in milliseconds. */
  readonly retryAfter?: number | null;
  readonly cause?: unknown;
}

export class DossierError extends Error {
  override readonly name = "DossierError";
  /** Stable, for use in programs: `not_found`, `quota_exceeded`, `unreachable`. */
  readonly code: DossierErrorCode;
  /** The HTTP status; 0 if there was no response, or the error is not about a request. */
  readonly status: number;
  /** Identifies the request in the server's log. */
  readonly requestId: string | null;
  /** The invalid fields: `pointer` into the body, or `?name` for a query field. */
  readonly fields: readonly FieldProblem[];
  /** How long the server asks to wait before a retry, in milliseconds. */
  readonly retryAfter: number | null;

  constructor(message: string, { cause, ...options }: DossierErrorOptions) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = options.code;
    this.status = options.status ?? 0;
    this.requestId = options.requestId ?? null;
    this.fields = options.fields ?? [];
    this.retryAfter = options.retryAfter ?? null;
  }
}

/** Creates the error for a response other than success. */
export async function errorOf(response: Response): Promise<DossierError> {
  const text = await response.text().catch(() => "");
  const { status, headers } = response;
  const problem = problemIn(text);
  const common = {
    status,
    requestId: problem?.request_id ?? headers.get("x-request-id"),
    retryAfter: retryAfterOf(headers),
  };
  if (problem)
    return new DossierError(problem.detail ?? problem.title ?? `HTTP ${status}`, {
      ...common,
      code: problem.code ?? `http_${status}`,
      fields: problem.errors ?? [],
    });
  // The poll of a failed or cancelled answer returns a sentence without a code.
  const is_sentence =
    status === 500 && (headers.get("content-type") ?? "").startsWith("text/plain");
  const code = !is_sentence
    ? `http_${status}`
    : text.trim() === "The answer was cancelled."
      ? "answer_cancelled"
      : "answer_failed";
  const words = is_sentence && text.trim() !== "" ? text.trim() : `The server answered ${status}.`;
  return new DossierError(words, { ...common, code });
}

interface Problem {
  readonly title?: string;
  readonly detail?: string;
  readonly code?: string;
  readonly request_id?: string;
  readonly errors?: readonly FieldProblem[];
}

function problemIn(text: string): Problem | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && "code" in value
      ? (value as Problem)
      : null;
  } catch {
    return null;
  }
}

/** In milliseconds; `Retry-After` is a number of seconds, or a date. */
export function retryAfterOf(headers: Headers): number | null {
  const text = headers.get("retry-after");
  if (text === null) return null;
  const seconds = Number(text);
  const ms = Number.isFinite(seconds) ? seconds * 1_000 : Date.parse(text) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : null;
}
