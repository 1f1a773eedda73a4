/**
 * A server as seen by clients of its API, whether it runs in this process or as the built
 * executable. The cases of test/cases run against both and know nothing else about a server.
 */
import { setDefaultTimeout } from "bun:test";
import {
  answerOf,
  callOf,
  type Answer as Answered,
  type HeaderFields as SentHeaders,
} from "../../core/workbench/harness/calls";
import { Pauses } from "./pauses";

/** A test that takes longer hangs; machines may be busy. */
setDefaultTimeout(60_000);

export { answerOf, callOf };
export type { Answered, SentHeaders };

/** A running server. */
export interface ApiServer extends AsyncDisposable {
  /** Its data directory. */
  readonly data: string;
  /** The API key of a person, who becomes a user when first named: `key("ada")`. */
  key(who: string): Promise<string>;
  /** Another key of a person. Default: with all scopes. */
  newKey(who: string, scopes?: readonly ("read" | "write")[]): Promise<string>;
  /**
   * `send("ada", "POST", "/folders", { name: "Reports" })`: people have names; `null` sends no key.
   * A path is below `/api/dev/v1`, unless it is `/health`, begins with `/api/`, or begins with `//`
   * for the root of the server. A plain object, a list, a number or null is sent as JSON; forms,
   * strings, bytes, blobs and streams unchanged.
   */
  send(
    who: string | null,
    method: string,
    path: string,
    body?: unknown,
    headers?: SentHeaders,
  ): Promise<Answered>;
  /** The same with an unread response: bytes, a stream. */
  call(
    who: string | null,
    method: string,
    path: string,
    body?: unknown,
    headers?: SentHeaders,
  ): Promise<Response>;
}

/** How a server is started. */
export interface StartOptions {
  /**
   * Settings, as environment variables. Unless set here, the rate limit is out of the way and
   * vectors are off; an empty DOSSIER_EMBEDDINGS_PROVIDER means the default.
   */
  readonly env?: Readonly<Record<string, string>>;
}
/** The settings that a test server is started with. */
export const settingsOf = (env: NonNullable<StartOptions["env"]>): Record<string, string> => ({
  DOSSIER_RATE_LIMIT_REQUESTS: "1000000",
  // With an address the default is its endpoint.
  ...("DOSSIER_EMBEDDINGS_BASE_URL" in env ? {} : { DOSSIER_EMBEDDINGS_PROVIDER: "none" }),
  ...env,
});
/** Starts a server of either kind. */
export type StartServer = (options?: StartOptions) => Promise<ApiServer>;

/** Waits until this is so. @throws Error after `limit_ms`. */
export async function until(condition: () => unknown, limit_ms = 20_000): Promise<void> {
  const pauses = new Pauses();
  for (const deadline = performance.now() + limit_ms; !(await condition());) {
    if (performance.now() > deadline)
      throw new Error(`it did not become so within ${limit_ms} ms: ${condition.toString()}`);
    await pauses.next();
  }
}
