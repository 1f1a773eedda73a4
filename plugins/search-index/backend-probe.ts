/**
 * Looks whether a search backend that failed is back, when somebody asks how it does: of several
 * processes, one that is not searched by would say for ever that it fails.
 */
import { leftUntil } from "../../core/lib/timeout";
import type { Context } from "../../core/sdk";
import type { BackendFeed } from "./backend-feed";
import type { BackendSearch } from "./backend-search";
import * as store from "./backend-store";
import type { SearchBackend } from "./contract";

const look_every_ms = 15_000;
/** How long it may take to say what it holds. */
const state_ms_max = 2_000;

export interface BackendProbeParts extends Pick<Context, "db" | "now_ms"> {
  readonly backend: () => SearchBackend | undefined;
  readonly feed: Pick<BackendFeed, "failing" | "recover">;
  readonly search: Pick<BackendSearch, "failing" | "retry">;
}

export class BackendProbe {
  private is_looking = false;
  private looked_at_ms = -Infinity;

  constructor(private readonly parts: BackendProbeParts) {}

  /** In the background, and not often. What it finds is said from then on. */
  look(): void {
    const { now_ms } = this.parts;
    if (this.is_looking) return;
    if (leftUntil(this.looked_at_ms + look_every_ms, now_ms(), look_every_ms) > 0) return;
    this.is_looking = true;
    void this.probe()
      // It fails still, as was said.
      .catch(() => undefined)
      .finally(() => {
        this.is_looking = false;
        this.looked_at_ms = now_ms();
      });
  }

  /** It must hold all that is published before it counts as back. */
  private async probe(): Promise<void> {
    const { db, feed, search } = this.parts,
      backend = this.parts.backend(),
      row = await store.findBackend(db);
    if (backend === undefined || row?.begun !== 1 || row.filled_to !== null) return;
    if (await store.isAnyWaiting(db)) return;
    const state = await backend.state(AbortSignal.timeout(state_ms_max));
    if (state?.contents !== row.contents) return;
    if (state.passages !== (await store.countPassages(db))) return;
    feed.recover();
    if (search.failing() !== null) await search.retry(backend, row);
  }
}
