/** What a tool is: its schema, and the text that it gives. */
import { HttpError, t, Validator, type Call, type Static, type TObject } from "../../core/sdk";
import { findFolders, type FolderRecord } from "../client/contract";
import type { DirectAnswers } from "../chats/contract";

/** In whose name a tool works, and what it is told meanwhile. */
export interface ToolCall extends Pick<Call, "api" | "caller"> {
  /** What the API is asked with ends with `signal`, too. */
  readonly request: { readonly signal: AbortSignal };
  readonly direct: DirectAnswers;
  /** Fires when nobody waits for the answer any more, or the server stops. */
  readonly signal: AbortSignal;
  /** The client asked to be told, and waits for longer then. */
  readonly tells_progress: boolean;
  /** Tells a client that asked for it how far the work is. */
  readonly progress: (message: string) => Promise<void>;
  /** The most tokens of what a tool gives. */
  readonly tokens_max: number;
}
/** An answer for the model: text, as long as there is room for it. */
export interface ToolText {
  readonly text: string;
  /** Of a list: what is left out when the room ends, first of the last ones. */
  readonly items?: readonly string[];
  /** What is said after so many of them; empty when that was all. */
  readonly more?: (shown: number) => string;
  readonly is_error?: boolean;
}
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: TObject;
  readonly reads_only: boolean;
  readonly run: (call: ToolCall, given: Readonly<Record<string, unknown>>) => Promise<ToolText>;
}

/** A tool whose input is checked before it runs. */
export function tool<S extends TObject>(
  made: Omit<Tool, "input" | "run"> & {
    readonly input: S;
    readonly run: (call: ToolCall, input: Static<S>) => Promise<ToolText>;
  },
): Tool {
  const validator = new Validator(made.input);
  return {
    ...made,
    run: async (call, given) => {
      const input = withoutNulls(given);
      validator.validate(input);
      return made.run(call, input as Static<S>);
    },
  };
}

/** Models send null for what they leave out. */
const withoutNulls = (given: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));

export const Folders = t.Optional(
  t.Array(t.String(), {
    maxItems: 50,
    description: "Folders to look in, by id or name; all of them when absent or empty.",
  }),
);

/** The folder that is meant. @throws HttpError 404 in words that name those there are. */
export async function requireFolder(call: ToolCall, named: string): Promise<FolderRecord> {
  const found = await findFolders({ ...call }, named);
  if (found.length === 1) return found[0]!;
  throw new HttpError(
    404,
    "not_found",
    found.length === 0
      ? `There is no folder ${named.slice(0, 200)}: list_folders shows those there are.`
      : `Several folders are called ${named.slice(0, 200)}: name one by its id (${found
          .slice(0, 10)
          .map(({ id }) => id)
          .join(", ")}).`,
  );
}

/** The ids of these folders; null when none are named. */
export async function folderIds(
  call: ToolCall,
  named: readonly string[] | undefined,
): Promise<string[] | null> {
  if (!named || named.length === 0) return null;
  const ids: string[] = [];
  for (const one of named) ids.push((await requireFolder(call, one)).id);
  return ids;
}
