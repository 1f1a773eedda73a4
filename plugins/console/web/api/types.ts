/**
 * Records as the server sends them. scripts/console-schema.ts generates the types from its OpenAPI
 * document.
 */
import type { operations } from "./schema.gen";

type Operation = keyof operations;
type JsonOf<R> = R extends { content: { "application/json": infer Body } } ? Body : never;

/** The JSON of a successful response, by operation: `Answer<"getFolder">`. */
export type Answer<O extends Operation> = JsonOf<
  operations[O]["responses"][keyof operations[O]["responses"]]
>;
/** One record of a paged list. */
export type RowOf<O extends Operation> =
  Answer<O> extends { data: readonly (infer Row)[] } ? Row : never;
/** The JSON body of the operation. */
export type BodyOf<O extends Operation> = JsonOf<NonNullable<operations[O]["requestBody"]>>;

export type Pagination = Answer<"listFolders">["pagination"];
/** One page of a list. */
export interface Page<T> {
  readonly data: readonly T[];
  readonly pagination: Pagination;
}

/** The session of this browser; `user` is null if nobody is signed in. */
export type Session = Answer<"getSession">;
export type User = NonNullable<Session["user"]>;
/** A session of the user, in this browser or another one. */
export type AccountSession = RowOf<"listSessions">;
export type ApiKey = RowOf<"listKeys">;
/** `token` is shown only once. */
export type NewApiKey = Answer<"createKey">;

export type Folder = Answer<"getFolder">;
export type Document = RowOf<"listDocuments">;
/** A location in a document: a search result or a citation. */
export type Passage = Omit<FoundPassage, "matched">;
/** A search result: a passage and what it matched. */
export type FoundPassage = RowOf<"search">;

/** A page of a plugin. */
export type PluginPage = Answer<"listPages">[number];
/** A panel of a plugin. */
export type PluginPanel = Answer<"listPanels">[number];
