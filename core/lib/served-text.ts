/** A long text that many clients request: compressed once per encoding, revalidated by its ETag. */
import { promisify } from "node:util";

type Bytes = Uint8Array<ArrayBufferLike>;
type Compress = (bytes: Uint8Array<ArrayBuffer>) => Promise<Bytes>;

/** The smallest result first. All of them compress outside the event loop. */
const encodings: readonly (readonly [string, Compress])[] = [
  [
    "br",
    async (bytes) => {
      const { brotliCompress, constants } = await import("node:zlib");
      const params = { [constants.BROTLI_PARAM_QUALITY]: 9 };
      return promisify(brotliCompress)(bytes, { params });
    },
  ],
  ["zstd", (bytes) => Bun.zstdCompress(bytes, { level: 12 })],
  [
    "gzip",
    async (bytes) => {
      const { gzip } = await import("node:zlib");
      return promisify(gzip)(bytes, { level: 9 });
    },
  ],
];

/** A text that never changes, with its compressed forms, which are made when first requested. */
export class ServedText {
  private readonly bytes: Uint8Array<ArrayBuffer>;
  private readonly tag: string;
  private readonly encoded = new Map<string, Promise<Bytes>>();

  constructor(
    text: string,
    private readonly media_type: string,
  ) {
    this.bytes = new TextEncoder().encode(text);
    this.tag = new Bun.CryptoHasher("sha256").update(text).digest("hex").slice(0, 20);
  }

  /** May be cached but is revalidated each time: an updated server has another text. */
  async respond({ headers: request_headers }: Request): Promise<Response> {
    const encoding = acceptedEncoding(request_headers.get("accept-encoding") ?? "");
    const headers = {
      etag: `"${this.tag}${encoding === null ? "" : `-${encoding[0]}`}"`,
      "cache-control": "no-cache",
      vary: "accept-encoding",
    };
    if (this.hasTag(request_headers.get("if-none-match") ?? ""))
      return new Response(null, { status: 304, headers });
    const body = encoding === null ? this.bytes : await this.encodedIn(encoding);
    return new Response(body as Uint8Array<ArrayBuffer>, {
      headers: {
        ...headers,
        "content-type": this.media_type,
        ...(encoding && { "content-encoding": encoding[0] }),
      },
    });
  }

  private encodedIn([name, compress]: (typeof encodings)[number]): Promise<Bytes> {
    const encoded = this.encoded.get(name) ?? compress(this.bytes);
    this.encoded.set(name, encoded);
    return encoded;
  }

  /** Compares tags regardless of the encoding. */
  private hasTag(tags: string): boolean {
    return tags.split(",").some((weighted) => {
      const tag = weighted.trim().replace(/^W\//, "");
      return tag === "*" || tag === `"${this.tag}"` || tag.startsWith(`"${this.tag}-`);
    });
  }
}

/** The client's preferred encoding among these; null for none. */
function acceptedEncoding(header: string): (typeof encodings)[number] | null {
  const weights = new Map(
    header
      .toLowerCase()
      .split(",")
      .map((tag) => {
        const [name = "", ...parameters] = tag.split(";").map((part) => part.trim());
        const q = parameters.find((part) => part.startsWith("q="));
        return [name, q === undefined ? 1 : Number(q.slice(2)) || 0] as const;
      }),
  );
  const weightOf = (name: string): number => weights.get(name) ?? weights.get("*") ?? 0;
  const [best] = encodings.toSorted(([a], [b]) => weightOf(b) - weightOf(a));
  const identity = weights.get("identity") ?? 0;
  return best && weightOf(best[0]) > 0 && weightOf(best[0]) >= identity ? best : null;
}
