/** Imports the chats of an archive; their citations refer to the imported documents. */
import { TextPlaces, readUnits } from "../../core/lib/text-reader";
import type { StoredText } from "../../core/lib/text-pieces";
import { completed, evidenceOf, type AnswerResult, type MessageCopy } from "../chats/contract";
import type { Citation, RelatedPassage } from "../search/contract";
import { piecesOfDb } from "../texts/contract";
import type { ImportRun } from "./import-run";
import type { ChatLines } from "./layout";

/** Rows per transaction. */
const messages_at_once = 20;

/** Stages the chats of a running import. */
export class ChatImporter {
  /** `texts`: where the text of each document is stored, by its new id. */
  constructor(
    private readonly run: ImportRun,
    private readonly texts: ReadonlyMap<
      string,
      { readonly stored: StoredText; readonly version: number }
    >,
  ) {}

  /** Stages the chats of one part. */
  async importPart(part: string): Promise<void> {
    const { chats, inTransaction, now_ms } = this.run.ctx;
    const { ids, owner_id } = this.run;
    const now = now_ms();
    let chat_id = "";
    let messages: MessageCopy[] = [];
    const write = () =>
      inTransaction(async (tx) => {
        for (const message of messages)
          await chats.stageMessage(tx, chat_id, message, [
            ...new Set(
              message.result && evidenceOf(message.result).map(({ document_id }) => document_id),
            ),
          ]);
        messages = [];
      });
    for await (const { value } of this.run.lines(part)) {
      const line = value as ChatLines["chat"] | ChatLines["message"];
      if (line.kind === "chat") {
        const { kind: _kind, ...chat } = line;
        chat_id = this.run.newId("chat", chat.id);
        await inTransaction(async (tx) => {
          await chats.stage(tx, owner_id, {
            ...chat,
            id: chat_id,
            folder_ids: chat.folder_ids.map((id) => ids.folder.get(id)!),
            prompt_ids: [...new Set(chat.prompt_ids.map((id) => ids.prompt.get(id)!))],
            created_at: Math.min(chat.created_at, now),
            updated_at: Math.min(chat.updated_at, now),
          });
          await this.run.keepRecord(tx, "chat", chat.id);
        });
        continue;
      }
      const { kind: _kind, ...message } = line;
      messages.push({
        ...message,
        created_at: Math.min(message.created_at, now),
        result: message.result && (await this.resultOf(completed(message.result))),
      });
      if (messages.length === messages_at_once) await write();
    }
    await write();
  }

  private async resultOf(result: AnswerResult): Promise<AnswerResult> {
    const { prompt } = this.run.ids;
    const citations: Citation[] = [];
    const related: RelatedPassage[] = [];
    for (const citation of result.citations) citations.push(await this.cited(citation));
    for (const passage of result.related) related.push(await this.cited(passage));
    return {
      ...result,
      citations,
      related,
      prompts: result.prompts.flatMap((id) => prompt.get(id) ?? []),
    };
  }

  /** A citation of a document that was not exported refers to no document here. */
  private async cited<P extends RelatedPassage>(citation: P): Promise<P> {
    const { ids, ctx, root_id } = this.run;
    const new_document_id = ids.document.get(citation.document_id);
    const document_id = new_document_id ?? ctx.newId("doc");
    const holds =
      new_document_id !== undefined &&
      !citation.stale &&
      (await this.holds(new_document_id, citation));
    return {
      ...citation,
      document_id,
      folder_id: ids.folder.get(citation.folder_id) ?? root_id,
      url: `/api/dev/v1/documents/${document_id}`,
      quote: new_document_id === undefined ? "" : citation.quote,
      stale: !holds,
    };
  }

  /** Whether the quote is at the cited place; unknown for earlier versions. */
  private async holds(
    document_id: string,
    { document_version, start, end, quote }: RelatedPassage,
  ): Promise<boolean> {
    const text = this.texts.get(document_id);
    if (text === undefined) return false;
    if (text.version !== document_version) return true;
    const read = piecesOfDb(this.run.ctx.db);
    const places = new TextPlaces(read, text.stored);
    const from = await places.unitAt(start);
    const to = await places.unitAt(end);
    return (await readUnits(read, text.stored.id, from, to)) === quote;
  }
}
