/** Limits how many searches run at the same time: further ones are refused at once. */
import { HttpError, unavailable } from "../../core/sdk";

const retry_after_s = 1;

/** Searches at a time. */
export interface AdmissionLimits {
  readonly per_owner: number;
  readonly total: number;
}

/** The counts are in memory, so that each process has these limits for itself. */
export class SearchAdmission {
  private readonly by_owner = new Map<string, number>();
  private total = 0;

  constructor(private readonly limits: AdmissionLimits) {}

  /** @throws HttpError 429 when the owner has too many, 503 when all together have. */
  async run<R>(owner_id: string, search: () => Promise<R>): Promise<R> {
    const { per_owner, total } = this.limits;
    const of_owner = this.by_owner.get(owner_id) ?? 0;
    if (of_owner >= per_owner)
      throw new HttpError(
        429,
        "too_many_searches",
        `${per_owner} searches of this account are already in progress. Wait for them to ` +
          "finish, then try again.",
        { headers: { "retry-after": String(retry_after_s) } },
      );
    if (this.total >= total)
      throw unavailable("Too many searches are in progress. Try again.", retry_after_s);
    this.count(owner_id, 1);
    try {
      return await search();
    } finally {
      this.count(owner_id, -1);
    }
  }

  private count(owner_id: string, by: 1 | -1): void {
    this.total += by;
    const running = (this.by_owner.get(owner_id) ?? 0) + by;
    if (running === 0) this.by_owner.delete(owner_id);
    else this.by_owner.set(owner_id, running);
  }
}
