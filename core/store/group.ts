/**
 * Transactions that come while one is being written share its commit: each is kept or undone alone,
 * and one write to disk makes them all durable.
 */
import { CompiledQuery, type Kysely } from "kysely";
import { isFull } from "./codes";

/**
 * The most that share one commit, and how long it may be put off for them: both bound how long
 * others wait.
 */
const members_max = 64;
const gather_ms_max = 4;

type Work<R> = (tx: Kysely<any>) => Promise<R>;
interface Member {
  readonly work: Work<unknown>;
  readonly resolve: (result: any) => void;
  readonly reject: (error: unknown) => void;
  tries: number;
}
export interface GroupParts {
  /** Runs its argument between `begin` and `commit`. */
  readonly transact: (within: (tx: Kysely<any>) => Promise<void>) => Promise<void>;
  /** False when the database has ended the transaction by itself, as a full disk makes it. */
  readonly isOpen: () => boolean;
  /** True while the disk is known to be full: then nothing is tried twice. */
  readonly full: () => boolean;
}

const savepoint = CompiledQuery.raw("savepoint member");
const release = CompiledQuery.raw("release member");
const undo = CompiledQuery.raw("rollback to member");
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * Answers what `work` gave once it is on disk. @throws what `work` threw, after its changes are
 * undone; or why the group could not be written.
 */
export function createGroup({
  transact,
  isOpen,
  full,
}: GroupParts): <R>(work: Work<R>) => Promise<R> {
  const waiting: Member[] = [];
  let leading = false;

  async function lead(): Promise<void> {
    leading = true;
    try {
      while (waiting.length > 0) await writeOne();
    } finally {
      leading = false;
    }
  }

  async function writeOne(): Promise<void> {
    const was_full = full();
    const done: { readonly member: Member; readonly result: unknown }[] = [];
    let at: Member | undefined;
    let begun = false;
    try {
      await transact(async (tx) => {
        begun = true;
        const commit_at_ms = performance.now() + gather_ms_max;
        for (let joined = 0; joined < members_max; joined++) {
          // One turn of the event loop lets requests that have arrived get here before the disk is
          // waited for.
          if (waiting.length === 0 && joined > 0 && performance.now() < commit_at_ms)
            await nextTurn();
          at = waiting.shift();
          if (!at) break;
          await runMember(tx, at, was_full, (result) => done.push({ member: at!, result }));
          at = undefined;
        }
      });
    } catch (error) {
      const failed = [...done.map(({ member }) => member), ...(at ? [at] : [])];
      // It did not even begin: the first in line is told why, so that nobody is tried for ever.
      if (!begun) failed.push(waiting.shift()!);
      for (const member of failed.reverse()) again(member, error, was_full);
      return;
    }
    for (const { member, result } of done) member.resolve(result);
  }

  /** @throws when the whole group is lost. */
  async function runMember(
    tx: Kysely<any>,
    member: Member,
    was_full: boolean,
    keep: (result: unknown) => void,
  ): Promise<void> {
    await tx.executeQuery(savepoint);
    let result: unknown;
    try {
      result = await member.work(tx);
    } catch (error) {
      if (!isOpen()) throw error;
      await tx.executeQuery(undo);
      await tx.executeQuery(release);
      return again(member, error, was_full);
    }
    await tx.executeQuery(release);
    keep(result);
  }

  /** The disk has just become full and the ballast given up its room: a deletion need not fail. */
  function again(member: Member, error: unknown, was_full: boolean): void {
    member.tries += 1;
    if (member.tries === 1 && !was_full && isFull(error)) waiting.unshift(member);
    else member.reject(error);
  }

  return (work) =>
    new Promise((resolve, reject) => {
      waiting.push({ work, resolve, reject, tries: 0 });
      if (!leading) void lead();
    });
}
