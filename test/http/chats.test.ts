/** Chat sessions in this process: every case of callers, and their quota. */
import { expect, test } from "bun:test";
import { chatCases } from "../cases/chats";
import { startTestServer } from "../helpers/host";

chatCases(startTestServer);

test("the quota counts live sessions, exactly under concurrency, and names the limit", async () => {
  const limited = await startTestServer({ env: { DOSSIER_QUOTAS_CHATS: "3" } });
  const answers = await Promise.all(
    Array.from({ length: 12 }, () => limited.send("ada", "POST", "/chats")),
  );
  const made = answers.filter(({ status }) => status === 201);
  expect([made.length, answers.filter(({ status }) => status === 403).length]).toEqual([3, 9]);
  const refused = answers.find(({ status }) => status === 403)!;
  expect([refused.body.code, refused.body.detail.includes("3")]).toEqual(["quota_exceeded", true]);
  const id = made[0]!.body.id;
  await limited.send("ada", "DELETE", `/chats/${id}`);
  expect((await limited.send("ada", "POST", "/chats")).status).toBe(201);
  expect((await limited.send("ada", "POST", `/chats/${id}/restore`)).body.code).toBe(
    "quota_exceeded",
  );
  expect((await limited.send("ada", "GET", "/chats?deleted=true")).body.pagination.total).toBe(1);
  await limited.stop();
});
