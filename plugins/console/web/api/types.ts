/** Records as the server sends them. One interface for each; `null` means there is none. */

export interface Pagination {
  readonly count: number;
  readonly total: number;
  readonly per_page: number;
  readonly total_pages: number;
  readonly next_page: number | null;
  readonly previous_page: number | null;
}
export interface Page<T> {
  readonly data: readonly T[];
  readonly pagination: Pagination;
}

export interface User {
  readonly id: string;
  readonly email: string;
  readonly role: "admin" | "member";
}
export interface Session {
  readonly user: User | null;
  readonly setup_needed: boolean;
  readonly version: string;
  readonly theme_default?: "light" | "dark" | null;
}
export interface AccountSession {
  readonly id: string;
  readonly created_at: string;
  readonly last_seen_at: string;
  readonly address: string | null;
  readonly user_agent: string | null;
  readonly current: boolean;
}
export type Scope = "read" | "write";
export interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly prefix: string;
  readonly scopes: readonly Scope[];
  readonly active: boolean;
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly last_used_at: string | null;
}
/** `token` is shown once and never again. */
export interface NewApiKey extends ApiKey {
  readonly token: string;
}

export interface Folder {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly parentId: string | null;
  readonly document_count: number;
  readonly status_counts: {
    readonly syncing: number;
    readonly synced: number;
    readonly sync_failed: number;
  };
  readonly created_at: string;
  readonly updated_at: string;
}

export type DocumentStatus = "syncing" | "synced" | "sync_failed";
export interface Document {
  readonly id: string;
  readonly name: string;
  readonly status: DocumentStatus;
  readonly content_url: string;
  readonly folder_ids: readonly string[];
  readonly media_type: string;
  readonly size_bytes: number;
  readonly sha256: string;
  readonly version: number;
  readonly page_count: number | null;
  readonly language: string | null;
  readonly source: {
    readonly kind: "text" | "upload" | "import" | "transcription";
    readonly uri: string | null;
    readonly run_id: string | null;
  };
  readonly indexing: {
    readonly stage: "queued" | "extracting" | "chunking" | "embedding" | "storing" | "done";
    readonly progress: number;
    readonly attempts: number;
  };
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly warnings: readonly {
    readonly code: string;
    readonly message: string;
    readonly page: number | null;
  }[];
  readonly created_at: string;
  readonly updated_at: string;
  readonly synced_at: string | null;
}
/** `content` counts in Unicode code points wherever an offset points into it. */
export interface DocumentWithContent extends Document {
  readonly content: string;
}

/** A place in a document: what a search finds, and what an answer cites. */
export interface Passage {
  readonly document_id: string;
  readonly document_name: string;
  readonly document_version: number;
  readonly folder_id: string;
  readonly quote: string;
  readonly start: number;
  readonly end: number;
  readonly page: number | null;
  readonly page_end: number | null;
  readonly time_start: number | null;
  readonly time_end: number | null;
  readonly heading: string | null;
  readonly score: number;
  readonly verified: boolean;
  readonly stale: boolean;
  readonly url: string;
}

/** A page that a plugin adds. */
export interface PluginPage {
  readonly path: string;
  readonly title: string;
  readonly group: "work" | "developer" | "admin";
  readonly module: string;
}
