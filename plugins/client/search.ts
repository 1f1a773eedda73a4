/** `dossier search`: the passages that match a query best. */
import { indentedQuote, titleOf, type QuotedPassage } from "./quoted-passage";
import type { ServerClient } from "./server-client";

interface SearchOptions {
  readonly folder_ids: readonly string[] | undefined;
  readonly limit: number;
}

/** Best first; without folders, from all of the user's. */
export async function search(
  server: ServerClient,
  query: string,
  options: SearchOptions,
): Promise<readonly QuotedPassage[]> {
  const json = { query, ...options };
  const { data } = await server.call<{ data: QuotedPassage[] }>("POST", "/search", { json });
  return data;
}

/** Human-readable: each passage with its document and its place. */
export const linesOf = (passages: readonly QuotedPassage[]): string[] =>
  passages.flatMap((passage, at) => [
    ...(at === 0 ? [] : [""]),
    `${at + 1}. ${titleOf(passage)}`,
    indentedQuote(passage),
  ]);
