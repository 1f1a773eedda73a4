/**
 * The secret fields of a source, such as a password: removed from what is stored and shown, kept
 * sealed, and put back for the source itself.
 */
import { createHash } from "node:crypto";
import { isObject } from "../../core/lib/json-values";
import { HttpError, t, type Context, type TObject } from "../../core/sdk";
import { SourceFailure } from "./contract";

/** The secrets of a source, by JSON pointer. */
export type Secrets = Readonly<Record<string, string>>;
type Fields = Readonly<Record<string, unknown>>;
/** The parts of a schema that matter for secrets. */
interface Schema {
  readonly [keyword: string]: unknown;
  readonly type?: unknown;
  readonly kind?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
}

/** Shown in place of a secret. */
const set = { set: true } as const;

/** The schema by which a source is validated: a secret is any text. */
export const checkable = (schema: TObject): TObject => asChecked(schema) as TObject;
const asChecked = (schema: Schema): Schema =>
  schema.kind === "secret"
    ? { ...schema, ...t.String() }
    : {
        ...schema,
        ...(schema.properties && {
          properties: Object.fromEntries(
            Object.entries(schema.properties).map(([name, property]) => [
              name,
              asChecked(property),
            ]),
          ),
        }),
      };

/** The known fields without secrets, and the secrets. */
export function splitSecrets(
  schema: TObject,
  fields: Fields,
): { readonly public_fields: Fields; readonly secrets: Secrets } {
  const secrets: Record<string, string> = {};
  return { public_fields: shownOf(schema, fields, "", secrets), secrets };
}

function shownOf(
  { properties = {} }: Schema,
  fields: Fields,
  at: string,
  secrets: Record<string, string>,
): Fields {
  const public_fields: Record<string, unknown> = {};
  // Nested objects of a source are kept whole; of the source itself, only known fields.
  for (const [name, value] of Object.entries(fields)) {
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const pointer = `${at}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    if (schema?.kind === "secret" && typeof value === "string") {
      secrets[pointer] = value;
      public_fields[name] = set;
    } else if (schema?.properties && isObject(value))
      public_fields[name] = shownOf(schema, value, pointer, secrets);
    else if (schema || at !== "") public_fields[name] = value;
  }
  return public_fields;
}

/** Puts the secrets where they were. */
export function joinSecrets<F extends Fields>(public_fields: F, secrets: Secrets): F {
  const joined = structuredClone(public_fields) as Record<string, unknown>;
  for (const [pointer, value] of Object.entries(secrets)) {
    const path = pointer
      .slice(1)
      .split("/")
      .map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"));
    const last = path.pop()!;
    const inside = path.reduce((at, name) => at[name] as Record<string, unknown>, joined);
    inside[last] = value;
  }
  return joined as F;
}

/** Sealed for the owner's runs and schedules; null when there are none. */
export const sealSecrets = (
  { sealed }: Pick<Context, "sealed">,
  owner_id: string,
  secrets: Secrets,
): string | null =>
  Object.keys(secrets).length === 0
    ? null
    : sealed.seal(JSON.stringify(secrets), boundTo(owner_id));

/** @throws SourceFailure when the key of the server has changed. */
export function unsealSecrets(
  { sealed }: Pick<Context, "sealed">,
  owner_id: string,
  text: string | null,
): Secrets {
  if (text === null) return {};
  try {
    return JSON.parse(sealed.unseal(text, boundTo(owner_id)));
  } catch {
    throw new SourceFailure(
      "The credentials of the source can no longer be read, because the server's secret " +
        "key has changed. Start the import again and enter the credentials.",
      "credentials_unreadable",
    );
  }
}
const boundTo = (owner_id: string): string => `imports ${owner_id}`;

/** Equal for the same source and folder, whatever its secrets. */
export const sourceKey = (folder_id: string, source: string): string =>
  createHash("sha256").update(`${folder_id}\n${source}`).digest("base64url");

/** Shorter secrets occur in any text. */
const hidden_length_min = 4;

/** Removes the secrets from the output of a source: its sentences, and its errors. */
export class SecretHider {
  private readonly hidden: readonly string[];

  constructor(secrets: Secrets) {
    const values = Object.values(secrets).filter((secret) => secret.length >= hidden_length_min);
    const forms = values.flatMap((value) => [value, encodeURIComponent(value.toWellFormed())]);
    // Longest first: one may contain another.
    this.hidden = [...new Set(forms)].sort((a, b) => b.length - a.length);
  }

  /** Whether the text contains a secret. */
  has(text: string): boolean {
    return this.hidden.some((secret) => text.includes(secret));
  }

  /** The text with every secret replaced by `[secret]`. */
  text(text: string): string {
    return this.hidden.reduce((redacted, secret) => redacted.replaceAll(secret, "[secret]"), text);
  }

  /** The same error, or a similar one without secrets. */
  error(error: unknown): unknown {
    if (this.hidden.length === 0) return error;
    if (!(error instanceof Error)) return typeof error === "string" ? this.text(error) : error;
    if (error instanceof SourceFailure) {
      error.message = this.text(error.message);
      return error;
    }
    if (error instanceof HttpError)
      return this.has(error.detail)
        ? new HttpError(error.status, error.code, this.text(error.detail))
        : error;
    if (!this.has(Bun.inspect(error))) return error;
    const redacted = new Error(this.text(error.message));
    redacted.name = error.name;
    redacted.stack = this.text(error.stack ?? "");
    return redacted;
  }
}
