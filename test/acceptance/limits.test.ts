/**
 * Acceptance, on the executable: the rate limit for each owner and each address, quotas that hold
 * under concurrency, and uploads that are refused before their body arrives.
 */
import { describe, expect, test } from "bun:test";
import { quotaCases, rateLimitCases } from "../cases/limits";
import { expectProblem } from "../helpers/contract";
import { startExecutable } from "../helpers/executable";
import { filePart } from "../helpers/forms";
import { person } from "../helpers/person";
import type { Answered } from "../helpers/server";
import { head, openSocket } from "../helpers/sockets";

describe("rate limit", () => {
  rateLimitCases(startExecutable);

  test("an upload above the limit is refused before its body arrives", async () => {
    await using server = await startExecutable({
      env: { DOSSIER_RATE_LIMIT_REQUESTS: "1", DOSSIER_RATE_LIMIT_WINDOW: "10000d" },
    });
    await server.send("ada", "GET", "/folders");
    const socket = openSocket(server.url());
    socket.send(
      head("POST", "/documents/file?folder_id=fld_1", {
        authorization: `Bearer ${await server.key("ada")}`,
        "content-type": "multipart/form-data; boundary=x",
        "content-length": "500000000",
      }),
    );
    expectProblem(await socket.answer(), 429);
    socket.cut();
  });

  test("the next window starts with the full limit", async () => {
    await using other = await startExecutable({
      env: { DOSSIER_RATE_LIMIT_REQUESTS: "2", DOSSIER_RATE_LIMIT_WINDOW: "1s" },
    });
    const ask = (address: string) =>
      other.send(null, "GET", "/openapi.json", undefined, { "x-forwarded-for": address });
    let refused: Answered;
    // Only trusted proxies may name client addresses: these all count as one.
    for (let n = 0; (refused = await ask(`203.0.113.${n}`)).status !== 429; n++)
      expect(n).toBeLessThan(100);
    await Bun.sleep(Number(refused.headers.get("retry-after")) * 1000);
    expect((await ask("203.0.113.200")).status).toBe(200);
  });
});

describe("quotas", () => {
  quotaCases(startExecutable);

  test("storage: a too large Content-Length is refused before the body arrives", async () => {
    await using server = await startExecutable({ env: { DOSSIER_QUOTAS_STORAGE: "100000" } });
    const ada = await person(server, "ada");
    const socket = openSocket(server.url());
    const headers = {
      authorization: `Bearer ${ada.key}`,
      "content-type": "multipart/form-data; boundary=x",
      "content-length": "500000000",
    };
    socket.send(
      `${head("POST", `/documents/file?folder_id=${await ada.folder()}`, headers)}--x\r\n${filePart("huge.txt")}\r\n\r\nThe first bytes `,
    );
    expectProblem(await socket.answer(), 403, "", "quota_exceeded");
    socket.cut();
  });
});
