/** How HTTP responses are read, however they are split, and where they may be cut off. */
import { describe, expect, test } from "bun:test";
import { ResponseReader } from "../../core/outbound/response-reader";

const body_max = 10;
type Read = [status: number | string, body: string];

/** The result of reading these pieces and then the end of the connection. */
function read(pieces: readonly string[]): Read {
  const reader = new ResponseReader(body_max);
  try {
    if (pieces.every((piece) => reader.take(Buffer.from(piece, "latin1")))) reader.end();
    return [reader.status!, reader.body.toString()];
  } catch (error) {
    return [(error as Error).name, ""];
  }
}

const cases: [why: string, text: string, expected: Read][] = [
  ["a content length", "HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nbodymore", [200, "body"]],
  ["no length: read to the end", "HTTP/1.1 200 OK\r\n\r\nbody", [200, "body"]],
  ["HTTP/1.0", "HTTP/1.0 200 OK\r\n\r\nbody", [200, "body"]],
  ["no reason phrase", "HTTP/1.1 200\r\n\r\n", [200, ""]],
  ["bare line feeds", "HTTP/1.1 200 OK\ncontent-length: 2\n\nbody", [200, "bo"]],
  ["no more than the maximum", "HTTP/1.1 200 OK\r\n\r\n0123456789abc", [200, "0123456789"]],
  ["204 has no body", "HTTP/1.1 204 No Content\r\n\r\nbody", [204, ""]],
  [
    "chunks",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nbo\r\n2;x=y\r\ndy\r\n0\r\n\r\n",
    [200, "body"],
  ],
  [
    "an invalid chunk size",
    "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nbody",
    [200, ""],
  ],
  [
    "interim responses first",
    "HTTP/1.1 100 Go\r\n\r\nHTTP/1.1 103 Hints\r\nlink: x\r\n\r\nHTTP/1.1 500 No\r\n\r\nno",
    [500, "no"],
  ],
  ["101 is final, not interim", "HTTP/1.1 101 Switch\r\n\r\nx", [101, ""]],
  ["cut off in the headers", "HTTP/1.1 204 No\r\nserver: x", [204, ""]],
  ["cut off after the status line", "HTTP/1.1 204 No\r\n", [204, ""]],
  ["cut off in the reason phrase", "HTTP/1.1 204 N", [204, ""]],
  ["cut off after the status code", "HTTP/1.1 204", [204, ""]],
  ["cut off in the status code", "HTTP/1.1 20", ["NotHttp", ""]],
  ["cut off in an interim response", "HTTP/1.1 100 Go\r\nx: y", ["NotHttp", ""]],
  ["cut off after an interim response", "HTTP/1.1 100 Go\r\n\r\n", ["NotHttp", ""]],
  ["an empty response", "", ["NotHttp", ""]],
  ["a status code of four digits", "HTTP/1.1 2044 What\r\n\r\n", ["NotHttp", ""]],
  ["another version", "HTTP/2 204\r\n\r\n", ["NotHttp", ""]],
  ["another protocol", "SSH-2.0-OpenSSH_9.2\r\n", ["NotHttp", ""]],
  ["invalid headers", "HTTP/1.1 200 OK\r\n???\r\n: x\r\na b: c\r\n\r\nbody", [200, "body"]],
];

describe("a response in one piece and byte by byte", () => {
  test.each(cases)("%s", (_why, text, expected) => {
    expect(read([text])).toEqual(expected);
    expect(read([...text])).toEqual(expected);
  });
});

test("headers are available as far as they were received", () => {
  const reader = new ResponseReader(0);
  reader.take(Buffer.from("HTTP/1.1 503 Later\r\nRetry-After: 7\r\nx-cut"));
  reader.end();
  expect([reader.status, reader.headers.get("retry-after")]).toEqual([503, "7"]);
});

describe("reading stops at endless", () => {
  const endless: [why: string, begin: string, piece: string, status: number | string][] = [
    ["headers", "HTTP/1.1 200 OK\r\n", "x: y\r\n", 200],
    ["content of one header", "HTTP/1.1 200 OK\r\nx: ", "yyyyyy", 200],
    ["interim responses", "", "HTTP/1.1 100 Go\r\n\r\n", "NotHttp"],
    ["content of the status line", "HTTP/1.1 200 ", "yyyyyy", "NotHttp"],
    ["data that is not HTTP", "", "yyyyyy", "NotHttp"],
  ];
  test.each(endless)("%s", (_why, begin, piece, status) => {
    const pieces = [begin, ...Array<string>(100).fill(piece.repeat(200))];
    expect(read(pieces)).toEqual([status, ""]);
  });
});
