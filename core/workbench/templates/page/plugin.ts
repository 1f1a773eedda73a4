/**
 * My plugin: a page of the console that shows how many documents each folder of the signed-in user
 * holds, and how many of them could not be read.
 */
import { definePlugin, fill } from "dossier";
import { ConsolePages, type ConsoleHost, type Mount } from "dossier/contracts";

/**
 * Runs in the browser, where only its own text gets: it uses nothing from around it. `host` calls
 * the API in the name of whoever is signed in, and has the console's own components.
 */
export const mount: Mount<ConsoleHost> = async (root, host) => {
  interface Folder {
    readonly id: string;
    readonly name: string;
  }
  interface PageOf<T> {
    readonly data: readonly T[];
    readonly pagination: { readonly total: number };
  }
  const { call, navigate, onChange, ui } = host;
  const countOf = async (folder_id: string, status?: string): Promise<number> => {
    const query = { folder_id, status, per_page: 1 };
    return (await call<PageOf<unknown>>("/documents", { query })).pagination.total;
  };
  const show = async (): Promise<void> => {
    const folders = await call<PageOf<Folder>>("/folders", { query: { per_page: 200 } });
    const rows = await Promise.all(
      folders.data.map(async ({ id, name }) => ({
        id,
        name,
        all: await countOf(id),
        failed: await countOf(id, "sync_failed"),
      })),
    );
    const table = ui.table({
      label: "Folders",
      rows,
      empty: "There are no folders yet.",
      columns: [
        {
          title: "Folder",
          kind: "main",
          cell: ({ id, name }) => ui.link({ label: name, path: `/folders/${id}` }),
        },
        { title: "Documents", kind: "end", cell: ({ all }) => all },
        {
          title: "Could not be read",
          kind: "end",
          cell: ({ failed }) => (failed > 0 ? ui.tag(String(failed), "bad") : 0),
        },
      ],
    });
    const button = ui.button({ label: "Import something", onPress: () => navigate("/imports") });
    root.replaceChildren(ui.stack(table, ui.row(button)));
  };
  await show();
  onChange(({ kind }) => {
    if (kind === "document" || kind === "folder") void show();
  });
};

export default definePlugin({
  name: "my-plugin",
  version: "0.1.0",
  setup: () => ({
    fills: [
      fill(ConsolePages, { path: "my-plugin", title: "My plugin", group: "work", module: mount }),
    ],
  }),
});
