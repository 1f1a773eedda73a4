/** The contract of saved prompts for other plugins. */
import { service, shaped, slot, type Db } from "../../core/sdk";

/** A saved prompt as other plugins see it. */
export interface Prompt {
  readonly id: string;
  readonly name: string;
  readonly text: string;
}
/** A prompt as it is exported to another server. Times are epoch ms. */
export interface PromptCopy extends Prompt {
  readonly description: string | null;
  readonly created_at: number;
  readonly updated_at: number;
}
/** Saved prompts for other plugins. */
export interface Prompts {
  /**
   * The prompts in the order of `prompt_ids`, without duplicates. `pointer` names the field with
   * the ids. @throws HttpError 404 or 403.
   */
  require(
    db: Db,
    owner_id: string,
    prompt_ids: readonly string[],
    pointer: string,
  ): Promise<Prompt[]>;
  /** Those of these prompts that exist. */
  findCopies(db: Db, prompt_ids: readonly string[]): Promise<PromptCopy[]>;
  /** The id of a prompt of the owner with this name and text, or undefined. */
  findSame(
    db: Db,
    owner_id: string,
    prompt: Pick<Prompt, "name" | "text">,
  ): Promise<string | undefined>;
  insertCopy(tx: Db, owner_id: string, prompt: PromptCopy): Promise<void>;
}
export const Prompts = service<Prompts>("prompts");

/** A plugin that refers to prompts. */
export interface PromptUse {
  /** Called inside the transaction that deletes the prompt for good. */
  remove(tx: Db, owner_id: string, prompt_id: string): Promise<void>;
}
/** Implemented by plugins that refer to prompts. */
export const PromptUses = slot<PromptUse>("prompts.uses", {
  check: shaped<PromptUse>({ remove: "function" }),
});
