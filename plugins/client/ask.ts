/**
 * `dossier ask`: asks the documents of folders one question and prints the answer with its quotes.
 */
import { counted } from "../../core/lib/counted";
import { indentedQuote, titleOf, type QuotedPassage } from "./quoted-passage";
import type { ServerClient } from "./server-client";

interface Citation extends QuotedPassage {
  readonly id: number;
}
/** The answer as it is printed with `--json`. */
export interface Result {
  readonly answer: string;
  readonly outcome: string;
  readonly citations: readonly Citation[];
  readonly related?: readonly QuotedPassage[];
  readonly warnings: readonly { readonly message?: string }[];
}
interface Polled {
  readonly status: "PENDING" | "PROCESSING" | "COMPLETED";
  readonly result?: Result;
}

/** Creates a chat for the question and deletes it for good afterwards. @throws Error */
export async function ask(
  server: ServerClient,
  text: string,
  folder_ids: readonly string[],
): Promise<Result> {
  const chat = await server.call<{ id: string }>("POST", "/chats", {
    json: { name: "Command line", usedFolders: folder_ids },
  });
  try {
    const { requestId } = await server.call<{ requestId: string }>(
      "POST",
      `/chats/${chat.id}/messages`,
      { json: { text } },
    );
    for (;;) {
      const { status, result } = await server.call<Polled>(
        "GET",
        `/chats/${chat.id}/messages/${requestId}`,
        { headers: { prefer: "wait=20" } },
      );
      if (status === "COMPLETED") return result!;
    }
  } finally {
    // A failure to delete the chat must not hide the answer, or an earlier error.
    await server.call("DELETE", `/chats/${chat.id}?permanent=true`).catch(() => undefined);
  }
}

/**
 * Why a question without an answer may get one later, and a search find more: questions in other
 * words, or in another language, find only documents that have their vectors. Null when all have.
 */
export async function pendingNote(server: ServerClient, folder_id: string): Promise<string | null> {
  const { vectors_pending: pending } = await server.call<{ vectors_pending: number | null }>(
    "GET",
    `/folders/${folder_id}`,
  );
  if (!pending) return null;
  const documents = counted(pending, "document is", "documents are");
  return `${documents} not searched by meaning yet. Try again in a moment.`;
}

/** Human-readable: the answer, then each quote with its document, its place and a link. */
export const linesOf = ({ answer, citations, related = [], warnings }: Result): string[] => [
  answer,
  ...citations.flatMap((citation) => [
    "",
    `[${citation.id}] ${titleOf(citation)}`,
    indentedQuote(citation),
  ]),
  ...(related.length === 0 ? [] : ["", "Also worth reading:"]),
  ...new Set(related.map((passage) => `    ${titleOf(passage)}`)),
  ...warnings.flatMap(({ message }) => (message ? ["", `Note: ${message}`] : [])),
];
