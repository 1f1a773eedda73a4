/** Schemas shared by the records of many routes, and annotations for the OpenAPI document. */
import { Type, type TSchema } from "@sinclair/typebox";

/**
 * Gives a schema a name in the OpenAPI document, which lists it once, among its components, and
 * refers to it elsewhere: `named("Note", t.Object({ … }))`. Every record used in more than one
 * place has a name. Different schemas with the same name are numbered: `Note`, `Note2`.
 */
export const named = <S extends TSchema>(name: string, schema: S): S => ({ ...schema, $id: name });

/** Holds the keywords of `documented`; validators ignore it. */
export const document_only = Symbol("document only");

/**
 * Adds keywords that are only documented, not validated: the limits of a field that the service
 * checks itself, such as `{ maxLength: 255 }` for `checkedName`.
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

/** Holds the keywords of `narrowed`. */
export const narrowing = Symbol("narrowing");

/**
 * Keywords that the OpenAPI document puts beside the reference to a named schema, for constraints
 * of this place alone, such as `{ minimum: 1 }`. They are not validated.
 */
export const narrowed = <S extends TSchema>(
  schema: S,
  keywords: Readonly<Record<string, unknown>>,
): S => ({ ...schema, [narrowing]: keywords });

/** A time as RFC 3339, see `rfc3339`. */
export const Timestamp = (description?: string) =>
  Type.String({ format: "date-time", ...(description !== undefined && { description }) });

/** The schema, or null. */
export const Nullable = <S extends TSchema>(schema: S, description?: string) =>
  Type.Union([schema, Type.Null()], description === undefined ? {} : { description });

/** Why something failed: a code for programs, a sentence for people. */
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
 * One event of a `text/event-stream`: the schema of such a response. `data` is the JSON in the
 * field of that name.
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
