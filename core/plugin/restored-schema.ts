/** Restores a schema of settings that another process sent as JSON, including what JSON loses. */
import { Type, type TObject, type TSchema } from "@sinclair/typebox";

type Plain = TSchema & { readonly anyOf?: readonly { readonly const: string | number }[] };

const of_type: Readonly<Record<string, (schema: Plain) => TSchema>> = {
  string: (schema) => Type.String(schema),
  integer: (schema) => Type.Integer(schema),
  number: (schema) => Type.Number(schema),
  boolean: (schema) => Type.Boolean(schema),
};

/** The schema of a section, which validates as the original does. */
export const restoredSection = ({ properties, required = [], ...annotations }: TObject): TObject =>
  Type.Object(
    Object.fromEntries(
      Object.entries(properties).map(([key, setting]) => {
        const restored = restoredSetting(setting as Plain);
        return [key, required.includes(key) ? restored : Type.Optional(restored)];
      }),
    ),
    annotations,
  );

/** A setting of one of Dossier's own kinds is validated by that kind. */
function restoredSetting(schema: Plain): TSchema {
  if (schema.kind !== undefined) return Type.Unsafe(schema);
  if (schema.anyOf) {
    const { anyOf, ...annotations } = schema;
    return Type.Union(
      anyOf.map((literal) => Type.Literal(literal.const)),
      annotations,
    );
  }
  return of_type[String(schema.type)]?.(schema) ?? Type.Unsafe(schema);
}
