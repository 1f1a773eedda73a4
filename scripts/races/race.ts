/** The building blocks of races: a limit, and the means to exceed it from every process at once. */
import type { Outside } from "./outside";

/** One user's responses, from the processes by number. */
export type Send = (
  node: number,
  method: string,
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<Response>;

/** A session in the console, and its user. */
export interface Session {
  readonly cookie: string;
  readonly user_id: string;
}

/** Consecutive rounds, in parallel to those of other lanes. */
export interface Lane {
  /** Starts at 0. */
  readonly n: number;
  readonly outside: Outside;
  /** With the API key of a user that belongs to this lane and race only. */
  readonly send: Send;
  /** A signed-in user; the same one for everybody who uses the name. */
  signIn(name: string, role: "admin" | "member"): Promise<Session>;
  /** Rows written directly, for states that no request can create. */
  sql(text: string, parameters?: readonly unknown[]): Promise<unknown>;
  /** Disposed of when the race is over. */
  atEnd(work: () => unknown): void;
}

/** One round, numbered over all lanes. Returns null on success, otherwise what was wrong. */
export type Round = (n: number) => Promise<string | null>;

/** A limit that requests to several processes at once must not exceed. */
export interface Race {
  readonly name: string;
  /** The most lanes. Default: all. */
  readonly lanes_max?: number;
  /** Sets up what all rounds of a lane need. */
  begin(lane: Lane): Round | Promise<Round>;
}

/** That many at once, to the processes in turn. */
export const fire = (count: number, send: (n: number) => Promise<Response>): Promise<Response[]> =>
  Promise.all(Array.from({ length: count }, (_, n) => send(n)));

/** Counts by status: `201 ×2, 403 ×4`. */
export function statusCounts(answers: readonly Response[]): string {
  const counts = Map.groupBy(answers, ({ status }) => status);
  return [...counts]
    .toSorted(([a], [b]) => a - b)
    .map(([status, of_status]) => `${status} ×${of_status.length}`)
    .join(", ");
}

/**
 * Null when the statuses are those that are wanted, otherwise what differs. `wanted`: such as `201
 * 409 409`.
 */
export const expected = (answers: readonly Response[], wanted: string): string | null =>
  statusCounts(answers) === wanted ? null : `${statusCounts(answers)} instead of ${wanted}`;

/** The ids of the records in responses with this status. */
export const idsOf = async (answers: readonly Response[], status = 201): Promise<string[]> => {
  const with_status = answers.filter((answer) => answer.status === status);
  return (
    await Promise.all(with_status.map((answer) => answer.json() as Promise<{ id: string }>))
  ).map(({ id }) => id);
};

/** Creates one, and returns its id. @throws Error when that is refused */
export async function createdId(send: Send, path: string, body: object): Promise<string> {
  const answer = await send(0, "POST", path, body);
  if (!answer.ok) throw new Error(`POST ${path}: ${answer.status} ${await answer.text()}`);
  return ((await answer.json()) as { id: string }).id;
}

/** Deletes records by their ids. */
export const removeAll = async (
  send: Send,
  path: string,
  ids: readonly string[],
): Promise<void> => {
  await Promise.all(ids.map((id, at) => send(at, "DELETE", `${path}/${id}`)));
};

/** Pause between two polls; the other lanes use the processors meanwhile. */
export const poll_ms = 80;

/** A unique address. */
export const addressOf = (n: number): Record<string, string> => ({
  "x-forwarded-for": `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`,
});

/**
 * Opens more streams than allowed at once, closes them, and waits until there is room again.
 * Streams of the last round may not be closed yet, so fewer may be accepted, but never more.
 */
export async function openTooMany(
  most: number,
  open: (n: number) => Promise<Response>,
): Promise<string | null> {
  const answers = await fire(most + 4, open);
  const opened = answers.filter(({ status }) => status === 200);
  await Promise.all(answers.map(({ body }) => body?.cancel()));
  if (opened.length > most) return statusCounts(answers);
  for (let tries = 0; tries < 500; tries++) {
    const second_answers = await fire(most, open);
    await Promise.all(second_answers.map(({ body }) => body?.cancel()));
    if (second_answers.every(({ status }) => status === 200)) return null;
    await Bun.sleep(2);
  }
  return "what was closed is not free";
}
