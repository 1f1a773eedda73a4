/** What other plugins may know about saved prompts. */
import { service, slot, type Db } from "../../core/sdk";

export interface Prompt {
  readonly id: string;
  readonly name: string;
  readonly text: string;
}
export interface Prompts {
  /**
   * The prompts in the order of `prompt_ids`, each once. `pointer` names the field the ids came
   * from. @throws HttpError 404 or 403.
   */
  require(
    db: Db,
    owner_id: string,
    prompt_ids: readonly string[],
    pointer: string,
  ): Promise<Prompt[]>;
}
export const Prompts = service<Prompts>("prompts");

/** Told, inside the deleting transaction, that this prompt goes for good. */
export const PromptUses = slot<{
  remove(tx: Db, owner_id: string, prompt_id: string): Promise<void>;
}>("prompts.uses");
