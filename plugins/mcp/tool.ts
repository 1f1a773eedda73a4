/** The definition of a tool: its schema, and the text that it returns. */
import { HttpError, t, Validator, type Call, type Static, type TObject } from "../../core/sdk";
import { findFolders, type FolderRecord } from "../client/contract";
import type { DirectAnswers } from "../chats/contract";

/** The caller of a tool, and its means of reporting progress. */
export interface ToolCall extends Pick<Call, "api" | "caller"> {
  /** Requests to the API are aborted with `signal`, too. */
  readonly request: { readonly signal: AbortSignal };
  readonly direct: DirectAnswers;
  /** Fires when the client has left, or the server stops. */
  readonly signal: AbortSignal;
  /** The client asked for progress, so it waits longer. */
  readonly tells_progress: boolean;
  /** Reports progress to a client that asked for it. */
  readonly progress: (message: string) => Promise<void>;
  /** Limit for the output of a tool, in tokens. */
  readonly tokens_max: number;
}
/** A result for the model: text, as far as the budget allows. */
export interface ToolText {
  readonly text: string;
  /** The items of a list; when the budget is exhausted, the last ones are left out first. */
  readonly items?: readonly string[];
  /** The note after this number of items; empty if those were all. */
  readonly continuation?: (shown_count: number) => string;
  readonly is_error?: boolean;
}
/** A tool that agents can call. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: TObject;
  readonly reads_only: boolean;
  readonly run: (call: ToolCall, args: Readonly<Record<string, unknown>>) => Promise<ToolText>;
}

/** A tool whose input is validated before it runs. */
export function tool<S extends TObject>(
  definition: Omit<Tool, "input" | "run"> & {
    readonly input: S;
    readonly run: (call: ToolCall, input: Static<S>) => Promise<ToolText>;
  },
): Tool {
  const validator = new Validator(definition.input);
  return {
    ...definition,
    run: async (call, args) => {
      const input = withoutNulls(args);
      validator.validate(input);
      return definition.run(call, input as Static<S>);
    },
  };
}

/** Models send null for omitted arguments. */
const withoutNulls = (args: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null));

export const Folders = t.Optional(
  t.Array(t.String(), {
    maxItems: 50,
    description: "Folders to look in, by id or name; all of them when absent or empty.",
  }),
);

/** Finds the folder by id or name. @throws HttpError 404 that lists the existing folders. */
export async function requireFolder(call: ToolCall, named: string): Promise<FolderRecord> {
  const folders = await findFolders({ ...call }, named);
  if (folders.length === 1) return folders[0]!;
  throw new HttpError(
    404,
    "not_found",
    folders.length === 0
      ? `There is no folder ${named.slice(0, 200)}. Call list_folders to see the folders.`
      : `Several folders are named ${named.slice(0, 200)}. Use an id instead ` +
          `(${folders
            .slice(0, 10)
            .map(({ id }) => id)
            .join(", ")}).`,
  );
}

/** The ids of these folders; null if none are given. */
export async function folderIds(
  call: ToolCall,
  named: readonly string[] | undefined,
): Promise<string[] | null> {
  if (!named || named.length === 0) return null;
  const ids: string[] = [];
  for (const name_or_id of named) ids.push((await requireFolder(call, name_or_id)).id);
  return ids;
}
