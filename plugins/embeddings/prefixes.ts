/**
 * What an endpoint's model wants before a question and before a passage. Vectors of other prefixes
 * can't be compared, so they are part of the name by which a set of vectors is known.
 */

export interface PrefixedModel {
  readonly model: string;
  readonly query_prefix: string;
  readonly document_prefix: string;
}

/** Without prefixes the model's own name. */
export const nameOf = ({ model, query_prefix, document_prefix }: PrefixedModel): string =>
  query_prefix === "" && document_prefix === ""
    ? model
    : `${model} ${JSON.stringify([query_prefix, document_prefix])}`;

/** What `nameOf` named: also the model before this one, while its vectors still answer. */
export function prefixedModelOf(name: string): PrefixedModel {
  const [, model, prefixes] =
    /^(.*?) (\["(?:[^"\\]|\\.)*","(?:[^"\\]|\\.)*"\])$/su.exec(name) ?? [];
  if (model === undefined) return { model: name, query_prefix: "", document_prefix: "" };
  const [query_prefix, document_prefix] = JSON.parse(prefixes!) as [string, string];
  return { model, query_prefix, document_prefix };
}
