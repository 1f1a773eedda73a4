/** The rules for saved prompts. Has no HTTP and no SQL. */
import { inParts } from "../../core/lib/chunked-work";
import {
  checkedName,
  description_length_max,
  notFound,
  optionalText,
  requireAllOwned,
  requiredText,
  requireOwned,
  toNumber,
  type Change,
  type Context,
  type Db,
  type ListedInParts,
  type PageRequest,
} from "../../core/sdk";
import type { PromptCopy, Prompts, PromptUse } from "./contract";
import * as store from "./store";
import type { PromptRow, PromptValues } from "./store";

/** The longest text of a prompt, in characters. */
export const text_length_max = 32_000;
/** Rows per batch when all are deleted. */
const removed_each = 8;

/** The fields of a prompt. */
export interface NewPrompt {
  readonly name: string;
  readonly text: string;
  readonly description?: string | null;
}
/** Absent fields stay unchanged; a description of null is removed. */
export interface PromptChange {
  readonly name?: string;
  readonly text?: string;
  readonly description?: string | null;
}

/** What the service needs besides `Context`. */
export interface PromptContext extends Pick<
  Context,
  "db" | "inDeletion" | "inTransaction" | "newId" | "notify" | "now_ms" | "truncateWal"
> {
  readonly uses: () => readonly PromptUse[];
}

/** Saved prompts for the routes, and for other plugins. */
export class PromptService implements Prompts {
  constructor(private readonly ctx: PromptContext) {}

  async require(
    db: Db,
    owner_id: string,
    prompt_ids: readonly string[],
    pointer: string,
  ): Promise<PromptRow[]> {
    const unique_ids = [...new Set(prompt_ids)];
    return requireAllOwned(await store.findPrompts(db, unique_ids), unique_ids, owner_id, {
      what: "prompt",
      pointer,
    });
  }

  async findCopies(db: Db, prompt_ids: readonly string[]): Promise<PromptCopy[]> {
    return (await store.findPrompts(db, prompt_ids)).map(
      ({ id, name, text, description, created_at, updated_at }) => ({
        id,
        name,
        text,
        description,
        created_at: toNumber(created_at),
        updated_at: toNumber(updated_at),
      }),
    );
  }

  findSame(
    db: Db,
    owner_id: string,
    { name, text }: Pick<PromptCopy, "name" | "text">,
  ): Promise<string | undefined> {
    return store.findSame(db, { owner_id, name, text });
  }

  async insertCopy(
    tx: Db,
    owner_id: string,
    { id, name, text, description, created_at, updated_at }: PromptCopy,
  ): Promise<void> {
    const row = { id, owner_id, name, text, description, created_at, updated_at };
    await store.insertPrompt(tx, row);
    this.notify(owner_id, id, "created");
  }

  /** @throws HttpError 404 when there is no such prompt, 403 when it is another user's. */
  get(owner_id: string, prompt_id: string): Promise<PromptRow> {
    return requireOne(this.ctx.db, owner_id, prompt_id);
  }

  list(owner_id: string, page: PageRequest): Promise<ListedInParts<PromptRow>> {
    return store.listPrompts(this.ctx.db, owner_id, page);
  }

  /** @throws HttpError 400 on a blank name or text, or one that is too long. */
  async create(owner_id: string, input: NewPrompt): Promise<PromptRow> {
    const { db, newId, now_ms } = this.ctx;
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
    this.notify(owner_id, prompt.id, "created");
    return prompt;
  }

  /** Changes the fields that are given. @throws HttpError 400, 403 or 404. */
  async change(owner_id: string, prompt_id: string, change: PromptChange): Promise<PromptRow> {
    const { db, now_ms } = this.ctx;
    const values = checkedChange(change);
    const before = await requireOne(db, owner_id, prompt_id);
    if (Object.keys(values).length === 0) return before;
    const after = await store.updatePrompt(db, prompt_id, values, now_ms());
    if (!after) throw notFound("prompt");
    this.notify(owner_id, prompt_id, "changed");
    return after;
  }

  /** Deletes the prompt permanently, everywhere it is used. @throws HttpError 403 or 404. */
  async remove(owner_id: string, prompt_id: string): Promise<void> {
    const { inDeletion, truncateWal, uses } = this.ctx;
    await inDeletion(async (tx) => {
      await requireOne(tx, owner_id, prompt_id);
      for (const use of uses()) await use.remove(tx, owner_id, prompt_id);
      await store.deletePrompt(tx, prompt_id);
      this.notify(owner_id, prompt_id, "deleted");
    });
    truncateWal();
  }

  /** Deletes every prompt of a deleted user. */
  async removeAll(owner_id: string, signal: AbortSignal): Promise<void> {
    await inParts(async () => {
      const ids = await store.somePrompts(this.ctx.db, owner_id, removed_each);
      for (const id of ids) await this.remove(owner_id, id);
      return ids.length > 0;
    }, signal);
  }

  private notify(owner_id: string, id: string, action: Change["action"]): void {
    this.ctx.notify({ owner_id, kind: "prompt", id, action });
  }
}

async function requireOne(db: Db, owner_id: string, prompt_id: string): Promise<PromptRow> {
  return requireOwned(await store.findPrompt(db, prompt_id), owner_id, "prompt");
}

const checkedChange = ({ name, text, description }: PromptChange): PromptValues => ({
  ...(name === undefined ? {} : { name: checkedName(name, "/name") }),
  ...(text === undefined ? {} : { text: requiredText(text, "/text", text_length_max) }),
  ...(description === undefined
    ? {}
    : { description: optionalText(description, "/description", description_length_max) }),
});
