/**
 * The console by keyboard alone: the main tasks work without a pointer, the focus is visible, and
 * a dialog returns it to its place.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { chromium_path, openPage, why_skipped, type OpenedPage } from "../helpers/chromium";
import {
  email,
  handbook,
  limit_ms,
  password,
  startConsole,
  type Console,
} from "../helpers/console";
import { startReceiver } from "../helpers/receiver";
import { page as sitePage, startWebsite, type Website } from "../helpers/website";

let at: Console;
let window: OpenedPage;
let page: Page;
let site: Website;
const receiver = startReceiver("127.0.0.1");

beforeAll(async () => {
  if (!chromium_path) return console.log(why_skipped);
  site = await startWebsite();
  at = await startConsole();
  window = await openPage(at.browser, at.dossier.url());
  ({ page } = window);
  page.setDefaultTimeout(60_000);
  // File choosers are intercepted from now on, not only while one is awaited.
  page.on("filechooser", () => undefined);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
}, 300_000);
afterAll(async () => {
  await at?.[Symbol.asyncDispose]();
  receiver[Symbol.dispose]();
  await site?.[Symbol.asyncDispose]();
});

const key = (name: string) => page.keyboard.press(name);
const type = (text: string) => page.keyboard.type(text);
const heading = (name: string | RegExp) => page.getByRole("heading", { level: 1, name }).waitFor();
const closed = () => page.getByRole("dialog").waitFor({ state: "detached" });

/** The name of the focused element, and whether its focus is visible. */
const focused = (): Promise<{ name: string; seen: boolean }> =>
  page.evaluate(`(() => {
  const element = document.activeElement;
  if (!element || element === document.body) return { name: "", seen: true };
  const marked = (one) => {
    if (!one) return false;
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(one);
    return (outlineStyle !== "none" && parseFloat(outlineWidth) > 0) || boxShadow !== "none";
  };
  const name = element.getAttribute("aria-label") ?? (element.labels?.[0] ?? element).textContent ?? "";
  return { name: name.trim(), seen: marked(element) || marked(element.closest("label")) };
})()`);
async function focusIs(name: string): Promise<void> {
  let now = "";
  await at.dossier
    .untilTrue(async () => (now = (await focused()).name).startsWith(name))
    .catch(() => expect(now).toStartWith(name));
}

/** Presses Tab until the element with this name has a visible focus. */
async function reach(name: string, step = "Tab"): Promise<void> {
  const met: string[] = [];
  for (let left = 90; left > 0; left--) {
    await key(step);
    const now = await focused();
    met.push(now.name.slice(0, 30));
    if (!now.name.startsWith(name)) continue;
    expect({ name, seen: now.seen }).toEqual({ name, seen: true });
    return;
  }
  throw new Error(`The focus never came to ${name}, but to: ${met.join(" | ")}`);
}
async function use(name: string, step?: string): Promise<void> {
  await reach(name, step);
  await key("Enter");
}
/** Goes to a page by its shortcut letter. */
async function go(letter: string, title: string): Promise<void> {
  await key("g");
  await key(letter);
  await heading(title);
  await at.dossier.untilTrue(() => page.evaluate("document.activeElement?.id === 'main'"));
}
/** The menu with this entry is open, and has the focus. */
async function menuWith(entry: string): Promise<void> {
  await page.getByRole("menuitem", { name: entry }).waitFor();
  await at.dossier.untilTrue(() =>
    page.evaluate("document.activeElement?.getAttribute('role') === 'menuitem'"),
  );
}

describe.skipIf(!chromium_path)("by keyboard alone", () => {
  test(
    "signing in",
    async () => {
      await page.goto("/console/");
      await focusIs("Email");
      await type(email);
      await reach("Password");
      await type(password);
      await key("Enter");
      await heading("Folders");
    },
    limit_ms,
  );

  test(
    "a folder is created and renamed; the focus returns to the menu",
    async () => {
      await page.getByText("Create your first folder").waitFor();
      await key("n");
      await focusIs("Name");
      await type("Hollin Hut");
      await key("Enter");
      await heading("Hollin Hut");
      await closed();
      await use("More actions for this folder");
      await menuWith("Rename");
      await key("ArrowDown");
      await focusIs("Rename");
      await key("Enter");
      await focusIs("Name");
      await key("ControlOrMeta+a");
      await type("Hollin Fell Hut");
      await key("Enter");
      await heading("Hollin Fell Hut");
      await closed();
      await focusIs("More actions for this folder");
    },
    limit_ms,
  );

  test(
    "text is pasted, and closing a dialog restores the focus",
    async () => {
      await use("Paste text", "Shift+Tab");
      await page.getByRole("dialog").waitFor();
      await key("Escape");
      await closed();
      await focusIs("Paste text");
      await key("Enter");
      await page.getByRole("dialog").waitFor();
      await page.getByRole("dialog").getByLabel("Text").waitFor();
      if (!(await focused()).name.startsWith("Name")) await reach("Name");
      await type("Route notes");
      await reach("Text");
      await type("Turn left at the cairn.");
      await use("Add document");
      await closed();
      await page.getByRole("link", { name: "Route notes" }).waitFor();
    },
    limit_ms,
  );

  test(
    "a file is uploaded, opened, renamed and removed",
    async () => {
      const chooser = page.waitForEvent("filechooser");
      await key("n");
      await (
        await chooser
      ).setFiles({
        name: "handbook.pdf",
        mimeType: "application/pdf",
        buffer: Buffer.from(await handbook.bytes()),
      });
      await page.getByRole("link", { name: "handbook.pdf" }).waitFor();
      await use("handbook.pdf");
      await heading("handbook.pdf");
      await use("More actions for this document");
      await menuWith("Rename");
      await focusIs("Rename");
      await key("Enter");
      await focusIs("Name");
      await key("ControlOrMeta+a");
      await type("The handbook.pdf");
      await key("Enter");
      await heading("The handbook.pdf");
      await closed();
      await focusIs("More actions for this document");
      await key("Enter");
      await menuWith("Remove from folder");
      await key("End");
      await focusIs("Remove from folder");
      await key("Enter");
      await heading("Hollin Fell Hut");
    },
    limit_ms,
  );

  test(
    "a folder is deleted after its name is typed",
    async () => {
      await use("More actions for this folder");
      await menuWith("Delete");
      await key("End");
      await focusIs("Delete");
      await key("Enter");
      await focusIs("Type “Hollin Fell Hut” to confirm");
      await type("Hollin Fell");
      await key("Enter");
      expect(await page.getByRole("dialog").count()).toBe(1);
      await type(" Hut");
      await key("Enter");
      await heading("Folders");
      await page.getByText("Create your first folder").waitFor();
    },
    limit_ms,
  );

  test(
    "a key is created, and copied the only time it is shown",
    async () => {
      await go("k", "API keys");
      await page.getByRole("cell", { name: /^test/ }).waitFor();
      await use("Create key");
      await focusIs("Name");
      await type("Laptop");
      await key("Enter");
      await page.getByText("Copy this key now").waitFor();
      // Escape asks for confirmation until it has been copied.
      await key("Escape");
      await page.getByText("Close without saving?").waitFor();
      await use("Back");
      await use("Copy");
      const copied: string = await page.evaluate("navigator.clipboard.readText()");
      expect((await at.dossier.api("GET", "/folders", undefined, { key: copied })).status).toBe(
        200,
      );
      await use("I have saved it");
      await closed();
      await focusIs("Create key");
    },
    limit_ms,
  );

  test(
    "a webhook is registered and tested, and its delivery viewed",
    async () => {
      receiver.answerWith(() => new Response("Thank you"));
      await go("w", "Webhooks");
      await page.getByText("No webhooks yet").waitFor();
      await key("n");
      await focusIs("URL");
      await type(`http://127.0.0.1:${receiver.port}/hook`);
      await key("Enter");
      await page.getByText("Copy this secret now").waitFor();
      await use("Copy");
      await use("I have saved it");
      await closed();
      await use(`http://127.0.0.1:${receiver.port}/hook`);
      await heading(/hook$/);
      await use("Send test");
      await page.getByRole("cell", { name: "Delivered" }).waitFor();
      await use("Show the delivery");
      await page.getByRole("dialog").getByText("Thank you").waitFor();
      await key("Escape");
      await closed();
      await focusIs("Show the delivery");
    },
    limit_ms,
  );

  test(
    "an import is previewed and started",
    async () => {
      site.set("/hut", sitePage("The hut", "The hut has sixteen beds and one lamp."));
      await at.api("POST", "/folders", { name: "Imports" });
      await go("i", "Imports");
      await use("New import");
      await heading("New import");
      await reach("Addresses");
      await type(`${site.url}/hut`);
      await use("Preview");
      await page.getByText("1 item would be imported").waitFor();
      await use("Start import", "Shift+Tab");
      await page.getByRole("cell", { name: "Imported" }).waitFor();
    },
    limit_ms,
  );

  test(
    "a user is invited",
    async () => {
      await page.evaluate("document.activeElement?.blur()");
      await use("Users");
      await heading("Users");
      await use("Invite user");
      await focusIs("Email");
      await type("grace@example.com");
      await key("Enter");
      await page.getByText("Invitation link").first().waitFor();
      await use("I have copied it");
      await closed();
      await page.getByRole("cell", { name: /^grace@example\.com/ }).waitFor();
      await focusIs("Invite user");
    },
    limit_ms,
  );

  test(
    "arrow keys move between tabs, and a skip link leads to the content",
    async () => {
      await use("System", "Shift+Tab");
      await heading("System");
      await page.getByRole("tab", { name: "Health" }).waitFor();
      await reach("Health");
      await key("ArrowRight");
      await focusIs("Jobs");
      await page.getByText("No jobs").waitFor();
      await key("End");
      await focusIs("Settings");
      await page.getByText("server.log_level").waitFor();
      await page.reload();
      await heading("System");
      await use("Skip to content");
      expect(await page.evaluate("document.activeElement.id")).toBe("main");
    },
    limit_ms,
  );

  test(
    "the theme is switched, and signing out ends at the sign-in page",
    async () => {
      await use("Theme", "Shift+Tab");
      await menuWith("Dark");
      await key("ArrowDown");
      await key("ArrowDown");
      await focusIs("Dark");
      await key("Enter");
      expect(await page.evaluate("document.documentElement.dataset.theme")).toBe("dark");
      await focusIs("Theme");
      await use("Sign out");
      await page.getByRole("button", { name: "Sign in" }).waitFor();
      await focusIs("Email");
      expect(window.faults).toEqual([]);
    },
    limit_ms,
  );
});
