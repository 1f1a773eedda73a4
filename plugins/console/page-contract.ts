/**
 * What a page or panel of a plugin receives in the browser. Types only, for the plugin and for the
 * console that mounts it; imports no other file.
 */

/** The minimum about an element where browser types are missing. */
interface BareElement {
  textContent: string | null;
  append(...content: (BareElement | string)[]): void;
  replaceChildren(...content: (BareElement | string)[]): void;
  remove(): void;
}
/** An `HTMLElement` where the browser's types are available. */
export type PageElement = typeof globalThis extends { HTMLElement: { prototype: infer E } }
  ? E
  : BareElement;

/** Renderable content: a text, an element, several of them, or nothing. Never HTML. */
export type Content = string | number | null | undefined | false | PageElement | readonly Content[];

/** The meaning of a tag's colour: neutral, good, a warning, an error, or work in progress. */
export type Tone = "plain" | "ok" | "warn" | "bad" | "run";

/** A record of the signed-in user has changed. */
export interface RecordChange {
  /** Such as `document`, `folder`, `chat`, `message`. */
  readonly kind: string;
  readonly id: string;
  readonly folder_id?: string | null;
  readonly action: "created" | "changed" | "deleted";
}

/** Options of `call`, which sends and receives JSON. */
export interface CallOptions {
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Fields that are null, undefined or empty are left out. */
  readonly query?: Readonly<Record<string, string | number | boolean | null | undefined>>;
  readonly signal?: AbortSignal;
}

/** Thrown by `call`. */
export interface CallProblem extends Error {
  /** 0: the server did not answer. */
  readonly status: number;
  /** A code from the API document, such as `not_found`. */
  readonly code: string;
  /** The problem of a field, by pointer: `/name`. */
  readonly errors: readonly { readonly pointer: string; readonly detail: string }[];
}

/** A button: its label, what it does, and how it looks. */
export interface ButtonOptions {
  readonly label: string;
  /** The button shows a spinner while the promise is pending; an error is shown as a message. */
  readonly onPress: () => unknown;
  readonly kind?: "default" | "primary" | "ghost" | "danger";
  readonly small?: boolean;
}

export interface TableColumn<T> {
  readonly title: string;
  readonly cell: (row: T) => Content;
  /**
   * `main`: takes the remaining width; `end`: numbers; `tight`: as narrow as its content;
   * `actions`: buttons at the end, with a hidden header.
   */
  readonly kind?: "main" | "end" | "tight" | "actions";
}
/** A table of records with one row each. */
export interface TableOptions<T> {
  /** A caption for screen readers. */
  readonly label: string;
  readonly columns: readonly TableColumn<T>[];
  readonly rows: readonly T[];
  /** Shown instead of a table without rows. */
  readonly empty?: string;
}

/** A form field: its label, its kind and its initial value. */
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
/** The current state of a form field. */
export interface FormField {
  readonly element: PageElement;
  /** What was typed or chosen; may be set. A boolean for `check`. */
  value: string | boolean;
  /** The problem shown below the field; null removes it. */
  error: string | null;
}

/** A dialog with a form, or with content only. */
export interface DialogOptions {
  readonly title: string;
  readonly content: Content;
  /** The submit button, such as `Save`; without it the dialog can only be closed. */
  readonly submit?: string;
  readonly danger?: boolean;
  readonly wide?: boolean;
  /** The dialog closes when this resolves, and shows an error that it throws. */
  readonly onSubmit?: () => unknown;
}

/** The console's own components, so that plugins look like the rest of the console. */
export interface ConsoleComponents {
  button(options: ButtonOptions): PageElement;
  /** A link to a page of the console: `/documents/doc_…`. */
  link(options: { readonly label: string; readonly path: string }): PageElement;
  table<T>(options: TableOptions<T>): PageElement;
  field(options: FieldOptions): FormField;
  note(options: {
    readonly tone?: "info" | "ok" | "warn" | "bad";
    readonly title?: string;
    readonly text?: Content;
    readonly actions?: Content;
  }): PageElement;
  /** A tag with a state: `Ready`. */
  tag(label: string, tone?: Tone): PageElement;
  /** A placeholder for content that is still loading. */
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
  /** Side by side, wrapping when there is no room. */
  row(...content: readonly Content[]): PageElement;
  /** One below the other. */
  stack(...content: readonly Content[]): PageElement;
  /** A progress bar: 0 to 1; without a number it is indeterminate. */
  progress(label: string, value?: number): PageElement;
  /** Opens it; true once `onSubmit` has succeeded, false when it was closed. */
  dialog(options: DialogOptions): Promise<boolean>;
  /** Asks a question; resolves with whether it was confirmed. */
  confirm(options: {
    readonly title: string;
    readonly text: Content;
    readonly submit: string;
    readonly danger?: boolean;
  }): Promise<boolean>;
  /** A toast: a short message at the edge of the window. */
  toast(
    text: string,
    options?: {
      readonly tone?: "plain" | "bad";
      readonly action?: { readonly label: string; readonly run: () => void };
    },
  ): void;
}

/** What every page and panel of a plugin receives. */
export interface ShownHost {
  /** Calls `/console/api/v1` + `path` on behalf of the signed-in user. */
  api(path: string, init?: RequestInit): Promise<Response>;
  /**
   * The same with JSON: returns the parsed response, undefined if it has no body. @throws
   * CallProblem for every response other than 2xx
   */
  call<T = unknown>(path: string, options?: CallOptions): Promise<T>;
  theme(): "light" | "dark";
  /** Runs when the page or panel is left, as does what `mount` returns. */
  onLeave(work: () => void): void;
  readonly ui: ConsoleComponents;
}

/** What a page receives. */
export interface ConsoleHost extends ShownHost {
  /** Navigates to a page of the console: `/folders`. */
  navigate(path: string): void;
  /** The signed-in user. */
  readonly user: { readonly id: string; readonly email: string; readonly role: string };
  /** `listener` is called whenever a record of the user changes, until the page is left. */
  onChange(listener: (change: RecordChange) => void): void;
}

/** What a panel on the page of a record receives. */
export interface PanelHost<R> extends ConsoleHost {
  /** The record as last fetched. */
  record(): R;
  /** `listener` is called whenever the record was fetched again, until the panel is left. */
  onRecord(listener: (record: R) => void): void;
}

/** What a panel of the sign-in page receives: nobody is signed in. */
export interface SignInHost extends ShownHost {
  /** Checks again who is signed in; if somebody is, the console opens. */
  signedIn(): Promise<void>;
}

/** The types of records on whose pages panels can be; the API document describes their fields. */
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
/** Where a panel can be: on the page of a record, or on the sign-in page (`signin`). */
export type PanelPlace = keyof PanelRecords | "signin";
/** The host object that a panel at this place receives. */
export type HostOf<W extends PanelPlace> = W extends keyof PanelRecords
  ? PanelHost<PanelRecords[W]>
  : SignInHost;

/** Runs when the page or panel is left. */
export type CleanUp = () => void;
/** Fills `root`; the returned function runs when it is left. */
export type Mount<H> = (root: PageElement, host: H) => void | CleanUp | Promise<void | CleanUp>;
/** An ES module that the console mounts. */
export interface MountedModule<H> {
  readonly default: { readonly mount: Mount<H> };
}
