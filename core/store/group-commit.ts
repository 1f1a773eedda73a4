/**
 * Group commit: transactions that arrive while one is being written share its commit. Each is kept
 * or undone alone, and a single write to the disk makes all of them durable.
 */
import type { Kysely } from "kysely";
import { originOf } from "../base/origin";
import { loop_turns } from "../lib/loop-turns";
import { TurnQueue } from "../lib/turn-queue";
import type { MemberHandle } from "./member-handle";
import { isFull } from "./storage-errors";
import { rowsOf } from "./raw-statements";

/**
 * The most transactions per commit, and how long it may be delayed for those that are announced:
 * both limit how long others wait. Each commit writes the last pages of some forty tables and
 * indexes again, so few large ones write less.
 */
const members_max = 64;
const gather_ms_by_default = 10;
/**
 * After this time, waiting transactions join the next group, and requests are answered in between.
 */
const group_ms_max = 20;
/** After this time, or that of a turn, other work continues before the next member. */
const turn_ms_max = 2;

type Work<R> = (tx: Kysely<any>) => Promise<R>;
/** How one member of a group is run. */
export interface RunOptions {
  /** Whether it may use the space reserved for deletions. */
  readonly uses_reserve?: boolean;
}
interface Member extends RunOptions {
  readonly work: Work<unknown>;
  readonly resolve: (result: any) => void;
  readonly reject: (error: unknown) => void;
  /** It found the disk full, or was undone with its group: it is tried once more, by itself. */
  alone: boolean;
  /** It found no space by itself either: how much of the reserve was released for it. */
  has_reserve: "none" | "part" | "all";
}
/** A group while it is written. */
interface Group {
  has_begun: boolean;
  /** The member that is running. */
  current: Member | undefined;
  /** Members that have run, with their results. */
  readonly done: { readonly member: Member; readonly result: unknown }[];
}
/** What differs between engines. */
export interface GroupCommitOptions {
  /** Runs its argument between `begin` and `commit`. */
  readonly transact: (within: (group: Kysely<any>) => Promise<void>) => Promise<void>;
  /** How long a commit may be delayed for others. Default: 10 ms. */
  readonly gather_ms?: number;
  /** Creates the handle of one member from that of the group. */
  readonly memberHandle: (group: Kysely<any>) => Pick<MemberHandle, "tx" | "end">;
  /** False when the database has ended the transaction by itself, as on a full disk. */
  readonly isOpen: () => boolean;
  /** The disk is full: releases some or all of the reserve. False when there was none. */
  readonly releaseReserve: (amount: "part" | "all") => boolean;
  /** Whether the error may disappear when the whole group is tried once more. */
  readonly isTransient?: (error: unknown) => boolean;
  /** Whether it is unknown if the group was committed: it must not be repeated then. */
  readonly isUncertain?: (error: unknown) => boolean;
}

const begin_member = "savepoint member";
const release_member = "release member";
const rollback_member = "rollback to member";
const nextIteration = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const turnEnd = (): number => performance.now() + Math.min(turn_ms_max, loop_turns.turn_ms);

/** A queue of transactions, which are written in groups. Owners take turns. */
export class GroupCommit {
  private readonly waiting = new TurnQueue<Member>();
  private writing = false;
  /** Members that are about to arrive. */
  private expected = 0;
  /** Wakes a group that waits for one of them. */
  private wake: () => void = () => undefined;

  constructor(private readonly options: GroupCommitOptions) {}

  /**
   * Returns the result of `work` once it is on disk. @throws what `work` threw, after its changes
   * are undone; or why it could not be written.
   */
  run<R>(work: Work<R>, options: RunOptions = {}): Promise<R> {
    return new Promise((resolve, reject) => {
      const { owner, subject = "" } = originOf();
      const member: Member = {
        ...options,
        work,
        resolve,
        reject,
        alone: false,
        has_reserve: "none",
      };
      this.waiting.push(owner ?? subject, member);
      this.wake();
      if (!this.writing) void this.writeAll();
    });
  }

  /**
   * Announces a member that will arrive once this has settled: a group that is about to be
   * committed waits for it, within its usual delay.
   */
  expect(coming: Promise<unknown>): void {
    this.expected++;
    const onSettled = (): void => {
      this.expected--;
      // After it has joined.
      setImmediate(() => this.wake());
    };
    coming.then(onSettled, onSettled);
  }

  private async writeAll(): Promise<void> {
    this.writing = true;
    try {
      while (!this.waiting.is_empty) {
        await this.writeGroup();
        if (!this.waiting.is_empty) await nextIteration();
      }
    } finally {
      this.writing = false;
    }
  }

  private async writeGroup(): Promise<void> {
    const group: Group = { has_begun: false, current: undefined, done: [] };
    try {
      await this.options.transact(async (tx) => {
        group.has_begun = true;
        await this.runMembers(tx, group);
      });
    } catch (error) {
      return this.retryOrRejectGroup(group, error);
    }
    for (const { member, result } of group.done) member.resolve(result);
  }

  /** Runs waiting members until it is time to commit. @throws when the whole group is lost. */
  private async runMembers(tx: Kysely<any>, group: Group): Promise<void> {
    const begun_at_ms = performance.now();
    const commit_at_ms = begun_at_ms + (this.options.gather_ms ?? gather_ms_by_default);
    const close_at_ms = begun_at_ms + group_ms_max;
    let turn_end_ms = turnEnd();
    for (let members = 0; members < members_max && performance.now() < close_at_ms; members++) {
      if (this.waiting.is_empty && members > 0) {
        // Let requests that have arrived join before waiting for the disk.
        if (performance.now() < commit_at_ms) await nextIteration();
        await this.gather(commit_at_ms);
        turn_end_ms = turnEnd();
      } else if (performance.now() >= turn_end_ms) {
        await nextIteration();
        turn_end_ms = turnEnd();
      }
      if (members > 0 && this.waiting.has_first) return;
      const member = this.waiting.shift();
      if (!member) return;
      group.current = member;
      await this.runMember(tx, group, member);
      group.current = undefined;
      if (member.alone) return;
    }
  }

  /** Handles a group that could not be written. */
  private retryOrRejectGroup({ has_begun, current, done }: Group, error: unknown): void {
    const rolled_back = done.map(({ member }) => member);
    if (this.options.isUncertain?.(error)) {
      for (const member of current ? [...rolled_back, current] : rolled_back) member.reject(error);
      return;
    }
    // It did not even begin: the first waiting member fails, so that none is retried for ever.
    const culprit = has_begun ? current : this.waiting.shift();
    if (culprit) this.retryOrReject(culprit, error);
    // A member's failure does not affect the others.
    for (const member of rolled_back.toReversed())
      if (member.alone) this.retryOrReject(member, error);
      else this.retryAlone(member);
  }

  /** Waits briefly for expected members. A transaction that is alone waits for nobody. */
  private async gather(until_ms: number): Promise<void> {
    while (this.waiting.is_empty && this.expected > 0) {
      const left_ms = until_ms - performance.now();
      if (left_ms <= 0) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, left_ms);
      this.wake = resolve;
      await promise;
      clearTimeout(timer);
      this.wake = () => undefined;
    }
  }

  /** @throws when the whole group is lost. */
  private async runMember(tx: Kysely<any>, group: Group, member: Member): Promise<void> {
    await rowsOf(tx, begin_member, []);
    const handle = this.options.memberHandle(tx);
    let result: unknown;
    try {
      result = await member.work(handle.tx);
    } catch (error) {
      if (!this.options.isOpen()) throw error;
      handle.end();
      await rowsOf(tx, rollback_member, []);
      await rowsOf(tx, release_member, []);
      return this.retryOrReject(member, error);
    } finally {
      handle.end();
    }
    await rowsOf(tx, release_member, []);
    group.done.push({ member, result });
  }

  /**
   * Handles a failed member. On a full disk others may have taken the space; a deletion need not
   * fail while there is a reserve. A member that conflicted with another change is retried.
   */
  private retryOrReject(member: Member, error: unknown): void {
    const is_repeatable = isFull(error) || this.options.isTransient?.(error);
    if (is_repeatable && !member.alone) this.retryAlone(member);
    else if (isFull(error) && this.releaseReserveFor(member)) this.waiting.pushFirst(member);
    else member.reject(error);
  }

  /** First a part, then all of it. It is restored after the member. */
  private releaseReserveFor(member: Member): boolean {
    if (!member.uses_reserve || member.has_reserve === "all") return false;
    member.has_reserve = member.has_reserve === "none" ? "part" : "all";
    return this.options.releaseReserve(member.has_reserve);
  }

  private retryAlone(member: Member): void {
    member.alone = true;
    this.waiting.pushFirst(member);
  }
}
