/** Acceptance, on the executable: what a stop does to uploads that still arrive. */
import { expect, test } from "bun:test";
import { temporaryFiles } from "../helpers/data-directory";
import { startExecutable } from "../helpers/executable";
import { filePart } from "../helpers/forms";
import { person } from "../helpers/person";
import { head, openSocket } from "../helpers/sockets";

test("an upload that does not come to its end is given up, and leaves nothing behind", async () => {
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
