/** A transcript as a file: WebVTT, SRT, plain text. Pure. */
import { assemble } from "./assembling";
import type { Segment } from "./segments";

/** `01:02:03.450` */
function stamp(seconds: number, mark: "." | ","): string {
  const ms = Math.round(seconds * 1_000);
  const two = (value: number) => String(Math.floor(value)).padStart(2, "0");
  return `${two(ms / 3_600_000)}:${two((ms / 60_000) % 60)}:${two((ms / 1_000) % 60)}${mark}${String(ms % 1_000).padStart(3, "0")}`;
}

/** No line of a cue is blank, and none reads as a timing line. */
const lines = (text: string): string => text.replace(/\n+/g, "\n").replaceAll("-->", "->");
const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

export const toVtt = (segments: readonly Segment[]): string =>
  `WEBVTT\n\n${segments
    .map(
      ({ start, end, text, speaker }) =>
        `${stamp(start, ".")} --> ${stamp(end, ".")}\n${speaker === null ? "" : `<v ${escaped(speaker)}>`}${escaped(lines(text))}\n`,
    )
    .join("\n")}`;

export const toSrt = (segments: readonly Segment[]): string =>
  segments
    .map(
      ({ start, end, text, speaker }, at) =>
        `${at + 1}\n${stamp(start, ",")} --> ${stamp(end, ",")}\n${speaker === null ? "" : `${speaker}: `}${lines(text)}\n`,
    )
    .join("\n");

/** What the document says. */
export const toText = (segments: readonly Segment[]): string => `${assemble(segments).text}\n`;
