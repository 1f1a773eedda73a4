/** The name under which a request takes turns with others: known before it is authenticated. */
import type { Caller, Client } from "./route";

const callers_max = 2_000;
/** Longer ones are not remembered: a client could fill the memory with cookies of any length. */
const credentials_length_max = 500;

/** Remembers which owner recent credentials belong to. */
export class KnownCallers {
  /** Owners by the key or cookie of their recent requests, oldest first. */
  private readonly owners = new Map<string, string>();

  /**
   * The owner, where known. Unknown keys from one address share a name, however many are tried;
   * requests without a key have another one, and those that send nothing, such as probes, a third.
   */
  subjectOf(request: Request, { address }: Client): string {
    const credentials = credentialsOf(request);
    if (credentials !== null) return this.owners.get(credentials) ?? `a key from ${address}`;
    return sendsBody(request) ? `a body from ${address}` : address;
  }

  /** Remembers whose request this was. */
  note(request: Request, { owner_id }: Caller): void {
    const credentials = credentialsOf(request);
    if (
      credentials === null ||
      credentials.length > credentials_length_max ||
      this.owners.has(credentials)
    )
      return;
    this.owners.set(credentials, owner_id);
    if (this.owners.size <= callers_max) return;
    const [oldest] = this.owners.keys();
    this.owners.delete(oldest!);
  }
}

const credentialsOf = ({ headers }: Request): string | null =>
  headers.get("authorization") ?? headers.get("cookie");
const sendsBody = ({ headers }: Request): boolean =>
  headers.has("content-length") || headers.has("transfer-encoding");
