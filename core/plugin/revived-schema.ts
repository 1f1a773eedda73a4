/**
 * The schema of a section of settings that came as JSON from another process: what it loses on the
 * way is put back.
 */
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

/** A kind of Dossier's own is checked by that kind. */
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
