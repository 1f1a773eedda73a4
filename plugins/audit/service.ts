/** The audit log for administrators: page by page, or as one file. */
import type { Context, Listed, PageRequest } from "../../core/sdk";
import { exportStream, type ExportFormat } from "./export";
import type { Recorder } from "./recorder";
import { pageOfEntries, type EntryFilter, type EntryRow } from "./store";

export type { EntryFilter, Outcome } from "./store";

/** Reads the log. What is recorded but not written yet is written first. */
export class AuditLog {
  constructor(
    private readonly ctx: Pick<Context, "db">,
    private readonly recorder: Pick<Recorder, "flush">,
  ) {}

  /** Newest first. Includes everything done before the call. */
  async page(filter: EntryFilter, page: PageRequest): Promise<Listed<EntryRow>> {
    await this.recorder.flush();
    return pageOfEntries(this.ctx.db, filter, page);
  }

  /** The entries that match, as a stream. */
  async export(filter: EntryFilter, format: ExportFormat): Promise<ReadableStream<Uint8Array>> {
    await this.recorder.flush();
    return exportStream(this.ctx.db, filter, format);
  }
}
