/** Texts and files of many kinds, made by plain code. */
import { deflateSync } from "node:zlib";
import { zip } from "../bench/files";
import { makeText, seededRandom } from "../bench/text";

/** So many short texts. */
export const notes = (count: number): string[] =>
  Array.from({ length: count }, (_, at) => `The heron of number ${at} stands in shallow water.`);

/** A form with one file. */
export function fileForm(content: Blob | string | Uint8Array<ArrayBuffer>, name: string): FormData {
  const form = new FormData();
  form.append("file", content instanceof Blob ? content : new Blob([content]), name);
  return form;
}

/** Captions of so many cues. */
export const captions = (cues: number): string =>
  `WEBVTT\n\n${Array.from({ length: cues }, (_, at) => {
    return `${time(at)} --> ${time(at + 0.9)}\nThe mooring of number ${at} was lifted.`;
  }).join("\n\n")}\n`;

const time = (seconds: number): string => new Date(seconds * 1_000).toISOString().slice(11, 23);

/** A picture of dots, which text recognition tries to read. */
export function noisyPicture(width: number, height: number): Uint8Array<ArrayBuffer> {
  const random = seededRandom(width);
  const rows = Buffer.alloc(height * (width + 1), 255);
  for (let dot = 0; dot < (width * height) / 200; dot++) {
    const at = Math.floor(random() * (height - 8)) * (width + 1) + 1;
    const left = Math.floor(random() * (width - 4));
    for (let row = 0; row < 8; row++)
      rows.fill(0, at + left + row * (width + 1), at + left + row * (width + 1) + 3);
  }
  for (let row = 0; row < height; row++) rows[row * (width + 1)] = 0;
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 0, 0, 0, 0], 8);
  return new Uint8Array(
    Buffer.concat([
      Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
      pngChunk("IHDR", head),
      pngChunk("IDAT", deflateSync(rows)),
      pngChunk("IEND", Buffer.alloc(0)),
    ]),
  );
}

function pngChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type), data]);
  const around = Buffer.alloc(8);
  around.writeUInt32BE(data.length, 0);
  around.writeUInt32BE(Bun.hash.crc32(body), 4);
  return Buffer.concat([around.subarray(0, 4), body, around.subarray(4)]);
}

/** An archive of archives, whose inmost one holds a file that packs well. */
export function nestedZip(depth: number, bytes: number): Uint8Array<ArrayBuffer> {
  let inside = zip({ "zeros.txt": Buffer.alloc(bytes, "a ") });
  for (let level = 0; level < depth; level++)
    inside = zip(
      Object.fromEntries(Array.from({ length: 8 }, (_, at) => [`level ${at}.zip`, inside])),
    );
  return inside;
}

/** An archive of so many short texts. */
export const notesZip = (files: number): Uint8Array<ArrayBuffer> =>
  zip(
    Object.fromEntries(notes(files).map((text, at) => [`folder ${at % 50}/note ${at}.txt`, text])),
  );

/** A long text as a file: it may be longer than a JSON body. */
export const textFile = (length: number, seed: number): Blob => new Blob([makeText(seed, length)]);
