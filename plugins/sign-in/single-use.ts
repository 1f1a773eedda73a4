/** Tokens that may be used once, across all processes: remembered for as long as they are valid. */
import type { Shared } from "../../core/sdk";

/** The scope of the shared entries. */
export const used_scope = "sign_in.used";

/** Remembers which tokens were used. */
export class SingleUse {
  constructor(
    private readonly options: { readonly shared: Pick<Shared, "state">; readonly keep_ms: number },
  ) {}

  /** False when it was already used. */
  redeem(token: string): Promise<boolean> {
    const { shared, keep_ms } = this.options;
    return shared.state.change<1, boolean>(used_scope, token, (taken) =>
      taken === undefined ? { value: 1, keep_ms, result: true } : { result: false },
    );
  }
}
