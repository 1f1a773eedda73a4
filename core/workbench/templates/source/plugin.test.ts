/** Tests of my plugin, on a server of their own: `dossier plugin test`. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { startDossier, type Dossier } from "dossier/test";
import { entriesOf } from "./plugin";

let dossier: Dossier;
let folder_id: string;
beforeAll(async () => {
  dossier = await startDossier();
  folder_id = await dossier.folder("ada", "News");
  // The receiver of the test plays the website: imports may reach it.
  dossier.receiver.answers(({ path }) => {
    const page = pages[path];
    return page ? new Response(page[1], { headers: { "content-type": page[0] } }) : notFound();
  });
});
afterAll(() => dossier.stop());

const notFound = () => new Response("no such page", { status: 404 });
const pages: Record<string, [type: string, text: string]> = {
  "/feed.xml": [
    "application/rss+xml",
    `<rss><channel><title>Animals</title>
      <item><title>Otters &amp; reeds</title><link>/otters</link></item>
      <item><title><![CDATA[Herons]]></title><link>/herons</link></item>
    </channel></rss>`,
  ],
  "/otters": ["text/html", "<h1>Otters</h1><p>The otter sleeps in the reeds.</p>"],
  "/herons": ["text/html", "<h1>Herons</h1><p>The heron stands in the water.</p>"],
  "/empty.xml": ["application/rss+xml", "<rss><channel></channel></rss>"],
};

/** The run of an import, once it has ended. */
async function imported(source: object) {
  const { status, body } = await dossier.send("ada", "POST", "/imports", {
    folder_id,
    source: { type: "my-plugin", ...source },
  });
  expect(status).toBe(202);
  return dossier.until(async () => {
    const run = (await dossier.send("ada", "GET", `/imports/${body.id}`)).body;
    return ["pending", "running"].includes(run.status) ? null : run;
  });
}

test("entries of RSS and of Atom are found", () => {
  const atom = `<feed><entry><title>One</title><link rel="alternate" href="https://a.test/1"/>
    <updated>2026-03-01</updated></entry></feed>`;
  expect(entriesOf(atom)).toEqual([
    { link: "https://a.test/1", title: "One", changed: "2026-03-01" },
  ]);
  expect(entriesOf(pages["/feed.xml"]![1]).map(({ title }) => title)).toEqual([
    "Otters & reeds",
    "Herons",
  ]);
});

test("every entry becomes a document", async () => {
  const run = await imported({ url: `${dossier.receiver.url}/feed.xml` });
  expect(run).toMatchObject({ status: "completed", error: null });
  const listed = await dossier.send("ada", "GET", `/documents?folder_id=${folder_id}`);
  expect(listed.body.data).toHaveLength(2);
});

test("a feed without entries fails in words", async () => {
  const run = await imported({ url: `${dossier.receiver.url}/empty.xml` });
  expect(run.error.message).toBe("This is no feed, or one without entries.");
});

test("a source without an address is refused", async () => {
  const body = { folder_id, source: { type: "my-plugin" } };
  expect((await dossier.send("ada", "POST", "/imports", body)).status).toBe(400);
});
