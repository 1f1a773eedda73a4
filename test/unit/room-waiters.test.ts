/** Which jobs that found no room on the disk are worth another try, and when. */
import { expect, test } from "bun:test";
import { RoomWaiters } from "../../core/jobs/room-waiters";

const mebibyte = 2 ** 20;
function world(free_mib: number, full = false) {
  const disk = { free: free_mib * mebibyte, full };
  const waiters = new RoomWaiters({ freeBytes: () => disk.free, isDiskFull: () => disk.full });
  return { disk, waiters };
}

test("one waits until there is more than it found, and is named once", () => {
  const { disk, waiters } = world(5);
  waiters.add("a", disk.free);
  expect(waiters.take()).toEqual([]);
  disk.free = 6 * mebibyte;
  expect([waiters.take(), waiters.take()]).toEqual([["a"], []]);
});

test("nobody is woken while what is left is for deletions", () => {
  const { disk, waiters } = world(0, true);
  waiters.add("a", disk.free);
  disk.free = 100 * mebibyte;
  expect(waiters.take()).toEqual([]);
  disk.full = false;
  expect(waiters.take()).toEqual(["a"]);
});

test("what a try used and gave back is no room: the next one needs more than the last had", () => {
  const { disk, waiters } = world(5);
  waiters.add("a", disk.free);
  disk.free = 40 * mebibyte;
  expect(waiters.take()).toEqual(["a"]);
  disk.free = 0;
  waiters.add("a", disk.free);
  disk.free = 40 * mebibyte;
  expect(waiters.take()).toEqual([]);
  disk.free = 60 * mebibyte;
  expect(waiters.take()).toEqual(["a"]);
});

test("what has ended is forgotten", () => {
  const { disk, waiters } = world(5);
  waiters.add("a", disk.free);
  waiters.forget("a");
  disk.free = 100 * mebibyte;
  expect(waiters.take()).toEqual([]);
});
