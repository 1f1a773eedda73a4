/** A server directory whose parts are replaced by links to elsewhere while it is read. */
import { expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { directorySource } from "../../plugins/imports/sources/directory";

/** Keeps switching `shelf/part` between a link to `outside` and the real directory. */
const swapping = `const { renameSync, symlinkSync, unlinkSync } = require("fs");
const [shelf, outside] = process.argv.slice(1);
for (;;) {
  try {
    renameSync(shelf + "/part", shelf + "/kept");
    symlinkSync(outside, shelf + "/part");
    unlinkSync(shelf + "/part");
    renameSync(shelf + "/kept", shelf + "/part");
  } catch {}
}`;

test("nothing outside an imported directory is ever read", async () => {
  const around = realpathSync(mkdtempSync(join(tmpdir(), "dossier-swapped-")));
  const [shelf, outside, data] = ["shelf", "outside", "data"].map((name) => join(around, name)) as [
    string,
    string,
    string,
  ];
  for (const directory of [shelf, outside, data, join(shelf, "part")]) mkdirSync(directory);
  writeFileSync(join(shelf, "part/a.txt"), "The otter.");
  writeFileSync(join(outside, "a.txt"), "The secret.");
  const source = directorySource([shelf], data);
  const read = async (): Promise<string> => {
    const content = await source.read!(
      { uri: "a", name: "a.txt", locator: "part/a.txt" },
      { path: shelf },
      { upload_bytes_max: 1_000 } as never,
    );
    const text = await new Response(content.bytes as never).text();
    await content.release!();
    return text;
  };
  expect(await read()).toBe("The otter.");
  const child = Bun.spawn([process.execPath, "-e", swapping, shelf, outside], {
    stdout: "ignore",
    stderr: "ignore",
  });
  const names = new Set<string>();
  for (let n = 0; n < 8_000; n++) names.add(await read().catch((error: Error) => error.message));
  child.kill("SIGKILL");
  await child.exited;
  expect(
    [...names].filter((text) => text !== "The file no longer exists." && text !== "The otter."),
  ).toEqual([]);
  rmSync(around, { recursive: true, force: true });
}, 60_000);
