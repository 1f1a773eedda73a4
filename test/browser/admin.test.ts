/** What administrators do in the console, in a browser: settings, users, the queue. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { chromium_path, why_skipped } from "../helpers/chromium";
import { expectWell, limit_ms, startConsole, type Console } from "../helpers/console";
import { startOidcProvider } from "../helpers/oidc";
import { fails, says, saysWhole, startProvider } from "../helpers/provider";

/** POST /unlucky creates two jobs that fail permanently, each for its own reason. */
const unlucky = `
import { definePlugin, handle, job, PermanentFailure, route, t } from "dossier";
const Count = job("unlucky.count", t.Object({ n: t.Integer() }));
export default definePlugin({ name: "unlucky", version: "1.0.0",
  routes: { make: route.post("/unlucky", { summary: "Make", tag: "Unlucky", operation: "makeUnlucky", answers: { 204: { description: "Made." } } }) },
  setup: ({ db, enqueue }) => ({
    routes: { make: async () => {
      for (const n of [1, 2]) await enqueue(db, Count, { n });
      return new Response(null, { status: 204 });
    } },
    jobs: [handle(Count, async ({ n }) => { throw new PermanentFailure("The moon is " + n + "."); },
      { attempts_max: 1, timeout_ms: 1_000 })],
  }) });
`;

let at: Console;
let page: Page;
beforeAll(async () => {
  if (!chromium_path) return console.log(why_skipped);
  at = await startConsole({
    env: {
      DOSSIER_AUDIT_KEEP: "90d",
      DOSSIER_EMBEDDINGS_PROVIDER: "openai",
      DOSSIER_EMBEDDINGS_MODEL: "small",
    },
    files: { "plugins/unlucky.ts": unlucky },
  });
  ({ page } = at);
}, 300_000);
afterAll(() => at?.[Symbol.asyncDispose]());

const row = (name: string) => page.getByRole("row", { name });
const press = (name: string) => page.getByRole("button", { name, exact: true }).click();
const say = (text: string | RegExp) => page.getByText(text).first().waitFor();

describe.skipIf(!chromium_path)("settings", () => {
  const dialog = () => page.getByRole("dialog");
  test(
    "a setting is changed, an invalid value is refused at its field, the default is restored",
    async () => {
      await at.open("/system?part=settings");
      await press("Change quotas.folders");
      await expectWell(at.window, { within: "dialog[open]" });
      await dialog().getByLabel("Value").fill("many");
      await press("Save");
      await dialog().getByText("quotas.folders must be an integer of at least 0").waitFor();
      await dialog().getByLabel("Value").fill("0");
      await press("Save");
      await row("quotas.folders").getByText("Changed here").waitFor();
      expect(
        (await at.dossier.api("POST", "/folders", { name: "x" }, { key: at.key })).status,
      ).toBe(403);
      await press("Reset to default: quotas.folders");
      await row("quotas.folders").getByText("Default", { exact: true }).waitFor();
      await at.api("POST", "/folders", { name: "x" });
    },
    limit_ms,
  );

  test(
    "the source that takes precedence is shown, before and after a change",
    async () => {
      await at.open("/system?part=settings");
      await press("Change audit.keep");
      await dialog().getByText("Overridden by DOSSIER_AUDIT_KEEP").waitFor();
      await dialog().getByLabel("Value").fill("3d");
      await press("Save");
      await say("DOSSIER_AUDIT_KEEP overrides the value stored here: 3d.");
      await press("Reset to default: audit.keep");
    },
    limit_ms,
  );

  test(
    "a choice, a hidden secret, and settings that wait for a restart",
    async () => {
      await at.open("/system?part=settings");
      await press("Change answers.fallback");
      await dialog().getByLabel("Value").selectOption("fail");
      await press("Save");
      await row("answers.fallback").getByText("Changed here").waitFor();
      await press("Change answers.api_key");
      await dialog().getByLabel("Value").fill("sk-xylophone");
      await press("Save");
      await row("answers.api_key").getByText("[secret]").waitFor();
      await press("Change index.cache");
      await dialog().getByLabel("Value").fill("64MiB");
      await press("Save");
      await row("index.cache")
        .getByText("A changed value takes effect when the server restarts.")
        .waitFor();
      expect(await page.content()).not.toContain("xylophone");
      await expectWell(at.window);
    },
    limit_ms,
  );

  test(
    "settings are found by name, and read-only ones are shown on request",
    async () => {
      await at.open("/system?part=settings");
      await page.getByLabel("Find a setting").fill("server.port");
      await say("No matching settings");
      await page.getByText("All", { exact: true }).click();
      await row("server.port").waitFor();
      expect(await page.getByRole("button", { name: "Change server.port" }).count()).toBe(0);
    },
    limit_ms,
  );
});

describe.skipIf(!chromium_path)("models", () => {
  const canary = "sk-xylophone";
  const provider = startProvider();
  afterAll(() => provider.stop());
  const form = (title: string) => page.getByRole("form", { name: title });
  const model = () => form("Language model");
  const field = (label: string) => model().getByLabel(label, { exact: true });
  const inForce = async (setting: string) =>
    (await at.consoleApi("GET", "/settings")).find((entry: any) => entry.setting === setting);

  test(
    "a language model is tested until it works, saved, used and removed",
    async () => {
      await at.open("/system?part=models");
      await field("Provider").selectOption("openai");
      await press("Test language model");
      await model().getByText("answers.base_url is required").waitFor();
      await field("Address").fill("http://127.0.0.1:9/v1");
      await field("Model").fill("tiny");
      await press("Test language model");
      await model().getByText("Nothing is listening at 127.0.0.1:9.").waitFor();
      await expectWell(at.window);
      await field("Address").fill(provider.base_url);
      await model().getByText("Nothing is listening").waitFor({ state: "detached" });
      await field("API key").fill(canary);
      provider.answerWith(({ headers }) =>
        headers.get("authorization") === `Bearer ${canary}`
          ? saysWhole("yes")
          : fails(401, { message: "no" }),
      );
      await press("Test language model");
      await model().getByText("tiny at").waitFor();
      await model().getByText("It works", { exact: true }).waitFor();
      await expectWell(at.window);
      expect((await inForce("answers.provider")).value).toBe("extractive");
      await press("Save language model");
      await say("Language model: settings saved and applied.");
      await page.getByText("Unsaved changes.").waitFor({ state: "detached" });
      expect(await field("API key").inputValue()).toBe("");
      expect(await page.content()).not.toContain(canary);
      provider.answerWith(() => says("The heron stands in water [1]."));
      const { id } = await at.api("POST", "/folders", { name: "Birds" });
      await at.api("POST", "/documents", { folder_id: id, content: "The heron stands in water." });
      await at.settled(id);
      const chat = await at.api("POST", "/chats", { usedFolders: [id] });
      await at.window.go(`/chats/${chat.id}`);
      await page.getByRole("textbox").fill("Where does the heron stand?");
      await page.keyboard.press("Enter");
      await page.getByText("The heron stands in water").last().waitFor();
      expect(provider.asked()[0]!.headers.get("authorization")).toBe(`Bearer ${canary}`);
      await at.open("/system?part=models");
      await press("Reset to defaults: Language model");
      await expectWell(at.window, { within: "dialog[open]" });
      const confirm = page.getByRole("dialog").getByRole("button", { name: "Reset to def" });
      await confirm.click();
      await say("Language model: reset to defaults.");
      expect(await field("Provider").inputValue()).toBe("extractive");
      expect((await inForce("answers.api_key")).value).toBeNull();
    },
    limit_ms,
  );

  test(
    "values set elsewhere are shown read-only",
    async () => {
      await at.open("/system?part=models");
      const embeddings = form("Embeddings");
      const named = embeddings.getByLabel("Model", { exact: true });
      expect([await named.inputValue(), await named.isEditable()]).toEqual(["small", false]);
      expect(await embeddings.getByLabel("Provider").isDisabled()).toBe(true);
      await embeddings.getByText("Set by DOSSIER_EMBEDDINGS_MODEL").waitFor();
      await press("Test embeddings");
      await embeddings.getByText("embeddings.base_url is not set").waitFor();
    },
    limit_ms,
  );

  test(
    "by keyboard: an invalid value is refused at its field, and a key is removed",
    async () => {
      await at.consoleApi("PATCH", "/settings", { "answers.api_key": canary });
      await at.open("/system?part=models");
      await field("Provider").selectOption("openai");
      await model().getByText("More settings").focus();
      await page.keyboard.press("Enter");
      await field("Timeout").fill("soon");
      await page.keyboard.press("Enter");
      await model().getByText("answers.timeout must be a duration").waitFor();
      expect(await field("Timeout").getAttribute("aria-invalid")).toBe("true");
      await expectWell(at.window);
      await field("Timeout").fill("60s");
      await field("Provider").selectOption("extractive");
      await page.getByText("Unsaved changes.").waitFor({ state: "detached" });
      await field("Provider").selectOption("openai");
      await model().getByRole("button", { name: "Remove key" }).focus();
      await page.keyboard.press("Enter");
      await model().getByText("Removed when you save.").waitFor();
      await field("Address").fill(provider.base_url);
      await field("Model").fill("tiny");
      await page.keyboard.press("Enter");
      await say("Language model: settings saved and applied.");
      expect((await inForce("answers.api_key")).stored).toBeNull();
      await at.consoleApi("PATCH", "/settings", {
        "answers.provider": null,
        "answers.base_url": null,
        "answers.model": null,
      });
    },
    limit_ms,
  );
});

test.skipIf(!chromium_path)(
  "a user is deleted after their email is typed",
  async () => {
    await at.consoleApi("POST", "/users", { email: "mel@example.com", role: "member" });
    await at.open("/users");
    await press("Actions for mel@example.com");
    await page.getByRole("menuitem", { name: "Delete" }).click();
    const dialog = page.getByRole("dialog");
    const confirm = dialog.getByRole("button", { name: "Delete" });
    await expectWell(at.window, { within: "dialog[open]" });
    expect(await confirm.isDisabled()).toBe(true);
    await dialog.getByRole("textbox").fill("mel@example.com");
    await confirm.click();
    await say("User deleted.");
    await row("mel@example.com").waitFor({ state: "detached" });
    await press("Actions for ada@example.com");
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await dialog.getByRole("textbox").fill("ada@example.com");
    await confirm.click();
    await dialog.getByText("This is the last active administrator.").waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
  },
  limit_ms,
);

describe.skipIf(!chromium_path)("the queue", () => {
  const dialog = () => page.getByRole("dialog");
  const pick = (name: string) => page.getByRole("menuitem", { name, exact: true }).click();
  test(
    "intake is paused and resumed; everyone is told, and waiting jobs are shown",
    async () => {
      const { id } = await at.api("POST", "/folders", { name: "Waiting" });
      await at.open("/system?part=jobs");
      await press("Pause intake");
      await expectWell(at.window, { within: "dialog[open]" });
      await dialog().getByRole("button", { name: "Pause intake" }).click();
      await say("Intake is paused: new documents wait to be indexed.");
      await at.api("POST", "/documents", { folder_id: id, content: "It waits." });
      await row(id).getByText("ada@example.com").waitFor();
      await row("Index texts").waitFor();
      await expectWell(at.window);
      await press("Resume intake");
      await page.getByText("new documents wait to be indexed").waitFor({ state: "detached" });
      await page.getByText("Folders being indexed").waitFor({ state: "detached" });
    },
    limit_ms,
  );
  test(
    "failed jobs are dropped by reason, or all of a kind, after confirmation",
    async () => {
      await at.api("POST", "/unlucky");
      await at.open("/system?part=jobs");
      await press("Actions for jobs that failed: The moon is 1.");
      await pick("Drop these jobs");
      await dialog().getByText("1 job will be removed").waitFor();
      await dialog().getByRole("button", { name: "Drop" }).click();
      await page.getByText("The moon is 1.").first().waitFor({ state: "detached" });
      await press("Actions for unlucky.count");
      await pick("Run all failed jobs again");
      await say("1 job queued again.");
      await say("The moon is 2.");
      await press("Actions for unlucky.count");
      await pick("Drop all failed jobs");
      await dialog().getByRole("button", { name: "Drop" }).click();
      await page.getByText("The moon is 2.").first().waitFor({ state: "detached" });
    },
    limit_ms,
  );
});

describe.skipIf(!chromium_path)("single sign-on", () => {
  test(
    "is set up, tested, cancelled once, and returns to the requested page",
    async () => {
      const base = at.dossier.url();
      // A different site from the server's, as a browser sees it.
      await using provider = await startOidcProvider(
        () => [
          {
            client_id: "dossier",
            client_secret: "secret",
            redirect_uris: [`${base}/console/api/v1/sign-in/oidc/callback`],
            post_logout_redirect_uris: [`${base}/console/sign-in`],
          },
        ],
        { hostname: "localhost" },
      );
      await at.open("/system?part=sign_in");
      const form = page.getByRole("form", { name: "Single sign-on" });
      await form.getByLabel("Provider address").fill(provider.issuer);
      await form.getByLabel("Client ID").fill("dossier");
      await form.getByLabel("Client secret").fill("wrong");
      await press("Test single sign-on");
      await say(/does not accept the client dossier/);
      await form.getByLabel("Client secret").fill("secret");
      await press("Test single sign-on");
      await say(/knows this server/);
      await expectWell(at.window, { within: "#main form" });
      await press("Save single sign-on");
      await say("Single sign-on: settings saved and applied.");

      const another = await at.anotherWindow();
      const { page: its } = another;
      const button = its.getByRole("button", { name: "Single sign-on" });
      await its.goto("/console/chats?page=1");
      await its.getByLabel("Email").waitFor();
      await button.waitFor();
      provider.person = null;
      await button.click();
      await its.getByText("denied or cancelled").waitFor();
      expect(new URL(its.url()).pathname).toBe("/console/chats");
      await expectWell({ ...another, faults: [] }, { within: "main" });
      provider.person = { sub: "eve", email: "eve@example.com", email_verified: true };
      await button.click();
      await its.locator("#main h1").waitFor();
      expect(its.url()).toBe(`${base}/console/chats?page=1`);
      const account_response = its.waitForResponse("**/console/api/v1/account");
      await its.goto("/console/account");
      await (await account_response).finished();
      await its.getByText("eve@example.com · Member").waitFor();
      expect(await its.getByLabel("Current password").count()).toBe(0);
      await another.setAppearance({ width: 1280, height: 800 });
      await its.getByRole("button", { name: "Sign out", exact: true }).first().click();
      await its.waitForURL((url) => url.origin === provider.issuer);
      await its.goto("/console/");
      await button.waitFor();
    },
    limit_ms,
  );
});
