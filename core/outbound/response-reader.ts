/**
 * Parses an HTTP/1.1 response from the bytes of a connection, no further than necessary: the status
 * counts as soon as its line is complete, whatever follows.
 */

/** The bytes are not an HTTP/1.1 response. */
export class NotHttp extends Error {
  override readonly name = "NotHttp";
  readonly code = "NotHttp";
  constructor() {
    super("the response is not valid HTTP/1.1");
  }
}

/** All heads together: interim responses, the status line and the headers. */
const head_bytes_max = 64 * 1024;
const line_feed = 10;
const status_line = /^HTTP\/1\.[01] (\d{3})(?: .*)?$/;
/** The line may be truncated after the number. */
const cut_status_line = /^HTTP\/1\.[01] (\d{3})(?:[ \r]|$)/;
const switching_protocols = 101;

/** How the body after the head is delimited. */
type Body =
  | { readonly kind: "none" }
  | { readonly kind: "until_close" }
  | { readonly kind: "length"; bytes_left: number }
  | { readonly kind: "chunks"; bytes_left: number };

/** Pass the bytes of a connection to `take`, and call `end` when it is closed. */
export class ResponseReader {
  /** Of the final response, not of an interim one; undefined until its line is complete. */
  status: number | undefined;
  /** As far as they arrived. */
  readonly headers = new Headers();
  private readonly parts: Buffer[] = [];
  private body_bytes = 0;
  private pending: Buffer = Buffer.alloc(0);
  private head_bytes = 0;
  private is_interim = false;
  private expected_body: Body | undefined;

  /** `body_bytes_max`: how much of the body is wanted. */
  constructor(private readonly body_bytes_max: number) {}

  /** The beginning of the body. */
  get body(): Buffer {
    return Buffer.concat(this.parts).subarray(0, this.body_bytes_max);
  }

  /** False once nothing more is wanted. @throws NotHttp */
  take(chunk: Uint8Array): boolean {
    this.pending = Buffer.concat([this.pending, chunk]);
    while (!this.expected_body) {
      const line = this.takeLine();
      if (line === undefined) return this.wantsMoreHead();
      this.head_bytes += line.length + 1;
      if (this.status === undefined && !this.is_interim) this.takeStatus(line);
      else if (line === "" || line === "\r") this.endHead();
      else this.takeHeader(line);
      if (this.head_bytes > head_bytes_max) return this.giveUpHead();
    }
    return this.takeBody(this.expected_body);
  }

  /** The connection has ended. @throws NotHttp when there is no status yet */
  end(): void {
    if (this.status !== undefined) return;
    const status = cut_status_line.exec(this.pending.toString("latin1"))?.[1];
    if (this.is_interim || status === undefined || isInterim(Number(status))) throw new NotHttp();
    this.status = Number(status);
  }

  private takeLine(): string | undefined {
    const at = this.pending.indexOf(line_feed);
    if (at < 0) return undefined;
    const line = this.pending.toString("latin1", 0, at);
    this.pending = this.pending.subarray(at + 1);
    return line;
  }

  private wantsMoreHead(): boolean {
    return this.head_bytes + this.pending.length <= head_bytes_max || this.giveUpHead();
  }

  /** The head is too long: acceptable if it has a status. */
  private giveUpHead(): false {
    if (this.status === undefined) throw new NotHttp();
    return false;
  }

  private takeStatus(line: string): void {
    const status = status_line.exec(line.replace(/\r$/, ""))?.[1];
    if (status === undefined) throw new NotHttp();
    if (isInterim(Number(status))) this.is_interim = true;
    else this.status = Number(status);
  }

  private takeHeader(line: string): void {
    const at = line.indexOf(":");
    if (this.is_interim || at < 1) return;
    try {
      this.headers.append(line.slice(0, at), line.slice(at + 1).trim());
    } catch {
      // An invalid header is ignored.
    }
  }

  private endHead(): void {
    if (this.is_interim) this.is_interim = false;
    else this.expected_body = bodyOf(this.status!, this.headers);
  }

  private takeBody(body: Body): boolean {
    switch (body.kind) {
      case "none":
        return false;
      case "until_close":
        return this.takeBytes(this.pending.length);
      case "length":
        body.bytes_left -= this.pending.length;
        return (
          this.takeBytes(this.pending.length + Math.min(0, body.bytes_left)) && body.bytes_left > 0
        );
      case "chunks":
        return this.takeChunks(body);
    }
  }

  private takeChunks(body: Body & { readonly kind: "chunks" }): boolean {
    for (;;) {
      if (body.bytes_left > 0) {
        const length = Math.min(body.bytes_left, this.pending.length);
        body.bytes_left -= length;
        if (!this.takeBytes(length)) return false;
        if (body.bytes_left > 0) return true;
      }
      const line = this.takeLine();
      if (line === undefined) return this.pending.length <= head_bytes_max;
      // The empty line after a chunk.
      if (line === "" || line === "\r") continue;
      const size = /^[0-9a-f]{1,8}(?=[;\s]|$)/i.exec(line)?.[0];
      if (size === undefined || Number.parseInt(size, 16) === 0) return false;
      body.bytes_left = Number.parseInt(size, 16);
    }
  }

  /** Takes this many bytes of the body. False when nothing more is wanted. */
  private takeBytes(bytes: number): boolean {
    if (bytes > 0) this.parts.push(this.pending.subarray(0, bytes));
    this.pending = this.pending.subarray(bytes);
    this.body_bytes += bytes;
    return this.body_bytes < this.body_bytes_max;
  }
}

const isInterim = (status: number): boolean =>
  status >= 100 && status < 200 && status !== switching_protocols;

function bodyOf(status: number, headers: Headers): Body {
  if (status === 204 || status === 304 || status === switching_protocols) return { kind: "none" };
  if (/\bchunked\b/i.test(headers.get("transfer-encoding") ?? ""))
    return { kind: "chunks", bytes_left: 0 };
  const length = headers.get("content-length");
  if (length === null || !/^\d{1,15}$/.test(length)) return { kind: "until_close" };
  return length === "0" ? { kind: "none" } : { kind: "length", bytes_left: Number(length) };
}
