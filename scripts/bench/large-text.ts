/**
 * Rows: how long another user waits while long texts are uploaded, indexed, read, renamed and
 * deleted.
 */
import { createKey } from "../lib/launch";
import { median, quantile, timed, type Row } from "./measure";
import {
  addTexts,
  apiCall,
  startDossier,
  temporaryDirectory,
  type ApiCall,
  type Dossier,
} from "./server";
import { makeText } from "./text";

const posted_texts = 6;
const posted_length = 12 * 2 ** 20;
const uploaded_length = 20 * 2 ** 20;
/** Documents in the list of the other user, and how often it is fetched. */
const listed = 50;
const asked_every_ms = 10;
const asked_alone = 200;

export async function largeTextRows(): Promise<Row[]> {
  const at = temporaryDirectory();
  const dossier = await startDossier(at.directory);
  try {
    const call = apiCall(dossier.url, await createKey(at.directory, "other@example.com"));
    const folder = await newFolder(call);
    await addTexts(
      { ...dossier, call },
      folder,
      Array.from({ length: listed }, (_, i) => makeText(i, 1_000)),
    );
    const list = () =>
      timed(() => call("GET", `/documents?folder_id=${folder}&per_page=${listed}`));
    const alone: number[] = [];
    for (let i = 0; i < asked_alone; i++) alone.push(await list());
    const rows: Row[] = [];
    const folder_id = await newFolder(dossier.call);
    for (const [what, work] of stepsOf(dossier, folder_id)) {
      const { beside, took_ms } = await besideLists(list, work);
      rows.push({
        name: `list while another user's long texts are ${what}`,
        unit: "ms",
        target: { most: 100 },
        value: quantile(beside, 0.99),
        measured:
          `p99 of ${beside.length} lists of ${listed} in ${(took_ms / 1_000).toFixed(1)} s, ` +
          `p50 ${median(beside).toFixed(1)}, most ${Math.max(...beside).toFixed(0)}; alone ` +
          `p50 ${median(alone).toFixed(1)}, most ${Math.max(...alone).toFixed(0)}; ` +
          `${posted_texts} texts of ${posted_length / 2 ** 20} MiB and a file of ` +
          `${uploaded_length / 2 ** 20} MiB`,
      });
    }
    return rows;
  } finally {
    await dossier.stop();
    at.remove();
  }
}

/** One after the other. */
function stepsOf(
  dossier: Dossier,
  folder_id: string,
): [what: string, work: () => Promise<unknown>][] {
  const { call } = dossier;
  const ids: string[] = [];
  // Generated in advance, so that it does not block this process during the measurement.
  const content = makeText(1, posted_length);
  const bodies = Array.from({ length: posted_texts }, (_, i) =>
    JSON.stringify({ folder_id, name: `Long ${i}`, content }),
  );
  const file = new Blob([makeText(2, uploaded_length)], { type: "text/plain" });
  const headers = { authorization: `Bearer ${dossier.key}` };
  const url = `${dossier.url}/api/dev/v1/documents`;
  const added = async (response: Response) => {
    if (response.status !== 201) throw new Error(`a long text: ${response.status}`);
    ids.push(((await response.json()) as { id: string }).id);
  };
  const eachDocument = (work: (id: string) => Promise<unknown>) => Promise.all(ids.map(work));
  return [
    [
      "sent",
      async () => {
        for (const body of bodies)
          await added(
            await fetch(url, {
              method: "POST",
              headers: { ...headers, "content-type": "application/json" },
              body,
            }),
          );
        const body = new FormData();
        body.append("file", file, "long.txt");
        const to = `${url}/file?folder_id=${folder_id}`;
        await added(await fetch(to, { method: "POST", headers, body }));
      },
    ],
    ["indexed", () => eachDocument((id) => untilSynced(call, id))],
    [
      "read",
      () =>
        eachDocument(async (id) => {
          const response = await fetch(`${url}/${id}`, { headers });
          for await (const _chunk of response.body!);
        }),
    ],
    [
      "renamed",
      async () => {
        await eachDocument((id) => call("PATCH", `/documents/${id}`, { name: `renamed ${id}` }));
        for (const id of ids) await untilFound(call, id, folder_id);
      },
    ],
    [
      "deleted",
      async () => {
        await call("DELETE", `/folders/${folder_id}`);
        for (let left = 1; left > 0; await Bun.sleep(20)) {
          const health = (await (await fetch(`${dossier.url}/health`)).json()) as {
            purging: { documents: number };
          };
          left = health.purging.documents;
        }
      },
    ],
  ];
}

/** Fetches the list repeatedly while the work lasts. */
async function besideLists(
  list: () => Promise<number>,
  work: () => Promise<unknown>,
): Promise<{ readonly beside: readonly number[]; readonly took_ms: number }> {
  const beside: number[] = [];
  let working = true;
  const asking = (async () => {
    while (working) {
      beside.push(await list());
      await Bun.sleep(asked_every_ms);
    }
  })();
  try {
    const took_ms = await timed(work);
    return { beside, took_ms };
  } finally {
    working = false;
    await asking;
  }
}

async function untilSynced(call: ApiCall, id: string): Promise<void> {
  for (let status = "syncing"; status !== "synced"; await Bun.sleep(50)) {
    ({ status } = await call<{ status: string }>("GET", `/documents/${id}?content=false`));
    if (status === "sync_failed") throw new Error(`the long text ${id} was not indexed`);
  }
}
/** Its title is its id, so a search finds it once the index has the new name. */
async function untilFound(call: ApiCall, id: string, folder_id: string): Promise<void> {
  const found = async () =>
    (
      await call<{ data: readonly { document_id: string }[] }>("POST", "/search", {
        query: `renamed ${id}`,
        folder_ids: [folder_id],
        document_ids: [id],
        limit: 1,
      })
    ).data.length > 0;
  while (!(await found())) await Bun.sleep(200);
}
const newFolder = async (call: ApiCall): Promise<string> =>
  (await call<{ id: string }>("POST", "/folders", { name: "Texts" })).id;
