/** The main job by the packed TypeScript client: `sdk ADDRESS KEY FILE`, in any runtime. */
import { openAsBlob } from "node:fs";
import { Dossier, DossierError } from "dossier-client";

const [baseUrl, key, path] = process.argv.slice(2) as [string, string, string];
const dossier = new Dossier({ baseUrl, key });

const folder = await dossier.createFolder({ name: "By the client" });
const phases = new Set<string>();
const document = await dossier.upload(await openAsBlob(path), {
  folder: folder.id,
  name: "handbook.pdf",
  onProgress: (progress) => phases.add(progress.phase),
});
const found = await dossier.search({ query: "ceramic filter", folder_ids: [folder.id] });
const answer = await dossier.ask("How often is the ceramic filter replaced?", {
  folders: [folder.id],
});
let pieces = "";
for await (const event of dossier.ask("How often is the ceramic filter replaced?", {
  sessionId: answer.sessionId,
  stream: true,
}))
  if (event.type === "delta") pieces += event.text;

const cited = answer.citations[0]!;
const { text } = await dossier.readDocumentText(cited.document_id, {
  start: cited.start,
  length: cited.end - cited.start,
});
const names: string[] = [];
for await (const { name } of dossier.each((page) =>
  dossier.listDocuments({ folder_id: folder.id, page }),
))
  names.push(name);
await dossier.deleteFolder(folder.id);
const gone: unknown = await dossier.getFolder(folder.id).catch((error: unknown) => error);
console.log(
  JSON.stringify({
    phases: [...phases],
    status: document.status,
    found: found.data.length > 0,
    answer: answer.answer,
    quote_is_text: text === cited.quote,
    streamed: pieces.length > 0,
    names,
    gone: gone instanceof DossierError ? [gone.status, gone.code] : null,
  }),
);
