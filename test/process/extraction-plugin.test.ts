/** The extraction plugin as a part of the server. */
import { expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newId } from "../../core/base/ids";
import { TaskFailure } from "../../core/isolate/contract";
import type { Context } from "../../core/plugin/contract";
import { Extraction } from "../../plugins/extraction/contract";
import plugin from "../../plugins/extraction/plugin";
import { encodeAs } from "../helpers/encode";
import { startTestServer } from "../helpers/host";
import { buildPdf, pdf } from "../helpers/pdf";

test("a start removes unfinished texts that a killed server left, and nothing else", async () => {
  const data = mkdtempSync(join(tmpdir(), "dossier-test-"));
  const temporary = join(data, "tmp");
  mkdirSync(temporary, { recursive: true });
  for (const name of ["extracted-ext_1", "upload-1"])
    writeFileSync(join(temporary, name), "secret");
  await startTestServer({ data });
  expect([
    existsSync(join(temporary, "extracted-ext_1")),
    existsSync(join(temporary, "upload-1")),
  ]).toEqual([false, true]);
});

test("uploads are read by their bytes, in a child, within the configured limits", async () => {
  const server = await startTestServer({ env: { DOSSIER_EXTRACTION_PAGES_MAX: "2" } });
  const folder = (await server.send("ada", "POST", "/folders", { name: "Harbour" })).body
    .id as string;
  const upload = async (name: string, bytes: Uint8Array<ArrayBuffer>) => {
    const form = new FormData();
    form.append("file", new File([bytes], name));
    const { id } = (await server.send("ada", "POST", `/documents/file?folder_id=${folder}`, form))
      .body;
    await server.settle();
    return (await server.send("ada", "GET", `/documents/${id}`)).body;
  };
  const words = "Капитан порта подписал разрешение на вход судна двенадцатого июня.\n";
  expect(
    await upload("letter.txt", encodeAs("koi8-r", words) as Uint8Array<ArrayBuffer>),
  ).toMatchObject({ status: "synced", content: words, media_type: "text/plain" });
  expect(await upload("report.txt", pdf([["One."], ["Two."]]))).toMatchObject({
    status: "synced",
    content: "One.\n\nTwo.",
    media_type: "application/pdf",
    page_count: 2,
  });
  expect(await upload("long.pdf", pdf([["One."], ["Two."], ["Three."]]))).toMatchObject({
    status: "sync_failed",
    error: { code: "too_large" },
  });
  expect(await upload("locked.pdf", buildPdf([{}], { password: "sesame" }))).toMatchObject({
    status: "sync_failed",
    error: { code: "encrypted", message: "This PDF is protected by a password." },
  });
}, 60_000);

test("health fails after repeated child crashes and recovers with the first success", async () => {
  let end: () => unknown = () => ({ broken: 0 });
  const isolate = async (_task: string, { output }: { output: string }) => {
    writeFileSync(output, "text");
    return end();
  };
  const temporary = mkdtempSync(join(tmpdir(), "dossier-extraction-"));
  const config = {
    memory_max: 1,
    pages_max: 1,
    timeout: 1_000,
    page_timeout: 1,
    timeout_max: 1_000,
  };
  const slots = { extractors: () => parts.fills!.map(({ value }) => value) };
  const parts = await plugin.setup({
    config,
    isolate,
    newId,
    slots,
    paths: { data: temporary, temporary },
  } as unknown as Context as never);
  const extraction = (parts.services as { extraction: Extraction }).extraction;
  const path = join(temporary, "letter");
  writeFileSync(path, encodeAs("koi8-r", "Капитан"));
  const read = () =>
    extraction
      .extract(
        { path, size_bytes: 7, name: "", declared_type: null },
        { signal: new AbortController().signal, onProgress: () => {} },
      )
      .catch(() => {});
  const after = async (...ends: (() => unknown)[]): Promise<unknown> => {
    for (const stop of ends) {
      end = stop;
      await read();
    }
    return await parts.health!();
  };
  const crash = () => {
    throw new TaskFailure("crashed", "SIGSEGV");
  };
  const refuse = () => {
    throw new TaskFailure("threw", "no text", "unsupported_type");
  };
  expect(await after(crash, crash)).toBe("ok");
  expect(await after(refuse, crash, crash)).toBe("ok");
  expect(await after(crash)).toEqual({
    failing: "Files can't be read: the last 3 reader processes ended unexpectedly. SIGSEGV",
  });
  expect(await after(() => ({ broken: 0 }))).toBe("ok");
});
