/** The console in a browser, on a server that is reached below a path. */
import { describe, expect, test } from "bun:test";
import {
  chromium_path,
  closeWindows,
  sharedChromium,
  openPage,
  why_skipped,
} from "../helpers/chromium";
import { email, handbook, fileForm, limit_ms, password } from "../helpers/console";
import { startExecutable } from "../helpers/executable";

if (!chromium_path) console.log(why_skipped);
const base = "/dossier";

/** A reverse proxy that strips the path, as some do. */
function startStripping(target: string) {
  return Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 60,
    fetch: (request) => {
      const { pathname, search } = new URL(request.url);
      if (!pathname.startsWith(`${base}/`)) return new Response("nothing here", { status: 404 });
      const { method, headers, body } = request;
      const url = target + pathname.slice(base.length) + search;
      return fetch(url, { method, headers, body, redirect: "manual", decompress: false });
    },
  });
}

describe.skipIf(!chromium_path)("below a path", () => {
  test.each([
    ["that the proxy strips", true],
    ["that the proxy passes on", false],
  ])(
    "%s: from signing in to a cited answer on its page",
    async (_how, strips) => {
      await using dossier = await startExecutable({
        env: {
          DOSSIER_SERVER_PUBLIC_URL: `http://127.0.0.1${base}`,
          DOSSIER_ADMIN_EMAIL: email,
          DOSSIER_ADMIN_PASSWORD: password,
        },
      });
      const key = await dossier.mustCli(["key", "create", "--user", email, "--name", "test"]);
      const api = (method: string, path: string, body?: unknown) =>
        dossier.api(method, path, body, { key: key.trim() });
      const folder = (await api("POST", "/folders", { name: "Hollin Fell Hut" })).body;
      const form = fileForm("handbook.pdf", handbook);
      const { body } = await api("POST", `/documents/file?folder_id=${folder.id}`, form);
      await dossier.until(`/documents/${body.id}`, (now) => now.body.status === "synced", {
        key: key.trim(),
        limit_ms: 60_000,
      });
      const proxy = strips ? startStripping(dossier.url()) : null;
      const outside = proxy ? `http://127.0.0.1:${proxy.port}` : dossier.url();
      const browser = await sharedChromium();
      try {
        const { page, faults } = await openPage(browser, outside);
        await page.goto(`${base}/`);
        await page.getByLabel("Email").fill(email);
        await page.getByLabel("Password", { exact: true }).fill(password);
        await page.getByRole("button", { name: "Sign in" }).click();
        await page.getByRole("link", { name: "Hollin Fell Hut" }).first().click();
        await page.getByRole("heading", { level: 1, name: "Hollin Fell Hut" }).waitFor();
        expect(new URL(page.url()).pathname).toBe(`${base}/console/folders/${folder.id}`);
        await page.reload();
        const ask = page.getByRole("button", { name: "Ask this folder" });
        await ask
          .or(page.getByRole("link", { name: "Ask this folder" }))
          .first()
          .click();
        await page.getByLabel("Your question").fill("How often is the ceramic filter replaced?");
        await page.getByRole("button", { name: "Ask", exact: true }).click();
        await page.locator(".answer").getByText("replaced every ninety days").waitFor();
        await page
          .getByRole("button", { name: /^Source 1: handbook\.pdf, p\. 3/ })
          .first()
          .click();
        await page.locator("[data-page='3'] .pdf-text mark").first().waitFor();
        await page.goto(`${base}/console/reference`);
        await page.locator(".swagger-ui .opblock").first().waitFor();
        await page.goto(`${base}/console/keys`);
        await page.getByRole("heading", { level: 1 }).waitFor();
        expect(faults).toEqual([]);
        if (!strips) {
          // Requested directly, the page redirects to its address below the path.
          await page.goto("/console/prompts");
          await page.getByRole("heading", { level: 1 }).waitFor();
          expect(new URL(page.url()).pathname).toBe(`${base}/console/prompts`);
        }
      } finally {
        await closeWindows(browser);
        await proxy?.stop(true);
      }
    },
    limit_ms,
  );
});
