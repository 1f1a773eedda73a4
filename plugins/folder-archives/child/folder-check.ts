/** Checks the folders and the prompts of an archive. */
import { codePoints, description_length_max, Validator } from "../../../core/sdk";
import { badPart, quotedText } from "../archive";
import { FolderLine, folders_part, PromptLine, prompts_part } from "../layout";
import type { Static } from "../../../core/sdk";
import { checkName, checkShape, type PartReader } from "./part-reader";

const folder_shape = new Validator(FolderLine);
const prompt_shape = new Validator(PromptLine);
const folders_max = 20_000;
const prompts_max = 2_000;
const prompt_length_max = 32_000;

/** Returns the ids of the folders; the first is the root of the others. @throws BadArchive */
export async function checkFolders({ lines }: PartReader): Promise<string[]> {
  const ids: string[] = [];
  for await (const line of lines(folders_part)) {
    checkShape(folders_part, folder_shape, line.value, line);
    const { id, parent_id, name, description } = line.value as Static<typeof FolderLine>;
    checkName(folders_part, name);
    checkDescription(folders_part, description);
    if (parent_id !== (ids[0] ?? null))
      throw badPart(
        folders_part,
        ids.length === 0
          ? "begins with a folder that lies in another"
          : `has a folder that is not in the first one: ${quotedText(id)}`,
      );
    addId(folders_part, ids, id, folders_max);
  }
  if (ids.length === 0) throw badPart(folders_part, "has no folder");
  return unique(folders_part, ids);
}

/** Returns the ids of the prompts. @throws BadArchive */
export async function checkPrompts({ lines }: PartReader): Promise<string[]> {
  const ids: string[] = [];
  for await (const line of lines(prompts_part)) {
    checkShape(prompts_part, prompt_shape, line.value, line);
    const { id, name, text, description } = line.value as Static<typeof PromptLine>;
    checkName(prompts_part, name);
    checkDescription(prompts_part, description);
    if (text.trim() === "" || codePoints(text) > prompt_length_max)
      throw badPart(prompts_part, `has an invalid text in line ${line.number}`);
    addId(prompts_part, ids, id, prompts_max);
  }
  return unique(prompts_part, ids);
}

function addId(part: string, ids: string[], id: string, most: number): void {
  if (ids.push(id) > most) throw badPart(part, `has more than ${most} lines`);
}
function unique(part: string, ids: string[]): string[] {
  if (new Set(ids).size < ids.length) throw badPart(part, "has an id twice");
  return ids;
}
function checkDescription(part: string, description: string | null): void {
  if (description !== null && codePoints(description) > description_length_max)
    throw badPart(part, `has a description of more than ${description_length_max} characters`);
}
