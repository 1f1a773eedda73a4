/** Checks the chats of an archive against its folders, prompts and documents. */
import { codePoints, Validator } from "../../../core/sdk";
import { completed, evidenceOf } from "../../chats/contract";
import { badPart, quotedText, type Line } from "../archive";
import { chat_lines, type ChatLines } from "../layout";
import type { CheckedDocument } from "./document-check";
import { checkName, checkShape, namesOf, type PartReader } from "./part-reader";

const chat_shape = new Validator(chat_lines.chat);
const message_shape = new Validator(chat_lines.message);
const text_length_max = 32_000;
const folders_max = 200;
const prompts_max = 20;

/** The records of the archive that were checked already, by id. */
export interface KnownRecords {
  readonly folders: ReadonlySet<string>;
  readonly prompts: ReadonlySet<string>;
  readonly documents: Map<string, CheckedDocument>;
}

/** Returns their number. @throws BadArchive */
export async function checkChats(
  reader: PartReader,
  records: KnownRecords,
): Promise<{ readonly chats: number; readonly messages: number }> {
  const names = namesOf(reader.parts, "chat");
  let messages = 0;
  for (const part of names) {
    const lines = reader.lines(part);
    const { value: first } = await lines.next();
    if (!first) throw badPart(part, "is empty");
    checkChat(part, first, records);
    const request_ids = new Set<string>();
    for await (const line of lines) {
      checkMessage(part, line, records);
      const { request_id } = line.value as ChatLines["message"];
      if (request_ids.has(request_id.toLowerCase()))
        throw badPart(part, `has the message ${request_id} twice`);
      request_ids.add(request_id.toLowerCase());
      messages++;
    }
  }
  return { chats: names.length, messages };
}

function checkChat(part: string, line: Line, { folders, prompts }: KnownRecords): void {
  checkShape(part, chat_shape, line.value, line);
  const { folder_ids, name, prompt_ids } = line.value as ChatLines["chat"];
  if (name !== null) checkName(part, name);
  for (const [noun, ids, there, most] of [
    ["folder", folder_ids, folders, folders_max],
    ["prompt", prompt_ids, prompts, prompts_max],
  ] as const) {
    const unknown = ids.find((id) => !there.has(id));
    if (unknown !== undefined)
      throw badPart(part, `uses the ${noun} ${quotedText(unknown)}, which is not in the archive`);
    if (ids.length > most || new Set(ids).size < ids.length)
      throw badPart(part, `uses a ${noun} twice, or more than ${most} of them`);
  }
}

function checkMessage(part: string, line: Line, { documents }: KnownRecords): void {
  checkShape(part, message_shape, line.value, line);
  const { text, status, result } = line.value as ChatLines["message"];
  if (text.trim() === "" || codePoints(text) > text_length_max)
    throw badPart(
      part,
      `has a message without text, or with a text that is too long, in line ${line.number}`,
    );
  if ((status === "COMPLETED") !== (result !== null))
    throw badPart(part, `has an invalid answer in line ${line.number}`);
  for (const cited of result ? evidenceOf(completed(result)) : []) {
    const { document_id, document_version, start, end, passage, stale } = cited;
    const document = documents.get(document_id);
    if (start < 0 || start > end) throw outOfText(part, line, start, end);
    if (passage.start < 0 || passage.start > start || passage.end < end)
      throw outOfText(part, line, passage.start, passage.end);
    if (stale) continue;
    if (!document)
      throw badPart(
        part,
        `cites ${quotedText(document_id)}, which is not in the archive, in line ${line.number}`,
      );
    if (document.version === document_version && passage.end > document.points)
      throw outOfText(part, line, passage.start, passage.end);
  }
}

const outOfText = (part: string, { number }: Line, start: number, end: number): Error =>
  badPart(part, `cites a range outside of the text, ${start} to ${end}, in line ${number}`);
