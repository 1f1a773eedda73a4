/**
 * Detects the type of a file by its first bytes: a recording, captions, or nothing that can be
 * transcribed.
 */
import { detectCaptions } from "./child/captions";
import { decodeText } from "./child/transcript";
import { TranscriptionFailure, type Transcriber } from "./contract";

/** What a file is, and its media type. */
export type Kind = { readonly kind: "recording" | "captions"; readonly media_type: string };

/** Bytes inspected to detect the type. */
export const head_bytes = 64 * 1024;
/** The largest file of captions, bytes. */
export const captions_bytes_max = 32 * 2 ** 20;

/** Magic bytes of a media type. */
interface Signature {
  readonly media_type: string;
  readonly starts: string;
  readonly at?: number;
  readonly and?: (head: string) => boolean;
}
const brand =
  (...brands: readonly string[]) =>
  (head: string): boolean =>
    brands.includes(head.slice(8, 12));
const has =
  (word: string) =>
  (head: string): boolean =>
    head.includes(word);
/** The first match wins. Bytes as Latin-1 characters. */
const signatures: readonly Signature[] = [
  { media_type: "audio/wav", starts: "RIFF", and: (head) => head.slice(8, 12) === "WAVE" },
  { media_type: "audio/wav", starts: "RF64", and: (head) => head.slice(8, 12) === "WAVE" },
  { media_type: "video/x-msvideo", starts: "RIFF", and: (head) => head.slice(8, 12) === "AVI " },
  { media_type: "audio/flac", starts: "fLaC" },
  {
    media_type: "video/ogg",
    starts: "OggS",
    and: (head) => head.slice(0, 400).includes("\x80theora"),
  },
  { media_type: "audio/ogg", starts: "OggS" },
  {
    media_type: "video/webm",
    starts: "\x1a\x45\xdf\xa3",
    and: (head) => head.slice(0, 80).includes("webm") && head.includes("V_"),
  },
  {
    media_type: "audio/webm",
    starts: "\x1a\x45\xdf\xa3",
    and: (head) => head.slice(0, 80).includes("webm"),
  },
  { media_type: "video/x-matroska", starts: "\x1a\x45\xdf\xa3" },
  { media_type: "audio/mp4", starts: "ftyp", at: 4, and: brand("M4A ", "M4B ", "M4P ") },
  { media_type: "video/quicktime", starts: "ftyp", at: 4, and: brand("qt  ") },
  { media_type: "video/3gpp", starts: "ftyp3g", at: 4 },
  {
    media_type: "video/mp4",
    starts: "ftyp",
    at: 4,
    and: (head) =>
      !brand("heic", "heix", "mif1", "msf1", "avif", "avis", "crx ")(head) && has("\0")(head),
  },
  { media_type: "audio/mpeg", starts: "ID3", and: has("\0") },
  { media_type: "audio/aac", starts: "\xff\xf1" },
  { media_type: "audio/aac", starts: "\xff\xf9" },
  // Layers I to III of MPEG audio, with a valid bit rate and sample rate.
  {
    media_type: "audio/mpeg",
    starts: "\xff",
    and: (head) => /^\xff[\xe2-\xe7\xf2-\xf7\xfa-\xfd\xff][\x10-\xeb]/.test(head),
  },
  { media_type: "audio/aiff", starts: "FORM", and: (head) => /^AIF[FC]/.test(head.slice(8, 12)) },
  { media_type: "audio/amr", starts: "#!AMR" },
  { media_type: "audio/x-caf", starts: "caff\0\x01" },
  { media_type: "audio/basic", starts: ".snd", and: has("\0") },
  { media_type: "video/x-ms-asf", starts: "\x30\x26\xb2\x75\x8e\x66\xcf\x11" },
  { media_type: "video/mpeg", starts: "\0\0\x01\xba" },
  { media_type: "video/mpeg", starts: "\0\0\x01\xb3" },
  { media_type: "video/mp2t", starts: "G", and: (head) => head[188] === "G" && head[376] === "G" },
  { media_type: "video/x-flv", starts: "FLV\x01" },
];

/** `head`: at most the first 64 KiB. Null for anything that can't be transcribed. */
export function kindOf(head: Uint8Array): Kind | null {
  // Checked first, because the byte order mark of UTF-16 could begin an MPEG audio frame.
  const captions = detectCaptions(decodeText(head.subarray(0, head.length - (head.length % 2))));
  if (captions !== null)
    return {
      kind: "captions",
      media_type: captions === "vtt" ? "text/vtt" : "application/x-subrip",
    };
  const characters = Buffer.from(head.buffer, head.byteOffset, head.length).toString("latin1");
  const signature = signatures.find(
    ({ starts, at = 0, and }) => characters.startsWith(starts, at) && (and?.(characters) ?? true),
  );
  return signature ? { kind: "recording", media_type: signature.media_type } : null;
}

/** The failure of a recording if the server has no transcriber. */
export const noTranscriber = (): TranscriptionFailure =>
  new TranscriptionFailure(
    "no_transcriber",
    "Only captions (.vtt, .srt) can be transcribed, because no transcriber is set up on " +
      "this server. For audio and video, an administrator must set transcription.provider " +
      "(DOSSIER_TRANSCRIPTION_PROVIDER) to openai or command.",
  );

/**
 * The type of the file at `path`. `transcriber`: the server's, if any.
 * @throws TranscriptionFailure when it can't be transcribed here.
 */
export async function kindOfFile(
  path: string,
  transcriber: Transcriber | undefined,
): Promise<Kind> {
  const kind = kindOf(await Bun.file(path).slice(0, head_bytes).bytes());
  if (!kind)
    throw new TranscriptionFailure(
      "unsupported_type",
      "This is neither a recording nor captions. Supported are common audio and video " +
        "formats, WebVTT and SRT.",
    );
  if (kind.kind === "recording" && !transcriber) throw noTranscriber();
  return kind;
}

/** File name extensions: some services rely on the name alone. */
const extensions: Readonly<Record<string, string>> = {
  "audio/wav": "wav",
  "audio/flac": "flac",
  "audio/ogg": "ogg",
  "video/ogg": "ogv",
  "video/webm": "webm",
  "audio/webm": "webm",
  "video/x-matroska": "mkv",
  "audio/mp4": "m4a",
  "video/mp4": "mp4",
  "video/quicktime": "mov",
  "video/3gpp": "3gp",
  "audio/mpeg": "mp3",
  "audio/aac": "aac",
  "audio/aiff": "aiff",
  "audio/amr": "amr",
  "video/mpeg": "mpg",
  "video/mp2t": "ts",
  "video/x-msvideo": "avi",
};
/** A file name with the usual extension, for transcribers that go by it. */
export const fileNameOf = (media_type: string): string =>
  `recording.${extensions[media_type] ?? "bin"}`;
