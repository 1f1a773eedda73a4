/**
 * What a page or a panel of a plugin is given in the browser. Types alone, for the plugin that is
 * written and for the console that mounts it; no other file is imported.
 */

/** What can be said of an element without the types of the browser. */
interface BareElement {
  textContent: string | null;
  append(...content: (BareElement | string)[]): void;
  replaceChildren(...content: (BareElement | string)[]): void;
  remove(): void;
}
/** An `HTMLElement`, where the types of the browser are known. */
export type PageElement = typeof globalThis extends { HTMLElement: { prototype: infer E } }
  ? E
  : BareElement;

/** What stands somewhere: a text, an element, several of them, or nothing. Never HTML. */
export type Content = string | number | null | undefined | false | PageElement | readonly Content[];

export type Tone = "plain" | "ok" | "warn" | "bad" | "run";

/** A record of whoever is signed in has changed. */
export interface RecordChange {
  /** `document`, `folder`, `chat`, `message`, … */
  readonly kind: string;
  readonly id: string;
  readonly folder_id?: string | null;
  readonly action: "created" | "changed" | "deleted";
}

export interface CallOptions {
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Fields that are null, undefined or empty are left out. */
  readonly query?: Readonly<Record<string, string | number | boolean | null | undefined>>;
  readonly signal?: AbortSignal;
}

/** What `call` throws. */
export interface CallProblem extends Error {
  /** 0: the server did not answer. */
  readonly status: number;
  /** As the API documents it: `not_found`. */
  readonly code: string;
  /** What is wrong with which field: `/name`. */
  readonly errors: readonly { readonly pointer: string; readonly detail: string }[];
}

export interface ButtonOptions {
  readonly label: string;
  /** While it is pending the button is busy; what it throws is shown as a message. */
  readonly onPress: () => unknown;
  readonly kind?: "default" | "primary" | "ghost" | "danger";
  readonly small?: boolean;
}

export interface TableColumn<T> {
  readonly title: string;
  readonly cell: (row: T) => Content;
  /**
   * `main`: takes what is left; `end`: numbers; `tight`: as narrow as its content; `actions`:
   * buttons at the end, their title hidden.
   */
  readonly kind?: "main" | "end" | "tight" | "actions";
}
export interface TableOptions<T> {
  /** What the table is about, for screen readers. */
  readonly label: string;
  readonly columns: readonly TableColumn<T>[];
  readonly rows: readonly T[];
  /** In place of a table without rows. */
  readonly empty?: string;
}

export interface FieldOptions {
  readonly label: string;
  readonly hint?: string;
  /** `choice` takes `choices`; the value of `check` is a boolean. Default: `text`. */
  readonly kind?: "text" | "area" | "number" | "password" | "choice" | "check";
  readonly value?: string | number | boolean;
  readonly choices?: readonly { readonly value: string; readonly label: string }[];
  readonly placeholder?: string;
  readonly onChange?: (value: string | boolean) => void;
}
/** A field of a form, as it is now. */
export interface FormField {
  readonly element: PageElement;
  /** What was typed or chosen; may be set. A boolean for `check`. */
  value: string | boolean;
  /** Why it can't be taken, shown below it; null takes that away. */
  error: string | null;
}

export interface DialogOptions {
  readonly title: string;
  readonly content: Content;
  /** The button at the end, `Save`; without it the dialog is only closed. */
  readonly submit?: string;
  readonly danger?: boolean;
  readonly wide?: boolean;
  /** The dialog closes when this has ended, and shows what it throws. */
  readonly onSubmit?: () => unknown;
}

/** The console's own components, so that what a plugin shows looks like the rest. */
export interface ConsoleComponents {
  button(options: ButtonOptions): PageElement;
  /** Goes to a page of the console: `/documents/doc_…`. */
  link(options: { readonly label: string; readonly path: string }): PageElement;
  table<T>(options: TableOptions<T>): PageElement;
  field(options: FieldOptions): FormField;
  note(options: {
    readonly tone?: "info" | "ok" | "warn" | "bad";
    readonly title?: string;
    readonly text?: Content;
    readonly actions?: Content;
  }): PageElement;
  /** A word about a state: `Ready`. */
  tag(label: string, tone?: Tone): PageElement;
  /** In place of content that is not there yet. */
  empty(options: {
    readonly title: string;
    readonly text?: string;
    readonly actions?: Content;
  }): PageElement;
  /** Names and values, one below the other. */
  facts(facts: readonly (readonly [label: string, value: Content])[]): PageElement;
  text(
    content: Content,
    look?: { readonly muted?: boolean; readonly small?: boolean },
  ): PageElement;
  heading(text: string): PageElement;
  /** Side by side, wrapped where there is no room. */
  row(...content: readonly Content[]): PageElement;
  /** One below the other. */
  stack(...content: readonly Content[]): PageElement;
  /** How long is left, or how far it is: 0 to 1; without a number, that it goes on. */
  progress(label: string, value?: number): PageElement;
  /** Opens it; true once `onSubmit` has ended well, false when it was closed. */
  dialog(options: DialogOptions): Promise<boolean>;
  /** Asks a question, and answers whether it was confirmed. */
  confirm(options: {
    readonly title: string;
    readonly text: Content;
    readonly submit: string;
    readonly danger?: boolean;
  }): Promise<boolean>;
  /** A short message at the edge of the window. */
  toast(
    text: string,
    options?: {
      readonly tone?: "plain" | "bad";
      readonly action?: { readonly label: string; readonly run: () => void };
    },
  ): void;
}

/** What everything that a plugin shows is given. */
export interface ShownHost {
  /** Calls `/console/api/v1` + `path`, in the name of whoever is signed in. */
  api(path: string, init?: RequestInit): Promise<Response>;
  /**
   * The same with JSON: the answer's, undefined when it has no body. @throws CallProblem for every
   * answer that is not one of success
   */
  call<T = unknown>(path: string, options?: CallOptions): Promise<T>;
  theme(): "light" | "dark";
  /** Runs when it is left; what `mount` returns does, too. */
  onLeave(work: () => void): void;
  readonly ui: ConsoleComponents;
}

/** What a page is given. */
export interface ConsoleHost extends ShownHost {
  /** Goes to a page of the console: `/folders`. */
  navigate(path: string): void;
  /** Who is signed in. */
  readonly user: { readonly id: string; readonly email: string; readonly role: string };
  /** Until it is left: `listener` is called whenever a record of the caller changes. */
  onChange(listener: (change: RecordChange) => void): void;
}

/** What a panel is given that stands beside a record. */
export interface PanelHost<R> extends ConsoleHost {
  /** The record as it was read last. */
  record(): R;
  /** Until it is left: `listener` is called whenever the record has been read anew. */
  onRecord(listener: (record: R) => void): void;
}

/** What a panel of the sign-in page is given: nobody is signed in. */
export interface SignInHost extends ShownHost {
  /** Looks again who is signed in; once somebody is, the console opens. */
  signedIn(): Promise<void>;
}

/** The records that panels stand beside; the API documents each of their fields. */
export interface PanelRecords {
  readonly document: {
    readonly id: string;
    readonly name: string;
    readonly status: "syncing" | "synced" | "sync_failed";
    readonly media_type: string;
    readonly size_bytes: number;
    readonly version: number;
    readonly page_count: number | null;
    readonly language: string | null;
    readonly folder_ids: readonly string[];
    readonly created_at: string;
    readonly updated_at: string;
    readonly synced_at: string | null;
  };
  readonly folder: {
    readonly id: string;
    readonly name: string;
    readonly description: string | null;
    readonly parentId: string | null;
    readonly document_count: number;
    readonly created_at: string;
    readonly updated_at: string;
  };
  readonly chat: {
    readonly id: string;
    readonly name: string | null;
    readonly usedFolders: readonly string[];
    readonly usedPrompts: readonly string[];
    readonly message_count: number;
    readonly created_at: string;
    readonly updated_at: string;
  };
}
export type PanelPlace = keyof PanelRecords | "signin";
export type HostOf<W extends PanelPlace> = W extends keyof PanelRecords
  ? PanelHost<PanelRecords[W]>
  : SignInHost;

export type CleanUp = () => void;
/** Fills `root`; what it returns runs when it is left. */
export type Mount<H> = (root: PageElement, host: H) => void | CleanUp | Promise<void | CleanUp>;
/** An ES module that the console mounts. */
export interface MountedModule<H> {
  readonly default: { readonly mount: Mount<H> };
}
