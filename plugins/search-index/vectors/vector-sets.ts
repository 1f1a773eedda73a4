/**
 * Which set of vectors is kept complete and which one is in use, in the memory of each process; all
 * are notified of a change. In transactions of several processes the database decides.
 */
import { topic, type Context, type Db } from "../../../core/sdk";
import type { Embedder } from "../contract";
import type { VectorSetRow } from "../store";
import { followedVectorSet, insertVectorSet, updateSet, vectorSets } from "./vector-store";

/** Published when there are other sets, or another one is in use. */
const VectorSetsChanged = topic<null>("index.vector_sets_changed");

/** What it needs besides `Context`. */
export interface VectorSetsContext extends Pick<
  Context,
  "afterCommit" | "db" | "node" | "notifier" | "now_ms"
> {
  readonly embedder: () => Embedder | undefined;
}

/** The sets of this process, reloaded when another process changes them. */
export class VectorSets {
  /** The set of the embedder's model, which is kept complete. Null without an embedder. */
  target: VectorSetRow | null = null;
  /** The set in use: `target`, except for the time after a change of the model. */
  serving: VectorSetRow | null = null;
  /**
   * Whether documents are shown as having vectors or waiting for them: from the commit of `target`
   * on, because before it no document waits yet.
   */
  are_shown = false;

  constructor(private readonly ctx: VectorSetsContext) {}

  /** Until the returned function is called. */
  listen(onChange: () => void): () => void {
    const { notifier } = this.ctx;
    const ends = [
      notifier.subscribe(VectorSetsChanged, "all", (_, is_local) => {
        if (!is_local) onChange();
      }),
      notifier.onMissed(onChange),
    ];
    return () => ends.forEach((end) => end());
  }

  /** Notifies the others, with the commit. */
  announce(): void {
    this.ctx.notifier.publish(VectorSetsChanged, "", null);
  }

  /** After the commit of another target. */
  show(): void {
    this.are_shown = this.target !== null;
  }

  /**
   * At the start: takes the stored set, unless there are others, or documents that were not
   * examined for it. Returns whether it did.
   */
  async resume(embedder: Embedder): Promise<boolean> {
    const [set, ...others] = await vectorSets(this.ctx.db);
    if (set === undefined || others.length > 0 || targetAmong([set], embedder) === undefined)
      return false;
    if (set.serving !== 1 || set.followed !== 1 || set.looked_to !== null) return false;
    this.target = set;
    this.serving = set;
    return true;
  }

  /** For the current embedder of this process. Returns whether another set is its target. */
  async reload(): Promise<boolean> {
    const embedder = this.ctx.embedder();
    if (embedder === undefined) return false;
    const sets = await vectorSets(this.ctx.db);
    const target = targetAmong(sets, embedder);
    if (target === undefined) return false;
    const is_other = target.id !== this.target?.id;
    this.target = target;
    this.serving = sets.find((set) => set.serving === 1) ?? target;
    return is_other;
  }

  /** For an embedder whose model has none. */
  async insert(
    tx: Db,
    sets: readonly VectorSetRow[],
    { model, dimensions }: Embedder,
  ): Promise<VectorSetRow> {
    const set = {
      id: Math.max(this.ctx.now_ms(), (sets.at(-1)?.id ?? 0) + 1),
      model,
      asked_dimensions: dimensions ?? 0,
      dimensions: 0,
      serving: 0,
      adopted: 0,
      followed: 0,
      looked_to: null,
    };
    await insertVectorSet(tx, set);
    return set;
  }

  /** Changes what is known of a set, in this process with the commit. */
  async change(
    tx: Db,
    set: VectorSetRow,
    values: Pick<VectorSetRow, "adopted" | "dimensions">,
  ): Promise<void> {
    await updateSet(tx, set.id, values);
    this.announce();
    this.ctx.afterCommit(() => {
      if (this.target?.id !== set.id) return;
      this.target = { ...set, ...values };
      if (this.serving?.id === set.id) this.serving = this.target;
    });
  }

  /** The set that is kept complete, as the transaction sees it. */
  async targetIn(db: Db): Promise<VectorSetRow | null> {
    if (!this.ctx.node.shared) return this.target;
    return (await followedVectorSet(db)) ?? null;
  }
  /** Whether this set is the one that is kept complete. */
  async isTarget(db: Db, { id }: VectorSetRow): Promise<boolean> {
    return (await this.targetIn(db))?.id === id;
  }
}

/** The set of the embedder's model, if there is one. */
export const targetAmong = (
  sets: readonly VectorSetRow[],
  { model, dimensions }: Embedder,
): VectorSetRow | undefined =>
  sets.find((set) => set.model === model && set.asked_dimensions === (dimensions ?? 0));
