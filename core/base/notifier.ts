/** Tells whoever looks at something now that it has changed. Nothing is kept, nothing is promised. */

/** A record of a user that is another now, for those who look at it at this moment. */
export interface Change {
  readonly owner_id: string;
  /** `folder`, `document`, `chat`, `message` …: what a plugin calls its records. */
  readonly kind: string;
  readonly id: string;
  /** The folder whose list shows it, when there is one. */
  readonly folder_id?: string | null;
  readonly action: "created" | "changed" | "deleted";
}
