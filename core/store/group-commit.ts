/**
 * Group commit: transactions that come while one is being written share its commit. Each is kept or
 * undone alone, and one write to disk makes them all durable.
 */
import { CompiledQuery, type Kysely } from "kysely";
import { isFull } from "./storage-errors";

/**
 * The most that share one commit, and how long it may be put off for them: both bound how long
 * others wait.
 */
const members_max = 64;
const gather_ms_max = 4;
/** After so long, whoever else waits joins the next group, and requests are answered between. */
const group_ms_max = 20;

type Work<R> = (tx: Kysely<any>) => Promise<R>;
interface Member {
  readonly work: Work<unknown>;
  readonly resolve: (result: any) => void;
  readonly reject: (error: unknown) => void;
  tries: number;
}
export interface GroupCommitOptions {
  /** Runs its argument between `begin` and `commit`. */
  readonly transact: (within: (tx: Kysely<any>) => Promise<void>) => Promise<void>;
  /** False when the database has ended the transaction by itself, as a full disk makes it. */
  readonly isOpen: () => boolean;
  /** True while the disk is known to be full: then nothing is tried twice. */
  readonly isDiskFull: () => boolean;
}

const savepoint = CompiledQuery.raw("savepoint member");
const release = CompiledQuery.raw("release member");
const undo = CompiledQuery.raw("rollback to member");
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export class GroupCommit {
  readonly #waiting: Member[] = [];
  #writing = false;

  constructor(private readonly options: GroupCommitOptions) {}

  /**
   * Answers what `work` returned once it is on disk. @throws what `work` threw, after its changes
   * are undone; or why the group could not be written.
   */
  run<R>(work: Work<R>): Promise<R> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ work, resolve, reject, tries: 0 });
      if (!this.#writing) void this.#writeAll();
    });
  }

  async #writeAll(): Promise<void> {
    this.#writing = true;
    try {
      while (this.#waiting.length > 0) {
        await this.#writeGroup();
        if (this.#waiting.length > 0) await nextTurn();
      }
    } finally {
      this.#writing = false;
    }
  }

  async #writeGroup(): Promise<void> {
    const was_full = this.options.isDiskFull();
    const done: { readonly member: Member; readonly result: unknown }[] = [];
    let current: Member | undefined;
    let begun = false;
    try {
      await this.options.transact(async (tx) => {
        begun = true;
        const commit_at_ms = performance.now() + gather_ms_max;
        const close_at_ms = commit_at_ms - gather_ms_max + group_ms_max;
        for (let joined = 0; joined < members_max && performance.now() < close_at_ms; joined++) {
          // One turn of the event loop lets requests that have arrived join before the disk is
          // waited for.
          if (this.#waiting.length === 0 && joined > 0 && performance.now() < commit_at_ms)
            await nextTurn();
          current = this.#waiting.shift();
          if (!current) break;
          const member = current;
          await this.#runMember(tx, member, was_full, (result) => done.push({ member, result }));
          current = undefined;
        }
      });
    } catch (error) {
      const failed = [...done.map(({ member }) => member), ...(current ? [current] : [])];
      // It did not even begin: the first in line is told why, so that nobody is tried for ever.
      if (!begun) failed.push(this.#waiting.shift()!);
      for (const member of failed.reverse()) this.#retryOrReject(member, error, was_full);
      return;
    }
    for (const { member, result } of done) member.resolve(result);
  }

  /** @throws when the whole group is lost. */
  async #runMember(
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
      if (!this.options.isOpen()) throw error;
      await tx.executeQuery(undo);
      await tx.executeQuery(release);
      return this.#retryOrReject(member, error, was_full);
    }
    await tx.executeQuery(release);
    keep(result);
  }

  /** When the disk has just become full, the reserve file was deleted: a deletion need not fail. */
  #retryOrReject(member: Member, error: unknown, was_full: boolean): void {
    member.tries += 1;
    if (member.tries === 1 && !was_full && isFull(error)) this.#waiting.unshift(member);
    else member.reject(error);
  }
}
