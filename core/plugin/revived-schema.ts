/** Restores a schema of settings that another process sent as JSON, including what JSON loses. */
import { Type, type TObject, type TSchema } from "@sinclair/typebox";

type Plain = TSchema & { readonly anyOf?: readonly { readonly const: string | number }[] };

const of_type: Readonly<Record<string, (given: Plain) => TSchema>> = {
  string: (given) => Type.String(given),
  integer: (given) => Type.Integer(given),
  number: (given) => Type.Number(given),
  boolean: (given) => Type.Boolean(given),
};

export const revivedSection = ({ properties, required = [], ...rest }: TObject): TObject =>
  Type.Object(
    Object.fromEntries(
      Object.entries(properties).map(([key, given]) => {
        const revived = revivedSetting(given as Plain);
        return [key, required.includes(key) ? revived : Type.Optional(revived)];
      }),
    ),
    rest,
  );

/** A setting of one of Dossier's own kinds is validated by that kind. */
function revivedSetting(given: Plain): TSchema {
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
