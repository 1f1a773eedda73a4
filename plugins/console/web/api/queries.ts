/**
 * The cache of fetched data: one QueryClient, the query keys, and hooks that several pages share.
 */
import { QueryClient, useQuery } from "@tanstack/preact-query";
import { base_path } from "./base";
import { api, ApiProblem } from "./client";
import type { Folder, Page, PluginPage, PluginPanel } from "./types";

/** Failures worth a retry: no response, 429, 502 to 504. Other refusals are final. */
const isTransient = (error: unknown): boolean =>
  error instanceof ApiProblem && [0, 429, 502, 503, 504].includes(error.status);

/** The cache of everything fetched. Transient failures are retried twice. */
export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      gcTime: 5 * 60_000,
      networkMode: "always",
      refetchOnWindowFocus: true,
      retry: (count, error) => isTransient(error) && count < 2,
      retryDelay: (count, error) =>
        error instanceof ApiProblem && error.retry_after_s !== null
          ? Math.min(error.retry_after_s, 30) * 1000
          : 500 * 2 ** count,
    },
    mutations: { networkMode: "always", retry: false },
  },
});

/**
 * A key begins with the kind of record, so that a change of that kind can invalidate all of them.
 */
export const keys = {
  session: ["session"],
  sign_in: ["sign-in"],
  account: ["account"],
  folders: ["folder"],
  folder: (id: string) => ["folder", id],
  folder_import: (id: string) => ["folder_import", id],
  documents: (folder_id: string, filter: object = {}) => ["document", "list", folder_id, filter],
  document: (id: string) => ["document", "one", id],
  chats: (filter: object = {}) => ["chat", "list", filter],
  chat: (id: string) => ["chat", "one", id],
  messages: (chat_id: string) => ["message", chat_id],
  prompts: ["prompt"],
  answering: ["system", "answering"],
  suggestions: (folders: readonly string[] | null) => ["document", "suggestions", folders],
  feedback: (filter: object) => ["feedback", filter],
  imports: ["import"],
  transcriptions: ["transcription"],
  webhooks: ["webhook"],
  deliveries: (webhook_id: string) => ["delivery", webhook_id],
  keys: ["key"],
  sessions: ["account-session"],
  users: ["user"],
  usage: ["usage"],
  audit: ["audit"],
  backups: ["backup"],
  system: ["system"],
  health: ["health"],
  jobs: ["job"],
  plugins: ["plugin"],
  plugin: (name: string) => ["plugin", name],
  plugin_pages: ["plugin-page"],
  plugin_panels: ["plugin-page", "panel"],
} as const;

/** The response of GET /health, which is outside the API. `degraded` is a valid response, too. */
export async function fetchHealth(): Promise<{ readonly intake?: "open" | "paused" }> {
  const answer = await fetch(`${base_path}/health`);
  return (await answer.json()) as { readonly intake?: "open" | "paused" };
}

/**
 * The messages, by request id, that have changed since they were fetched, or `all` if unknown: of a
 * chat only the newest ones and these are fetched again.
 */
export const changed_messages = new Set<string>();

/** Invalidates everything of these kinds: what is on screen is refetched. */
export const refresh = (...kinds: readonly string[]): Promise<unknown> =>
  Promise.all(kinds.map((kind) => queries.invalidateQueries({ queryKey: [kind] })));

/** All records of a list, page after page. Only for lists that are small by nature. */
export async function fetchAll<T>(path: string): Promise<readonly T[]> {
  const rows: T[] = [];
  for (let page: number | null = 1; page !== null;) {
    const answer: Page<T> = await api(path, { query: { page, per_page: 200 } });
    rows.push(...answer.data);
    page = answer.pagination.next_page;
  }
  return rows;
}

/** Polled this often while vectors are being computed: there is no event per document for that. */
export const vectors_every_ms = 5_000;

/** All folders of the user, by name: roots and subfolders alike. */
export const useFolders = () =>
  useQuery({
    queryKey: keys.folders,
    refetchInterval: ({ state }) =>
      state.data?.some(({ vectors_pending }) => vectors_pending > 0) ? vectors_every_ms : false,
    queryFn: async () =>
      [...(await fetchAll<Folder>("/folders"))].sort((a, b) =>
        a.name.localeCompare(b.name, undefined, { numeric: true }),
      ),
  });

/** The pages that plugins add; fetched once per page load. */
export const usePluginPages = () =>
  useQuery({
    queryKey: keys.plugin_pages,
    staleTime: Infinity,
    queryFn: () => api<readonly PluginPage[]>("/pages"),
  });

/** `signed_out`: panels of the sign-in page, for visitors who are not signed in. */
export const usePanels = (signed_out: boolean) =>
  useQuery({
    queryKey: [...keys.plugin_panels, signed_out],
    staleTime: Infinity,
    queryFn: () => api<readonly PluginPanel[]>("/panels"),
  });
