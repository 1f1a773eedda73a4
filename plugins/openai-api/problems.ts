/** Errors in the OpenAI form: `{ error: { message, type, param, code } }`. */
import { HttpError } from "../../core/sdk";

interface OpenAiError {
  readonly status: number;
  readonly type: string;
  readonly code: string | null;
  readonly message: string;
}

/** Another user's record is reported as unknown. */
const unknown_record = "There is no such record, or it belongs to another user.";
const quota = "insufficient_quota";

/** The error in the form of OpenAI. */
export function openAiProblem(error: HttpError): Response {
  const { status, ...fields } = toOpenAiError(error);
  return Response.json(
    { error: { ...fields, param: paramOf(error) } },
    // The official clients retry after 409, 429 and 5xx; this header tells them when that is
    // useless.
    { status, headers: isLasting(error) ? { "x-should-retry": "false" } : {} },
  );
}

/** The same within a stream that has begun. */
export const problemEvent = (error: HttpError): object => {
  const { status: _, ...shown } = toOpenAiError(error);
  return { error: { ...shown, param: paramOf(error) } };
};

function toOpenAiError({ status, code, detail: message }: HttpError): OpenAiError {
  const invalid = (shown: number, name: string | null, text = message): OpenAiError => ({
    status: shown,
    type: "invalid_request_error",
    code: name,
    message: text,
  });
  if (status === 401) return invalid(401, "invalid_api_key");
  const is_quota = code === "quota_exceeded";
  if (is_quota) return { status: 429, type: quota, code: quota, message };
  if (status === 403 && code === "forbidden") return invalid(404, "not_found", unknown_record);
  if (code === "no_such_route") return invalid(404, "unknown_url");
  if (status === 429) return { status, type: "requests", code: "rate_limit_exceeded", message };
  if (status >= 500) return { status, type: "server_error", code, message };
  return invalid(status, code === "invalid_request" ? null : code);
}

const lasting: ReadonlySet<string> = new Set(["quota_exceeded", "conflict", "answer_failed"]);
const isLasting = ({ code }: HttpError): boolean => lasting.has(code);

/** `messages[3].content` for the pointer `/messages/3/content`; `limit` for `?limit`. */
function paramOf({ errors }: HttpError): string | null {
  const pointer = errors?.[0]?.pointer;
  if (!pointer) return null;
  return pointer
    .slice(1)
    .split("/")
    .map((name, at) => (/^\d+$/.test(name) ? `[${name}]` : at === 0 ? name : `.${name}`))
    .join("");
}

/** The refusal of a model that is no folder of the caller; `why` is a sentence. */
export const modelNotFound = (model: string, reason: string): HttpError => {
  const detail = `The model \`${model.slice(0, 200)}\` does not exist. ${reason}`;
  return new HttpError(404, "model_not_found", detail, {
    errors: [{ pointer: "/model", detail }],
  });
};
