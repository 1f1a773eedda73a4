/** Original files in a bucket of an S3-compatible store: `prefix/ab/abcd…`, by their hash. */
import { ulid } from "../../base/ids";
import { nameOf } from "../file-directory";
import type { ListedFile, RemoteBytes, StoredFile } from "../files";
import { FilesFault, type ObjectPlace } from "./place";
import { elementText, S3Client, type S3Response, type S3ClientOptions } from "./s3-client";
import { sha256Of } from "./s3-signature";

/**
 * Files up to this size are sent in one request, larger ones in parts of this size, two at a time.
 */
const part_bytes_least = 8 * 2 ** 20;
const parts_at_once = 2;
/** The limit of S3. */
const parts_max = 10_000;
/** Read in one request; the next one is requested while this one is used. */
const piece_bytes = 4 * 2 ** 20;
/** The prefix of files written to test whether that works. */
const probe_prefix = "probe-";
const listed_pattern = /<Key>[^<]*?([0-9a-f]{2})\/([0-9a-f]{64})<\/Key>[^]*?<Size>(\d+)<\/Size>/g;

/** A bucket in which the prefix of `address` belongs to this server. */
export class S3Place implements ObjectPlace {
  private readonly client: S3Client;

  constructor(private readonly options: S3ClientOptions) {
    this.client = new S3Client(options);
  }

  get display_name(): string {
    return this.client.display_name;
  }
  get timeout_ms(): number {
    return this.options.timeout_ms;
  }

  async put(path: string, { sha256, size_bytes }: ListedFile): Promise<void> {
    const key = this.key(sha256);
    if (size_bytes > part_bytes_least) return this.putParts(path, key, size_bytes);
    const body = await Bun.file(path).bytes();
    await this.client.send({ operation: "put", method: "PUT", key, body });
  }

  async size(sha256: string): Promise<number | undefined> {
    const { status, headers } = await this.client.send({
      operation: "head",
      method: "HEAD",
      key: this.key(sha256),
      allowed: [404],
    });
    if (status === 404) return undefined;
    const size = headers.get("content-length");
    if (size === null || !/^\d+$/.test(size))
      throw new FilesFault(
        "FILES_REFUSED",
        `${this.display_name}: it does not report the size of an object.`,
      );
    return Number(size);
  }

  async open(sha256: string): Promise<RemoteBytes | undefined> {
    const size = await this.size(sha256);
    if (size === undefined) {
      // While the whole bucket is unreachable, a 404 does not mean that the object is gone.
      await this.ping();
      return undefined;
    }
    return new RangedBytes((start, end) => this.read(sha256, start, end), 0, size);
  }

  async remove(sha256: string, mayRepeat: () => boolean): Promise<void> {
    await this.delete(this.key(sha256), mayRepeat);
  }

  async *list(): AsyncGenerator<StoredFile[]> {
    const tokens_seen = new Set<string>();
    for (let token: string | null = ""; token !== null;) {
      const { body } = await this.client.send({
        operation: "list",
        method: "GET",
        key: "",
        query: {
          "list-type": "2",
          prefix: this.options.address.prefix,
          ...(token !== "" && { "continuation-token": token }),
        },
      });
      const xml = new TextDecoder().decode(body);
      if (!xml.includes("<ListBucketResult"))
        throw new FilesFault(
          "FILES_REFUSED",
          `${this.display_name}: it responds, but not like S3.`,
        );
      const files = xml.split("<Contents>").flatMap((part) => listedFile(part) ?? []);
      if (files.length > 0) yield files;
      token =
        elementText(xml, "IsTruncated") === "true"
          ? elementText(xml, "NextContinuationToken")
          : null;
      if (token !== null && (token === "" || tokens_seen.has(token)))
        throw new FilesFault(
          "FILES_REFUSED",
          `${this.display_name}: its list of objects never ends.`,
        );
      if (token !== null) tokens_seen.add(token);
    }
  }

  localPath(): undefined {
    return undefined;
  }

  async probe(): Promise<void> {
    const key = `${this.options.address.prefix}${probe_prefix}${ulid()}`;
    const body = new TextEncoder().encode(key);
    await this.client.send({ operation: "put", method: "PUT", key, body });
    const read = await this.client.send({ operation: "get", method: "GET", key });
    if (sha256Of(read.body) !== sha256Of(body))
      throw new FilesFault(
        "FILES_REFUSED",
        `${this.display_name}: it returns other bytes than were stored.`,
      );
    await this.delete(key);
    await this.ping();
  }

  async ping(): Promise<void> {
    await this.client.send({
      operation: "list",
      method: "GET",
      key: "",
      query: {
        "list-type": "2",
        prefix: `${this.options.address.prefix}${probe_prefix}`,
        "max-keys": "1",
      },
    });
  }

  counts() {
    const { sent_bytes, received_bytes } = this.client;
    return { requests: this.client.requests(), sent_bytes, received_bytes };
  }

  private key(sha256: string): string {
    return `${this.options.address.prefix}${nameOf(sha256)}`;
  }

  private async delete(key: string, mayRepeat?: () => boolean): Promise<void> {
    const allowed = [404];
    await this.client.send({ operation: "delete", method: "DELETE", key, allowed, mayRepeat });
  }

  /** Bytes from `start` to `end`, end exclusive. */
  private async read(sha256: string, start: number, end: number): Promise<Uint8Array> {
    const response = await this.client.send(
      {
        operation: "get",
        method: "GET",
        key: this.key(sha256),
        headers: { range: `bytes=${start}-${end - 1}` },
      },
      end - start,
    );
    // A store without support for ranges sends all of it.
    const body = response.status === 206 ? response.body : response.body.subarray(start, end);
    if (body.byteLength !== end - start)
      throw new FilesFault("FILES_UNREACHABLE", `${this.display_name}: an object is cut off.`);
    return body;
  }

  /** A file sent in parts exists only once the last step has succeeded. */
  private async putParts(path: string, key: string, size_bytes: number): Promise<void> {
    const part_bytes = Math.max(part_bytes_least, Math.ceil(size_bytes / parts_max));
    const creation = await this.multipart("POST", key, { uploads: "" });
    const uploadId = elementText(textOf(creation), "UploadId");
    if (uploadId === null)
      throw new FilesFault("FILES_REFUSED", `${this.display_name}: it responds, but not like S3.`);
    try {
      const tags = await this.sendParts(path, { key, uploadId, size_bytes, part_bytes });
      const parts = tags.map(
        (tag, at) => `<Part><PartNumber>${at + 1}</PartNumber><ETag>${escaped(tag)}</ETag></Part>`,
      );
      const xml = `<CompleteMultipartUpload>${parts.join("")}</CompleteMultipartUpload>`;
      const completion = await this.multipart(
        "POST",
        key,
        { uploadId },
        new TextEncoder().encode(xml),
      );
      // The response may begin with 200 before it fails.
      const code = textOf(completion).includes("<Error>")
        ? elementText(textOf(completion), "Code")
        : null;
      if (code !== null)
        throw new FilesFault(
          "FILES_UNREACHABLE",
          `${this.display_name}: it could not combine the parts of an upload (${code}).`,
        );
    } catch (error) {
      await this.multipart("DELETE", key, { uploadId }).catch(() => undefined);
      throw error;
    }
  }

  /** Returns their entity tags. */
  private async sendParts(
    path: string,
    {
      key,
      uploadId,
      size_bytes,
      part_bytes,
    }: {
      readonly key: string;
      readonly uploadId: string;
      readonly size_bytes: number;
      readonly part_bytes: number;
    },
  ): Promise<string[]> {
    const count = Math.ceil(size_bytes / part_bytes);
    const tags = new Array<string>(count);
    let next = 0;
    const sendNext = async (): Promise<void> => {
      while (next < count) {
        const index = next++;
        const body = await Bun.file(path)
          .slice(index * part_bytes, Math.min(size_bytes, (index + 1) * part_bytes))
          .bytes();
        const query = { partNumber: String(index + 1), uploadId };
        const { headers } = await this.multipart("PUT", key, query, body);
        tags[index] = headers.get("etag") ?? "";
      }
    };
    const sending = Array.from({ length: parts_at_once }, sendNext);
    const results = await Promise.allSettled(sending);
    const failure = results.find((result) => result.status === "rejected");
    if (failure) throw failure.reason;
    return tags;
  }

  private multipart(
    method: "POST" | "PUT" | "DELETE",
    key: string,
    query: Readonly<Record<string, string>>,
    body?: Uint8Array,
  ): Promise<S3Response> {
    return this.client.send({
      operation: "multipart",
      method,
      key,
      query,
      ...(body && { body }),
      ...(method === "DELETE" && { allowed: [404] }),
    });
  }
}

/** Read range by range, so that at most two pieces are in memory however slow the reader is. */
class RangedBytes implements RemoteBytes {
  private readonly start: number;
  private readonly end: number;

  constructor(
    private readonly read: (start: number, end: number) => Promise<Uint8Array>,
    start: number,
    end: number,
  ) {
    this.start = start;
    this.end = end;
  }

  get size(): number {
    return this.end - this.start;
  }

  slice(start: number, end: number = this.size): RangedBytes {
    const from = Math.min(this.end, this.start + start);
    const to = Math.min(this.end, this.start + end);
    return new RangedBytes(this.read, from, Math.max(from, to));
  }

  async *pieces(): AsyncGenerator<Uint8Array, void> {
    let next_piece: Promise<Uint8Array> | undefined;
    for (let at = this.start; at < this.end; at += piece_bytes) {
      const piece = await (next_piece ?? this.piece(at));
      const next = at + piece_bytes;
      next_piece = next < this.end ? this.piece(next) : undefined;
      // The reader may have gone by then.
      next_piece?.catch(() => undefined);
      yield piece;
    }
  }

  private piece(at: number): Promise<Uint8Array> {
    return this.read(at, Math.min(this.end, at + piece_bytes));
  }
}

function listedFile(xml: string): StoredFile | null {
  listed_pattern.lastIndex = 0;
  const [, folder, sha256, size] = listed_pattern.exec(xml) ?? [];
  if (sha256 === undefined || !sha256.startsWith(folder!)) return null;
  const stored_at = Date.parse(elementText(xml, "LastModified") ?? "") || 0;
  return { sha256, size_bytes: Number(size), stored_at };
}
const textOf = ({ body }: S3Response): string => new TextDecoder().decode(body);
const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
