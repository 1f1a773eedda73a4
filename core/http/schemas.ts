/** Schemas that the records of many routes share, and what the OpenAPI document is told of one. */
import { Type, type TSchema } from "@sinclair/typebox";

/**
 * Gives a schema its name in the OpenAPI document, which has it once, among its components, and
 * refers to it wherever it stands: `named("Note", t.Object({ … }))`. Every record that stands in
 * more than one place has a name. Different schemas of one name are numbered: `Note`, `Note2`.
 */
export const named = <S extends TSchema>(name: string, schema: S): S => ({ ...schema, $id: name });

/** Where `documented` keeps what it is given: no validator looks there. */
export const document_only = Symbol("document only");

/**
 * Adds keywords that the OpenAPI document shows and no validator checks: the limits of a field that
 * the service checks itself, such as `{ maxLength: 255 }` for `checkedName`.
 */
export const documented = <S extends TSchema>(
  schema: S,
  keywords: Readonly<Record<string, unknown>>,
): S => ({
  ...schema,
  [document_only]: {
    ...(schema as { readonly [document_only]?: object })[document_only],
    ...keywords,
  },
});

/** Where `narrowed` keeps what it is given. */
export const narrowing = Symbol("narrowing");

/**
 * Keywords that the OpenAPI document puts beside the reference to a named schema: what holds in
 * this place alone, such as `{ minimum: 1 }`. No validator checks them.
 */
export const narrowed = <S extends TSchema>(
  schema: S,
  keywords: Readonly<Record<string, unknown>>,
): S => ({ ...schema, [narrowing]: keywords });

/** A moment as RFC 3339, see `rfc3339`. */
export const Timestamp = (description?: string) =>
  Type.String({ format: "date-time", ...(description !== undefined && { description }) });

export const Nullable = <S extends TSchema>(schema: S, description?: string) =>
  Type.Union([schema, Type.Null()], description === undefined ? {} : { description });

/** Why something has failed: a code for programs, a sentence for people. */
export const Failure = named(
  "Failure",
  Type.Object({ code: Type.String(), message: Type.String() }),
);

/** One of these words: `OneOf(["draft", "sent"])`. */
export const OneOf = <const W extends string>(words: readonly W[], options: object = {}) =>
  Type.Union(
    words.map((word) => Type.Literal(word)),
    options,
  );

/**
 * One event of a `text/event-stream`: what the schema of such an answer describes. `data` is the
 * JSON in its field of that name.
 */
export const ServerSentEvent = <E extends TSchema, D extends TSchema>(
  name: string,
  { event, data }: { readonly event: E; readonly data: D },
) =>
  named(
    name,
    Type.Object(
      {
        id: Type.String({ description: "For `Last-Event-ID`." }),
        event,
        data: documented(Type.String({ description: "JSON, in one line." }), {
          contentMediaType: "application/json",
          contentSchema: data,
        }),
      },
      { description: "One server-sent event. Between events there may be comments." },
    ),
  );
