/** Which jobs that ran out of disk space are worth retrying, and when. */
import { expect, test } from "bun:test";
import { SpaceWaiters } from "../../core/jobs/space-waiters";

const mebibyte = 2 ** 20;
function world(free_mib: number, full = false) {
  const disk = { free: free_mib * mebibyte, full };
  const waiters = new SpaceWaiters({ freeBytes: () => disk.free, isDiskFull: () => disk.full });
  return { disk, waiters };
}

test("a job waits until there is more space than it found, and is returned once", () => {
  const { disk, waiters } = world(5);
  waiters.add("a", disk.free);
  expect(waiters.takeReady()).toEqual([]);
  disk.free = 6 * mebibyte;
  expect([waiters.takeReady(), waiters.takeReady()]).toEqual([["a"], []]);
});

test("no job is woken while the remaining space is reserved for deletions", () => {
  const { disk, waiters } = world(0, true);
  waiters.add("a", disk.free);
  disk.free = 100 * mebibyte;
  expect(waiters.takeReady()).toEqual([]);
  disk.full = false;
  expect(waiters.takeReady()).toEqual(["a"]);
});

test("after a failed retry, the next one needs more space than the last had", () => {
  const { disk, waiters } = world(5);
  waiters.add("a", disk.free);
  disk.free = 40 * mebibyte;
  expect(waiters.takeReady()).toEqual(["a"]);
  disk.free = 0;
  waiters.add("a", disk.free);
  disk.free = 40 * mebibyte;
  expect(waiters.takeReady()).toEqual([]);
  disk.free = 60 * mebibyte;
  expect(waiters.takeReady()).toEqual(["a"]);
});

test("a forgotten job is not returned", () => {
  const { disk, waiters } = world(5);
  waiters.add("a", disk.free);
  waiters.forget("a");
  disk.free = 100 * mebibyte;
  expect(waiters.takeReady()).toEqual([]);
});
