/** An example import source, installed in the built executable. */
import { createServer, type Server } from "node:net";
import { startExecutable, type Executable } from "./executable";
import { selfSigned } from "./self-signed";
import { importOf, type ImportClient } from "./website";

/** A server that is not the expected service: the error that an import reports. */
export type BadService = "hangs" | "is another" | "has a bad certificate" | "is gone";

/** The executable with the source, and a folder to import into. */
export interface ExampleSource extends AsyncDisposable {
  readonly dossier: Executable;
  readonly folder_id: string;
  /** The run, its items, and afterwards the names and texts of the folder's documents. */
  run(
    source: object,
    more?: object,
  ): Promise<{ run: any; items: any[]; texts: [string, string][] }>;
  /**
   * The port of such a server on 127.0.0.1. After one that hangs, nothing may take longer than a
   * second.
   */
  badService(kind: BadService): Promise<number>;
}

/** `name`: of the directory in examples. */
export async function startExampleSource(name: string): Promise<ExampleSource> {
  const dossier = await startExecutable({
    example: name,
    env: { DOSSIER_IMPORTS_ALLOW_NETWORKS: "127.0.0.1/32" },
  });
  await dossier.createUser();
  const client: ImportClient = { send: (method, path, body) => dossier.api(method, path, body) };
  const folder_id: string = (await dossier.api("POST", "/folders", { name: "Sources" })).body.id;
  const servers: { stop(): void }[] = [];

  const texts = async (): Promise<[string, string][]> => {
    const all_folders = (await dossier.api("GET", "/folders")).body.data;
    const folders = all_folders.filter(
      (folder: { parentId: string }) => folder.parentId === folder_id,
    );
    const all: [string, string][] = [];
    for (const { id, name: inside } of [{ id: folder_id, name: "" }, ...folders]) {
      const { data } = (await dossier.api("GET", `/documents?folder_id=${id}`)).body;
      for (const entry of data) {
        const { content } = (await dossier.api("GET", `/documents/${entry.id}`)).body;
        all.push([`${inside === "" ? "" : `${inside}/`}${entry.name}`, content]);
      }
    }
    return all.toSorted(([a], [b]) => (a < b ? -1 : 1));
  };
  return {
    dossier,
    folder_id,
    run: async (source, more = {}) => ({
      ...(await importOf(client, { folder_id, source, ...more })),
      texts: await texts(),
    }),
    async badService(kind) {
      if (kind === "hangs") await dossier.mustCli(["config", "set", "imports.timeout", "1s"]);
      const { port, stop } = await startBad(kind);
      servers.push({ stop });
      return port;
    },
    async [Symbol.asyncDispose]() {
      await dossier[Symbol.asyncDispose]();
      for (const server of servers) server.stop();
    },
  };
}

async function startBad(kind: BadService): Promise<{ port: number; stop(): void }> {
  if (kind === "has a bad certificate") {
    const server = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      tls: await selfSigned("stranger"),
      fetch: () => new Response("secret"),
    });
    return { port: server.port!, stop: () => void server.stop(true) };
  }
  const server: Server = createServer((socket) => {
    socket.on("error", () => {});
    if (kind !== "hangs")
      socket.once("data", () =>
        socket.end("HTTP/1.1 200 OK\r\ncontent-length: 5\r\nconnection: close\r\n\r\nhello"),
      );
  });
  await new Promise<void>((done) => void server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as { port: number };
  if (kind === "is gone") await new Promise((done) => void server.close(done));
  return { port, stop: () => void server.close() };
}
