/**
 * The packs of each searching owner: keeps their heads in memory, and compares them with what is
 * stored.
 */
import { PackHead } from "./pack";
import type { SegmentReader } from "./segment-reader";
import type { Pauses } from "../workers/worker-protocol";

/** A pack whose head is in memory. */
export interface Pack {
  readonly id: number;
  /** Local to this process: small, and never reused. */
  readonly number: number;
  readonly head: PackHead;
}
type Packs = ReadonlyMap<number, Pack>;

/** Heads per read. */
const heads_read_max = 16;

/** The packs by owner. */
export class PackDirectory {
  /** By owner, least recently used first. */
  private readonly owners = new Map<string, Packs>();
  private bytes = 0;
  private packs_read = 0;

  /** `onGone` is called for a pack that is no longer stored. */
  constructor(
    private readonly reader: SegmentReader,
    private readonly bytes_max: number,
    private readonly onGone: (pack: Pack) => void,
  ) {}

  /** The packs that are stored now. */
  async packsOf(owner_id: string, pauses: Pauses): Promise<Iterable<Pack>> {
    const ids = await this.reader.packIds(owner_id);
    const cached: Packs = this.owners.get(owner_id) ?? new Map();
    const packs = new Map<number, Pack>();
    const missing = ids.filter((id) => !cached.has(id));
    const loaded = new Map<number, Pack>();
    for (let at = 0; at < missing.length; at += heads_read_max) {
      const batch = missing.slice(at, at + heads_read_max);
      const heads = await this.reader.packHeads(batch);
      heads.forEach((head, i) => {
        const id = batch[i]!;
        if (head !== null)
          loaded.set(id, { id, number: this.packs_read++, head: new PackHead(head) });
      });
      if (pauses.due) await pauses.pause();
    }
    for (const id of ids) {
      const pack = cached.get(id) ?? loaded.get(id);
      if (pack !== undefined) packs.set(id, pack);
    }
    for (const pack of cached.values()) if (!packs.has(pack.id)) this.onGone(pack);
    this.keep(owner_id, packs);
    return packs.values();
  }

  private keep(owner_id: string, packs: Packs): void {
    this.forget(owner_id);
    if (packs.size > 0) this.owners.set(owner_id, packs);
    this.bytes += bytesOf(packs);
    for (const oldest of this.owners.keys()) {
      if (this.bytes <= this.bytes_max || oldest === owner_id) break;
      this.forget(oldest);
    }
  }
  private forget(owner_id: string): void {
    this.bytes -= bytesOf(this.owners.get(owner_id) ?? new Map());
    this.owners.delete(owner_id);
  }
}

const bytesOf = (packs: Packs): number =>
  [...packs.values()].reduce((sum, { head }) => sum + head.byteLength, 0);
