/**
 * Acceptance, on the executable: uploads with any name and encoding, their bodies, downloading the
 * original, and clean-up after broken ones.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { originalCases } from "../cases/originals";
import { uploadBodyCases } from "../cases/upload-bodies";
import { uploadCases } from "../cases/uploads";
import { expectHas, expectProblem, expectRecord } from "../helpers/contract";
import { temporaryFiles } from "../helpers/data-directory";
import { startExecutable, type Executable } from "../helpers/executable";
import { filePart, multipart } from "../helpers/forms";
import { person, type Person } from "../helpers/person";
import { until } from "../helpers/server";
import { head, openSocket } from "../helpers/sockets";
import { buildPdf } from "../helpers/pdf";

describe("uploads", () => uploadCases(startExecutable));
describe("originals", () => originalCases(startExecutable));
describe("bodies", () => uploadBodyCases(startExecutable));

let server: Executable;
let ada: Person;
let folder: string;

beforeAll(async () => {
  server = await startExecutable();
  ada = await person(server, "ada");
  folder = await ada.folder();
}, 180_000);
afterAll(() => server?.[Symbol.asyncDispose]());

describe("a file without readable text reports the reason", () => {
  const line = (text: string) => ({ lines: [{ x: 60, y: 700, text }] });
  const pdf = (...pages: Parameters<typeof buildPdf>) => new Uint8Array(buildPdf(...pages));
  const png = new Uint8Array([
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52,
  ]);
  const cases: [string, string, () => string | Uint8Array<ArrayBuffer>, string][] = [
    ["an empty file", "empty.txt", () => "", "empty"],
    ["a blank file", "blank.txt", () => " \n\n", "empty"],
    ["a picture named .txt", "picture.txt", () => png, "corrupt"],
    [
      "random bytes",
      "noise.txt",
      () => new Uint8Array(4_000).map((_, n) => (n * 7919) % 251),
      "unsupported_type",
    ],
    ["a truncated PDF", "cut.pdf", () => pdf([line("Here.")]).slice(0, 200), "corrupt"],
    ["a PDF in name only", "fake.pdf", () => "%PDF-1.7\nnothing", "corrupt"],
    [
      "a PDF that needs a password",
      "locked.pdf",
      () => pdf([line("Here.")], { password: "secret" }),
      "encrypted",
    ],
    ["a PDF without a text layer", "scan.pdf", () => pdf([{ picture: true }]), "empty"],
  ];
  for (const [why, name, content, code] of cases)
    test(`${why}: ${code}`, async () => {
      const { status, body } = await ada.upload(folder, name, content());
      expect(status).toBe(201);
      const { content: text, ...record } = await ada.settled(body.id);
      expectRecord("document", record);
      expect([record.status, record.error.code, text, record.synced_at]).toEqual([
        "sync_failed",
        code,
        "",
        null,
      ]);
      expect(record.error.message).not.toMatch(/\/tmp|\/home|at .*\.ts/);
      expect((await ada.send("POST", `/documents/${body.id}/reindex`)).status).toBe(202);
      expectHas(await ada.settled(body.id), { status: "sync_failed", error: { code } });
      expect((await ada.upload(folder, name, "Now there is text.", "&overwrite=true")).status).toBe(
        200,
      );
      expectHas(await ada.settled(body.id), {
        status: "synced",
        version: 2,
        content: "Now there is text.",
        error: null,
      });
    });
  test("a PDF with text is read, whatever its name", async () => {
    const { body } = await ada.upload(
      folder,
      "really-a-pdf.txt",
      pdf([line("The heron stands on page one."), line("The stork stands on page two.")]),
    );
    expectHas(await ada.settled(body.id), {
      status: "synced",
      media_type: "application/pdf",
      page_count: 2,
      content: expect.stringContaining("page two"),
    });
  });
});

describe("slow and broken connections", () => {
  const whole = multipart({
    headers: filePart("slow.txt"),
    body: "The slow loris arrives at last.",
  });
  const begin = (length: number) =>
    head("POST", `/documents/file?folder_id=${folder}`, {
      authorization: `Bearer ${ada.key}`,
      ...whole.headers,
      "content-length": String(length),
    });

  test("a very slow upload is accepted", async () => {
    const socket = openSocket(server.url());
    socket.send(begin(whole.body.length));
    for (let at = 0; at < whole.body.length; at += 20) {
      socket.send(whole.body.slice(at, at + 20));
      await Bun.sleep(10);
    }
    const { status, body } = await socket.answer();
    expect([status, await ada.settled(body.id)]).toEqual([
      201,
      expect.objectContaining({ status: "synced", content: "The slow loris arrives at last." }),
    ]);
    socket.cut();
  });
  test("an aborted upload leaves nothing behind, not even its name", async () => {
    const sockets = Array.from({ length: 4 }, () => openSocket(server.url()));
    for (const socket of sockets)
      socket.send(
        `${begin(50_000_000)}${Buffer.from(whole.body.slice(0, -50)).toString().replace("slow.txt", "broken.txt")}${"x".repeat(200_000)}`,
      );
    await until(() => temporaryFiles(server.data).length === 4);
    for (const socket of sockets) socket.cut();
    await until(() => temporaryFiles(server.data).length === 0);
    expect(await ada.names(folder, "&name=broken")).toEqual([]);
    expect((await ada.upload(folder, "broken.txt", "Whole.")).status).toBe(201);
  });
  const later: [string, ReturnType<typeof multipart>, number][] = [
    [
      "an upload aborted after its complete file",
      multipart({ headers: filePart("later.txt"), body: "Whole." }),
      10,
    ],
    [
      "an upload with a late second file",
      multipart(
        { headers: filePart("later.txt"), body: "Whole." },
        { headers: filePart("second.txt"), body: "Too much." },
      ),
      60,
    ],
  ];
  for (const [why, { body, headers }, rest] of later)
    test(`${why} leaves nothing behind`, async () => {
      const socket = openSocket(server.url());
      socket.send(
        head("POST", `/documents/file?folder_id=${folder}`, {
          authorization: `Bearer ${ada.key}`,
          ...headers,
          "content-length": String(body.length),
        }),
      );
      socket.send(body.slice(0, -rest));
      await until(() => temporaryFiles(server.data).length === 1);
      await Bun.sleep(100);
      if (rest > 10) {
        socket.send(body.slice(-rest));
        expectProblem(await socket.answer(), 400);
      }
      socket.cut();
      await until(() => temporaryFiles(server.data).length === 0);
      expect(await ada.names(folder, "&name=later")).toEqual([]);
    });
  test("an upload into a folder deleted meanwhile is refused and leaves nothing", async () => {
    const doomed = await ada.folder();
    const socket = openSocket(server.url());
    const part = Buffer.from(whole.body.slice(0, -45));
    socket.send(begin(whole.body.length).replace(folder, doomed));
    socket.send(part);
    await until(() => temporaryFiles(server.data).length === 1);
    await ada.send("DELETE", `/folders/${doomed}`);
    socket.send(whole.body.slice(-45));
    expectProblem(await socket.answer(), 404);
    await until(() => temporaryFiles(server.data).length === 0);
    socket.cut();
  });
});
