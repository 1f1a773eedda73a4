/** How processes coordinate deletions and uploads of shared files, with a fake clock. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { createFileClaims } from "../../core/store/migrations";
import { FileClaims, pin_ms } from "../../core/store/objects/file-claims";
import { openTestStore, type TestStore } from "../helpers/store";

let now_ms: number;
let opened: TestStore;
let claims: FileClaims;
beforeEach(async () => {
  now_ms = 1_000_000;
  opened = await openTestStore();
  const { store } = opened;
  await store.inTransaction(createFileClaims);
  claims = new FileClaims(store, { now_ms: () => now_ms });
});
afterEach(() => opened.close());
const minutes = (count: number) => count * 60_000;

test("a file is deleted by one process, and by another when that one goes silent", async () => {
  await claims.remove(["a"], minutes(60));
  expect([await claims.due(10), await claims.nextDue()]).toEqual([[], minutes(60)]);
  now_ms += minutes(60);
  expect(await claims.due(10)).toEqual(["a"]);
  expect([await claims.begin("a", 5_000), await claims.begin("a", 5_000)]).toEqual([true, false]);
  expect([await claims.due(10), await claims.deletingFor("a")]).toEqual([[], 5_000]);
  now_ms += 5_001;
  expect([await claims.due(10), await claims.begin("a", 5_000)]).toEqual([["a"], true]);
  await claims.end("a");
  expect([await claims.due(10), await claims.nextDue()]).toEqual([[], null]);
});

test("an upload learns of a deletion in progress, and blocks the next one", async () => {
  await claims.begin("a", 5_000);
  const { id, deleting_ms } = await claims.pin("a");
  expect(deleting_ms).toBe(5_000);
  await claims.end("a");
  expect(await claims.begin("a", 5_000)).toBe(false);
  expect((await claims.claimed(["a", "b"])).has("a")).toBe(true);
  await claims.unpin(id);
  expect(await claims.begin("a", 5_000)).toBe(true);
});

test("an active upload keeps its claim; a silent one loses it, and later its file", async () => {
  const { id } = await claims.pin("a");
  now_ms += pin_ms - 1;
  await claims.renew(id);
  now_ms += pin_ms - 1;
  await claims.releaseCutOff({ all: false, delay_ms: 0 });
  expect(await claims.begin("a", 5_000)).toBe(false);
  now_ms += minutes(5);
  await claims.releaseCutOff({ all: false, delay_ms: 0 });
  // The process may have been suspended and may resume.
  expect(await claims.nextDue()).toBe(minutes(15));
  now_ms += minutes(15);
  expect(await claims.due(10)).toEqual(["a"]);
});

test("a sole server process knows that all earlier uploads are over", async () => {
  await claims.pin("a");
  await claims.releaseCutOff({ all: true, delay_ms: 0 });
  expect(await claims.due(10)).toEqual(["a"]);
});

test("a failed deletion is retried after a minute", async () => {
  await claims.remove(["a"], 0);
  await claims.begin("a", 5_000);
  await claims.postpone("a");
  expect([await claims.due(10), await claims.nextDue()]).toEqual([[], minutes(1)]);
});
