/**
 * Transcripts as written by caption tools, programs and services: what is read from them, and that
 * hostile input is cheap.
 */
import { describe, expect, test } from "bun:test";
import { assemble, toSrt, toText, toVtt } from "../../plugins/transcriptions/transcript";
import { kindOf } from "../../plugins/transcriptions/media-types";
import {
  detectCaptions,
  parseCaptions,
  parseTiming,
} from "../../plugins/transcriptions/child/captions";
import {
  languageCode,
  parseTranscript,
  normalise,
  decodeText,
} from "../../plugins/transcriptions/child/transcript";
import type { Segment } from "../../plugins/transcriptions/transcript";

const bytes = (text: string) => new TextEncoder().encode(text);
/** `[start, end, text]`, and the speaker where there is one. */
const said = (text: string, duration_s: number | null = null) =>
  normalise(parseTranscript(text), duration_s).segments.map(
    ({ start, end, text: words, speaker }) =>
      speaker === null ? [start, end, words] : [start, end, words, speaker],
  );

describe("timing lines", () => {
  const cases: [why: string, line: string, times: [number, number] | undefined][] = [
    ["of WebVTT", "00:00:01.000 --> 00:01:02.500", [1, 62.5]],
    ["without hours", "00:01.000 --> 00:02.500", [1, 2.5]],
    ["of SRT, with a comma", "00:00:01,250 --> 01:00:00,000", [1.25, 3_600]],
    ["with settings after it", "00:01.000 --> 00:02.000 align:start position:0%", [1, 2]],
    ["with few digits", "0:00:01.5 --> 0:00:02.25", [1.5, 2.25]],
    ["of a hundred hours", "100:00:00.000 --> 100:00:01.000", [360_000, 360_001]],
    ["exclude a sentence with an arrow", "go --> there", undefined],
    ["exclude half a timing line", "00:01.000 -->", undefined],
    ["exclude an overlong line", `00:01.000 --> 00:02.000 ${"x".repeat(300)}`, undefined],
  ];
  for (const [why, line, times] of cases)
    test(why, () => expect(parseTiming(line)).toEqual(times && { start: times[0], end: times[1] }));
});

describe("transcripts as segments", () => {
  const cases: [why: string, text: string, expected: unknown[]][] = [
    [
      "WebVTT",
      "WEBVTT\n\n1\n00:01.000 --> 00:02.000\nHello there.\n\n00:03.000 --> 00:04.000 " +
        "line:0\nTwo\nlines.\n",
      [
        [1, 2, "Hello there."],
        [3, 4, "Two lines."],
      ],
    ],
    [
      "SRT",
      "1\n00:00:01,000 --> 00:00:02,000\nHello there.\n\n2\n00:00:03,000 --> " +
        "00:00:04,000\nTwo\nlines.\n",
      [
        [1, 2, "Hello there."],
        [3, 4, "Two lines."],
      ],
    ],
    ["SRT without numbers", "00:00:01,000 --> 00:00:02,000\nHello.\n", [[1, 2, "Hello."]]],
    [
      "notes, styles and regions are left out",
      "WEBVTT - a title\nKind: captions\n\nNOTE\nnot this\n\nSTYLE\n::cue { color: red " +
        "}\n\nREGION\nid:x\n\n00:01.000 --> 00:02.000\nThis.\n",
      [[1, 2, "This."]],
    ],
    [
      "voice tags name the speaker",
      "WEBVTT\n\n00:01.000 --> 00:02.000\n<v.loud Anna B.>Hello</v>\n\n00:02.000 --> " +
        "00:03.000\n<v Ben>Hi</v> <v Anna B.>Ha\n",
      [
        [1, 2, "Hello", "Anna B."],
        [2, 3, "Hi", "Ben"],
        [2, 3, "Ha", "Anna B."],
      ],
    ],
    [
      "tags are removed, words are kept",
      "WEBVTT\n\n00:01.000 --> 00:02.000\n<c.yellow><i>One</i></c> <00:01.500>two " +
        "<ruby>three<rt>3</rt></ruby>\n",
      [[1, 2, "One two three3"]],
    ],
    [
      "tags in SRT",
      '1\n00:00:01,000 --> 00:00:02,000\n{\\an8}<font color="#fff">Top</font> <b>bold</b>\n',
      [[1, 2, "Top bold"]],
    ],
    [
      "a < that opens no tag is kept",
      "WEBVTT\n\n00:01.000 --> 00:02.000\n1 < 2 and 3 > 2 <\n",
      [[1, 2, "1 < 2 and 3 > 2 <"]],
    ],
    [
      "entities",
      "WEBVTT\n\n00:01.000 --> 00:02.000\nR&amp;D &lt;b&gt; &#233;&#xe9; &nope;&nbsp;x\n",
      [[1, 2, "R&D <b> éé &nope; x"]],
    ],
    [
      "rolling captions give each line once",
      "WEBVTT\n\n00:00.000 --> 00:02.000\n \nso today\n\n00:02.000 --> 00:02.010\nso today\n " +
        "\n\n00:02.010 --> 00:04.000\nso today\nwe look at\n\n00:04.000 --> 00:04.010\nwe look " +
        "at\n \n\n00:04.010 --> 00:06.000\nwe look at\nherons\n",
      [
        [0, 2.01, "so today"],
        [2.01, 4.01, "we look at"],
        [4.01, 6, "herons"],
      ],
    ],
    [
      "growing captions give each word once",
      "WEBVTT\n\n00:00.000 --> 00:01.000\nso\n\n00:01.000 --> 00:02.000\nso today\n\n00:02.000 " +
        "--> 00:03.000\nso today we\n",
      [
        [0, 1, "so"],
        [1, 2, "today"],
        [2, 3, "we"],
      ],
    ],
    [
      "words repeated after a pause are kept",
      "WEBVTT\n\n00:00.000 --> 00:01.000\nNo.\n\n00:03.000 --> 00:04.000\nNo.\n",
      [
        [0, 1, "No."],
        [3, 4, "No."],
      ],
    ],
    [
      "cues in the wrong order are sorted",
      "1\n00:00:05,000 --> 00:00:06,000\nb\n\n2\n00:00:01,000 --> 00:00:02,000\na\n",
      [
        [1, 2, "a"],
        [5, 6, "b"],
      ],
    ],
    [
      "a cue that ends before it begins has no duration",
      "1\n00:00:05,000 --> 00:00:01,000\nb\n",
      [[5, 5, "b"]],
    ],
    [
      "cues without text are left out",
      "WEBVTT\n\n00:01.000 --> 00:02.000\n\n00:02.000 --> 00:03.000\n<i></i>\n\n00:03.000 --> " +
        "00:04.000\nx\n",
      [[3, 4, "x"]],
    ],
    [
      "JSON of Whisper and of OpenAI",
      JSON.stringify({
        text: "a b",
        language: "english",
        duration: 3,
        segments: [
          { id: 0, start: 0, end: 1.5, text: " a" },
          { start: 1.5, end: 2.75, text: " b" },
        ],
      }),
      [
        [0, 1.5, "a"],
        [1.5, 2.75, "b"],
      ],
    ],
    [
      "JSON with speakers",
      JSON.stringify({ segments: [{ start: 0, end: 1, text: "a", speaker: "SPEAKER_00" }] }),
      [[0, 1, "a", "SPEAKER_00"]],
    ],
    [
      "JSON of whisper.cpp",
      JSON.stringify({
        result: { language: "en" },
        transcription: [{ timestamps: {}, offsets: { from: 500, to: 1_500 }, text: " a" }],
      }),
      [[0.5, 1.5, "a"]],
    ],
    ["a bare JSON list", JSON.stringify([{ start: "1.5", end: "2", text: "a" }]), [[1.5, 2, "a"]]],
    [
      "JSON with text alone has no times",
      JSON.stringify({ text: "all of it" }),
      [[0, 0, "all of it"]],
    ],
    [
      "lines that whisper-cli prints",
      "\n[00:00:00.000 --> 00:00:01.500]   a b\n[00:00:01.500 --> 00:00:02.000]  c\n",
      [
        [0, 1.5, "a b"],
        [1.5, 2, "c"],
      ],
    ],
    [
      "lines that whisper prints",
      "Detected language: English\n[00:00.000 --> 00:01.500]  a b\n",
      [[0, 1.5, "a b"]],
    ],
    [
      "words of PocketSphinx",
      "these are\n<s> 0.000 0.350 0.99\nthese 0.360 0.490 0.02\n<sil> 0.490 0.600 0.9\nare(2) " +
        "0.600 0.800 0.6\n</s> 0.8 0.9 1.0\nshot\n<s> 4.450 4.550 1.0\nshot 4.560 4.840 " +
        "0.3\n[NOISE] 4.85 4.9 1.0\n",
      [
        [0.36, 0.8, "these are"],
        [4.56, 4.84, "shot"],
      ],
    ],
    [
      "plain text keeps its paragraphs",
      "One two.\nThree.\n\n\n\nFour.\n",
      [[0, 0, "One two.\nThree.\n\nFour."]],
    ],
    [
      "control characters are removed, lone surrogates replaced",
      "WEBVTT\n\n00:01.000 --> 00:02.000\na\u0007b\u0000 c\ud800\n",
      [[1, 2, "ab c\ufffd"]],
    ],
    [
      "invalid times in JSON are corrected",
      JSON.stringify({
        segments: [
          { start: -5, end: 1, text: "a" },
          { start: 1e300, end: null, text: "b" },
          { start: "x", end: 3, text: "c" },
          { end: 2, text: 7 },
          null,
          { start: 1, end: 0.5, text: "d" },
        ],
      }),
      [
        [0, 1, "a"],
        [1, 1, "b"],
        [1, 3, "c"],
        [1, 1, "d"],
      ],
    ],
  ];
  for (const [why, text, expected] of cases)
    test(why, () => expect(said(text) as unknown[]).toEqual(expected));

  test("times after the end of the recording become the end", () =>
    expect(
      said(
        JSON.stringify({
          segments: [
            { start: 1, end: 99, text: "a" },
            { start: 50, end: 60, text: "b" },
          ],
        }),
        10,
      ),
    ).toEqual([
      [1, 10, "a"],
      [10, 10, "b"],
    ]));
  test("text without times spans the whole recording", () =>
    expect(said("just words", 12.5)).toEqual([[0, 12.5, "just words"]]));
  test("truncated JSON is refused, not read as text", () =>
    expect(() => parseTranscript(`{"text": "a", "segments": [{"st`)).toThrow(/JSON/));
  test("JSON of an unknown kind is refused, not read as text", () =>
    expect(() => parseTranscript(`{"message": "hello"}`)).toThrow(/JSON/));
  test("captions give their language and duration", () => {
    expect(
      normalise(
        parseCaptions("WEBVTT\nKind: captions\nLanguage: de\n\n00:01.000 --> 00:02.000\nx"),
        null,
      ),
    ).toMatchObject({ language: "de", duration_s: 2 });
  });
});

test("languages by name or code get a normalised code", () => {
  expect(["english", "EN", "en-us", "German", "klingon?", "", null].map(languageCode)).toEqual([
    "en",
    "en",
    "en-US",
    "de",
    null,
    null,
    null,
  ]);
});

describe("encodings of captions", () => {
  const text = "WEBVTT\n\n00:01.000 --> 00:02.000\nAh, café – 東京\n";
  const utf16 = Buffer.from(`\ufeff${text}`, "utf16le");
  const cases: [why: string, bytes: Uint8Array, expected: string][] = [
    ["UTF-8", bytes(text), "Ah, café – 東京"],
    ["UTF-8 with a byte order mark", bytes(`\ufeff${text}`), "Ah, café – 東京"],
    ["UTF-16, little-endian", utf16, "Ah, café – 東京"],
    ["UTF-16, big-endian", Buffer.from(utf16).swap16(), "Ah, café – 東京"],
    [
      "Windows-1252",
      Buffer.from("1\r\n00:00:01,000 --> 00:00:02,000\r\ncaf\xe9 \x96\r\n", "latin1"),
      "café –",
    ],
    ["line breaks of old Macs", bytes(text.replaceAll("\n", "\r")), "Ah, café – 東京"],
  ];
  for (const [why, given, expected] of cases)
    test(why, () => {
      expect(kindOf(given)?.kind).toBe("captions");
      expect(normalise(parseTranscript(decodeText(given)), null).segments[0]!.text).toBe(expected);
    });
});

describe("the media type by the first bytes", () => {
  const latin = (text: string) => Buffer.from(text.padEnd(400, "\0"), "latin1");
  const ts = Buffer.alloc(600);
  for (const at of [0, 188, 376]) ts[at] = 0x47;
  const cases: [why: string, head: Uint8Array, expected: string | null][] = [
    ["WebVTT", bytes("WEBVTT\n\n"), "text/vtt"],
    ["WebVTT with a title", bytes("WEBVTT my title\n"), "text/vtt"],
    ["no type for a word that begins with WEBVTT", bytes("WEBVTTX\n"), null],
    ["SRT", bytes("\n1\n00:00:01,000 --> 00:00:02,000\nx"), "application/x-subrip"],
    [
      "SRT that lacks a cue number",
      bytes("00:00:01,000 --> 00:00:02,000\nx"),
      "application/x-subrip",
    ],
    ["a text", bytes("1\nHello there\n"), null],
    ["an empty file", bytes(""), null],
    ["JSON", bytes(`{"segments": []}`), null],
    ["WAV", latin("RIFF\x24\0\0\0WAVEfmt "), "audio/wav"],
    ["AVI", latin("RIFF\x24\0\0\0AVI LIST"), "video/x-msvideo"],
    ["WebP is a picture", latin("RIFF\x24\0\0\0WEBPVP8 "), null],
    ["FLAC", latin("fLaC\0"), "audio/flac"],
    ["Ogg", latin("OggS\0\x02vorbis"), "audio/ogg"],
    ["Ogg with video", latin("OggS\0\x02\x80theora"), "video/ogg"],
    ["MP3 with tags", latin("ID3\x03\0"), "audio/mpeg"],
    ["MP3", latin("\xff\xfb\x90\x64"), "audio/mpeg"],
    ["AAC", latin("\xff\xf1\x50\x80"), "audio/aac"],
    ["MP4", latin("\0\0\0\x20ftypisom\0"), "video/mp4"],
    ["M4A", latin("\0\0\0\x20ftypM4A \0"), "audio/mp4"],
    ["QuickTime", latin("\0\0\0\x14ftypqt  \0"), "video/quicktime"],
    ["HEIC is a picture", latin("\0\0\0\x18ftypheic\0"), null],
    ["WebM", latin("\x1a\x45\xdf\xa3\x9f\x42\x82\x84webmV_VP8"), "video/webm"],
    ["WebM without video", latin("\x1a\x45\xdf\xa3\x9f\x42\x82\x84webmA_OPUS"), "audio/webm"],
    ["Matroska", latin("\x1a\x45\xdf\xa3\x9f\x42\x82\x88matroska"), "video/x-matroska"],
    ["MPEG transport stream", ts, "video/mp2t"],
    ["AIFF", latin("FORM\0\0\0\0AIFF"), "audio/aiff"],
    ["PDF", bytes("%PDF-1.7"), null],
    ["PNG", latin("\x89PNG\r\n\x1a\n"), null],
    ["a program", latin("\x7fELF"), null],
    ["text in UTF-16", Buffer.from("\ufeffHello there", "utf16le"), null],
  ];
  for (const [why, head, expected] of cases)
    test(why, () => expect(kindOf(head)?.media_type ?? null).toBe(expected));
});

describe("segments assembled to a text", () => {
  const cue = (
    start: number,
    end: number,
    text: string,
    speaker: string | null = null,
  ): Segment => ({ start, end, text, speaker });
  const long = "This sentence is here so that the paragraph is long enough for a pause to count.";
  const cases: [why: string, segments: Segment[], text: string][] = [
    ["cues are joined", [cue(0, 1, "One"), cue(1, 2, "two.")], "One two."],
    ["a pause begins a paragraph", [cue(0, 5, long), cue(7.5, 9, "Next.")], `${long}\n\nNext.`],
    ["a pause after a few words does not", [cue(0, 1, "Well."), cue(4, 5, "Next.")], "Well. Next."],
    [
      "another speaker begins a paragraph",
      [
        cue(0, 1, "Hi.", "Anna"),
        cue(1, 2, "Yes?", "Anna"),
        cue(2, 3, "Hello.", "Ben"),
        cue(3, 4, "Hm."),
      ],
      "Anna: Hi. Yes?\n\nBen: Hello.\n\nHm.",
    ],
    [
      "scripts without spaces are joined without them",
      [cue(0, 1, "東京は"), cue(1, 2, "晴れです。"), cue(2, 3, "OK")],
      "東京は晴れです。 OK",
    ],
    [
      "a long talk is split at sentences",
      Array.from({ length: 14 }, (_, i) => cue(i, i + 1, long)),
      `${Array(7).fill(long).join(" ")}\n\n${Array(7).fill(long).join(" ")}`,
    ],
    [
      "talk without sentence ends is split at cues",
      Array.from({ length: 24 }, (_, i) => cue(i, i + 1, "x".repeat(99))),
      `${Array(10).fill("x".repeat(99)).join(" ")}`,
    ],
  ];
  for (const [why, segments, text] of cases)
    test(why, () => {
      const assembled = assemble(segments);
      expect(assembled.text.startsWith(text)).toBe(true);
      expect(
        assembled.times.map(({ start, end }) =>
          assembled.text.slice(start, end).replace(/^(Anna|Ben): /, ""),
        ),
      ).toEqual(segments.map((segment) => segment.text));
      expect(assembled.times.map(({ time_start, time_end }) => [time_start, time_end])).toEqual(
        segments.map(({ start, end }) => [start, end]),
      );
    });
  test("a segment without a known time gets none", () =>
    expect(assemble([cue(0, 0, "words")])).toEqual({ text: "words", times: [] }));
});

describe("segments written as", () => {
  const segments: Segment[] = [
    { start: 0.5, end: 3_723.456, text: "a <b> & c --> d", speaker: "Anna <3" },
    { start: 3_724, end: 3_725, text: "One\n\ntwo", speaker: null },
  ];
  test("WebVTT", () =>
    expect(toVtt(segments)).toBe(
      "WEBVTT\n\n00:00:00.500 --> 01:02:03.456\n<v Anna &lt;3>a &lt;b&gt; &amp; c -&gt; " +
        "d\n\n01:02:04.000 --> 01:02:05.000\nOne\ntwo\n",
    ));
  test("SRT", () =>
    expect(toSrt(segments)).toBe(
      "1\n00:00:00,500 --> 01:02:03,456\nAnna <3: a <b> & c -> d\n\n2\n01:02:04,000 --> " +
        "01:02:05,000\nOne\ntwo\n",
    ));
  test("text", () => expect(toText(segments)).toBe("Anna <3: a <b> & c --> d\n\nOne\n\ntwo\n"));
  test("WebVTT are read back unchanged", () => {
    const plain = [
      { start: 0.5, end: 2, text: "R&D <i>", speaker: "Anna" },
      { start: 2, end: 3, text: "two", speaker: "Ben" },
    ];
    expect(normalise(parseTranscript(toVtt(plain)), null).segments).toEqual(plain);
  });
});

test("hostile captions are parsed in linear time", () => {
  const shapes = [
    "<",
    "<v ",
    "<<>>",
    "&",
    "&#",
    "{\\",
    "\n",
    "\n\n",
    "00:00.000 --> 00:01.000\n",
    "00:00.000 --> 00:01.000\nx\n\n",
    " ",
    "[00:00",
    "-->",
    "<v a>b",
    "1\n",
  ];
  for (const shape of shapes) {
    const text = `WEBVTT\n\n00:00.000 --> 00:01.000\n${shape.repeat(Math.ceil(400_000 / shape.length))}`;
    const { segments } = normalise(parseTranscript(text), null);
    assemble(segments);
    normalise(parseTranscript(text.slice(6)), null);
  }
  expect(detectCaptions("1\n".repeat(100_000))).toBe(null);
}, 60_000);
