/**
 * Chat, sources, search and prompts in a browser: every state in every size and theme, by keyboard
 * alone, and text that stays text.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { chromium_path, why_skipped } from "../helpers/chromium";
import { expectWell, fileForm, handbook, startConsole, type Console } from "../helpers/console";
import { chunk, event, fails, raw, says, startProvider } from "../helpers/provider";

const terms =
  "Warranty. The warranty period for all hardware is 36 months from the date of delivery. Unused " +
  "goods may be returned within 30 days in their original packaging.";
const hostile = {
  name: "<img src=x onerror=alert(1)> notes",
  content:
    "The <b>bold</b> mooring buoy & its <script>alert(2)</script> chain are checked every " +
    "fourteen days.",
};
let at: Console;
let page: Page;
let go: Console["window"]["go"];
const provider = startProvider();
const ids: Record<"hut" | "contracts" | "hostile", string> = {
  hut: "",
  contracts: "",
  hostile: "",
};

beforeAll(async () => {
  if (!chromium_path) return console.log(why_skipped);
  at = await startConsole({
    env: {
      DOSSIER_ANSWERS_PROVIDER: "openai",
      DOSSIER_ANSWERS_BASE_URL: provider.base_url,
      DOSSIER_ANSWERS_MODEL: "test",
      DOSSIER_ANSWERS_FALLBACK: "fail",
    },
  });
  ({ page, go } = at.window);
  for (const [name, folder] of [
    ["hut", "Hollin Fell Hut"],
    ["contracts", "Contracts"],
    ["hostile", hostile.name],
  ] as const)
    ids[name] = (await at.api("POST", "/folders", { name: folder })).id;
  await at.api("POST", `/documents/file?folder_id=${ids.hut}`, fileForm("handbook.pdf", handbook));
  await at.api("POST", "/documents", {
    folder_id: ids.contracts,
    name: "Terms 2026",
    content: terms,
  });
  await at.api("POST", "/documents", { folder_id: ids.hostile, ...hostile });
  for (const id of Object.values(ids)) await at.settled(id);
}, 180_000);
afterAll(async () => {
  await at?.[Symbol.asyncDispose]();
  provider.stop();
});

/** The first sentences of an answer, and the beginning of the next one. */
const begun = [
  "The ceramic filter is scrubbed every Monday and replaced every ninety days [1].\n\n",
  "The date of the next replacement is written on the lid of its housing [1].\n\n",
  "The lamp is",
];
const plays = (text: string) => provider.answerWith(() => says(text));

/** Asks in a new chat over the folder. */
async function ask(folder: string, question: string): Promise<void> {
  await page.goto(`/console/chats/new?folder=${folder}`);
  await page.locator(".chip").first().waitFor();
  await askAgain(question);
}
async function askAgain(question: string): Promise<void> {
  await page.getByLabel("Your question").fill(question);
  await page.getByRole("button", { name: "Ask", exact: true }).click();
}
const answered = () => page.locator(".turn:last-child .answer-actions").waitFor();
async function openSource(): Promise<void> {
  await page.locator(".turn:last-child .answer .cite").first().click();
  await page.locator(".source-panel mark").first().waitFor();
}
async function askForFilter(): Promise<void> {
  plays(
    "## The filter\n\nIt is **scrubbed every Monday** and replaced every ninety days [1].\n\n| " +
      "What | When |\n|---|---|\n| Filter | ninety days [1] |",
  );
  await ask(ids.hut, "How often is the ceramic filter replaced?");
  await answered();
}

describe.skipIf(!chromium_path)("every size and theme", () => {
  const states: readonly (readonly [string, () => Promise<unknown>])[] = [
    [
      "no chats",
      async () => {
        await go("/chats");
        await page.getByText("Ask about your documents").first().waitFor();
      },
    ],
    [
      "a new chat",
      async () => {
        await go("/chats/new");
        await page.getByText("What do you want to know?").waitFor();
      },
    ],
    [
      "folders to choose from",
      async () => {
        await page.getByRole("button", { name: "Choose folders" }).click();
        await page.getByRole("checkbox", { name: "Contracts" }).check();
      },
    ],
    ["an answer in Markdown", askForFilter],
    [
      "a source on its PDF page",
      async () => {
        await openSource();
        await page.locator(".pdf-text mark").first().waitFor();
      },
    ],
    [
      "a source in the text",
      async () => {
        plays("The warranty period is 36 months [1].");
        await ask(ids.contracts, "What is the warranty period?");
        await answered();
        await openSource();
      },
    ],
    [
      "what is quoted, at its marker",
      async () => {
        await page.getByRole("button", { name: "Close the source" }).click();
        await page.locator(".answer .cite").first().hover();
        await page.locator(".cite-card").waitFor();
      },
    ],
    [
      "an unsupported answer",
      async () => {
        plays(
          "The hut was built by the emperor of Atlantis in 1204. The ceramic filter is replaced " +
            "every ninety days [1].",
        );
        await ask(ids.hut, "Who built the hut, and how often is the ceramic filter replaced?");
        await answered();
      },
    ],
    [
      "a question that failed",
      async () => {
        provider.answerWith(() => fails(400));
        await ask(ids.hut, "How high is the hut?");
        await page.getByText("This question could not be answered").waitFor();
      },
    ],
    [
      "chats",
      async () => {
        await go("/chats");
        await page.getByRole("row").nth(1).waitFor();
      },
    ],
    [
      "a chat that does not exist",
      async () => {
        await go("/chats/chs_00000000000000000000000000");
        await page.getByText("Not found").waitFor();
      },
    ],
    [
      "search",
      async () => {
        await go("/search?q=warranty");
        await page.locator(".passage-card mark").first().waitFor();
      },
    ],
    [
      "a result that is open",
      async () => {
        await page.locator(".passage-card").first().click();
        await page.locator(".source-panel mark").first().waitFor();
      },
    ],
    [
      "nothing found",
      async () => {
        await go("/search?q=zyzzyva");
        await page.getByText("Nothing found").waitFor();
      },
    ],
    [
      "the palette",
      async () => {
        await page.keyboard.press("Control+k");
        await page.getByRole("dialog").getByRole("combobox").fill("warranty");
        await page.getByRole("option", { name: /Terms 2026/ }).waitFor();
      },
    ],
    [
      "no prompts",
      async () => {
        await page.goto("/console/prompts");
        await page.getByText("Plain words").waitFor();
      },
    ],
    [
      "a prompt to write",
      async () => {
        await page.getByText("Plain words").click();
        await page.getByRole("dialog").waitFor();
      },
    ],
    [
      "prompts",
      async () => {
        await page.getByRole("button", { name: "Save prompt" }).click();
        await page.getByRole("row").nth(1).waitFor();
      },
    ],
  ];
  test.each(states)(
    "%s",
    async (_state, reach) => {
      await at.window.setAppearance({});
      await reach();
      await expectWell(at.window);
    },
    60_000,
  );
});

describe.skipIf(!chromium_path)("an answer", () => {
  test("is shown while it is written, and can be stopped", async () => {
    await at.window.setAppearance({});
    provider.answerWith(() =>
      raw(
        begun.map((content) => chunk({ content })),
        { open: true },
      ),
    );
    await ask(ids.hut, "How often is the ceramic filter replaced?");
    await page.locator(".writing").getByText("replaced every ninety days").waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByText("You stopped this answer.").waitFor();
    plays("Every ninety days [1].");
    await page.getByRole("button", { name: "Ask again" }).click();
    await page.locator(".turn:last-child .answer").getByText("Every ninety days").waitFor();
  }, 60_000);

  test("arrives by polling where streams are blocked", async () => {
    await page.route("**/stream", (route) => route.abort());
    await askForFilter();
    await page.unroute("**/stream");
    expect(await page.locator(".answer table").count()).toBe(1);
  }, 60_000);

  test("is shown after a reload in the middle of it", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    provider.answerWith(
      () =>
        new Response(
          new ReadableStream({
            async start(controller) {
              const send = (text: string) => controller.enqueue(new TextEncoder().encode(text));
              for (const content of begun) send(chunk({ content }));
              await promise;
              send(
                chunk({ content: " replaced once a year, at opening [1]." }) +
                  chunk({}, "stop") +
                  event("[DONE]"),
              );
              controller.close();
            },
          }),
          { headers: { "content-type": "text/event-stream" } },
        ),
    );
    await ask(ids.hut, "How often is the ceramic filter replaced?");
    await page.locator(".writing").getByText("ninety days").waitFor();
    await page.reload();
    await page.locator(".writing").getByText("ninety days").waitFor();
    resolve();
    await answered();
    expect(await page.locator(".answer").innerText()).toContain("once a year");
  }, 60_000);
});

describe.skipIf(!chromium_path)("a citation", () => {
  const card = () => page.locator(".cite-card");
  const marker = () => page.locator(".answer .cite").first();
  beforeAll(async () => {
    await at.window.setAppearance({});
    plays("It is replaced every ninety days [1].");
    await ask(ids.hut, "How often is the ceramic filter replaced?");
    await answered();
  });

  test("is shown at its marker under the pointer, with its document and page", async () => {
    await marker().hover();
    await card().waitFor();
    expect(await card().innerText()).toMatch(/^handbook\.pdf\s+Page 3\s+.*ninety days/s);
    await page.mouse.move(2, 2);
    await card().waitFor({ state: "detached" });
  }, 60_000);

  test("is shown by keyboard, and described by its quote; Escape hides it", async () => {
    await marker().focus();
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("Tab");
    await card().waitFor();
    const described = await marker().getAttribute("aria-describedby");
    expect(await page.locator(`[id="${described}"]`).textContent()).toContain("ninety days");
    await page.keyboard.press("Tab");
    expect(await page.locator(":focus").textContent()).toBe("Show in the document");
    await page.keyboard.press("Escape");
    await card().waitFor({ state: "detached" });
    await marker().focus();
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.locator(".source-panel mark").first().waitFor();
    expect(await card().count()).toBe(0);
    await page.getByRole("button", { name: "Close the source" }).click();
  }, 60_000);

  test("is shown by a first tap; its button opens the document", async () => {
    await page.mouse.move(2, 2);
    await marker().dispatchEvent("pointerdown", { pointerType: "touch", bubbles: true });
    await marker().dispatchEvent("click");
    await card().waitFor();
    expect(await page.locator(".source-panel").count()).toBe(0);
    await card().getByRole("button", { name: "Show in the document" }).click();
    await page.locator(".source-panel mark").first().waitFor();
  }, 60_000);

  test("is marked on its page, with the passage around it shaded", async () => {
    await page.locator(".pdf-text .passage-shade").first().waitFor();
    const [marked, shaded] = await Promise.all(
      [".pdf-text mark", ".pdf-text .passage-shade"].map((parts) =>
        page.locator(parts).allInnerTexts(),
      ),
    );
    expect(marked!.join(" ")).toContain("ninety days");
    expect(shaded!.join(" ")).not.toContain("ninety days");
    expect(shaded!.join(" ").length).toBeGreaterThan(marked!.join(" ").length);
  }, 60_000);

  test("is marked in the text view too", async () => {
    plays("The warranty period is 36 months [1].");
    await ask(ids.contracts, "What is the warranty period?");
    await answered();
    await openSource();
    expect(await page.locator(".text-view mark").allInnerTexts()).toEqual([
      expect.stringContaining("36 months"),
    ]);
    expect((await page.locator(".text-view .passage-shade").allInnerTexts()).join(" ")).toContain(
      "original packaging",
    );
  }, 60_000);

  test("further reading is listed below, and opens; without any there is no list", async () => {
    const list = page.getByRole("group", { name: "Also worth reading" });
    expect(await list.count()).toBe(0);
    plays("It is replaced every ninety days [1].");
    await ask(ids.hut, "How often is the ceramic filter of the hut replaced?");
    await answered();
    const first = list.getByRole("button").first();
    expect(await first.innerText()).toContain("handbook.pdf");
    await first.click();
    await page.locator(".source-panel mark").first().waitFor();
    expect(await first.getAttribute("aria-pressed")).toBe("true");
  }, 60_000);
});

test.skipIf(!chromium_path)(
  "markup in names, documents and answers stays text",
  async () => {
    plays(
      "<img src=x onerror=alert(3)> The chain is checked every fourteen days [1]. " +
        "![x](https://evil.example/beacon.png) [here](javascript:alert(4))",
    );
    await ask(ids.hostile, `<script>alert(5)</script> How often is the chain checked?`);
    await answered();
    await openSource();
    expect(await page.locator(".source-panel mark").first().textContent()).toContain(
      "<script>alert(2)</script>",
    );
    expect(await page.locator(".source-head").innerText()).toContain(hostile.name);
    expect(await page.locator("main img, main script, main [href^=javascript]").count()).toBe(0);
    await page.goto("/console/chats");
    await page.getByText("<script>alert(5)</script> How often").waitFor();
    expect(at.window.faults).toEqual([]);
  },
  60_000,
);

test.skipIf(!chromium_path)(
  "a chat is deleted, brought back by Undo and from the list of deleted ones, says so when it " +
    "is gone, and is deleted for good from there",
  async () => {
    await askForFilter();
    const chat = page.url();
    const remove = async () => {
      await page.getByRole("button", { name: /^Actions for/ }).click();
      await page.getByRole("menuitem", { name: "Delete" }).click();
    };
    await remove();
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("was restored").waitFor();
    await page.goto(chat);
    await remove();
    await page.goto(chat);
    await page.getByText("This chat was deleted").waitFor();
    await page.goto("/console/chats");
    await page.getByRole("tab", { name: "Deleted" }).click();
    await page.getByRole("button", { name: "Restore" }).first().click();
    await page.getByText("No deleted chats").waitFor();
    await page.goto(chat);
    await page.locator(".answer").waitFor();
    await remove();
    await page.goto("/console/chats");
    await page.getByRole("tab", { name: "Deleted" }).click();
    await page.getByRole("button", { name: /permanently$/ }).click();
    await page.getByRole("button", { name: "Delete permanently" }).click();
    await page.getByText("was permanently deleted").waitFor();
    await page.getByText("No deleted chats").waitFor();
    await expect(at.api("GET", new URL(chat).pathname.replace("/console", ""))).rejects.toThrow(
      "404",
    );
  },
  60_000,
);

test.skipIf(!chromium_path)(
  "a chat without a name is called by its first question, in the list and on its page",
  async () => {
    const { id } = await at.api("POST", "/chats", {});
    await at.api("POST", `/chats/${id}/messages`, { text: "Which tern has a black cap?" });
    await at.api("POST", `/chats/${id}/messages`, { text: "Which one has not?" });
    await page.goto("/console/chats");
    await page.getByRole("link", { name: "Which tern has a black cap?" }).click();
    await page.getByRole("heading", { name: "Which tern has a black cap?", level: 1 }).waitFor();
    await at.api("DELETE", `/chats/${id}?permanent=true`);
  },
  60_000,
);

test.skipIf(!chromium_path)(
  "an answer is rated with a note; its chat is pinned, found, exported with its quotes and printed",
  async () => {
    await at.window.setAppearance({});
    plays("It is replaced every ninety days [1].");
    await ask(ids.hut, "How often is the ceramic filter of the old kitchen replaced?");
    await answered();
    const id = new URL(page.url()).pathname.split("/").at(-1)!;
    await page.getByRole("button", { name: "Good answer" }).click();
    await page.getByLabel("What was good about it?").fill("It names the page.");
    await expectWell(at.window, { within: ".chat-page" });
    await at.window.setAppearance({});
    await page.getByRole("button", { name: "Save note" }).click();
    await page.getByRole("button", { name: "Edit note" }).waitFor();
    const choose = async (item: string) => {
      await page.getByRole("button", { name: /^Actions for/ }).click();
      await page.getByRole("menuitem", { name: item, exact: true }).click();
    };
    await choose("Pin");
    const saved = page.waitForEvent("download");
    await choose("Export as Markdown");
    const download = await saved;
    expect(download.suggestedFilename()).toEndWith(".md");
    expect(await Bun.file(await download.path()).text()).toMatch(
      /\*\*\[1\]\*\* handbook\.pdf, p\. 3\n\n> .*ninety days/s,
    );
    await choose("Print");
    await page.locator(".print-sources blockquote").getByText("ninety days").waitFor();
    await expectWell(at.window, { within: "main" });
    await go("/chats");
    await page.getByRole("table", { name: "Pinned" }).getByText("of the old kitchen").waitFor();
    await page.getByLabel("Find a chat").fill("OLD KITCHEN");
    await page.getByRole("table", { name: "Chats" }).getByText("of the old kitchen").waitFor();
    await page.getByRole("tab", { name: "Ratings" }).click();
    await page.getByText("It names the page.").waitFor();
    await expectWell(at.window, { within: "main" });
    await at.api("DELETE", `/chats/${id}?permanent=true`);
  },
  60_000,
);

test.skipIf(!chromium_path)(
  "a long chat opens at its end; earlier questions load above the visible ones",
  async () => {
    plays("Every ninety days [1].");
    const { id } = await at.api("POST", "/chats", { name: "Long", usedFolders: [ids.hut] });
    for (let number = 1; number <= 24; number++)
      await at.api("POST", `/chats/${id}/messages`, {
        text: `Question ${number}: how often is the filter replaced?`,
      });
    await at.dossier.until(
      `/chats/${id}/messages?per_page=50`,
      ({ body }) => body.data.every(({ status }: { status: string }) => status === "COMPLETED"),
      { key: at.key },
    );
    await page.goto(`/console/chats/${id}`);
    await page.getByText("Question 24:").waitFor();
    const log = page.getByRole("log");
    const below = () =>
      log.evaluate((box) => Math.round(box.scrollHeight - box.scrollTop - box.clientHeight));
    await at.dossier.untilTrue(async () => (await below()) === 0);
    // Questions before the loaded twenty come when the user scrolls to the first of them.
    const fifth = page.getByText("Question 5:");
    const before = await log.evaluate(
      (box, question) => {
        box.scrollTop = 0;
        return question!.getBoundingClientRect().top;
      },
      await fifth.elementHandle(),
    );
    await page.getByText("Question 1:").waitFor();
    const after = (await fifth.boundingBox())!.y;
    expect(Math.abs(after - before)).toBeLessThanOrEqual(80);
    // However long the conversation, the page around it does not grow.
    expect(await page.evaluate("document.documentElement.scrollHeight - innerHeight")).toBe(0);
    // The view of a user who reads further up stays there while an answer is written below.
    const waiting = Promise.withResolvers<void>();
    provider.answerWith(async () => {
      await waiting.promise;
      return says("The ceramic filter is replaced every ninety days [1].");
    });
    await at.api("POST", `/chats/${id}/messages`, {
      text: "Question 25: how often is the filter replaced?",
    });
    await page.getByText("Question 25:").waitFor({ state: "attached" });
    await log.evaluate((box) => {
      box.scrollTop = 0;
    });
    waiting.resolve();
    await page.getByText("The ceramic filter is").waitFor({ state: "attached" });
    expect(await log.evaluate((box) => box.scrollTop)).toBe(0);
    await page.getByRole("button", { name: "Jump to latest" }).click();
    expect(
      await log.evaluate((box) => Math.round(box.scrollHeight - box.scrollTop - box.clientHeight)),
    ).toBe(0);
  },
  60_000,
);

test.skipIf(!chromium_path)(
  "question, answer and source by keyboard alone",
  async () => {
    const focused = (): Promise<string> =>
      page.evaluate(
        "document.activeElement?.getAttribute('aria-label') ?? " +
          "document.activeElement?.textContent ?? ''",
      );
    /** Presses Tab or Shift+Tab until the element with this name has the focus. */
    const reach = async (name: string, key: "Tab" | "Shift+Tab" = "Tab") => {
      for (let left = 60; left > 0; left--) {
        await page.keyboard.press(key);
        if ((await focused()).includes(name)) return;
      }
      throw new Error(`The focus never came to ${name}.`);
    };
    plays("It is replaced every ninety days [1].");
    await page.goto("/console/chats");
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.keyboard.press("n");
    await page.getByText("What do you want to know?").waitFor();
    await reach("Choose folders");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor();
    const box = page.getByRole("checkbox", { name: "Hollin Fell Hut" }).and(page.locator(":focus"));
    for (let left = 20; left > 0 && (await box.count()) === 0; left--)
      await page.keyboard.press("Tab");
    await page.keyboard.press("Space");
    await page.keyboard.press("Enter");
    await page.locator(".chip").waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("How often is the filter replaced?");
    await page.keyboard.press("Enter");
    await answered();
    await reach("Source 1", "Shift+Tab");
    await page.keyboard.press("Enter");
    await page.locator(".source-panel mark").first().waitFor();
    await page.keyboard.press("Escape");
    await page.locator(".source-panel").waitFor({ state: "detached" });
    await at.dossier.untilTrue(async () => (await focused()).startsWith("Source 1"));
  },
  60_000,
);
