/** Validates bodies and queries against their schemas, and describes what is wrong. */
import { counted } from "../lib/counted";
import { Kind, type TObject, type TSchema } from "@sinclair/typebox";
import {
  TypeCompiler,
  ValueErrorType,
  type TypeCheck,
  type ValueError,
} from "@sinclair/typebox/compiler";
import { registerFormats } from "./formats";
import { badRequest, fieldName, HttpError, type FieldProblem } from "../base/errors";

const problems_max = 10;

/** @throws Error when this schema can't be compiled into a validator. */
export function requireCompilable(schema: TSchema): void {
  registerFormats(schema);
  TypeCompiler.Code(schema);
}

/**
 * The schema without names: the compiler would make a function for each name, which is slower than
 * inlining, and would share it between two schemas of the same name.
 */
function unnamed<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(unnamed) as T;
  const is_schema = Kind in value;
  return Object.fromEntries(
    Reflect.ownKeys(value)
      .filter((key) => !(is_schema && key === "$id"))
      .map((key) => [key, unnamed((value as Record<PropertyKey, unknown>)[key])]),
  ) as T;
}

/** Validates values against one schema. */
export class Validator {
  /** Compiled at the first use: a server starts sooner without compiling every route. */
  private compiled: TypeCheck<TSchema> | undefined;

  constructor(private readonly schema: TSchema) {}

  private compile(): TypeCheck<TSchema> {
    registerFormats(this.schema);
    return TypeCompiler.Compile(unnamed(this.schema));
  }

  /** @throws HttpError 400 naming every invalid field (ten at most). */
  validate(value: unknown): void {
    this.compiled ??= this.compile();
    const compiled = this.compiled;
    if (compiled.Check(value)) return;
    const problems = new Map<string, FieldProblem>();
    for (const error of compiled.Errors(value)) {
      if (problems.size === problems_max) break;
      // The first error of a field is the most specific: those below a missing field only repeat
      // it.
      if (!problems.has(error.path))
        problems.set(error.path, { pointer: error.path, detail: messageOf(error) });
    }
    throw invalid([...problems.values()]);
  }
}

const invalid = (errors: readonly FieldProblem[]): HttpError =>
  new HttpError(400, "invalid_request", errors.map(({ detail }) => detail).join(" "), { errors });

function messageOf(error: ValueError): string {
  const field = fieldName(error.path);
  if (error.type === ValueErrorType.ObjectRequiredProperty) return `${field} is required.`;
  return `${field} must be ${expected(error.schema)}.`;
}

/** Describes what a schema allows: `an array of at most 10 items`. */
function expected(schema: TSchema): string {
  if (schema.anyOf) return (schema.anyOf as TSchema[]).map(expected).join(" or ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.type === "integer") {
    const limit = schema.maximum === undefined ? "" : ` of at most ${schema.maximum}`;
    return `${schema.minimum === 1 ? "a positive integer" : "an integer"}${limit}`;
  }
  if (schema.type === "array") {
    const { minItems, maxItems } = schema;
    const least = minItems ? `${minItems} to` : "at most";
    return maxItems === undefined
      ? "an array"
      : `an array of ${least} ${counted(maxItems, "item")}`;
  }
  if (schema.type === "null") return "null";
  if (schema.type === "string" && schema.format) return `a ${schema.format.toUpperCase()}`;
  return `${/^[aeiou]/.test(schema.type) ? "an" : "a"} ${schema.type}`;
}

/**
 * Parses the query of a URL, without its `?`, with the types of its schema. @throws HttpError 400
 * that names the field.
 */
export function compileQuery(schema: TObject): (search: string) => Record<string, unknown> {
  const validator = new Validator(schema);
  const fields = new Map(Object.entries(schema.properties));
  const defaults = Object.fromEntries(
    [...fields]
      .filter(([, field_schema]) => field_schema.default !== undefined)
      .map(([name, field_schema]) => [name, field_schema.default]),
  );
  const required = schema.required ?? [];
  return (search) => {
    const query = { ...defaults, ...(search === "" ? {} : typedFields(search, fields)) };
    for (const name of required)
      if (query[name] === undefined || query[name] === "")
        throw badRequest(`The query field \`${name}\` is required.`, `?${name}`);
    try {
      validator.validate(query);
    } catch (error) {
      throw error instanceof HttpError ? asQueryError(error) : error;
    }
    return query;
  };
}

/** Unknown fields are ignored. */
function typedFields(
  search: string,
  fields: ReadonlyMap<string, TSchema>,
): Record<string, unknown> {
  const query: Record<string, unknown> = {};
  const seen = new Set<string>();
  for (const [name, text] of new URLSearchParams(search)) {
    const schema = fields.get(name);
    if (!schema) continue;
    if (seen.has(name))
      throw badRequest(`The query field \`${name}\` is given more than once.`, `?${name}`);
    seen.add(name);
    if (text.includes("\u0000"))
      throw badRequest(
        `The query field \`${name}\` contains the character U+0000, which is not allowed.`,
        `?${name}`,
      );
    query[name] = parsedField(text, schema);
  }
  return query;
}

/** The largest integer in a query: fifteen digits. */
export const integer_max = 999_999_999_999_999;

function parsedField(text: string, schema: TSchema): unknown {
  if (schema.type === "integer") return /^\d{1,15}$/.test(text) ? Number(text) : text;
  if (schema.type === "array") return text === "" ? [] : text.split(",");
  if (schema.type === "boolean") return text === "true" ? true : text === "false" ? false : text;
  return text;
}

/** The same problems, with pointers to fields of the query. */
const asQueryError = (error: HttpError): HttpError =>
  invalid(
    (error.errors ?? []).map(({ pointer, detail }) => ({
      pointer: `?${pointer.slice(1)}`,
      detail: detail.replace(/^`/, "The query field `"),
    })),
  );
