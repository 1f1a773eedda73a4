/**
 * Writes ZIP archives as a stream, always with ZIP64 fields: nothing is overwritten, so that an
 * archive can be sent while it is made. Sizes and checksums follow the data of each entry.
 */
import { Readable } from "node:stream";
import { centralHeader, descriptor, endRecords, localHeader } from "./zip-headers";
import type { AddOptions, ZipPart } from "./zip-writer";

/** Loaded with the first archive. */
const zlib = () => process.getBuiltinModule("node:zlib");

/** Up to this size data is deflated at once; a stream would cost more. */
const small_bytes_max = 32 * 1024;
const level = 1;

/** The data of an entry, in pieces of any length. */
export type Chunks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** An archive that is sent while it is made. Send the bytes of each call, in order. */
export class ZipStream {
  private readonly directory: Buffer[] = [];
  private at = 0;

  /** The bytes of an entry; the return value is known at its end. */
  async *add(
    name: string,
    chunks: Chunks,
    { deflated }: AddOptions,
  ): AsyncGenerator<Uint8Array, ZipPart> {
    const at = this.at;
    const kind = { deflated, sizes_follow: true };
    const hash = new Bun.CryptoHasher("sha256");
    let bytes = 0;
    let crc = 0;
    const counted = async function* () {
      for await (const chunk of chunks) {
        bytes += chunk.length;
        crc = zlib().crc32(chunk, crc);
        hash.update(chunk);
        yield chunk;
      }
    };
    yield this.passed(localHeader(name, kind, { bytes: 0, packed_bytes: 0, crc: 0 }));
    const data_at = this.at;
    for await (const packed of deflated ? deflate(counted()) : counted()) yield this.passed(packed);
    const sizes = { bytes, packed_bytes: this.at - data_at, crc };
    yield this.passed(descriptor(sizes));
    this.directory.push(centralHeader(name, kind, sizes, at));
    return { name, bytes, sha256: hash.digest("hex") };
  }

  /** The central directory. */
  *finish(): Generator<Uint8Array, void> {
    const at = this.at;
    for (const header of this.directory) yield this.passed(header);
    yield this.passed(endRecords(this.directory.length, at, this.at - at));
  }

  private passed<B extends Uint8Array>(bytes: B): B {
    this.at += bytes.length;
    return bytes;
  }
}

/** At once for small data, otherwise in a thread of the runtime. */
async function* deflate(chunks: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  const first: Uint8Array[] = [];
  let bytes = 0;
  for (let next = await chunks.next(); !next.done; next = await chunks.next()) {
    first.push(next.value);
    bytes += next.value.length;
    if (bytes <= small_bytes_max) continue;
    const all = async function* () {
      yield* first;
      yield* chunks;
    };
    yield* Readable.from(all(), { objectMode: false }).compose(
      zlib().createDeflateRaw({ level }),
    ) as AsyncIterable<Uint8Array>;
    return;
  }
  yield zlib().deflateRawSync(Buffer.concat(first), { level });
}
