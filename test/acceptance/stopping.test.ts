/** Acceptance, on the executable: its shutdown with unfinished uploads and unread output. */
import { expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { buildIfStale, executable } from "../../scripts/build";
import { cleanEnvironment } from "../../scripts/lib/launch";
import { temporaryDirectory, temporaryFiles } from "../helpers/data-directory";
import { startExecutable } from "../helpers/executable";
import { filePart } from "../helpers/forms";
import { person } from "../helpers/person";
import { head, openSocket } from "../helpers/sockets";

test("a stalled upload is aborted at shutdown and leaves nothing behind", async () => {
  await using server = await startExecutable();
  const ada = await person(server, "ada");
  const folder = await ada.folder();
  const socket = openSocket(server.url());
  socket.send(
    head("POST", `/documents/file?folder_id=${folder}`, {
      authorization: `Bearer ${ada.key}`,
      "content-type": "multipart/form-data; boundary=b",
      "content-length": "1000000",
    }),
  );
  socket.send(`--b\r\n${filePart("half.txt")}\r\n\r\n${"half ".repeat(20_000)}`);
  await server.untilTrue(() => temporaryFiles(server.data).length === 1);
  const answer = socket.answer();
  expect(await server.stop()).toBe(0);
  const { status, headers } = await answer;
  expect([status, headers.get("retry-after")]).toEqual([503, "5"]);
  expect(temporaryFiles(server.data)).toEqual([]);
  await server.restart();
  expect(await ada.names(folder)).toEqual([]);
}, 180_000);

/** Runs a script of bash with `$dossier` and the data directory `$data`. */
const bash = (script: string, data: string) =>
  Bun.spawn(["bash", "-c", script], {
    cwd: data,
    env: cleanEnvironment({ dossier: executable, data }),
    stdout: "pipe",
    stderr: "pipe",
  });

test("unread output doesn't delay the shutdown", async () => {
  await buildIfStale();
  const data = temporaryDirectory();
  // The pipe is open at both ends, and full.
  const run = bash(
    "mkfifo out && exec 3<>out && dd if=/dev/zero of=out bs=4096 oflag=nonblock 2>/dev/null; rm out; " +
      'exec "$dossier" serve --data "$data" --port 0 >&3 3>&-',
    data,
  );
  let output = "";
  let is_told = false;
  for await (const bytes of run.stderr) {
    output += new TextDecoder().decode(bytes);
    // A second signal would end it immediately.
    if (is_told || !output.includes('"listening"')) continue;
    is_told = true;
    run.kill("SIGTERM");
  }
  expect([await run.exited, output]).toEqual([0, expect.stringContaining('"stopped"')]);
  rmSync(data, { recursive: true });
}, 60_000);

const hang_ups: [why: string, start: string, ends: boolean][] = [
  ["a terminal that closes stops the server gracefully", "exec", true],
  ["under nohup the server goes on", "exec nohup", false],
];
test.each(hang_ups)(
  "%s",
  async (_why, start, ends) => {
    await buildIfStale();
    const data = temporaryDirectory();
    const run = bash(`${start} "$dossier" serve --data "$data" --port 0 >/dev/null`, data);
    let output = "";
    for await (const bytes of run.stderr) {
      const is_new = !output.includes('"listening"');
      output += new TextDecoder().decode(bytes);
      if (!is_new || !output.includes('"listening"')) continue;
      run.kill("SIGHUP");
      if (ends) continue;
      await Bun.sleep(200);
      run.kill("SIGTERM");
    }
    expect([await run.exited, output]).toEqual([0, expect.stringContaining('"stopped"')]);
    expect(output.includes('"signal":"SIGHUP"')).toBe(ends);
    rmSync(data, { recursive: true });
  },
  60_000,
);

test("a closed output pipe is not an error, a full disk is", async () => {
  await buildIfStale();
  const data = temporaryDirectory();
  const run = bash(
    '"$dossier" openapi --data "$data" | head -c 1; echo "${PIPESTATUS[0]}"; ' +
      '"$dossier" openapi --data "$data" >/dev/full; echo $?',
    data,
  );
  expect(await new Response(run.stdout).text()).toBe("{0\n1\n");
  rmSync(data, { recursive: true });
}, 60_000);
