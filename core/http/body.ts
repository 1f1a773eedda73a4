/** Reads the body of a request within its limit, and parses JSON. */
import { badRequest, HttpError, tooLarge } from "../base/errors";
import { requireShallow } from "./json-depth";
import { fieldName } from "./validation";

export const json_body_bytes_max = 16 * 2 ** 20;

/** The declared length of the body, or undefined when it is not declared. */
export function declaredLength(request: Request): number | undefined {
  const header = request.headers.get("content-length");
  return header !== null && /^\d+$/.test(header) ? Number(header) : undefined;
}

export const hasBody = (request: Request): boolean =>
  request.body !== null && declaredLength(request) !== 0;

/** @throws HttpError 413 before anything is read, when the declared length is above the limit. */
export function checkLength(request: Request, bytes_max: number): void {
  if ((declaredLength(request) ?? 0) > bytes_max) throw bodyTooLarge(bytes_max);
}
const bodyTooLarge = (bytes_max: number) =>
  tooLarge(
    `The body is larger than the limit of ${bytes_max} bytes ` +
      `(${Math.round(bytes_max / 2 ** 20)} MiB).`,
  );

/** @throws HttpError 415 when the body is of none of these media types. */
export function checkMediaType(
  request: Request,
  ...wanted: readonly ("application/json" | "multipart/form-data")[]
): void {
  const given = mediaType(request);
  if (wanted.some((one) => one === given)) return;
  const but = given === "" ? "; the request has no Content-Type" : `, not ${given}`;
  throw new HttpError(
    415,
    "unsupported_media_type",
    `The body must be ${wanted.join(" or ")}${but}.`,
  );
}
/** Lower-case, without parameters; empty when there is none. */
export const mediaType = (request: Request): string =>
  (request.headers.get("content-type") ?? "").split(";")[0]!.trim().toLowerCase();

/** The runtime repeats the text that it could not parse, however long it is. */
const cut = (sentence: string): string =>
  sentence.length <= 120 ? sentence : `${sentence.slice(0, 120).toWellFormed()}…`;

/** The body as JSON. @throws HttpError 400 when it is not JSON in UTF-8. */
export function parseJson(bytes: Uint8Array): unknown {
  requireShallow(bytes);
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw badRequest("The body is not valid UTF-8.", undefined, "malformed_json");
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const reason = error instanceof SyntaxError ? cut(error.message) : "it is nested too deeply";
    throw badRequest(`The body is not valid JSON: ${reason}.`, undefined, "malformed_json");
  }
  // Only an escape can smuggle in what the database can't keep: U+0000 and halves of surrogate
  // pairs.
  if (text.includes("\\u")) refuseIllFormed(value);
  return value;
}

/**
 * How long a body may take: this, and a second more for each so many bytes that have arrived. One
 * that drips holds on to nothing for long.
 */
const body_ms_max = 15_000;
const bytes_per_s_min = 256 * 1024;

/** The body as it came. @throws HttpError 413 above the limit, 408 when it takes too long. */
export async function readBytes(request: Request, bytes_max: number): Promise<Uint8Array> {
  checkLength(request, bytes_max);
  const reader = request.body?.getReader();
  if (!reader) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let length = 0;
  let is_late = false;
  const begun_ms = performance.now();
  const timer = setInterval(() => {
    const allowed_ms = body_ms_max + (length / bytes_per_s_min) * 1_000;
    if (performance.now() - begun_ms < allowed_ms) return;
    is_late = true;
    void reader.cancel();
  }, 500);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (is_late) throw tooSlow();
      if (done) return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
      length += value.byteLength;
      if (length > bytes_max) throw bodyTooLarge(bytes_max);
      chunks.push(value);
    }
  } finally {
    clearInterval(timer);
  }
}

const tooSlow = () =>
  new HttpError(
    408,
    "body_timeout",
    `The body came too slowly: after ${body_ms_max / 1_000} s most of it was still missing.`,
    { headers: { connection: "close" } },
  );

/** An object or array whose values are being visited; `keys` are those of an object. */
interface Visited {
  readonly value: object;
  readonly keys: readonly string[] | undefined;
  /** How many of its values have been visited. */
  count: number;
}

/**
 * Iterative, because a body may nest deeper than calls can; without lists of the values inside,
 * because there may be millions.
 */
function refuseIllFormed(body: unknown): void {
  const path: Visited[] = [];
  const pointer = (): string =>
    path.map(({ keys, count }) => `/${keys ? keys[count - 1] : count - 1}`).join("");
  const visit = (value: unknown): void => {
    if (typeof value === "string") refuseText(value, pointer);
    else if (typeof value === "object" && value !== null)
      path.push({ value, keys: Array.isArray(value) ? undefined : Object.keys(value), count: 0 });
  };
  visit(body);
  for (let last = path.at(-1); last; last = path.at(-1)) {
    const { value, keys } = last;
    if (last.count === (keys ?? (value as unknown[])).length) {
      path.pop();
      continue;
    }
    const index = last.count++;
    visit((value as Record<string | number, unknown>)[keys ? keys[index]! : index]);
  }
}

function refuseText(text: string, pointer: () => string): void {
  const problem = text.includes("\u0000")
    ? "contains the character U+0000, which text can't have"
    : text.isWellFormed()
      ? undefined
      : "contains half of a surrogate pair, which is not a character";
  if (problem !== undefined) throw badRequest(`${fieldName(pointer())} ${problem}.`, pointer());
}
