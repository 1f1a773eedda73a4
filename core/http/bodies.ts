/**
 * Limits how much memory all JSON bodies take together, and decides where they are parsed. A body
 * is not read before its turn: until then it stays with its sender.
 */
import { unavailable, type HttpError } from "../base/errors";
import { BudgetRefusal, ByteBudget } from "../lib/byte-budget";
import { parseJson } from "./json";
import { JsonThread } from "./json-thread";
import type { LargeBody, LargeValue } from "./json-worker";

/** Parsing more than this would delay other requests noticeably. */
const large_bytes_min = 256 * 1024;
/** The amount reserved for a body of undeclared length, until more has arrived. */
const undeclared_bytes = 64 * 1024;
/** Small bodies never wait for large ones. */
const budgets = {
  small: { bytes_max: 16 * 2 ** 20, per_owner_bytes_max: 4 * 2 ** 20, waiting_max: 1_000 },
  large: { bytes_max: 32 * 2 ** 20, per_owner_bytes_max: 16 * 2 ** 20, waiting_max: 64 },
};
const wait_ms_max = 30_000;

/** The memory for JSON bodies of one process, and the thread that parses large ones. */
export class Bodies {
  private readonly small = new ByteBudget({
    ...budgets.small,
    per_owner_waiting_max: 200,
    wait_ms_max,
  });
  private readonly large = new ByteBudget({
    ...budgets.large,
    per_owner_waiting_max: 32,
    wait_ms_max,
  });
  private readonly thread = new JsonThread();

  /**
   * The turn of a body whose length is declared, or is `bytes_max` at most. @throws HttpError 503
   */
  async turn(
    owner: string,
    { declared, bytes_max }: ExpectedBody,
    signal: AbortSignal,
  ): Promise<BodyTurn> {
    const bytes = declared ?? Math.min(undeclared_bytes, bytes_max);
    const acquire = (amount: number) => this.acquire(owner, amount, signal);
    return new BodyTurn(bytes, await acquire(bytes), () => acquire(bytes_max));
  }

  private async acquire(owner: string, bytes: number, signal: AbortSignal): Promise<() => void> {
    try {
      return await (bytes > large_bytes_min ? this.large : this.small).acquire(
        owner,
        bytes,
        signal,
      );
    } catch (error) {
      throw error instanceof BudgetRefusal ? tooManyBodies() : error;
    }
  }

  /** @throws HttpError as `parseJson` does. */
  parse(body: LargeBody, signal: AbortSignal): LargeValue | Promise<LargeValue> {
    const { bytes, values_max } = body;
    return bytes.length > large_bytes_min
      ? this.thread.parse(body, signal)
      : { value: parseJson(bytes, values_max) };
  }
}

/** A body of at least one byte. */
export interface ExpectedBody {
  readonly declared: number | undefined;
  readonly bytes_max: number;
}

/** Lasts until the request is answered, because the parsed body stays in memory for as long. */
export class BodyTurn {
  private releases: (() => void)[];

  constructor(
    /** How many bytes may be read. */
    public bytes: number,
    end: () => void,
    private readonly acquireAll: () => Promise<() => void>,
  ) {
    this.releases = [end];
  }

  /** Waits until as many bytes may be read as the route accepts. @throws HttpError 503 */
  async widen(): Promise<void> {
    this.bytes = Infinity;
    this.releases.push(await this.acquireAll());
  }
  /** The request is answered: the next body may be read. */
  end(): void {
    for (const end of this.releases.splice(0)) end();
  }
}

/** The refusal of a body for which there is no room. */
export const tooManyBodies = (): HttpError =>
  unavailable("Too many bodies of this size are being read. Try again in a few seconds.", 5);
