/** Schemas that the records of many routes share. */
import { Type, type TSchema } from "@sinclair/typebox";

/** A moment as RFC 3339, see `rfc3339`. */
export const Timestamp = (description?: string) =>
  Type.String({ format: "date-time", ...(description !== undefined && { description }) });

export const Nullable = <S extends TSchema>(schema: S, description?: string) =>
  Type.Union([schema, Type.Null()], description === undefined ? {} : { description });
