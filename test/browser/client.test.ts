/** The TypeScript client in a page of a different origin from the server's. */
import { expect, test } from "bun:test";
import { join, resolve } from "node:path";
import type { Dossier as Client, verifyWebhook as Verify } from "../../client/src/index";
import { chromium_path, closeWindows, sharedChromium, why_skipped } from "../helpers/chromium";
import { startExecutable } from "../helpers/executable";

if (!chromium_path) console.log(why_skipped);
const root = resolve(import.meta.dir, "../..");

/** The page, and the client as one file. */
async function startPage() {
  const built = await Bun.build({ entrypoints: [join(root, "client/src/index.ts")] });
  const script = await built.outputs[0]!.text();
  const types = { headers: { "content-type": "text/javascript" } };
  return Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: ({ url }) =>
      url.endsWith(".js")
        ? new Response(script, types)
        : new Response("<!doctype html>", { headers: { "content-type": "text/html" } }),
  });
}

interface Done {
  readonly sent: readonly number[];
  readonly stages: readonly string[];
  readonly clash: readonly unknown[];
  readonly answer: string;
  readonly streamed: string;
  readonly changes: readonly string[];
  readonly refused: string;
}

/** Runs in the page. */
async function useClient([baseUrl, key, text]: readonly [string, string, string]): Promise<Done> {
  const module = "/client.js";
  const { Dossier, verifyWebhook } = (await import(module)) as {
    Dossier: typeof Client;
    verifyWebhook: typeof Verify;
  };
  const dossier = new Dossier({ baseUrl, key });
  const folder = (await dossier.createFolder({ name: "From a page" })).id;
  const [sent, stages] = [[] as number[], new Set<string>()];
  const file = new File([text], "notes.txt");
  await dossier.upload(file, {
    folder,
    onProgress: (now) => {
      if (now.phase === "sending") sent.push(now.sentBytes);
      else stages.add(now.status);
    },
  });
  const clash = await dossier.upload(file, { folder, onProgress: () => {} }).catch((e) => e);
  const { answer } = await dossier.ask("When is the pump oiled?", { folders: [folder] });
  let streamed = "";
  const answering = dossier.ask("When is the pump oiled?", { folders: [folder], stream: true });
  for await (const event of answering) if (event.type === "delta") streamed += event.text;
  const changes: string[] = [];
  for await (const { event } of dossier.events({ types: ["folder.deleted"] })) {
    changes.push(event);
    if (event !== "ready") break;
    await dossier.deleteFolder(folder);
  }
  const body = "{}";
  const headers = {
    "webhook-id": "a",
    "webhook-timestamp": String(Math.floor(Date.now() / 1_000)),
    "webhook-signature": "v1,AAAA",
  };
  const refused = await verifyWebhook({ body, headers, secret: "whsec_AAAA" }).catch((e) => e);
  return {
    sent,
    stages: [...stages],
    clash: [clash.status, clash.code, typeof clash.requestId],
    answer,
    streamed,
    changes,
    refused: refused.code,
  };
}

test.skipIf(!chromium_path)(
  "a page uploads, asks, streams and watches",
  async () => {
    using page_server = await startPage();
    const origin = `http://127.0.0.1:${page_server.port}`;
    await using dossier = await startExecutable({ env: { DOSSIER_SERVER_CORS_ORIGINS: origin } });
    const key = await dossier.createUser();
    const browser = await sharedChromium();
    try {
      const page = await browser.newPage();
      await page.goto(`${origin}/`);
      const text = "The pump is oiled every spring.\n".repeat(20_000);
      const done = await page.evaluate(useClient, [dossier.url(), key, text] as const);
      expect(done.sent.at(-1)).toBe(text.length);
      expect(done).toMatchObject({
        clash: [409, "name_taken", "string"],
        changes: ["ready", "folder.deleted"],
        refused: "bad_webhook",
      });
      expect(done.stages.at(-1)).toBe("synced");
      expect(done.answer).toContain("every spring");
      expect(done.streamed).toBe(done.answer);
    } finally {
      await closeWindows(browser);
    }
  },
  120_000,
);
