/** `dossier ask`: one question to the documents of folders, and its answer with the quotes. */
import { pagesOf } from "../search/contract";
import type { ServerClient } from "./server-client";

interface Citation {
  readonly id: number;
  readonly document_name: string;
  readonly quote: string;
  readonly page: number | null;
  readonly page_end: number | null;
  /** Servers before there were labels send none. */
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

/** The chat is made for the question, and removed for good after it. @throws Error */
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
    // What it was for has been said, or has failed already.
    await server.call("DELETE", `/chats/${chat.id}?permanent=true`).catch(() => undefined);
  }
}

/** For people: the answer, each quote with its document and place, and where to read on. */
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

/** On one line, unless it has a block of code. */
function indented(quote: string): string {
  const lines = /^[ \t]*(?:`{3}|~{3})/m.test(quote) ? quote : quote.replace(/\s+/g, " ");
  return lines.replace(/^(?=.)/gm, "    ");
}

/** Its pages, or the section of what has none; the heads of a table are no section. */
function placeOf({ page, page_end, page_label = null, heading }: Omit<Citation, "id">): string {
  const pages = pagesOf({ page, page_end, page_label }),
    section = heading?.split(" › ").findLast((one) => !one.includes(" | "));
  if (pages !== null) return `, ${pages}`;
  return section === undefined ? "" : ` › ${section}`;
}
