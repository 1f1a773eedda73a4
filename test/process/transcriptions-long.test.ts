/** Long transcripts are never in one piece. */
import { expect, test } from "bun:test";
import { assemble, toSrt, toVtt } from "../../plugins/transcriptions/transcript";
import { startTestServer } from "../helpers/host";
import { person } from "../helpers/person";
import { formOf } from "../helpers/recordings";

test("a long transcript is stored and sent in parts, which are all deleted with its run", async () => {
  const cue = (at: number): string => `00:${10 + Math.floor(at / 60)}:${10 + (at % 50)}.000`;
  const words = (at: number): string => `Heron number ${at}${at % 7 === 0 ? "." : ""}`;
  const cues = Array.from({ length: 1_000 }, (_, at) => at);
  await using server = await startTestServer();
  const folder = await (await person(server, "ada")).folder();
  const vtt = `WEBVTT\n\n${cues.map((at) => `${cue(at)} --> 01:00:00.000\n${words(at)}\n`).join("\n")}`;
  const path = `/transcriptions?folder_id=${folder}`;
  const { id } = (await server.send("ada", "POST", path, formOf("long.vtt", vtt))).body;
  // An attempt that was interrupted may have stored more.
  await server.store.db
    .insertInto("transcriptions_segments")
    .values({ run_id: id, part: 5, segments: "[]" })
    .execute();
  await server.settle();
  const parts = () =>
    server.store.db
      .selectFrom("transcriptions_segments")
      .select("segments")
      .where("run_id", "=", id)
      .execute();
  expect((await parts()).length).toBe(5);
  const { body: result } = await server.send("ada", "GET", `/transcriptions/${id}/result`);
  expect(result.segments.length).toBe(1_000);
  const { text } = assemble(result.segments);
  expect(result.text).toBe(text);
  for (const [format, whole] of [
    ["vtt", toVtt(result.segments)],
    ["srt", toSrt(result.segments)],
    ["txt", `${text}\n`],
  ]) {
    const path = `/transcriptions/${id}/result?format=${format}`;
    const pieces: Uint8Array[] = [];
    for await (const piece of (await server.call("ada", "GET", path)).body!) pieces.push(piece);
    expect(Buffer.concat(pieces).toString()).toBe(whole!);
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(whole!.length / 3);
  }
  await server.send("ada", "DELETE", `/folders/${folder}`);
  await server.settle();
  expect(await parts()).toEqual([]);
});
