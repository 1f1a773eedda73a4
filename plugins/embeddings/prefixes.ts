/**
 * The prefixes that an endpoint's model expects before a query and before a passage. Vectors made
 * with other prefixes can't be compared, so prefixes are part of the name of a set of vectors.
 */

/** A model with the prefixes that it expects; empty if it expects none. */
export interface PrefixedModel {
  readonly model: string;
  readonly query_prefix: string;
  readonly document_prefix: string;
}

/** Without prefixes it is just the model's name. */
export const nameOf = ({ model, query_prefix, document_prefix }: PrefixedModel): string =>
  query_prefix === "" && document_prefix === ""
    ? model
    : `${model} ${JSON.stringify([query_prefix, document_prefix])}`;

/**
 * Parses a name made by `nameOf`, also that of the previous model, whose vectors stay in use until
 * they are replaced.
 */
export function prefixedModelOf(name: string): PrefixedModel {
  const [, model, prefixes] =
    /^(.*?) (\["(?:[^"\\]|\\.)*","(?:[^"\\]|\\.)*"\])$/su.exec(name) ?? [];
  if (model === undefined) return { model: name, query_prefix: "", document_prefix: "" };
  const [query_prefix, document_prefix] = JSON.parse(prefixes!) as [string, string];
  return { model, query_prefix, document_prefix };
}
