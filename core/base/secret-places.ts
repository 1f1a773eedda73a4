/** Where a schema may contain secrets: anywhere else they would be missed and stored unsealed. */
import { isObject } from "../lib/json-values";

/** What is wrong with the placement of secrets in this schema, naming the field; or null. */
export function misplacedSecret(schema: unknown): string | null {
  const visit = (value: unknown, path: string, is_field: boolean): string | null => {
    if (!isObject(value) && !Array.isArray(value)) return null;
    if (isObject(value) && value.kind === "secret" && !is_field)
      return (
        `its schema has a secret at ${path || "its root"}, where it can't be encrypted: a ` +
        "Secret() must be a field of the schema, or of an object in it"
      );
    for (const [name, inner] of Object.entries(value)) {
      const inside =
        name === "properties" && isObject(inner)
          ? Object.entries(inner).map(([field, field_schema]) =>
              visit(field_schema, `${path}/${field}`, is_field),
            )
          : [visit(inner, `${path}/${name}`, false)];
      const problem_inside = inside.find((problem) => problem !== null);
      if (problem_inside !== undefined) return problem_inside;
    }
    return null;
  };
  return isObject(schema) && schema.kind === "secret"
    ? "its schema must be an object with fields"
    : visit(schema, "", true);
}
