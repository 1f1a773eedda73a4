/** Tools that ask questions and add texts: answers with their citations, and new documents. */
import { HttpError, t } from "../../core/sdk";
import { ask, listFolders } from "../client/contract";
import type { AnswerResult } from "../chats/contract";
import { placeOf, quoted } from "./document-tools";
import {
  Folders,
  folderIds,
  requireFolder,
  tool,
  type Tool,
  type ToolCall,
  type ToolText,
} from "./tool";

/** Clients give up after a minute; some wait longer if they receive progress. */
const wait_s_default = 45;
const wait_s_max = 55;
/** Time limit when progress is reported. */
const wait_s_told = 300;
/** How often progress is reported. */
const poll_s = 5;
const folders_max = 200;
const name_length = 80;

const Wait = t.Optional(
  t.Integer({
    minimum: 0,
    description:
      `Seconds to wait: ${wait_s_default} unless given, up to ${wait_s_max}; up to ` +
      `${wait_s_told} with progress notifications.`,
  }),
);

const askTool = tool({
  name: "ask",
  title: "Ask the documents",
  description:
    "An answer from the documents, with numbered citations that quote them word for word, or " +
    "that they don't answer it. One that takes longer is waited for with get_answer.",
  input: t.Object({
    question: t.String({ description: "In any language." }),
    folders: Folders,
    conversation: t.Optional(
      t.String({
        description: "The id of an earlier answer's conversation, which the question goes on from.",
      }),
    ),
    wait_s: Wait,
  }),
  reads_only: false,
  run: async (call, { question, folders, conversation, wait_s }) => {
    const folder_ids = await folderIds(call, folders);
    if (!call.caller.scopes.includes("write"))
      return askDirectly(call, question, folder_ids, conversation);
    const chat_id = conversation ?? (await newChat(call, question, folder_ids));
    const { requestId } = await ask<{ readonly requestId: string }>(
      call,
      "POST",
      `/chats/${encodeURIComponent(chat_id)}/messages`,
      { text: question },
    );
    const place = { chat_id, request_id: requestId };
    try {
      return await answerText(call, place, wait_s);
    } catch (error) {
      if (call.signal.aborted) await cancel(call, place);
      throw error;
    }
  },
});

/** A read-only key leaves no conversation behind. */
async function askDirectly(
  call: ToolCall,
  text: string,
  folder_ids: readonly string[] | null,
  conversation: string | undefined,
): Promise<ToolText> {
  if (conversation)
    throw new HttpError(
      403,
      "missing_scope",
      "This API key lacks the scope write, so it has no conversations to continue.",
    );
  const direct = await call.direct.begin(call.caller.owner_id, {
    text,
    folder_ids,
    history: [],
    instructions: [],
    pointers: { text: "/question", folder_ids: "/folders" },
    signal: call.signal,
  });
  return { text: resultText(await direct.result) };
}

async function newChat(
  call: ToolCall,
  question: string,
  folder_ids: readonly string[] | null,
): Promise<string> {
  const usedFolders =
    folder_ids ?? (await listFolders(call, folders_max)).map((folder) => folder.id);
  const name = question.replace(/\s+/g, " ").trim().slice(0, name_length).toWellFormed();
  return (await ask<{ readonly id: string }>(call, "POST", "/chats", { name, usedFolders })).id;
}

const getAnswer = tool({
  name: "get_answer",
  title: "Get an answer",
  description: "The answer of an `ask` that took longer, by the id that it gave.",
  input: t.Object({
    id: t.String({ description: "chs_…/…, as `ask` gave it." }),
    wait_s: Wait,
  }),
  reads_only: true,
  run: async (call, { id, wait_s }) => {
    const [chat_id = "", request_id = ""] = id.split("/");
    return answerText(call, { chat_id, request_id }, wait_s);
  },
});

interface Place {
  readonly chat_id: string;
  readonly request_id: string;
}
const pathOf = ({ chat_id, request_id }: Place): string =>
  `/chats/${encodeURIComponent(chat_id)}/messages/${encodeURIComponent(request_id)}`;

/** The answer if it is ready in time; otherwise how to get it later. */
async function answerText(
  call: ToolCall,
  place: Place,
  wait_s: number | undefined,
): Promise<ToolText> {
  const most = call.tells_progress ? wait_s_told : wait_s_max;
  let left_s = Math.min(wait_s ?? wait_s_default, most);
  for (;;) {
    const answer = await call.api({
      method: "GET",
      path: pathOf(place),
      headers: { prefer: `wait=${Math.min(left_s, poll_s)}` },
      signal: call.signal,
    });
    call.signal.throwIfAborted();
    // For a failed message, the sentence written for the person who asked.
    if (!answer.ok) return { text: await answer.text(), is_error: true };
    const { status, result } = (await answer.json()) as {
      readonly status: string;
      readonly result?: AnswerResult;
    };
    if (result) return { text: `${resultText(result)}\n\n(conversation ${place.chat_id})` };
    left_s -= poll_s;
    if (left_s <= 0) return { text: pendingText(place) };
    await call.progress(
      status === "PENDING" ? "It is waiting in the queue." : "It is being answered.",
    );
  }
}

const pendingText = ({ chat_id, request_id }: Place): string =>
  `The answer is still being written. Call get_answer with the id ${chat_id}/${request_id} ` +
  "to wait for it.";

/** Nobody waits for the answer any more. */
const cancel = ({ api }: ToolCall, place: Place): Promise<unknown> =>
  api({ method: "POST", path: `${pathOf(place)}/cancel` }).catch(() => undefined);

/** The answer, then its citations, then notes for the reader. */
function resultText({ answer, citations, warnings }: AnswerResult): string {
  const cited = citations.map(
    (citation) => `[${citation.id}] ${placeOf(citation)}\n${quoted(citation.quote)}`,
  );
  const notes = warnings.map(({ message }) => `Note: ${message}`);
  return [answer, ...cited, ...notes].join("\n\n");
}

const addText = tool({
  name: "add_text",
  title: "Add a text",
  description: "Keeps a text as a document of a folder; it is found within seconds.",
  input: t.Object({
    folder: t.String({ description: "The folder, by id or name." }),
    text: t.String(),
    name: t.Optional(t.String({ description: "Its first line when absent." })),
  }),
  reads_only: false,
  run: async (call, { folder, text, name }) => {
    const { id: folder_id, name: folder_name } = await requireFolder(call, folder);
    const created = await ask<{ readonly id: string; readonly name: string }>(
      call,
      "POST",
      "/documents",
      { folder_id, content: text, ...(name ? { name } : {}) },
    );
    return {
      text: `Added to ${folder_name} as ${created.name} (id ${created.id}). It is being indexed.`,
    };
  },
});

/** The tools that ask or write. */
export const questionTools: readonly Tool[] = [askTool, getAnswer, addText];
