/**
 * Settings for other plugins: sections that can be tested before they are stored, and how the
 * running server learns of settings that a command has stored.
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

/** A section of settings for a service, such as a language model. */
export interface TriedSection {
  /** Such as `answers`. */
  readonly section: string;
  /** Such as `Language model`. */
  readonly title: string;
  /** Where the console shows it. Default: with the models. */
  readonly group?: "sign_in";
  /**
   * The key of the service's address; a stored secret is sent to no other address. Default:
   * `base_url`.
   */
  readonly address?: string;
  /**
   * Uses the service with these values of the section, which may not be in force, and reports the
   * result in plain words. Passes on nothing from the service except through `askEndpoint`. Ends
   * soon, and when `signal` fires; never changes anything.
   */
  readonly run: (values: never, signal: AbortSignal) => Promise<EndpointFinding>;
}
/** Sections that can be tested before they are stored. */
export const TriedSections = slot<TriedSection>("settings.tried_sections", {
  check: shaped<TriedSection>({ section: "text", title: "text", run: "function" }),
  key: ({ section }) => `the section ${section}`,
});

/** Enqueued in the transaction in which another process stores a setting. */
export const ReloadSettings = job("settings.reload", t.Object({}));

/** How long a command waits for the running server to apply the change. */
const follow_ms_max = 10_000;
const look_every_ms = 50;

/** What `StoredChange` needs. */
export type StoredChangeContext = Pick<Context, "enqueue" | "newId" | "operations" | "paths">;

export class StoredChange {
  private readonly subject: string;

  constructor(private readonly ctx: StoredChangeContext) {
    this.subject = ctx.newId("set");
  }

  /** Called in the transaction of the change. */
  readonly note = (tx: Db): Promise<void> =>
    this.ctx.enqueue(tx, ReloadSettings, {}, { subject: this.subject });

  /** Waits until the running server has applied the change. */
  async followed(): Promise<"none" | "followed" | "late"> {
    if (!(await serverAnswers(this.ctx))) return "none";
    const { jobs } = this.ctx.operations;
    for (let waited_ms = 0; waited_ms < follow_ms_max; waited_ms += look_every_ms) {
      if ((await jobs.activeSubjects([this.subject])).size === 0) return "followed";
      await Bun.sleep(look_every_ms);
    }
    return "late";
  }
}

/** Whether a server runs on this data directory and answers. */
export async function serverAnswers({ paths }: Pick<Context, "paths">): Promise<boolean> {
  const server = serverOn(paths.data);
  return server !== null && ((await server("/health").catch(() => null))?.ok ?? false);
}
