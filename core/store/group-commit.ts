/**
 * Group commit: transactions that come while one is being written share its commit. Each is kept or
 * undone alone, and one write to disk makes them all durable.
 */
import type { Kysely } from "kysely";
import type { MemberHandle } from "./member-handle";
import { isFull } from "./storage-errors";
import { rowsOf } from "./written-out";

/**
 * The most that share one commit, and how long it may be put off for them: both bound how long
 * others wait.
 */
const members_max = 64;
const gather_ms_by_default = 4;
/** After so long, whoever else waits joins the next group, and requests are answered between. */
const group_ms_max = 20;

type Work<R> = (tx: Kysely<any>) => Promise<R>;
export interface RunOptions {
  /** It may take up the space that is kept for deletions. */
  readonly uses_reserve?: boolean;
}
interface Member extends RunOptions {
  readonly work: Work<unknown>;
  readonly resolve: (result: any) => void;
  readonly reject: (error: unknown) => void;
  /** It found the disk full, or was lost with its group: it is tried once more, by itself. */
  alone: boolean;
  /** It found no room by itself either: so much of the reserve was given up for it. */
  has_reserve: "none" | "part" | "all";
}
export interface GroupCommitOptions {
  /** Runs its argument between `begin` and `commit`. */
  readonly transact: (within: (group: Kysely<any>) => Promise<void>) => Promise<void>;
  /** How long a commit may be put off for others. Default: 4 ms. */
  readonly gather_ms?: number;
  /** A handle for one member, made of that for the whole group. */
  readonly memberHandle: (group: Kysely<any>) => Pick<MemberHandle, "tx" | "end">;
  /** False when the database has ended the transaction by itself, as a full disk makes it. */
  readonly isOpen: () => boolean;
  /** The disk is full: frees what is kept for this, some or all. False when nothing was. */
  readonly releaseReserve: (amount: "part" | "all") => boolean;
  /** The database may do it if it is asked again: the whole is tried once more. */
  readonly isTransient?: (error: unknown) => boolean;
  /** Nobody knows whether the group was kept: nobody may do it again. */
  readonly isUncertain?: (error: unknown) => boolean;
}

const savepoint = "savepoint member";
const release = "release member";
const undo = "rollback to member";
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export class GroupCommit {
  readonly #waiting: Member[] = [];
  #writing = false;
  /** Members that are about to come. */
  #expected = 0;
  /** Wakes a group that waits for one of them. */
  #wake: () => void = () => undefined;

  constructor(private readonly options: GroupCommitOptions) {}

  /**
   * Answers what `work` returned once it is on disk. @throws what `work` threw, after its changes
   * are undone; or why it could not be written.
   */
  run<R>(work: Work<R>, options: RunOptions = {}): Promise<R> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ ...options, work, resolve, reject, alone: false, has_reserve: "none" });
      this.#wake();
      if (!this.#writing) void this.#writeAll();
    });
  }

  /**
   * A member comes once this has settled: a group that is about to be committed waits for it, as
   * long as it waits for others at all.
   */
  expect(coming: Promise<unknown>): void {
    this.#expected++;
    const came = (): void => {
      this.#expected--;
      // After it has joined.
      setImmediate(() => this.#wake());
    };
    coming.then(came, came);
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
    const done: { readonly member: Member; readonly result: unknown }[] = [];
    let current: Member | undefined;
    let begun = false;
    try {
      await this.options.transact(async (group) => {
        begun = true;
        const begun_at_ms = performance.now();
        const commit_at_ms = begun_at_ms + (this.options.gather_ms ?? gather_ms_by_default);
        const close_at_ms = begun_at_ms + group_ms_max;
        for (let joined = 0; joined < members_max && performance.now() < close_at_ms; joined++) {
          if (this.#waiting.length === 0 && joined > 0) {
            // Requests that have arrived join before the disk is waited for.
            if (performance.now() < commit_at_ms) await nextTurn();
            await this.#gather(commit_at_ms);
          }
          if (joined > 0 && this.#waiting[0]?.alone) break;
          current = this.#waiting.shift();
          if (!current) break;
          const member = current;
          await this.#runMember(group, member, (result) => done.push({ member, result }));
          current = undefined;
          if (member.alone) break;
        }
      });
    } catch (error) {
      const lost = done.map(({ member }) => member);
      if (this.options.isUncertain?.(error)) {
        for (const member of current ? [...lost, current] : lost) member.reject(error);
        return;
      }
      // It did not even begin: the first in line is told why, so that nobody is tried for ever.
      const culprit = begun ? current : this.#waiting.shift();
      if (culprit) this.#retryOrReject(culprit, error);
      // Nobody's failure is another's.
      for (const member of lost.toReversed())
        if (member.alone) this.#retryOrReject(member, error);
        else this.#tryAlone(member);
      return;
    }
    for (const { member, result } of done) member.resolve(result);
  }

  /** Those that are expected are waited for a little. One that writes alone waits for nobody. */
  async #gather(until_ms: number): Promise<void> {
    while (this.#waiting.length === 0 && this.#expected > 0) {
      const left_ms = until_ms - performance.now();
      if (left_ms <= 0) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, left_ms);
      this.#wake = resolve;
      await promise;
      clearTimeout(timer);
      this.#wake = () => undefined;
    }
  }

  /** @throws when the whole group is lost. */
  async #runMember(
    group: Kysely<any>,
    member: Member,
    keep: (result: unknown) => void,
  ): Promise<void> {
    await rowsOf(group, savepoint, []);
    const handle = this.options.memberHandle(group);
    let result: unknown;
    try {
      result = await member.work(handle.tx);
    } catch (error) {
      if (!this.options.isOpen()) throw error;
      handle.end();
      await rowsOf(group, undo, []);
      await rowsOf(group, release, []);
      return this.#retryOrReject(member, error);
    } finally {
      handle.end();
    }
    await rowsOf(group, release, []);
    keep(result);
  }

  /**
   * Of a member that failed. On a full disk others may have taken the room; a deletion need not
   * fail of it while there is a reserve. What another's change was in the way of is tried again.
   */
  #retryOrReject(member: Member, error: unknown): void {
    const again = isFull(error) || this.options.isTransient?.(error);
    if (again && !member.alone) this.#tryAlone(member);
    else if (isFull(error) && this.#giveReserve(member)) this.#waiting.unshift(member);
    else member.reject(error);
  }

  /** A part, then all of it. After the member it is made again. */
  #giveReserve(member: Member): boolean {
    if (!member.uses_reserve || member.has_reserve === "all") return false;
    member.has_reserve = member.has_reserve === "none" ? "part" : "all";
    return this.options.releaseReserve(member.has_reserve);
  }

  #tryAlone(member: Member): void {
    member.alone = true;
    this.#waiting.unshift(member);
  }
}
