/**
 * Writes texts, large ones in advance and in parts, and deletes those that are no longer
 * referenced.
 */
import { AscendingIds } from "../../core/lib/ascending-ids";
import { Cleaner } from "../../core/lib/cleaner";
import { inParts } from "../../core/lib/chunked-work";
import type { Context, Db } from "../../core/sdk";
import { isOnePiece, type NewText, type Texts } from "./contract";
import {
  pieceCount,
  pointsUntil,
  piecesOf,
  piecesOfParts,
  unitsUntil,
  type LongText,
  type Piece,
  type StoredText,
} from "../../core/lib/text-pieces";
import * as store from "./store";

/** Pieces written or deleted per transaction; a text with no more than this counts as small. */
const part_pieces = 24;

/** What the service needs besides `Context`. */
export interface TextContext extends Pick<
  Context,
  "afterCommit" | "db" | "inDeletion" | "inTransaction" | "log" | "node" | "now_ms" | "truncateWal"
> {
  readonly files: Pick<Context["files"], "requireFreeSpace">;
}

/** Writes and deletes texts. */
export class TextService implements Texts {
  private readonly ids: AscendingIds;
  /** Texts being written or waiting to be kept: they are listed as unused, but must stay. */
  private readonly in_use = new Set<number>();
  private readonly cleaner = new Cleaner({
    clean: (signal) => this.clean(signal),
    onError: (error) =>
      this.ctx.log.warn("an unused text could not be deleted yet", { error: String(error) }),
  });

  constructor(private readonly ctx: TextContext) {
    const { now_ms, node } = ctx;
    this.ids = new AscendingIds({ now_ms, lease: node.leaseNumbers, series: "texts" });
  }

  /**
   * Called before the first request: what an earlier run left behind is deleted in the background.
   */
  async start(): Promise<void> {
    await this.ids.continueAfter(await store.largestId(this.ctx.db));
    this.cleaner.start();
  }
  /** Also deletes what other processes left behind. */
  clearUp(): void {
    this.cleaner.start();
  }
  /** Stops deleting in the background. */
  stop(): Promise<void> {
    return this.cleaner.stop();
  }

  async prepare(content: string, signal?: AbortSignal): Promise<NewText> {
    const count = pieceCount(content.length);
    const id = this.newId(count);
    if (count <= part_pieces) {
      const pieces = [...piecesOf(content, id)];
      return new SmallText(storedText(id, pieces.at(-1)), pieces);
    }
    return this.prepareAhead(piecesOf(content, id), this.unusedText(id, content.length), signal);
  }

  async prepareLong({ units_max, parts }: LongText, signal?: AbortSignal): Promise<NewText> {
    const id = this.newId(pieceCount(units_max));
    return this.prepareAhead(piecesOfParts(parts, id), this.unusedText(id, units_max), signal);
  }

  private unusedText(id: number, units: number): store.UnusedText {
    return { id, units, node: this.ctx.node.id };
  }

  private async prepareAhead(
    pieces: Pieces,
    reserved: store.UnusedText,
    signal: AbortSignal | undefined,
  ): Promise<NewText> {
    const { id } = reserved;
    this.in_use.add(id);
    try {
      const stored = await this.writeAhead(pieces, reserved, signal);
      return {
        stored,
        is_written: true,
        keep: (tx) => this.keep(tx, id),
        discard: () => this.discard(id),
      };
    } catch (error) {
      this.discard(id);
      throw error;
    } finally {
      await pieces.return?.();
    }
  }

  async insert(tx: Db, content: string): Promise<StoredText> {
    const id = this.newId(pieceCount(content.length));
    let last: Piece | undefined;
    for (const piece of piecesOf(content, id)) {
      await store.insertPiece(tx, piece);
      last = piece;
    }
    return storedText(id, last);
  }

  async drop(tx: Db, texts: readonly StoredText[]): Promise<void> {
    for (const text of texts)
      if (pieceCount(text.units) <= part_pieces) await store.deletePieces(tx, text, part_pieces);
      else {
        await store.insertUnused(tx, { id: text.id, units: text.units, node: "" });
        this.ctx.afterCommit(this.cleaner.start);
      }
  }

  async removeSome(tx: Db, texts: readonly StoredText[]): Promise<boolean> {
    const small = texts.filter(isOnePiece);
    const large = texts.filter((text) => !isOnePiece(text));
    await store.deleteFirstPieces(
      tx,
      small.map(({ id }) => id),
    );
    let left = part_pieces;
    for (const text of large) {
      if (left <= 0) return false;
      left -= await store.deletePieces(tx, text, left);
    }
    return left > 0;
  }

  /**
   * Numbers are spaced by one more than the pieces, so reading up to the end never reaches another
   * text.
   */
  private newId(pieces: number): number {
    return this.ids.reserve(pieces + 1);
  }

  /** Written in transactions of several pieces; until the last one nothing refers to the text. */
  private async writeAhead(
    pieces: Pieces,
    reserved: store.UnusedText,
    signal: AbortSignal | undefined,
  ): Promise<StoredText> {
    const { files, inTransaction } = this.ctx;
    const { id, units } = reserved;
    let next = await pieces.next();
    let last: Piece | undefined;
    await inParts(async () => {
      files.requireFreeSpace();
      const batch: Piece[] = [];
      for (; !next.done && batch.length < part_pieces; next = await pieces.next())
        batch.push(next.value);
      if (unitsUntil(batch.at(-1)) > units)
        throw new Error("a text is longer than it was said to be");
      await inTransaction(async (tx) => {
        if (last === undefined) await store.insertUnused(tx, reserved);
        // Others may have taken this process for gone, and deleted what it had written.
        else if (!(await store.isUnused(tx, id, reserved.node))) throw discarded(id);
        for (const piece of batch) await store.insertPiece(tx, piece);
      });
      last = batch.at(-1) ?? last;
      return !next.done;
    }, signal);
    return storedText(id, last);
  }

  private async keep(tx: Db, id: number): Promise<void> {
    if (!this.in_use.has(id) || !(await store.deleteUnused(tx, id, this.ctx.node.id)))
      throw discarded(id);
    this.ctx.afterCommit(() => this.in_use.delete(id));
  }

  private discard(id: number): void {
    if (this.in_use.delete(id)) this.cleaner.start();
  }

  private async clean(signal: AbortSignal): Promise<void> {
    const { db, inDeletion, node, truncateWal } = this.ctx;
    const alive = await node.alive();
    const isKept = ({ id, node: of }: store.UnusedText): boolean =>
      of === node.id ? this.in_use.has(id) : alive.has(of);
    const unused = (await store.unusedTexts(db)).filter((text) => !isKept(text));
    for (const text of unused) {
      // A process that was only unresponsive must not keep a half-deleted text.
      if (text.node !== "") await inDeletion((tx) => store.clearNode(tx, text.id));
      await inParts(
        () =>
          inDeletion(async (tx) => {
            if ((await store.deletePieces(tx, text, part_pieces)) > 0) return true;
            await store.deleteUnused(tx, text.id, "");
            return false;
          }),
        signal,
      );
    }
    if (unused.length > 0) truncateWal();
  }
}

const discarded = (id: number): Error =>
  new Error(`The text ${id} was discarded; prepare it again.`);

class SmallText implements NewText {
  readonly is_written = false;
  constructor(
    readonly stored: StoredText,
    private readonly pieces: readonly Piece[],
  ) {}
  async keep(tx: Db): Promise<void> {
    for (const piece of this.pieces) await store.insertPiece(tx, piece);
  }
  discard(): void {}
}

type Pieces = Iterator<Piece, void> | AsyncIterator<Piece, void>;

const storedText = (id: number, last: Piece | undefined): StoredText => ({
  id,
  units: unitsUntil(last),
  points: pointsUntil(last),
});
