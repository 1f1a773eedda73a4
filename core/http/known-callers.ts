/** The name under which a request takes turns with others: known before it is authenticated. */
import { createHash } from "node:crypto";
import type { Caller, Client } from "./route";

const callers_max = 2_000;
/** Of longer ones a digest is remembered: cookies may be of any length. */
const credentials_length_max = 500;

/** Remembers which owner recent credentials belong to. */
export class KnownCallers {
  /** Owners by the credentials of their recent requests, oldest first. */
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

  /** The owner, when these credentials were good recently. */
  ownerOf(request: Request): string | undefined {
    const credentials = credentialsOf(request);
    return credentials === null ? undefined : this.owners.get(credentials);
  }

  /** Remembers whose request this was. */
  note(request: Request, { owner_id }: Caller): void {
    const credentials = credentialsOf(request);
    if (credentials === null || this.owners.get(credentials) === owner_id) return;
    this.owners.set(credentials, owner_id);
    if (this.owners.size <= callers_max) return;
    const [oldest] = this.owners.keys();
    this.owners.delete(oldest!);
  }
}

/** Both headers: behind a proxy, one of them may be the same for everybody. */
function credentialsOf({ headers }: Request): string | null {
  const [key, cookie] = [headers.get("authorization"), headers.get("cookie")];
  if (key === null && cookie === null) return null;
  const credentials = `${key}\n${cookie}`;
  return credentials.length <= credentials_length_max
    ? credentials
    : createHash("sha256").update(credentials).digest("base64");
}
const sendsBody = ({ headers }: Request): boolean =>
  headers.has("content-length") || headers.has("transfer-encoding");
