/** Restores a schema of settings that another process sent as JSON, including what JSON loses. */
import { Type, type TObject, type TSchema } from "@sinclair/typebox";

type Plain = TSchema & { readonly anyOf?: readonly { readonly const: string | number }[] };

const of_type: Readonly<Record<string, (given: Plain) => TSchema>> = {
  string: (given) => Type.String(given),
  integer: (given) => Type.Integer(given),
  number: (given) => Type.Number(given),
  boolean: (given) => Type.Boolean(given),
};

export const restoredSection = ({ properties, required = [], ...rest }: TObject): TObject =>
  Type.Object(
    Object.fromEntries(
      Object.entries(properties).map(([key, given]) => {
        const restored = restoredSetting(given as Plain);
        return [key, required.includes(key) ? restored : Type.Optional(restored)];
      }),
    ),
    rest,
  );

/** A setting of one of Dossier's own kinds is validated by that kind. */
function restoredSetting(given: Plain): TSchema {
  if (given.kind !== undefined) return Type.Unsafe(given);
  if (given.anyOf) {
    const { anyOf, ...rest } = given;
    return Type.Union(
      anyOf.map((one) => Type.Literal(one.const)),
      rest,
    );
  }
  return of_type[String(given.type)]?.(given) ?? Type.Unsafe(given);
}
