/**
 * Tracks what runs inside a transaction, along asynchronous calls: no statement bypasses an open
 * transaction, and callbacks for after the commit are kept until then.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { errorFields, type Log } from "../base/log";
import { originOf, withOrigin } from "../base/origin";
import type { Db } from "./store";

/**
 * The state of a transaction. It may be referenced after its end by a timer or promise started
 * inside, hence `open`.
 */
interface TransactionScope {
  open: boolean;
  readonly after_commit: (() => void)[];
  readonly after_undo: (() => void)[];
  /** Messages to other processes, sent with its commit. */
  readonly messages: string[];
}

/** Knows the transaction in which the current code runs. */
export class TransactionScopes {
  private readonly scope = new AsyncLocalStorage<TransactionScope | undefined>();

  constructor(private readonly log: Log) {}

  /** @throws Error inside an open transaction. */
  readonly requireOutside = (): void => {
    if (this.scope.getStore()?.open)
      throw new Error("a query went around the open transaction: pass `tx` down, not the database");
  };

  /**
   * `transact` runs its argument in a transaction, and a second time if the first one is rolled
   * back; the callbacks of `afterCommit` run after the commit.
   */
  async run<R>(
    work: (tx: Db) => Promise<R>,
    transact: (inScope: (tx: Db) => Promise<R>) => Promise<R>,
  ): Promise<R> {
    this.requireOutside();
    const scope: TransactionScope = { open: false, after_commit: [], after_undo: [], messages: [] };
    const origin = originOf();
    const clear = (): void => {
      scope.after_commit.length = 0;
      scope.messages.length = 0;
      this.scope.exit(() => scope.after_undo.splice(0).forEach(this.runSafely));
    };
    const running = transact((tx) => {
      // A retry begins without what the first try has registered.
      clear();
      scope.open = true;
      return this.scope
        .run(scope, () => withOrigin(origin, () => work(tx)))
        .finally(() => {
          scope.open = false;
        });
    });
    const result = await running.catch((error: unknown) => {
      clear();
      throw error;
    });
    this.scope.exit(() => scope.after_commit.forEach(this.runSafely));
    return result;
  }

  /** See `Store.afterCommit`. */
  readonly afterCommit = (work: () => void, undone?: () => void): void => {
    const scope = this.scope.getStore();
    if (!scope?.open) return this.scope.exit(() => this.runSafely(work));
    scope.after_commit.push(work);
    if (undone) scope.after_undo.push(undone);
  };

  /** The messages of the open transaction, to add to; null outside any. */
  get messages(): string[] | null {
    const scope = this.scope.getStore();
    return scope?.open ? scope.messages : null;
  }

  /** Runs it outside the scope of the caller. */
  exit<R>(work: () => R): R {
    return this.scope.exit(work);
  }

  private readonly runSafely = (work: () => void): void => {
    try {
      work();
    } catch (error) {
      this.log.error("an action after a commit failed", errorFields(error));
    }
  };
}
