/** The rules about saved prompts. Knows nothing of HTTP requests and writes no SQL. */
import {
  checkedName,
  checkedText,
  description_length_max,
  forbidden,
  HttpError,
  notFound,
  optionalText,
  requiredText,
  type Change,
  type Db,
  type PageRequest,
} from "../../core/sdk";
import type { Prompts } from "./contract";
import * as store from "./store";
import type { PromptRow, PromptValues } from "./store";

export const text_length_max = 32_000;

export interface NewPrompt {
  readonly name: string;
  readonly text: string;
  readonly description?: string | null;
}
/** Absent fields stay as they are; a description of null is taken away. */
export interface PromptChange {
  readonly name?: string;
  readonly text?: string;
  readonly description?: string | null;
}

export interface PromptParts {
  readonly db: Db<store.PromptsTables>;
  readonly inTransaction: <R>(work: (tx: Db<any>) => Promise<R>) => Promise<R>;
  readonly now_ms: () => number;
  readonly newId: (prefix: string) => string;
  /** Tells the other plugins, inside the deleting transaction, that this prompt goes. */
  readonly removeUses: (tx: Db, owner_id: string, prompt_id: string) => Promise<void>;
  /** Takes deleted text out of the write-ahead log. */
  readonly truncateWal: () => void;
  readonly notify: (change: Change) => void;
}

export function createPrompts({
  db,
  inTransaction,
  now_ms,
  newId,
  removeUses,
  truncateWal,
  notify,
}: PromptParts) {
  const tell = (owner_id: string, id: string, action: Change["action"]): void =>
    notify({ owner_id, kind: "prompt", id, action });
  /** @throws HttpError 404 when there is no such prompt, 403 when it is another user's. */
  const requireOne = async (from: Db, owner_id: string, prompt_id: string): Promise<PromptRow> => {
    const prompt = await store.findPrompt(from, prompt_id);
    if (!prompt) throw notFound("prompt");
    if (prompt.owner_id !== owner_id) throw forbidden("This prompt belongs to another user.");
    return prompt;
  };

  return {
    /** Part of the contract. */
    require: (async (from, owner_id, prompt_ids, pointer) => {
      const unique_ids = [...new Set(prompt_ids)];
      const by_id = new Map(
        (await store.findPrompts(from, unique_ids)).map((prompt) => [prompt.id, prompt]),
      );
      refuse(
        404,
        "not_found",
        "could not be found",
        pointer,
        unique_ids.filter((id) => !by_id.has(id)),
      );
      refuse(
        403,
        "forbidden",
        "belongs to another user",
        pointer,
        unique_ids.filter((id) => by_id.get(id)!.owner_id !== owner_id),
      );
      return unique_ids.map((id) => by_id.get(id)!);
    }) satisfies Prompts["require"],

    get: (owner_id: string, prompt_id: string) => requireOne(db, owner_id, prompt_id),

    list: (owner_id: string, page: PageRequest) => store.listPrompts(db, owner_id, page),

    /** @throws HttpError 400 on a blank name or text, or one that is too long. */
    async create(owner_id: string, input: NewPrompt): Promise<PromptRow> {
      const now = now_ms();
      const prompt: PromptRow = {
        id: newId("prm"),
        owner_id,
        name: checkedName(input.name, "/name"),
        text: requiredText(input.text, "/text", text_length_max),
        description: optionalText(input.description, "/description", description_length_max),
        created_at: now,
        updated_at: now,
      };
      await store.insertPrompt(db, prompt);
      tell(owner_id, prompt.id, "created");
      return prompt;
    },

    /** Changes the fields that are given. @throws HttpError 400, 403 or 404. */
    async change(owner_id: string, prompt_id: string, change: PromptChange): Promise<PromptRow> {
      const values = checkedChange(change);
      const before = await requireOne(db, owner_id, prompt_id);
      if (Object.keys(values).length === 0) return before;
      const after = await store.updatePrompt(db, prompt_id, values, now_ms());
      if (!after) throw notFound("prompt");
      tell(owner_id, prompt_id, "changed");
      return after;
    },

    /** Deletes the prompt for good, everywhere it is used. @throws HttpError 403 or 404. */
    async remove(owner_id: string, prompt_id: string): Promise<void> {
      await inTransaction(async (tx) => {
        await requireOne(tx, owner_id, prompt_id);
        await removeUses(tx, owner_id, prompt_id);
        await store.deletePrompt(tx, prompt_id);
        tell(owner_id, prompt_id, "deleted");
      });
      truncateWal();
    },
  };
}
export type PromptService = ReturnType<typeof createPrompts>;

const checkedChange = ({ name, text, description }: PromptChange): PromptValues => ({
  ...(name === undefined ? {} : { name: checkedName(name, "/name") }),
  ...(text === undefined ? {} : { text: requiredText(text, "/text", text_length_max) }),
  ...(description === undefined
    ? {}
    : {
        description:
          description === null
            ? null
            : checkedText(description, "/description", description_length_max),
      }),
});

/** Names the first of the ids that are wrong, and the field they came from. */
function refuse(
  status: number,
  code: string,
  why: string,
  pointer: string,
  prompt_ids: readonly string[],
): void {
  if (prompt_ids.length === 0) return;
  const detail = `The prompt ${prompt_ids[0]} ${why}.`;
  throw new HttpError(status, code, detail, { errors: [{ pointer, detail }] });
}
