/**
 * My plugin: a page of the console that shows how many documents each folder of the signed-in user
 * holds, and which of them could not be read.
 */
import { definePlugin, fill } from "dossier";
import { ConsolePages } from "dossier/contracts";

/**
 * The text of an ES module: the console loads it when somebody opens the page. `host.api` calls the
 * API in their name. Put text into the page as text: the console's policy refuses HTML that is made
 * of strings, and scripts and styles from anywhere else.
 */
export const page = `
const add = (parent, name, text = "") => {
  const element = parent.appendChild(document.createElement(name));
  element.textContent = text;
  return element;
};

async function read(host, path) {
  const answer = await host.api(path);
  if (!answer.ok) throw new Error("The server answered with " + answer.status + ".");
  return answer.json();
}

export default {
  async mount(root, host) {
    try {
      const folders = (await read(host, "/folders?per_page=200")).data;
      if (folders.length === 0) {
        add(root, "p", "There are no folders yet. Make one, and it shows up here.");
        return;
      }
      const table = add(root, "table");
      const head = add(add(table, "thead"), "tr");
      for (const title of ["Folder", "Documents", "Could not be read"])
        add(head, "th", title).scope = "col";
      const body = add(table, "tbody");
      for (const folder of folders) {
        const at = "/documents?per_page=1&folder_id=" + encodeURIComponent(folder.id);
        const all = await read(host, at);
        const failed = await read(host, at + "&status=sync_failed");
        const row = add(body, "tr");
        const link = add(add(row, "td"), "a", folder.name);
        link.href = "/console/folders/" + folder.id;
        link.addEventListener("click", (event) => {
          event.preventDefault();
          host.navigate("/folders/" + folder.id);
        });
        add(row, "td", String(all.pagination.total));
        add(row, "td", String(failed.pagination.total));
      }
    } catch (error) {
      add(root, "p", "This page could not be loaded: " + error.message);
    }
  },
};
`;

export default definePlugin({
  name: "my-plugin",
  version: "0.1.0",
  setup: () => ({
    fills: [
      fill(ConsolePages, { path: "my-plugin", title: "My plugin", group: "work", module: page }),
    ],
  }),
});
