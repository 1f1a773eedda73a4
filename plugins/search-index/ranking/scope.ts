/** What a search covers: the segments of its folders, and the packs that contain most of them. */
import { batchesOf } from "../../../core/lib/batch";
import { textOfIds } from "../../../core/lib/id-lists";
import type { SearchRequest } from "../contract";
import type { Pack, PackDirectory } from "../segments/pack-directory";
import { folders_read_max, type SegmentReader } from "../segments/segment-reader";
import type { Pauses } from "../workers/worker-protocol";

/** Ids per read. */
const ids_read_max = 8_192;
/** Reading this few chunks one by one is cheaper than reading a pack. */
const few_chunks = 64;
/** The memory of the ids that are remembered and of their folders, for all scopes together. */
const cached_bytes_max = 16 * 2 ** 20;

/** Something in scope was deleted or replaced since the scope was read. */
export class ScopeChanged extends Error {}

/** The part of a request that determines the scope. */
export type ScopeRequest = Pick<SearchRequest, "owner_id" | "folder_ids" | "document_ids">;

/** A pack with segments to be searched. */
export interface ScopedPack {
  readonly pack: Pack;
  /** For each of its segments: the index in `ids`; -1 when it is not searched. */
  readonly places: Int32Array;
  /** Whether all of its segments are searched. */
  readonly is_whole: boolean;
}
/** The segments that are searched. */
export interface Scope {
  /** Ids of the segments, ascending. */
  readonly ids: Float64Array;
  readonly packs: readonly ScopedPack[];
  /** Indices in `ids` of the segments that are read singly. */
  readonly loose: Uint32Array;
  /** By index: 1 when a pack contains the segment, whether it is read from there or not. */
  readonly packed: Uint8Array;
}

/** Resolves scopes, and remembers those of recent searches. */
export class ScopeResolver {
  /** By folders: ids, and the state of the database at that time. Least recently used first. */
  private readonly cached_scopes = new Map<string, { version: number; ids: Float64Array }>();
  private cached_bytes = 0;

  constructor(
    private readonly reader: SegmentReader,
    private readonly directory: PackDirectory,
  ) {}

  /** The scope of a request, as of now. */
  async resolve(
    { owner_id, folder_ids, document_ids }: ScopeRequest,
    pauses: Pauses,
  ): Promise<Scope> {
    const packs = await this.directory.packsOf(owner_id, pauses);
    const ids = await this.idsIn(folder_ids, pauses);
    return withPacks(
      document_ids === undefined ? ids : await this.onlyOf(document_ids, ids),
      packs,
      pauses,
    );
  }

  /** Without duplicates, ascending. */
  private async idsIn(folder_ids: readonly string[], pauses: Pauses): Promise<Float64Array> {
    const key = textOfIds(folder_ids);
    const version = await this.reader.version();
    const cached = this.cached_scopes.get(key);
    if (cached?.version === version) {
      this.forget(key);
      this.remember(key, version, cached.ids);
      return cached.ids;
    }
    const pages: Float64Array[] = [];
    for (const folders of batchesOf(folder_ids, folders_read_max))
      for await (const page of this.pagesIn(folders)) {
        if (page.length > 0) pages.push(page);
        if (pauses.due) await pauses.pause();
      }
    const ids = ascending(pages);
    this.forget(key);
    this.remember(key, version, ids);
    return ids;
  }

  /** Each page ascends. Small folders are read together, large ones singly. */
  private async *pagesIn(folder_ids: readonly string[]): AsyncGenerator<Float64Array> {
    const are_several = folder_ids.length > 1;
    const all = are_several ? await this.reader.allSegmentIds(folder_ids, ids_read_max) : null;
    if (all !== null) {
      yield withoutRepeats(all.sort());
      return;
    }
    for (const folder_id of folder_ids)
      for (let last = -1, full = true; full;) {
        const page = await this.reader.segmentIds(folder_id, last, ids_read_max);
        yield page;
        full = page.length === ids_read_max;
        last = page.at(-1) ?? last;
      }
  }

  private async onlyOf(document_ids: readonly string[], ids: Float64Array): Promise<Float64Array> {
    const chosen_ids = new Set<number>();
    for (const document_id of document_ids)
      for (const id of await this.reader.segmentIdsOf(document_id)) chosen_ids.add(id);
    return ids.filter((id) => chosen_ids.has(id));
  }

  private remember(key: string, version: number, ids: Float64Array): void {
    this.cached_scopes.set(key, { version, ids });
    this.cached_bytes += bytesOf(key, ids);
    for (const oldest of this.cached_scopes.keys()) {
      if (this.cached_bytes <= cached_bytes_max) break;
      this.forget(oldest);
    }
  }
  private forget(key: string): void {
    const cached = this.cached_scopes.get(key);
    if (cached === undefined) return;
    this.cached_bytes -= bytesOf(key, cached.ids);
    this.cached_scopes.delete(key);
  }
}

/** Of a remembered scope: folders without documents have no ids, but are part of the key. */
const bytesOf = (key: string, ids: Float64Array): number => key.length + ids.byteLength;

/** The same scope, of which only these segments are read, each singly. */
export function onlyAmong(scope: Scope, segment_ids: readonly number[]): Scope {
  const chosen_ids = Float64Array.from(new Set(segment_ids)).sort();
  const loose = placesOf(chosen_ids, scope.ids).filter((place) => place >= 0);
  return { ...scope, packs: [], loose: Uint32Array.from(loose) };
}

/** The ids of all pages, without duplicates; each page ascends. */
function ascending(pages: readonly Float64Array[]): Float64Array {
  const ids = new Float64Array(pages.reduce((sum, page) => sum + page.length, 0));
  let used = 0;
  let sorted = true;
  for (const page of pages) {
    sorted &&= used === 0 || ids[used - 1]! < page[0]!;
    ids.set(page, used);
    used += page.length;
  }
  return sorted ? ids : withoutRepeats(ids.sort());
}

function withoutRepeats(sorted: Float64Array): Float64Array {
  let length = 0;
  for (const id of sorted) if (length === 0 || sorted[length - 1] !== id) sorted[length++] = id;
  return sorted.subarray(0, length);
}

/** Finds the segments of each pack among `ids`. */
async function withPacks(ids: Float64Array, packs: Iterable<Pack>, pauses: Pauses): Promise<Scope> {
  const packed = new Uint8Array(ids.length);
  const alone = new Uint8Array(ids.length).fill(1);
  const scoped: ScopedPack[] = [];
  for (const pack of packs) {
    const places = placesOf(pack.head.ids, ids);
    const chunks = chunksAt(pack, places);
    const is_used = chunks > few_chunks;
    for (const place of places) {
      if (place < 0) continue;
      packed[place] = 1;
      if (is_used) alone[place] = 0;
    }
    if (is_used) scoped.push({ pack, places, is_whole: chunks === pack.head.chunks });
    if (pauses.due) await pauses.pause();
  }
  const loose = new Uint32Array(ids.length);
  let used = 0;
  for (let place = 0; place < ids.length; place++) if (alone[place] === 1) loose[used++] = place;
  return { ids, packs: scoped, loose: loose.subarray(0, used), packed };
}

/** The index of each of `some` in `all`, -1 where it is missing; both ascend. */
function placesOf(searched_ids: Float64Array, scope_ids: Float64Array): Int32Array {
  const places = new Int32Array(searched_ids.length).fill(-1);
  let place = 0;
  for (let at = 0; at < searched_ids.length && place < scope_ids.length; at++) {
    const id = searched_ids[at]!;
    place = firstFrom(scope_ids, place, id);
    if (scope_ids[place] === id) places[at] = place;
  }
  return places;
}

/** How many chunks of the pack are searched. */
function chunksAt({ head }: Pack, places: Int32Array): number {
  let chunks = 0;
  for (let segment = 0; segment < places.length; segment++)
    if (places[segment]! >= 0)
      chunks += head.first_chunks[segment + 1]! - head.first_chunks[segment]!;
  return chunks;
}

/** The first index from `start` on whose id is not below `id`: galloping, then bisection. */
export function firstFrom(ids: Float64Array, start: number, id: number): number {
  let low = start;
  let step = 1;
  while (low + step < ids.length && ids[low + step]! < id) {
    low += step;
    step *= 2;
  }
  let high = Math.min(low + step, ids.length);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ids[middle]! < id) low = middle + 1;
    else high = middle;
  }
  return low;
}
