/** `dossier document list`: the documents of a folder. */
import type { PrintedRow } from "../../core/lib/print-rows";
import type { ServerClient } from "./server-client";

interface ListedDocument {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly page_count: number | null;
  readonly size_bytes: number;
  readonly created_at: string;
  readonly error: { readonly message: string } | null;
}
interface Page {
  readonly data: readonly ListedDocument[];
  readonly pagination: { readonly next_page: number | null };
}

/** Documents that one command lists. */
export const listed_max = 10_000;
const page_size = 200;

/** Newest first; only those with this status, if it is given. */
export async function listDocuments(
  server: ServerClient,
  folder_id: string,
  status: string | undefined,
): Promise<PrintedRow[]> {
  const rows: PrintedRow[] = [];
  for (let page: number | null = 1; page !== null && rows.length < listed_max;) {
    const query: URLSearchParams = new URLSearchParams({
      ...{ folder_id, per_page: String(page_size), page: String(page) },
      ...(status !== undefined && { status }),
    });
    const { data, pagination }: Page = await server.call("GET", `/documents?${query.toString()}`);
    rows.push(...data.map(toRow));
    page = pagination.next_page;
  }
  return rows;
}

const toRow = (document: ListedDocument): PrintedRow => ({
  id: document.id,
  name: document.name,
  status: document.status,
  page_count: document.page_count,
  size_bytes: document.size_bytes,
  created_at: document.created_at,
  error: document.error?.message ?? null,
});
