/** The plugin of examples/imap-source, bundled, in the built executable, against hoodiecrow. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { startExampleSource, type ExampleSource } from "../helpers/example-source";

setDefaultTimeout(120_000);

/** It has no types. */
const hoodiecrow = require("hoodiecrow-imap");
const password = "testpass";

const message = (subject: string, text: string, more = ""): string =>
  `From: Ada <ada@example.com>\r\nTo: bob@example.com\r\nSubject: ${subject}\r\n` +
  "Date: Mon, 2 Mar 2026 10:00:00 +0000\r\nMIME-Version: 1.0\r\n" +
  (more === ""
    ? `Content-Type: text/plain; charset=utf-8\r\n\r\n${text}\r\n`
    : `Content-Type: multipart/mixed; boundary="cut"\r\n\r\n--cut\r\n` +
      `Content-Type: text/plain\r\n\r\n${text}\r\n--cut\r\n${more}\r\n--cut--\r\n`);
const attached =
  'Content-Type: text/csv; name="carp.csv"\r\nContent-Disposition: attachment; ' +
  'filename="carp.csv"\r\n\r\nfish,count\r\ncarp,7\r\n';

let example: ExampleSource;
let server: any;
let port: number;
beforeAll(async () => {
  server = hoodiecrow({
    plugins: ["ID", "UIDPLUS", "UNSELECT", "LITERALPLUS", "NAMESPACE"],
    storage: {
      INBOX: {
        uidnext: 100,
        messages: [
          { raw: message("Otters", "The otter sleeps in the reeds."), uid: 7 },
          { raw: message("=?utf-8?Q?K=C3=B6der?=", "With the list.", attached), uid: 9 },
          { raw: message("", "Nobody named this."), uid: 12 },
        ],
      },
      "": {
        separator: "/",
        folders: { Archive: { messages: [{ raw: message("Herons", "The heron stands.") }] } },
      },
    },
  });
  await new Promise<void>((done) => void server.listen(0, "127.0.0.1", done));
  ({ port } = server.server.address());
  example = await startExampleSource("imap-source");
});
afterAll(async () => {
  await example?.[Symbol.asyncDispose]();
  server?.server.close();
});

const source = (more: object = {}) => ({
  type: "imap",
  host: "127.0.0.1",
  port,
  security: "none",
  username: "testuser",
  password,
  ...more,
});
const inbox = () => server.getMailbox("INBOX");

describe("a mail folder", () => {
  test("becomes documents with attachments and isn't changed", async () => {
    const { run, items, texts } = await example.run(source());
    expect([run.status, run.source.password]).toEqual(["completed", { set: true }]);
    expect(items.map(({ uri }) => uri)).toEqual(
      [7, 9, 12].map((uid) => `imap://testuser@127.0.0.1/INBOX;UIDVALIDITY=1/;UID=${uid}`),
    );
    expect(texts.map(([name]) => name)).toEqual([
      "Köder",
      expect.stringMatching(/^Message of \d{4}-\d\d-\d\d$/),
      "Otters",
    ]);
    const [, bait] = texts.find(([name]) => name === "Köder")!;
    expect(bait).toContain("With the list.");
    expect(bait).toContain("| carp | 7 |");
    expect(inbox().messages.flatMap(({ flags }: any) => flags)).not.toContain("\\Seen");
  });

  test("is read incrementally: new messages are added, missing ones removed", async () => {
    inbox().messages.shift();
    server.appendMessage("INBOX", [], false, message("Carp", "The carp swims."));
    const { run, items, texts } = await example.run(source(), { gone: "remove" });
    expect([run.status, run.gone_item_count, run.skipped_item_count]).toEqual(["completed", 1, 2]);
    expect(items.filter(({ status }) => status === "succeeded")).toHaveLength(2);
    const names = texts.map(([name]) => name);
    expect([names.includes("Carp"), names.includes("Otters")]).toEqual([true, false]);
  });

  test("can be another folder than the inbox", async () => {
    const { run, texts } = await example.run(source({ folder: "Archive" }));
    expect(run.status).toBe("completed");
    expect(texts.find(([name]) => name === "Herons")![1]).toContain("The heron stands.");
  });
});

describe("errors are explained with a remedy", () => {
  const at = (bad_port: number, security = "none") => ({ port: bad_port, security });
  const cases: [
    reason: string,
    more: () => object | Promise<object>,
    code: string,
    said: RegExp,
  ][] = [
    [
      "a wrong password",
      () => ({ password: "wrong!" }),
      "credentials_refused",
      /rejected .*app password/,
    ],
    [
      "a missing folder",
      () => ({ folder: "Nope" }),
      "unreadable",
      /^The mailbox has no folder Nope\. It has INBOX, Archive\.$/,
    ],
    [
      "no service",
      async () => at(await example.badService("is gone")),
      "unreachable",
      /could not be reached, or closed the connection \(.*Correct host, port and security\.$/,
    ],
    [
      "an untrusted certificate",
      async () => at(await example.badService("has a bad certificate"), "tls"),
      "certificate_refused",
      /certificate .* was not accepted .*NODE_EXTRA_CA_CERTS/,
    ],
    [
      "a server without the required TLS",
      () => ({ security: "starttls" }),
      "unreachable",
      /starttls is 143/,
    ],
    ["a private address", () => ({ host: "127.0.0.2" }), "address_refused", /Only public hosts/],
    [
      "a server that hangs",
      async () => at(await example.badService("hangs")),
      "timeout",
      /is not responding\. Correct host, port and security/,
    ],
  ];
  test.each(cases)("%s", async (_reason, more, code, words) => {
    const { run } = await example.run(source(await more()));
    expect([run.status, run.error.code, run.error.message]).toEqual([
      "failed",
      code,
      expect.stringMatching(words),
    ]);
    expect(JSON.stringify(run)).not.toContain(password);
  });

  const refused: [reason: string, more: object, pointer: string][] = [
    ["an invalid host", { host: "imap example" }, "/source/host"],
    ["a local host name", { host: "mailserver" }, "/source/host"],
    ["no password", { password: undefined }, "/source/password"],
    ["an invalid date", { since: "yesterday" }, "/source/since"],
  ];
  test.each(refused)("refused before the import starts: %s", async (_reason, more, pointer) => {
    const { status, body } = await example.dossier.api("POST", "/imports", {
      folder_id: example.folder_id,
      source: source(more),
    });
    expect([status, body.errors?.[0]?.pointer]).toEqual([400, pointer]);
  });

  test("failed imports leave the server healthy", async () => {
    expect((await example.dossier.api("GET", "/health")).body).toMatchObject({ status: "ok" });
  });
});
