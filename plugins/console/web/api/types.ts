/**
 * Records as the server sends them. scripts/console-schema.ts makes the types of its OpenAPI
 * document.
 */
import type { operations } from "./schema.gen";

type Operation = keyof operations;
type JsonOf<R> = R extends { content: { "application/json": infer Body } } ? Body : never;

/** The JSON of a successful answer, named by its operation: `Answer<"getFolder">`. */
export type Answer<O extends Operation> = JsonOf<
  operations[O]["responses"][keyof operations[O]["responses"]]
>;
/** One record of an answer that is a page of a list. */
export type RowOf<O extends Operation> =
  Answer<O> extends { data: readonly (infer Row)[] } ? Row : never;
/** The JSON that the operation takes. */
export type BodyOf<O extends Operation> = JsonOf<NonNullable<operations[O]["requestBody"]>>;

export type Pagination = Answer<"listFolders">["pagination"];
export interface Page<T> {
  readonly data: readonly T[];
  readonly pagination: Pagination;
}

export type Session = Answer<"getSession">;
export type User = NonNullable<Session["user"]>;
export type AccountSession = RowOf<"listSessions">;
export type ApiKey = RowOf<"listKeys">;
/** `token` is shown once and never again. */
export type NewApiKey = Answer<"createKey">;

export type Folder = Answer<"getFolder">;
export type Document = RowOf<"listDocuments">;
/** A place in a document: what a search finds, and what an answer cites. */
export type Passage = Omit<FoundPassage, "matched">;
export type FoundPassage = RowOf<"search">;

/** A page that a plugin adds. */
export type PluginPage = Answer<"listPages">[number];
/** A panel that a plugin adds. */
export type PluginPanel = Answer<"listPanels">[number];
