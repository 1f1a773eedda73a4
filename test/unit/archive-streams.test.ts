/** Archives written while they are sent: started in turn, and ended when the client leaves. */
import { expect, test } from "bun:test";
import { ArchiveStreams } from "../../core/http/archive-streams";
import { until } from "../helpers/server";

const never = new AbortController().signal;

/** An archive that reads for a long time before its first byte. */
class Slow {
  is_begun = false;
  is_told = false;
  is_ended = false;
  private readonly goes_on = Promise.withResolvers<void>();

  readonly make = async (signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> => {
    this.is_begun = true;
    signal.addEventListener("abort", () => (this.is_told = true));
    return this.pieces();
  };
  private async *pieces(): AsyncGenerator<Uint8Array, void> {
    try {
      await this.goes_on.promise;
      yield new Uint8Array(1);
    } finally {
      this.is_ended = true;
    }
  }
  goOn(): void {
    this.goes_on.resolve();
  }
}

const leaves: [reason: string, leave: (left: AbortController, body: ReadableStream) => unknown][] =
  [
    ["the client hangs up", (left) => left.abort()],
    ["the body is canceled, as for HEAD", (_left, body) => body.cancel()],
    [
      "both",
      (left, body) => {
        left.abort();
        return body.cancel();
      },
    ],
  ];
test.each(leaves)(
  "%s: the work is aborted, and the next archive starts once it has ended",
  async (_reason, leave) => {
    const streams = new ArchiveStreams("Too many.");
    const [first, second, third] = [new Slow(), new Slow(), new Slow()];
    const left = new AbortController();
    const body = await streams.open("ada", first.make, left.signal);
    const other = await streams.open("ada", second.make, never);
    const reader = body.getReader();
    const read = reader.read().catch(() => undefined);
    const next = streams.open("ada", third.make, never);
    await Bun.sleep(0);
    reader.releaseLock();
    leave(left, body);
    await until(() => first.is_told);
    await Bun.sleep(0);
    expect([first.is_ended, third.is_begun]).toEqual([false, false]);
    first.goOn();
    const last = await next;
    expect([first.is_ended, third.is_begun, second.is_told]).toEqual([true, true, false]);
    // One has left, so there is room for just one more.
    const fourth = new Slow();
    const waiting = streams.open("ada", fourth.make, never);
    await Bun.sleep(0);
    expect(fourth.is_begun).toBe(false);
    await Promise.all([read, other.cancel(), last.cancel()]);
    second.goOn();
    await (await waiting).cancel();
  },
);

test("a failed archive makes room for the next one", async () => {
  const streams = new ArchiveStreams("Too many.");
  const fails = async (): Promise<never> => {
    throw new Error("There is nothing in it.");
  };
  for (let n = 0; n < 40; n++)
    await expect(streams.open("ada", fails, never)).rejects.toThrow("There is nothing in it.");
  const slow = new Slow();
  const body = await streams.open("ada", slow.make, never);
  expect(slow.is_begun).toBe(true);
  await body.cancel();
});
