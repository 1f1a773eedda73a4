/**
 * Plugins in the console: the page on which administrators manage them, their panels on four pages
 * with the console's own components, and the effect of a faulty one on the page around it.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { chromium_path, why_skipped } from "../helpers/chromium";
import { limit_ms, startConsole, type Console } from "../helpers/console";

const panels = `
import { definePlugin, fill } from "dossier";
import { ConsolePanels } from "dossier/contracts";
export default definePlugin({ name: "panels", version: "1.0.0", setup: () => ({ fills: [
  fill(ConsolePanels, { where: "document", id: "facts", title: "Facts", module: (root, { ui, record, onRecord, call, user }) => {
    const name = ui.field({ label: "New name", value: record().name });
    const line = ui.text("");
    const show = (of) => line.replaceChildren("It is called " + of.name + ", " + user.email);
    show(record());
    onRecord(show);
    root.append(
      line,
      name.element,
      ui.row(
        ui.button({ label: "Give it", kind: "primary", onPress: async () => {
          try {
            await call("/documents/" + record().id, { method: "PATCH", body: { name: name.value } });
            name.error = null;
            ui.toast("It has a new name.");
          } catch (problem) { name.error = problem.message; }
        } }),
        ui.button({ label: "Ask", onPress: async () =>
          ui.toast((await ui.confirm({ title: "Sure?", text: "<b>Really</b>", submit: "Yes" })) ? "Confirmed" : "Closed") }),
      ),
      ui.table({
        label: "Parts",
        columns: [{ title: "Part", cell: (part) => part, kind: "main" }, { title: "State", cell: () => ui.tag("Ready", "ok") }],
        rows: ["<i>one</i>", "two"],
      }),
    );
  } }),
  fill(ConsolePanels, { where: "folder", id: "count", title: "Count", module(root, host) {
    const text = host.ui.text(host.record().document_count + " documents");
    host.onRecord((record) => text.replaceChildren(record.document_count + " documents"));
    host.onChange((change) => { if (change.kind === "nothing") throw new Error("never"); });
    root.append(text);
  } }),
  fill(ConsolePanels, { where: "chat", id: "about", title: "About", module: async (root, host) => {
    root.append(host.ui.facts([["Messages", host.record().message_count]]));
    return () => { document.title = "left"; };
  } }),
  fill(ConsolePanels, { where: "signin", id: "house", title: "House rules", module: function (root, host) {
    root.append(host.ui.text("Be kind. " + Object.keys(host).sort().join(" ")));
  } }),
  fill(ConsolePanels, { where: "folder", id: "unnamed", title: "Never", module: "export default 5" }),
] }) });`;
const bad = `
import { definePlugin, fill } from "dossier";
import { ConsolePanels } from "dossier/contracts";
export default definePlugin({ name: "bad-panels", version: "1.0.0", setup: () => ({ fills: [
  fill(ConsolePanels, { where: "document", id: "throws", title: "Throws", module: () => { throw new Error("no luck at mount"); } }),
  fill(ConsolePanels, { where: "document", id: "late", title: "Late", module: (root, { ui }) => {
    root.append(ui.button({ label: "Fail", onPress: () => { throw new Error("no luck at press"); } }));
    setTimeout(() => { throw new Error("no luck later"); }, 10);
  } }),
  fill(ConsolePanels, { where: "document", id: "never", title: "Never", module: () => new Promise(() => {}) }),
  fill(ConsolePanels, { where: "chat", id: "stuck", title: "Stuck", module: (root) => {
    if (sessionStorage.getItem("test.stuck")) root.append("It is mounted.");
    else { sessionStorage.setItem("test.stuck", "1"); for (;;); }
  } }),
] }) });`;

let at: Console;
let folder_id: string;
let document_id: string;
let chat_id: string;
beforeAll(async () => {
  if (!chromium_path) return console.log(why_skipped);
  at = await startConsole({
    files: { "plugins/panels.ts": panels, "plugins/bad-panels.ts": bad },
    env: { DOSSIER_PLUGINS_INSTALL_IN_CONSOLE: "true" },
  });
  folder_id = (await at.api("POST", "/folders", { name: "Huts" })).id;
  const text = { folder_id, name: "Hollin Fell", content: "The hut is open in winter." };
  document_id = (await at.api("POST", "/documents", text)).id;
  chat_id = (await at.api("POST", "/chats", { usedFolders: [folder_id] })).id;
  await at.settled(folder_id);
}, limit_ms);
afterAll(() => at?.[Symbol.asyncDispose]());

const panel = (name: string) => at.page.getByRole("region", { name, exact: true });
const inBrowser = test.skipIf(!chromium_path);

inBrowser(
  "a panel beside a document reads, changes data and asks, with the console's components",
  async () => {
    const { page, window } = at;
    await at.open(`/documents/${document_id}`);
    const facts = panel("Facts");
    await facts.getByText("It is called Hollin Fell, ada@example.com").waitFor();
    await facts.getByText("<i>one</i>").waitFor();
    await facts.getByLabel("New name").fill(" ");
    await facts.getByRole("button", { name: "Give it" }).click();
    await facts.getByRole("alert").waitFor();
    await facts.getByLabel("New name").fill("Hollin Fell Hut");
    await facts.getByRole("button", { name: "Give it" }).click();
    // Changes on the server arrive by the stream of changes.
    await facts.getByText("It is called Hollin Fell Hut").waitFor();
    await facts.getByRole("button", { name: "Ask" }).click();
    await page.getByRole("dialog", { name: "Sure?" }).getByText("<b>Really</b>").waitFor();
    await page.getByRole("button", { name: "Yes" }).click();
    await page.getByText("Confirmed").waitFor();
    expect(await window.problems("all", ".panel")).toEqual([]);
  },
  limit_ms,
);

inBrowser(
  "a panel that throws or never finishes becomes a card with its plugin's name; others work",
  async () => {
    await panel("Throws").getByText("The plugin bad-panels can’t show this").waitFor();
    await panel("Throws").getByText("no luck at mount").waitFor();
    await panel("Throws").getByRole("button", { name: "Try again" }).waitFor();
    await panel("Late").getByText("The plugin bad-panels reported an error").waitFor();
    await panel("Late").getByRole("button", { name: "Fail" }).click();
    await at.page.getByText("no luck at press").waitFor();
    await panel("Never").getByText("The plugin bad-panels is not responding").waitFor();
    await panel("Facts").getByLabel("New name").waitFor();
  },
  limit_ms,
);

inBrowser(
  "a panel beside a folder follows it; a module without mount becomes a card",
  async () => {
    await at.window.go(`/folders/${folder_id}`);
    await panel("Count").getByText("1 documents").waitFor();
    await panel("Never").getByText("The plugin panels can’t show this").waitFor();
    await at.api("POST", "/documents", { folder_id, name: "Second", content: "More." });
    await panel("Count").getByText("2 documents").waitFor();
  },
  limit_ms,
);

inBrowser(
  "a panel that stops the page is left out when the page is opened again",
  async () => {
    const { page } = await at.anotherWindow("ada@example.com");
    // The loop blocks the page for ever: the user closes the tab and opens the page again.
    await page.evaluate(
      `localStorage.setItem("dossier.mounting /console/modules/panels/bad-panels/stuck.js", "1")`,
    );
    await page.goto(`/console/chats/${chat_id}`);
    const stuck = page.getByRole("region", { name: "Stuck", exact: true });
    await stuck.getByText("The plugin bad-panels made this page hang last time").waitFor();
    const about = page.getByRole("region", { name: "About", exact: true });
    await about.getByText("Messages").waitFor();
    await page.evaluate(`sessionStorage.setItem("test.stuck", "1")`);
    await stuck.getByRole("button", { name: "Try again" }).click();
    await stuck.getByText("It is mounted.").waitFor();
    await page.context().close();
  },
  limit_ms,
);

inBrowser(
  "a panel of the sign-in page gets only data that needs no session",
  async () => {
    const { page, faults } = await at.anotherWindow();
    await page.goto("/console/");
    await page
      .getByRole("region", { name: "House rules" })
      .getByText("Be kind. api call onLeave signedIn theme ui")
      .waitFor();
    expect(faults).toEqual([]);
    await page.context().close();
  },
  limit_ms,
);

const added = `
import { definePlugin, t } from "dossier";
export default definePlugin({ name: "weather", version: "3.0.0", config: t.Object({
  station: t.String({ description: "Where the weather is." }),
  share: t.Integer({ default: 3, minimum: 1, description: "How much of it." }),
}), setup: () => ({}) });`;

inBrowser(
  "a plugin is added, set up by its form, disabled and removed",
  async () => {
    const { page, window } = at;
    await window.go("/plugins");
    const row = (name: string) => page.getByRole("row", { name: new RegExp(`^${name} `) });
    await row("panels").getByText("Running").waitFor();
    await page.getByRole("button", { name: "Add a plugin" }).click();
    const upload = async (text: string) => {
      const file = { name: "w.ts", mimeType: "text/plain", buffer: Buffer.from(text) };
      await page.getByLabel("File").setInputFiles(file);
      await page.getByRole("button", { name: "Test and add" }).click();
    };
    await upload("export default 5");
    await page.getByRole("dialog").getByText("w.ts can't be added").waitFor();
    await upload(added);
    await row("weather").getByText("Waiting for restart").waitFor();
    await page.getByText("Restart the server").first().waitFor();
    expect(await window.problems()).toEqual([]);
    await page.getByRole("link", { name: "weather" }).click();
    const form = page.getByRole("form", { name: "Settings" });
    await form.getByLabel("Station").fill("Hollin Fell");
    await form.getByLabel("Share").fill("none");
    await form.getByRole("button", { name: "Save" }).click();
    await form.getByRole("alert").waitFor();
    await form.getByLabel("Share").fill("5");
    await form.getByRole("button", { name: "Save" }).click();
    await page.getByText("Settings saved. They take effect").waitFor();
    expect(await window.problems()).toEqual([]);
    await window.go("/plugins");
    const choose = async (name: string, what: string) => {
      await page.getByRole("button", { name: `Actions for ${name}`, exact: true }).click();
      await page.getByRole("menuitem", { name: what }).click();
    };
    await choose("panels", "Disable");
    await page.getByRole("dialog").getByRole("button", { name: "Disable" }).click();
    await row("panels").getByText("It stops when the server restarts").waitFor();
    await choose("panels", "Enable");
    await row("panels")
      .getByText("It stops when the server restarts")
      .waitFor({ state: "detached" });
    await choose("weather", "Remove");
    await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
    await row("weather").waitFor({ state: "detached" });
  },
  limit_ms,
);

inBrowser("nothing of this was against the policy of the page", () => {
  expect(at.window.faults).toEqual(["error: no luck later"]);
});
