/** Processes beside the server that do what they are told, one order at a time. */
import { resolve } from "node:path";
import { cleanEnvironment } from "../lib/launch";

/** What a child can do, by the name of the order. */
type Orders = Readonly<Record<string, (input: never) => Promise<unknown>>>;
interface Message {
  readonly id: number;
  readonly order: string;
  readonly input: unknown;
}
interface Reply {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: string;
}

/** In the child: carries out orders until the parent hangs up. */
export function answerOrders(orders: Orders): void {
  process.on("message", async ({ id, order, input }: Message) => {
    const reply: Omit<Reply, "id"> = await orders[order]!(input as never).then(
      (result) => ({ result }),
      (error: unknown) => ({ error: error instanceof Error ? error.stack! : String(error) }),
    );
    process.send!({ id, ...reply });
  });
  process.on("disconnect", () => process.exit(0));
}

/** In the parent. */
export class Child {
  private readonly waiting = new Map<number, PromiseWithResolvers<unknown>>();
  private readonly process: Bun.Subprocess;
  private orders = 0;

  constructor(script: string, signal: AbortSignal) {
    this.process = Bun.spawn([process.execPath, resolve(import.meta.dir, script)], {
      env: cleanEnvironment(),
      signal,
      killSignal: "SIGKILL",
      stdin: "ignore",
      stdout: "inherit",
      stderr: "inherit",
      ipc: ({ id, result, error }: Reply) => {
        const waiting = this.waiting.get(id)!;
        this.waiting.delete(id);
        if (error === undefined) waiting.resolve(result);
        else waiting.reject(new Error(error));
      },
      onExit: (_process, code, signal) => {
        for (const { reject } of this.waiting.values())
          reject(new Error(`${script} ended with ${signal ?? code}`));
      },
    });
  }

  /** Gives an order and waits for its result. @throws Error as the child did */
  ask<T>(order: string, input: unknown): Promise<T> {
    const id = this.orders++;
    const waiting = Promise.withResolvers<unknown>();
    this.waiting.set(id, waiting);
    // Of several children that end at once, only the first is waited for.
    waiting.promise.catch(() => undefined);
    this.process.send({ id, order, input } satisfies Message);
    return waiting.promise as Promise<T>;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.process.kill("SIGKILL");
    await this.process.exited;
  }
}
