/**
 * Settings for other plugins: a section that can be tried before it is stored, and how a command
 * that stores a setting has the running server follow.
 */
import {
  job,
  serverOn,
  shaped,
  slot,
  t,
  type Context,
  type Db,
  type EndpointFinding,
} from "../../core/sdk";

/** A section of settings that names a service, such as a language model. */
export interface TriedSection {
  /** `answers` */
  readonly section: string;
  /** `Language model` */
  readonly title: string;
  /** Where the console shows it. Default: among the models. */
  readonly group?: "sign_in";
  /** The key of its address; a stored secret is tried at no other. Default: `base_url`. */
  readonly address?: string;
  /**
   * Uses the service with these values of the section, which may not be in force, and says what
   * came of it: what is wrong in plain words. Of what the service says, only what `askEndpoint`
   * passes on. Ends soon, and when `signal` fires; never changes anything.
   */
  readonly run: (values: never, signal: AbortSignal) => Promise<EndpointFinding>;
}
export const TriedSections = slot<TriedSection>("settings.tried_sections", {
  check: shaped<TriedSection>({ section: "text", title: "text", run: "function" }),
  key: ({ section }) => `the section ${section}`,
});

/** Enqueued in the transaction that stores a setting from outside of the server. */
export const ReloadSettings = job("settings.reload", t.Object({}));

/** How long a command waits for the running server to follow. */
const follow_ms_max = 10_000;
const look_every_ms = 50;

export type StoredChangeParts = Pick<Context, "enqueue" | "newId" | "operations" | "paths">;

export class StoredChange {
  private readonly subject: string;

  constructor(private readonly parts: StoredChangeParts) {
    this.subject = parts.newId("set");
  }

  /** In the transaction of the change. */
  readonly note = (tx: Db): Promise<void> =>
    this.parts.enqueue(tx, ReloadSettings, {}, { subject: this.subject });

  /** Waits until the running server has taken the change over. */
  async followed(): Promise<"none" | "followed" | "late"> {
    if (!(await serverAnswers(this.parts))) return "none";
    const { jobs } = this.parts.operations;
    for (let waited_ms = 0; waited_ms < follow_ms_max; waited_ms += look_every_ms) {
      if ((await jobs.subjectsAtWork([this.subject])).size === 0) return "followed";
      await Bun.sleep(look_every_ms);
    }
    return "late";
  }
}

export async function serverAnswers({ paths }: Pick<Context, "paths">): Promise<boolean> {
  const server = serverOn(paths.data);
  return server !== null && ((await server("/health").catch(() => null))?.ok ?? false);
}
