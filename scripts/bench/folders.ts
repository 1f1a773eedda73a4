/** Row: authenticated GET /folders?per_page=50 against the plain server doing the same work. */
import { load } from "./load";
import { median, type Row } from "./measure";
import { addFolders, temporaryDirectory, startDossier, startRival } from "./server";

const folders = 1_500;
const connections = 16;
const round_ms = 1_500;
const rounds = 9;

export async function foldersRow(): Promise<Row[]> {
  const temporary = temporaryDirectory();
  const dossier = await startDossier(temporary.directory);
  const rival = await startRival(temporary.directory, { key: dossier.key, folders, texts: [] });
  try {
    await addFolders(dossier, folders);
    const head = (host: string) =>
      [
        `GET ${host === "raw" ? "" : "/api/dev/v1"}/folders?per_page=50 HTTP/1.1`,
        "Host: 127.0.0.1",
        `Authorization: Bearer ${dossier.key}`,
        "Accept: application/json",
        "\r\n",
      ].join("\r\n");
    const measure = async (host: "raw" | "dossier", duration_ms: number) => {
      const { per_second, not_200 } = await load({
        port: host === "raw" ? rival.port : dossier.port,
        head: head(host),
        connections,
        duration_ms,
      });
      if (not_200 > 0) throw new Error(`${not_200} answers of ${host} were not 200`);
      return per_second;
    };
    await measure("raw", round_ms);
    await measure("dossier", round_ms);
    const pairs: { raw: number; dossier: number }[] = [];
    for (let round = 0; round < rounds; round++) {
      const first = round % 2 === 0 ? "raw" : "dossier";
      const first_run = await measure(first, round_ms);
      const second_run = await measure(first === "raw" ? "dossier" : "raw", round_ms);
      pairs.push(
        first === "raw"
          ? { raw: first_run, dossier: second_run }
          : { raw: second_run, dossier: first_run },
      );
    }
    const perSecond = (host: "raw" | "dossier") =>
      median(pairs.map((pair) => pair[host])).toFixed(0);
    return [
      {
        name: "GET /folders?per_page=50",
        unit: "x",
        target: { least: 0.9 },
        value: median(pairs.map((pair) => pair.dossier / pair.raw)),
        measured:
          `requests per second, Dossier ${perSecond("dossier")} / plain server ` +
          `${perSecond("raw")}; ${folders} folders, ${connections} connections, ${rounds} rounds`,
      },
    ];
  } finally {
    rival.stop();
    await dossier.stop();
    temporary.remove();
  }
}
