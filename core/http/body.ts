/**
 * Reads and checks what a request brings: the JSON body within its limit, and the query as its
 * schema types it.
 */
import type { TObject, TSchema } from "@sinclair/typebox";
import {
  TypeCompiler,
  ValueErrorType,
  type TypeCheck,
  type ValueError,
} from "@sinclair/typebox/compiler";
import { badRequest, HttpError, tooLarge, type FieldProblem } from "../base/errors";

export const json_body_bytes_max = 16 * 2 ** 20;
const problems_max = 10;

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
    `The body is larger than the limit of ${bytes_max} bytes (${Math.round(bytes_max / 2 ** 20)} MiB).`,
  );

/** @throws HttpError 415 when the body is of none of these media types. */
export function checkMediaType(
  request: Request,
  ...wanted: readonly ("application/json" | "multipart/form-data")[]
): void {
  const given = mediaType(request);
  if (wanted.some((one) => one === given)) return;
  throw new HttpError(
    415,
    "unsupported_media_type",
    `The body must be ${wanted.join(" or ")}${given === "" ? "; the request has no Content-Type" : `, not ${given}`}.`,
  );
}
/** Lower-case, without parameters; empty when there is none. */
export const mediaType = (request: Request): string =>
  (request.headers.get("content-type") ?? "").split(";")[0]!.trim().toLowerCase();

/** The runtime repeats what it does not understand, however long it is. */
const cut = (sentence: string): string =>
  sentence.length <= 120 ? sentence : `${sentence.slice(0, 120).toWellFormed()}…`;

/** The body as JSON. @throws HttpError 400 when it is not JSON in UTF-8. */
export function parseJson(bytes: Uint8Array): unknown {
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
    throw badRequest(
      `The body is not valid JSON: ${error instanceof SyntaxError ? cut(error.message) : "it is nested too deeply"}.`,
      undefined,
      "malformed_json",
    );
  }
  // Only an escape can smuggle in what the database can't keep: U+0000 and halves of surrogate
  // pairs.
  if (text.includes("\\u")) refuseIllFormed(value);
  return value;
}

/** The body as it came. @throws HttpError 413 above the limit. */
export async function readBytes(request: Request, bytes_max: number): Promise<Uint8Array> {
  if (declaredLength(request) !== undefined) {
    checkLength(request, bytes_max);
    return new Uint8Array(await request.arrayBuffer());
  }
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request.body ?? []) {
    length += chunk.byteLength;
    if (length > bytes_max) throw bodyTooLarge(bytes_max);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/**
 * An object or array that is being walked: `keys` of an object, and how many of its values have
 * been looked at.
 */
interface Walked {
  readonly value: object;
  readonly keys: readonly string[] | undefined;
  seen: number;
}

/**
 * Without calls that nest, because a body may nest deeper than they can; without lists of what is
 * inside, because that may be millions of numbers.
 */
function refuseIllFormed(body: unknown): void {
  const open: Walked[] = [];
  const pointer = (): string =>
    open.map(({ keys, seen }) => `/${keys ? keys[seen - 1] : seen - 1}`).join("");
  const look = (value: unknown): void => {
    if (typeof value === "string") refuseText(value, pointer);
    else if (typeof value === "object" && value !== null)
      open.push({ value, keys: Array.isArray(value) ? undefined : Object.keys(value), seen: 0 });
  };
  look(body);
  for (let last = open.at(-1); last; last = open.at(-1)) {
    const { value, keys } = last;
    if (last.seen === (keys ?? (value as unknown[])).length) {
      open.pop();
      continue;
    }
    const at = last.seen++;
    look((value as Record<string | number, unknown>)[keys ? keys[at]! : at]);
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

/** A compiled schema that answers what is wrong in words. */
export interface Checker {
  check(value: unknown): void;
}

/** @throws Error when requests can't be checked by this schema. */
export function requireCheckable(schema: TSchema): void {
  TypeCompiler.Code(schema);
}

/** @throws HttpError 400 from `check`, naming every field that is wrong (ten at most). */
export function compileChecker(schema: TSchema): Checker {
  // When it is first needed: a server starts sooner without the checks of every route.
  let made: TypeCheck<TSchema> | undefined;
  return {
    check: (value) => {
      const compiled = (made ??= TypeCompiler.Compile(schema));
      if (compiled.Check(value)) return;
      const found = new Map<string, FieldProblem>();
      for (const error of compiled.Errors(value)) {
        if (found.size === problems_max) break;
        // The first error of a field says most: the ones below a missing field only repeat it.
        if (!found.has(error.path))
          found.set(error.path, { pointer: error.path, detail: sentence(error) });
      }
      const errors = [...found.values()];
      throw new HttpError(
        400,
        "invalid_request",
        errors.map((problem) => problem.detail).join(" "),
        { errors },
      );
    },
  };
}

const fieldName = (pointer: string): string =>
  pointer === "" ? "The body" : `\`${pointer.slice(1).replaceAll("/", ".")}\``;

function sentence(error: ValueError): string {
  const field = fieldName(error.path);
  if (error.type === ValueErrorType.ObjectRequiredProperty) return `${field} is required.`;
  return `${field} must be ${inWords(error.schema)}.`;
}

function inWords(schema: TSchema): string {
  if (schema.anyOf) return (schema.anyOf as TSchema[]).map(inWords).join(" or ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.type === "integer")
    return `${schema.minimum === 1 ? "a positive integer" : "an integer"}${schema.maximum === undefined ? "" : ` of at most ${schema.maximum}`}`;
  if (schema.type === "array")
    return `an array${schema.maxItems === undefined ? "" : ` of at most ${schema.maxItems} items`}`;
  if (schema.type === "null") return "null";
  if (schema.type === "string" && schema.format) return `a ${schema.format.toUpperCase()}`;
  return `${/^[aeiou]/.test(schema.type) ? "an" : "a"} ${schema.type}`;
}

/** Reads the query by its schema. @throws HttpError 400 that names the field. */
export function compileQuery(schema: TObject): (search: string) => Record<string, unknown> {
  const checker = compileChecker(schema);
  const fields = Object.entries(schema.properties);
  const defaults = Object.fromEntries(
    fields.filter(([, of]) => of.default !== undefined).map(([name, of]) => [name, of.default]),
  );
  const known = new Map(fields);
  const required = schema.required ?? [];
  return (search) => {
    const query: Record<string, unknown> = { ...defaults };
    if (search !== "") {
      const seen = new Set<string>();
      for (const [name, text] of new URLSearchParams(search)) {
        const of = known.get(name);
        if (!of) continue;
        if (seen.has(name))
          throw badRequest(`The query field \`${name}\` is given twice.`, `?${name}`);
        seen.add(name);
        if (text.includes("\u0000"))
          throw badRequest(
            `The query field \`${name}\` contains the character U+0000, which text can't have.`,
            `?${name}`,
          );
        query[name] = typed(text, of);
      }
    }
    for (const name of required)
      if (query[name] === undefined || query[name] === "")
        throw badRequest(`The query field \`${name}\` is required.`, `?${name}`);
    try {
      checker.check(query);
    } catch (error) {
      throw error instanceof HttpError ? inQuery(error) : error;
    }
    return query;
  };
}

function typed(text: string, of: TSchema): unknown {
  if (of.type === "integer") return /^\d{1,15}$/.test(text) ? Number(text) : text;
  if (of.type === "boolean") return text === "true" ? true : text === "false" ? false : text;
  return text;
}

/** The same problems, told of the query. */
function inQuery(error: HttpError): HttpError {
  const errors = (error.errors ?? []).map(({ pointer, detail }) => ({
    pointer: `?${pointer.slice(1)}`,
    detail: detail.replace(/^`/, "The query field `"),
  }));
  return new HttpError(400, error.code, errors.map((problem) => problem.detail).join(" "), {
    errors,
  });
}
