/**
 * `dossier ask`: asks the documents of folders one question and prints the answer with its quotes.
 */
import { counted } from "../../core/lib/counted";
import { pagesOf } from "../search/contract";
import type { ServerClient } from "./server-client";

interface Citation {
  readonly id: number;
  readonly document_name: string;
  readonly quote: string;
  readonly page: number | null;
  readonly page_end: number | null;
  /** Servers of versions before labels existed send none. */
  readonly page_label?: string | null;
  readonly heading: string | null;
}
export interface Result {
  readonly answer: string;
  readonly outcome: string;
  readonly citations: readonly Citation[];
  readonly related?: readonly Omit<Citation, "id">[];
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
 * Why a question without an answer may get one later: questions in other words, or in another
 * language, find only documents that have their vectors. Null when all have.
 */
export async function pendingNote(server: ServerClient, folder_id: string): Promise<string | null> {
  const { vectors_pending: pending } = await server.call<{ vectors_pending: number | null }>(
    "GET",
    `/folders/${folder_id}`,
  );
  if (!pending) return null;
  const documents = counted(pending, "document is", "documents are");
  return `${documents} not searched by meaning yet. Ask again in a moment.`;
}

/** Human-readable: the answer, then each quote with its document, its place and a link. */
export const linesOf = ({ answer, citations, related = [], warnings }: Result): string[] => [
  answer,
  ...citations.flatMap((citation) => [
    "",
    `[${citation.id}] ${citation.document_name}${placeOf(citation)}`,
    indented(`“${citation.quote.trim()}”`),
  ]),
  ...(related.length === 0 ? [] : ["", "Also worth reading:"]),
  ...new Set(related.map((one) => `    ${one.document_name}${placeOf(one)}`)),
  ...warnings.flatMap(({ message }) => (message ? ["", `Note: ${message}`] : [])),
];

/** On one line, unless it contains a code block. */
function indented(quote: string): string {
  const lines = /^[ \t]*(?:`{3}|~{3})/m.test(quote) ? quote : quote.replace(/\s+/g, " ");
  return lines.replace(/^(?=.)/gm, "    ");
}

/**
 * The page numbers, or the section of documents without pages; table headers do not count as one.
 */
function placeOf({ page, page_end, page_label = null, heading }: Omit<Citation, "id">): string {
  const pages = pagesOf({ page, page_end, page_label });
  const section = heading?.split(" › ").findLast((one) => !one.includes(" | "));
  if (pages !== null) return `, ${pages}`;
  return section === undefined ? "" : ` › ${section}`;
}
