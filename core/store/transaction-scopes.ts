/**
 * What is inside a transaction and what is not, along the calls that belong together: nobody goes
 * around an open one, and what is to happen after the commit waits for it.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { errorFields, type Log } from "../base/log";
import { originOf, withOrigin } from "../base/origin";
import type { Db } from "./store";

/**
 * What a transaction knows of itself. It may outlive its end in a timer or promise that was started
 * inside, hence `open`.
 */
interface TransactionScope {
  open: boolean;
  readonly after_commit: (() => void)[];
  readonly after_undo: (() => void)[];
  /** What other processes are told with its commit. */
  readonly messages: string[];
}

export class TransactionScopes {
  readonly #scope = new AsyncLocalStorage<TransactionScope | undefined>();

  constructor(private readonly log: Log) {}

  /** @throws Error inside an open transaction. */
  readonly requireOutside = (): void => {
    if (this.#scope.getStore()?.open)
      throw new Error("a query went around the open transaction: pass `tx` down, not the database");
  };

  /**
   * `transact` runs its argument in a transaction, a second time should the first be undone; what
   * `afterCommit` was given meanwhile runs when it is kept.
   */
  async run<R>(
    work: (tx: Db) => Promise<R>,
    transact: (inScope: (tx: Db) => Promise<R>) => Promise<R>,
  ): Promise<R> {
    this.requireOutside();
    const scope: TransactionScope = { open: false, after_commit: [], after_undo: [], messages: [] };
    const origin = originOf();
    const undo = (): void => {
      scope.after_commit.length = scope.messages.length = 0;
      this.#scope.exit(() => scope.after_undo.splice(0).forEach(this.#attempt));
    };
    const running = transact((tx) => {
      // It may be the second try.
      undo();
      scope.open = true;
      return this.#scope
        .run(scope, () => withOrigin(origin, () => work(tx)))
        .finally(() => {
          scope.open = false;
        });
    });
    const result = await running.catch((error: unknown) => {
      undo();
      throw error;
    });
    this.#scope.exit(() => scope.after_commit.forEach(this.#attempt));
    return result;
  }

  readonly afterCommit = (work: () => void, undone?: () => void): void => {
    const scope = this.#scope.getStore();
    if (!scope?.open) return this.#scope.exit(() => this.#attempt(work));
    scope.after_commit.push(work);
    if (undone) scope.after_undo.push(undone);
  };

  /** The messages of the open transaction, for whoever adds one; null outside any. */
  get messages(): string[] | null {
    const scope = this.#scope.getStore();
    return scope?.open ? scope.messages : null;
  }

  /** Runs it outside the scope of whoever calls. */
  exit<R>(work: () => R): R {
    return this.#scope.exit(work);
  }

  readonly #attempt = (work: () => void): void => {
    try {
      work();
    } catch (error) {
      this.log.error("work after a commit failed", errorFields(error));
    }
  };
}
