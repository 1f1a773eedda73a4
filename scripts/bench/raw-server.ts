/**
 * The rival: only Bun.serve and prepared statements, with the plainest possible implementation of
 * GET /folders, of a sorted list of documents and of a search. Runs as a separate process.
 */
import { Database } from "bun:sqlite";
import { fillDocuments, fillFolders, fillTexts, type RawData } from "./raw-data";

const { key, folders, documents = 0, texts } = JSON.parse(await Bun.stdin.text()) as RawData;
const db = new Database(process.argv[2]!, { create: true });
for (const pragma of ["busy_timeout = 5000", "journal_mode = WAL", "synchronous = FULL"])
  db.run(`pragma ${pragma}`);
fillFolders(db, key, folders);
fillDocuments(db, documents);
fillTexts(db, texts);

interface FolderRow {
  id: string;
  name: string;
  description: string | null;
  parent_id: string | null;
  syncing: number;
  synced: number;
  failed: number;
  created_at: number;
  updated_at: number;
}

// A plus sign before a value keeps SQLite from compiling the statement again at each run.
const findKey = db.prepare<{ owner_id: string; deactivated_at: number | null }, [Uint8Array]>(
  "select owner_id, deactivated_at from keys where hash = ?",
);
const countFolders = db.prepare<{ total: number }, [string]>(
  "select count(*) as total from folders where owner_id = ?",
);
const listFolders = db.prepare<FolderRow, [string, number, number]>(
  "select id, name, description, parent_id, syncing, synced, failed, created_at, updated_at from " +
    "folders where owner_id = ? order by created_at desc, id desc limit +? offset +?",
);
const countDocuments = db.prepare<{ total: number }, [string]>(
  "select count(*) as total from documents where folder_id = 'folder' and type = ?",
);
const listDocuments = db.prepare<Record<string, unknown>, [string, number, number]>(
  "select * from documents where folder_id = 'folder' and type = ? " +
    "order by size desc, created_at desc, id desc limit +? offset +?",
);
const search = db.prepare<{ text: string; score: number }, [string, string]>(
  "select text, bm25(texts) as score from texts where texts match ? and folder = ? order by " +
    "bm25(texts) limit 10",
);

const window_ms = 60_000;
const requests_max = 1_000_000_000;
const windows = new Map<string, { used: number; ends_at: number }>();

/** Counts a request of the owner in the current window. */
function charge(owner_id: string): { remaining: number; reset_s: number } {
  const now = Date.now();
  let current = windows.get(owner_id);
  if (!current || current.ends_at <= now)
    windows.set(owner_id, (current = { used: 0, ends_at: now + window_ms }));
  current.used++;
  return { remaining: requests_max - current.used, reset_s: Math.ceil(current.ends_at / 1000) };
}

const toRecord = (row: FolderRow) => ({
  id: row.id,
  name: row.name,
  description: row.description,
  parentId: row.parent_id,
  document_count: row.syncing + row.synced + row.failed,
  status_counts: { syncing: row.syncing, synced: row.synced, sync_failed: row.failed },
  created_at: new Date(row.created_at).toISOString(),
  updated_at: new Date(row.updated_at).toISOString(),
});

function answerFolders(owner_id: string, url: URL): unknown {
  const total = countFolders.get(owner_id)!.total;
  return answerList(url, total, (limit, offset) =>
    listFolders.all(owner_id, limit, offset).map(toRecord),
  );
}

/** Those of one type, by size. */
function answerDocuments(url: URL): unknown {
  const type = url.searchParams.get("type") ?? "text";
  const total = countDocuments.get(type)!.total;
  return answerList(url, total, (limit, offset) => listDocuments.all(type, limit, offset));
}

function answerList(
  url: URL,
  total: number,
  read: (limit: number, offset: number) => readonly unknown[],
): unknown {
  const per_page = Math.min(200, Number(url.searchParams.get("per_page") ?? 50));
  const page = Number(url.searchParams.get("page") ?? 1);
  const rows = read(per_page, (page - 1) * per_page);
  const total_pages = Math.ceil(total / per_page);
  return {
    data: rows,
    pagination: {
      count: rows.length,
      total,
      per_page,
      total_pages,
      next_page: page < total_pages ? page + 1 : null,
      previous_page: page > 1 ? page - 1 : null,
    },
  };
}

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(request) {
    const token = request.headers.get("authorization")?.slice("Bearer ".length) ?? "";
    const key_row = findKey.get(Bun.SHA256.hash(token) as Uint8Array);
    if (!key_row || key_row.deactivated_at !== null) return new Response("", { status: 401 });
    const { remaining, reset_s } = charge(key_row.owner_id);
    const url = new URL(request.url);
    const body =
      url.pathname === "/search"
        ? {
            data: search.all(
              ((await request.json()) as { query: string }).query
                .split(" ")
                .map((word) => `"${word}"`)
                .join(" OR "),
              "folder",
            ),
          }
        : url.pathname === "/documents"
          ? answerDocuments(url)
          : answerFolders(key_row.owner_id, url);
    return Response.json(body, {
      headers: {
        "x-request-id": crypto.randomUUID(),
        "x-ratelimit-limit": String(requests_max),
        "x-ratelimit-remaining": String(remaining),
        "x-ratelimit-reset": String(reset_s),
      },
    });
  },
});
console.log(server.port);
