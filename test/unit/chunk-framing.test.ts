/** Pieces of chunked bodies: which consist mostly of the framing of their chunks. */
import { expect, test } from "bun:test";
import { isMostlyFraming } from "../../core/http/chunk-framing";

const chunk = (content: string, extension = "") =>
  `${content.length.toString(16)}${extension}\r\n${content}\r\n`;
const long = "It waits for fish and moves slowly. ".repeat(100);

const pieces: [reason: string, piece: string, expected: boolean][] = [
  ["chunks of one byte", chunk("x").repeat(1_000), true],
  ["from the middle of one", chunk("x").repeat(1_000).slice(2), true],
  ["chunks of a few words", chunk("a few words").repeat(300), true],
  ["a size in eight digits", "00000001\r\nx\r\n".repeat(300), true],
  ["after a long chunk", chunk("x".repeat(2_000)) + chunk("x").repeat(1_000), true],
  ["a long extension", chunk("x", `;${"a=b;".repeat(200)}`).repeat(3), true],
  ["an extension that does not end", `x\r\n1;${"a=b;".repeat(2_000)}`, true],
  ["ordinary chunks", chunk(long).repeat(4), false],
  ["chunks of a line each", chunk(long.slice(0, 80)).repeat(100), false],
  ["content alone", long, false],
  ["content whose lines are numbers", "1\r\n2\r\n3\r\n12\r\nff\r\n".repeat(500), false],
  ["content that looks like extensions", `1;2\r\n`.repeat(500), false],
  ["content that looks like a long one at last", `${long}\r\nfff;${"x".repeat(200)}`, false],
  ["too little to know", chunk("x").repeat(100), false],
  ["nothing", "", false],
];
test.each(pieces)("%s", (_, piece, expected) => {
  expect(isMostlyFraming(Buffer.from(piece))).toBe(expected);
});
