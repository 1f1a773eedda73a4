/**
 * Acceptance, on the executable: an overwrite keeps the old version in use until the new one is
 * ready, or permanently if it fails; unfinished work resumes after a restart.
 */
import { describe, expect, test } from "bun:test";
import { overwriteCases } from "../cases/overwrite";
import { startExecutable } from "../helpers/executable";
import { person } from "../helpers/person";
import { until } from "../helpers/server";
import { writeStagedPlugin } from "../helpers/staged-plugin";

describe("overwriting", () => overwriteCases(startExecutable));

test("processing resumes after a restart; a removed document isn't found", async () => {
  using stage = writeStagedPlugin();
  await using server = await startExecutable({ env: stage.env });
  const ada = await person(server, "ada");
  const folder = await ada.folder();
  const record = async (id: string) => (await ada.send("GET", `/documents/${id}`)).body;
  const [stays, leaves] = [
    (await ada.upload(folder, "stays.txt", "#!hold restart\nThe stitchbird stays.")).body,
    (await ada.upload(folder, "leaves.txt", "#!hold restart\nThe stitchbird leaves.")).body,
  ];
  await until(async () => (await record(leaves.id)).indexing.stage === "extracting");
  await ada.send("DELETE", `/documents/${leaves.id}?folder_id=${folder}`);
  await server.restart();
  expect((await record(stays.id)).status).toBe("syncing");
  stage.open("restart");
  expect([(await ada.settled(stays.id)).status, (await ada.settled(leaves.id)).status]).toEqual([
    "synced",
    "synced",
  ]);
  expect(await ada.found("stitchbird")).toEqual([stays.id]);
  await ada.send("POST", `/documents/${leaves.id}/restore?folder_id=${folder}`);
  expect((await ada.found("stitchbird")).toSorted()).toEqual([stays.id, leaves.id].sort());
}, 60_000);
