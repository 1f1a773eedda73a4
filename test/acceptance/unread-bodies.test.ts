/** Chunked bodies that nobody reads, over a bare socket: which of them end the connection. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { connect } from "node:net";
import { startExecutable, type Executable } from "../helpers/executable";

let dossier: Executable;
beforeAll(async () => {
  dossier = await startExecutable();
}, 60_000);
afterAll(() => dossier[Symbol.asyncDispose]());

const probe = "GET /health HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";

/** The responses to the request, and to a probe after it on the same connection, if it is open. */
const responsesTo = (request: string): Promise<string[]> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(dossier.url());
    let responses = "";
    const socket = connect(Number(port), hostname, () => socket.write(request));
    socket.once("data", () => socket.write(probe));
    socket.on("data", (data: Buffer) => (responses += data.toString()));
    socket.on("error", () => undefined);
    socket.on("close", () => resolve(responses.split(/HTTP\/1\.1 /).slice(1)));
  });

const end = "0\r\n\r\n";
const short = `2\r\n{}\r\n${end}`;
const endless = "1\r\n \r\n".repeat(20_000);

const api = "/api/dev/v1";
const bodies: [
  reason: string,
  request: string,
  has_key: boolean,
  body: string,
  status: number,
  closes: boolean,
][] = [
  ["refused, without an end", `POST ${api}/folders`, false, endless, 401, true],
  ["refused, with an end", `POST ${api}/folders`, false, short, 401, false],
  ["that its route does not read, without an end", "POST /health", false, endless, 405, true],
  ["that its route does not read, with an end", "POST /health", false, short, 405, false],
  ["read and accepted", `POST ${api}/chats`, true, short, 201, false],
  ["larger than its route reads", `POST ${api}/folders`, true, endless.repeat(4), 413, true],
];
test.each(bodies)("a chunked body %s", async (_, request, has_key, body, status, closes) => {
  const head = [
    `${request} HTTP/1.1`,
    "host: x",
    ...(has_key ? [`authorization: Bearer ${await dossier.key("ada")}`] : []),
    "content-type: application/json",
    "transfer-encoding: chunked",
  ];
  const [response, next] = await responsesTo(`${head.join("\r\n")}\r\n\r\n${body}`);
  expect(response).toStartWith(String(status));
  expect(/^connection: close/im.test(response!)).toBe(closes);
  expect(next !== undefined).toBe(!closes);
});
