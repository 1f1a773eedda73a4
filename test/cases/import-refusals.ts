/** Invalid imports: which field is reported, and with which message. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expectProblem } from "../helpers/contract";
import { person, type Person } from "../helpers/person";
import type { ApiServer, StartServer } from "../helpers/server";

export function importRefusalCases(start: StartServer): void {
  let server: ApiServer;
  let ada: Person;
  const shelf = realpathSync(mkdtempSync(join(tmpdir(), "dossier-shelf-")));
  const outside = realpathSync(mkdtempSync(join(tmpdir(), "dossier-outside-")));
  beforeAll(async () => {
    server = await start({ env: { DOSSIER_IMPORTS_DIRECTORIES: shelf } });
    ada = await person(server, "ada");
  }, 180_000);
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
    for (const directory of [shelf, outside]) rmSync(directory, { recursive: true, force: true });
  });

  test("allowed directories are offered for import", async () => {
    for (const name of ["reports", "archive", ".hidden"]) mkdirSync(join(shelf, name));
    const { body } = await ada.send("GET", "/import-directories");
    expect(body.directories).toEqual([shelf, join(shelf, "archive"), join(shelf, "reports")]);
  });

  const nothing = { type: "urls", urls: [] };
  const inDirectory = (path: string) => ({ source: { type: "directory", path } });
  /** Every body has a folder of the caller unless it names another one, or null for none. */
  const refused: [
    why: string,
    path: string,
    body: { folder_id?: string | null; [field: string]: unknown },
    status: number,
    pointer: string | undefined,
    says: string,
  ][] = [
    ["no source", "/imports", {}, 400, "/source", "source"],
    ["a source without a type", "/imports", { source: {} }, 400, "/source/type", "type"],
    [
      "an unknown type",
      "/imports",
      { source: { type: "pigeon" } },
      400,
      "/source/type",
      "urls, sitemap, feed, zip, directory",
    ],
    ["no address", "/imports", { source: { type: "sitemap" } }, 400, "/source/url", "url"],
    [
      "a feed with an invalid address",
      "/imports",
      { source: { type: "feed", url: "example com" } },
      400,
      "/source/url",
      "“example com” is not a web address",
    ],
    [
      "a list without addresses",
      "/imports",
      { source: { type: "urls", urls: ["example.com", "/a"] } },
      400,
      "/source/urls/0",
      "“example.com” is not a web address",
    ],
    [
      "a schedule with an invalid address",
      "/import-schedules",
      { source: { type: "sitemap", url: "sitemap.xml" }, every: "0 6 * * 1" },
      400,
      "/source/url",
      "not a web address",
    ],
    [
      "a number for an address",
      "/imports",
      { source: { type: "zip", url: 7 } },
      400,
      "/source/url",
      "source.url",
    ],
    [
      "a number among addresses",
      "/imports",
      { source: { type: "urls", urls: ["https://a.test/", 7] } },
      400,
      "/source/urls/1",
      "urls",
    ],
    ["no folder", "/imports", { folder_id: null, source: nothing }, 400, "/folder_id", "folder_id"],
    [
      "a missing folder",
      "/imports",
      { folder_id: "fld_none", source: nothing },
      404,
      undefined,
      "folder",
    ],
    [
      "a directory that isn't allowed",
      "/imports",
      inDirectory(outside),
      400,
      "/source/path",
      "imports.directories",
    ],
    [
      "a path out of an allowed directory",
      "/imports",
      inDirectory(`${shelf}/../`),
      400,
      "/source/path",
      "imports.directories",
    ],
    [
      "a missing directory",
      "/imports",
      inDirectory(`${shelf}/none`),
      400,
      "/source/path",
      "imports.directories",
    ],
    [
      "a relative directory path",
      "/imports",
      inDirectory("."),
      400,
      "/source/path",
      "imports.directories",
    ],
    [
      "an invalid schedule",
      "/import-schedules",
      { source: nothing, every: "often" },
      400,
      "/every",
      "cron",
    ],
  ];
  for (const [why, path, body, status, pointer, says] of refused)
    test(why, async () => {
      const { folder_id = await ada.folder(), ...more } = body;
      const answer = await ada.send("POST", path, {
        ...(folder_id === null ? {} : { folder_id }),
        ...more,
      });
      expectProblem(answer, status, says);
      expect(answer.body.errors?.[0]?.pointer).toBe(pointer);
    });

  describe("access", () => {
    const body = async () => ({ folder_id: await ada.folder(), source: nothing });
    test("a run that does not exist", async () =>
      expectProblem(await ada.send("GET", "/imports/imp_none"), 404, "import"));
    test("a folder of another user", async () =>
      expectProblem(
        await server.send("eve", "POST", "/imports", await body()),
        403,
        "another user",
      ));
    test("a key that may only read", async () => {
      const key = await server.newKey("ada", ["read"]);
      expectProblem(
        await server.send(null, "POST", "/imports", await body(), {
          authorization: `Bearer ${key}`,
        }),
        403,
        "write",
        "missing_scope",
      );
    });
  });
}
