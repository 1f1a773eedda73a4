/**
 * Checks whether a failed search backend is back, when its health is requested: otherwise a process
 * that does no searches would report the failure for ever.
 */
import { leftUntil } from "../../../core/lib/timeout";
import type { Context } from "../../../core/sdk";
import type { BackendFeed } from "./backend-feed";
import type { BackendSearch } from "./backend-search";
import * as store from "./backend-store";
import type { SearchBackend } from "../contract";

const check_interval_ms = 15_000;
/** How long it may take to report its state. */
const state_ms_max = 2_000;

/** What the probe needs besides `Context`. */
export interface BackendProbeContext extends Pick<Context, "db" | "now_ms"> {
  readonly backend: () => SearchBackend | undefined;
  readonly feed: Pick<BackendFeed, "failing" | "recover">;
  readonly search: Pick<BackendSearch, "failing" | "retry">;
}

/** Checks at most one at a time, and not too often. */
export class BackendProbe {
  private is_checking = false;
  private checked_at_ms = -Infinity;

  constructor(private readonly ctx: BackendProbeContext) {}

  /** In the background, and not often. The result is reported from then on. */
  check(): void {
    const { now_ms } = this.ctx;
    if (this.is_checking) return;
    if (leftUntil(this.checked_at_ms + check_interval_ms, now_ms(), check_interval_ms) > 0) return;
    this.is_checking = true;
    void this.probe()
      // It still fails, as reported before.
      .catch(() => undefined)
      .finally(() => {
        this.is_checking = false;
        this.checked_at_ms = now_ms();
      });
  }

  /** It must have everything that is published before it counts as back. */
  private async probe(): Promise<void> {
    const { db, feed, search } = this.ctx;
    const backend = this.ctx.backend();
    const row = await store.findBackend(db);
    if (backend === undefined || row?.begun !== 1 || row.filled_to !== null) return;
    if (await store.isAnyWaiting(db)) return;
    const state = await backend.state(AbortSignal.timeout(state_ms_max));
    if (state?.contents !== row.contents) return;
    if (state.passages !== (await store.countPassages(db))) return;
    feed.recover();
    if (search.failing() !== null) await search.retry(backend, row);
  }
}
