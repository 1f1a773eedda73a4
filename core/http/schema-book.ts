/**
 * Schemas as the OpenAPI document shows them: named ones once, among its components; choices as
 * `enum`, nullable values as `type: […, "null"]`, unions with a discriminator as `oneOf`.
 */
import type { TSchema } from "@sinclair/typebox";
import { isObject } from "../lib/json-values";
import { document_only, narrowing } from "./schemas";

/** A JSON object. */
export type Json = Record<string, unknown>;

/** A schema known only once every plugin is set up; it replaces the one of its name. */
export interface LateSchema {
  readonly name: string;
  read(): TSchema;
}

/** Collects the named schemas of one document. */
export class SchemaBook {
  /** By name: the schema, and its shape without the description. */
  private readonly named = new Map<string, { readonly shape: string; readonly schema: Json }>();
  /** Components in which the constraint on texts was added. */
  private readonly bounded = new Set<string>();
  private readonly late_schemas: ReadonlyMap<string, LateSchema>;

  constructor(late_schemas: readonly LateSchema[]) {
    this.late_schemas = new Map(late_schemas.map((schema) => [schema.name, schema]));
  }

  /** The schema, or a reference to it when it has a name. */
  of(schema: TSchema): Json {
    return this.shown(plain(schema) as Json);
  }

  /** `components.schemas`, by name. */
  get components(): Record<string, Json> {
    return Object.fromEntries(
      [...this.named]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, { schema }]) => [name, schema]),
    );
  }

  /** Adds to every text in it the constraint on everything sent to the server: no U+0000. */
  ofRequest(schema: TSchema): Json {
    const shown = this.of(schema);
    this.boundTexts(shown);
    return shown;
  }

  private boundTexts(schema: Json): void {
    const name = nameOf(schema);
    if (name !== undefined) {
      if (this.bounded.has(name)) return;
      this.bounded.add(name);
    }
    const node = this.resolve(schema);
    if ([node.type].flat().includes("string") && !text_keywords.some((key) => key in node))
      node.pattern = "^[^\\u0000]*$";
    const { properties = {}, items, additionalProperties, anyOf = [], oneOf = [] } = node;
    const inner = [...Object.values(properties as Json), items, additionalProperties];
    for (const part of [...inner, ...(anyOf as Json[]), ...(oneOf as Json[])])
      if (isObject(part)) this.boundTexts(part);
  }

  /** The component that a reference of this book points to; any other schema itself. */
  resolve(schema: Json): Json {
    const name = nameOf(schema);
    return name === undefined ? schema : this.named.get(name)!.schema;
  }

  private shown({ $id, ...schema }: Json): Json {
    if (typeof $id === "string") return this.reference($id, schema);
    if (Array.isArray(schema.anyOf)) return this.union(schema as Json & { anyOf: Json[] });
    return this.inner(schema);
  }

  private reference(name: string, { [narrowed_key]: narrowed, ...declared }: Json): Json {
    return { ...this.component(name, declared), ...(narrowed as Json | undefined) };
  }

  private component(name: string, declared: Json): Json {
    const late_schema = this.late_schemas.get(name);
    const { $id: _, ...schema } = late_schema ? (plain(late_schema.read()) as Json) : declared;
    const shown = this.shown(schema);
    const { description, ...shape } = shown;
    const text = JSON.stringify(shape);
    for (let n = 1; ; n++) {
      const key = n === 1 ? name : `${name}${n}`;
      const existing = this.named.get(key);
      if (existing && existing.shape !== text) continue;
      if (!existing) this.named.set(key, { shape: text, schema: shown });
      const $ref = `#/components/schemas/${key}`;
      const is_same = !existing || late_schema || existing.schema.description === description;
      return is_same || description === undefined ? { $ref } : { $ref, description };
    }
  }

  private union({ anyOf, ...annotations }: Json & { anyOf: Json[] }): Json {
    const variants = anyOf.flatMap(unnested);
    const members = variants.filter(({ type }) => type !== "null");
    const is_nullable = members.length < variants.length;
    const shown = this.oneOf(members, annotations);
    return is_nullable ? nullable(shown) : shown;
  }

  private oneOf(members: readonly Json[], { discriminator, ...annotations }: Json): Json {
    if (members.every((member) => "const" in member && member.$id === undefined)) {
      const values = members.map((member) => member.const);
      return { type: members[0]?.type, enum: values, ...annotations };
    }
    const shown = members.map((member) => this.shown(member));
    if (shown.length === 1) {
      const [only] = shown;
      return "$ref" in only! && Object.keys(annotations).length > 0
        ? { ...annotations, anyOf: [only] }
        : { ...only, ...annotations };
    }
    if (discriminator === undefined) return { ...annotations, anyOf: shown };
    const { propertyName } = discriminator as { propertyName: string };
    return {
      ...annotations,
      oneOf: shown,
      discriminator: { propertyName, mapping: this.mapping(shown, propertyName) },
    };
  }

  /** Which member each value of the property selects. */
  private mapping(members: readonly Json[], property: string): Record<string, unknown> {
    return Object.fromEntries(
      members.flatMap((member) => {
        const properties = this.resolve(member).properties as Record<string, Json> | undefined;
        const property_schema = this.resolve(properties?.[property] ?? {});
        const values = (property_schema.enum ??
          ("const" in property_schema ? [property_schema.const] : [])) as string[];
        return values.map((value) => [value, member.$ref]);
      }),
    );
  }

  private inner(schema: Json): Json {
    const shown: Json = {};
    for (const [key, value] of Object.entries(schema)) {
      if (key === "properties") shown[key] = mapValues(value as Json, (value) => this.shown(value));
      else if (key === "items" || key === "additionalProperties" || key === "contentSchema")
        shown[key] = isObject(value) ? this.shown(value) : value;
      else if (key === "allOf" || key === "oneOf")
        shown[key] = (value as Json[]).map((value) => this.shown(value));
      else if (key === "patternProperties" && isObject(value))
        // `t.Record` with keys of any text.
        shown["additionalProperties"] = this.shown(Object.values(value)[0] as Json);
      else shown[key] = value;
    }
    if (shown.type === "integer" && shown.format === undefined) shown.format = "int64";
    return shown;
  }
}

/** Under this key `plain` passes on what `narrowed` was given. */
const narrowed_key = "$narrowed";

/** Each of these keywords already says which texts are allowed. */
const text_keywords = ["pattern", "enum", "const", "format"];

const nameOf = ({ $ref }: Json): string | undefined =>
  typeof $ref === "string" ? $ref.slice("#/components/schemas/".length) : undefined;

/** A union within a union: its members, unless it has annotations of its own. */
const unnested = (member: Json): Json[] =>
  Object.keys(member).length === 1 && Array.isArray(member.anyOf)
    ? (member.anyOf as Json[]).flatMap(unnested)
    : [member];

function nullable({ description, ...schema }: Json): Json {
  const words = description === undefined ? {} : { description };
  if (typeof schema.type === "string")
    return {
      ...schema,
      type: [schema.type, "null"],
      ...(Array.isArray(schema.enum) && { enum: [...schema.enum, null] }),
      ...words,
    };
  const members = (schema.oneOf ?? schema.anyOf) as Json[] | undefined;
  if (!members || schema.oneOf) return { anyOf: [schema, { type: "null" }], ...words };
  return { ...schema, anyOf: [...members, { type: "null" }], ...words };
}

const mapValues = (record: Json, map: (value: Json) => Json): Json =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value as Json)]));

/**
 * A TypeBox schema without its symbols, plus the keywords added by `documented`: plain JSON Schema.
 */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (!isObject(value)) return value;
  const { [document_only]: extra, [narrowing]: narrowed } = value as {
    readonly [document_only]?: Json;
    readonly [narrowing]?: Json;
  };
  return Object.fromEntries(
    Object.entries({ ...value, ...extra, [narrowed_key]: narrowed })
      .filter(([, of]) => of !== undefined)
      .map(([key, of]) => [key, plain(of)]),
  );
}
