/** Races about limits on numbers of rows, and about unique names. */
import { expected, fire, idsOf, createdId, poll_ms, removeAll, type Lane, type Race } from "./race";

const webhooks: Race = {
  name: "webhooks of one user",
  begin:
    ({ send }) =>
    async () => {
      const answers = await fire(6, (n) =>
        send(n, "POST", "/webhooks", {
          event_type: "import.finished",
          url: `http://127.0.0.1:9/${n}`,
        }),
      );
      const wrong = expected(answers, "201 ×2, 400 ×4");
      await removeAll(send, "/webhooks", await idsOf(answers));
      return wrong;
    },
};

const names: Race = {
  name: "names of uploads in a folder",
  async begin({ send }) {
    const folder = await createdId(send, "/folders", { name: "names" });
    return async (round) => {
      const answers = await fire(6, (n) => {
        const form = new FormData();
        form.set("file", new File([`text ${n}`], `${round}.txt`, { type: "text/plain" }));
        return send(n, "POST", `/documents/file?folder_id=${folder}`, form);
      });
      return expected(answers, "201 ×1, 409 ×5");
    };
  },
};

const subfolders: Race = {
  name: "subfolders that imports make",
  async begin(lane) {
    const { send } = lane;
    return async (round) => {
      const folder_id = await createdId(send, "/folders", { name: "imported" });
      const source = { type: "racing", folder: `of round ${round}` };
      const answers = await fire(2, (n) =>
        send(round + n, "POST", "/imports", { folder_id, source }),
      );
      for (const [n, id] of (await idsOf(answers, 202)).entries()) await importEnds(lane, n, id);
      const { data } = (await (await send(round, "GET", "/folders?per_page=200")).json()) as {
        readonly data: readonly { readonly parentId: string | null }[];
      };
      const inside = data.filter(({ parentId }) => parentId === folder_id);
      await removeAll(send, "/folders", [folder_id]);
      return inside.length === 1 ? null : `${inside.length} subfolders`;
    };
  },
};

async function importEnds({ send }: Lane, node: number, id: string): Promise<void> {
  for (;;) {
    const answer = await send(node, "GET", `/imports/${id}`);
    const { status } = (await answer.json()) as { readonly status: string };
    if (status === "completed") return;
    if (!["pending", "running"].includes(status)) throw new Error(`an import is ${status}`);
    await Bun.sleep(poll_ms);
  }
}

/** Per user: the plugin's limit, see docs/configuration.md. */
const imports_max = 100;
const imports: Race = {
  name: "imports under way of one user",
  // Each begins with nearly the maximum.
  lanes_max: 3,
  async begin({ send }) {
    const folder_id = await createdId(send, "/folders", { name: "under way" });
    const create = (n: number) =>
      send(n, "POST", "/imports", { folder_id, source: { type: "racing", waits: true } });
    await fire(imports_max - 2, create);
    return async () => {
      const answers = await fire(6, create);
      const wrong = expected(answers, "202 ×2, 403 ×4");
      const ids = await idsOf(answers, 202);
      await Promise.all(ids.map((id, at) => send(at, "POST", `/imports/${id}/cancel`)));
      return wrong;
    };
  },
};

/** Per user: the plugin's limit, see docs/configuration.md. */
const schedules_max = 100;
const schedules: Race = {
  name: "schedules of one user",
  // Each begins with nearly the maximum.
  lanes_max: 3,
  async begin({ send }) {
    const folder_id = await createdId(send, "/folders", { name: "planned" });
    const create = (n: number) =>
      send(n, "POST", "/import-schedules", {
        folder_id,
        source: { type: "urls", urls: [`https://example.com/${n}`] },
        every: "0 0 1 1 *",
      });
    await fire(schedules_max - 2, create);
    return async () => {
      const answers = await fire(6, create);
      const wrong = expected(answers, "201 ×2, 403 ×4");
      await removeAll(send, "/import-schedules", await idsOf(answers));
      return wrong;
    };
  },
};

const requests: Race = {
  name: "one message of many equal requests",
  begin:
    ({ send }) =>
    async () => {
      const chat = await createdId(send, "/chats", {});
      const messages = `/chats/${chat}/messages`;
      const requestId = crypto.randomUUID();
      await fire(6, (n) => send(n, "POST", messages, { text: "What?", requestId }));
      const { data } = (await (await send(1, "GET", messages)).json()) as {
        readonly data: readonly unknown[];
      };
      await removeAll(send, "/chats", [chat]);
      return data.length === 1 ? null : `${data.length} messages`;
    },
};

const uses: Race = {
  name: "folders of a chat against their deletion",
  begin:
    ({ send }) =>
    async () => {
      const [folder, chat] = await Promise.all([
        createdId(send, "/folders", { name: "used" }),
        createdId(send, "/chats", {}),
      ]);
      await Promise.all([
        send(0, "PUT", `/chats/${chat}`, { usedFolders: [folder] }),
        send(1, "DELETE", `/folders/${folder}`),
        send(2, "PUT", `/chats/${chat}`, { usedFolders: [folder] }),
      ]);
      const { usedFolders } = (await (await send(2, "GET", `/chats/${chat}`)).json()) as {
        readonly usedFolders: readonly unknown[];
      };
      await removeAll(send, "/chats", [chat]);
      return usedFolders.length === 0 ? null : "it uses a folder that is gone";
    },
};

const folders: Race = {
  name: "quota of folders",
  begin:
    ({ send }) =>
    async () => {
      const answers = await fire(9, (n) => send(n, "POST", "/folders", { name: `${n}` }));
      const wrong = expected(answers, "201 ×4, 403 ×5");
      await removeAll(send, "/folders", await idsOf(answers));
      return wrong;
    },
};

const documents: Race = {
  name: "quota of documents",
  begin:
    ({ send }) =>
    async () => {
      const folder_id = await createdId(send, "/folders", { name: "few" });
      const answers = await fire(9, (n) =>
        send(n, "POST", "/documents", { folder_id, content: `text ${n}` }),
      );
      await removeAll(send, "/folders", [folder_id]);
      return expected(answers, "201 ×4, 403 ×5");
    },
};

/** Half of `DOSSIER_QUOTAS_STORAGE`. */
const file_bytes = 2_048;
const storage: Race = {
  name: "quota of bytes of files",
  begin:
    ({ send }) =>
    async () => {
      const folder_id = await createdId(send, "/folders", { name: "heavy" });
      const answers = await fire(9, (n) => {
        const form = new FormData();
        form.append("file", new File([`${n}`.padEnd(file_bytes, ".")], `${n}.txt`));
        return send(n, "POST", `/documents/file?folder_id=${folder_id}`, form);
      });
      await removeAll(send, "/folders", [folder_id]);
      return expected(answers, "201 ×2, 403 ×7");
    },
};

/** The races that can run beside others. */
export const record_races: readonly Race[] = [
  webhooks,
  names,
  subfolders,
  imports,
  schedules,
  requests,
  uses,
];
/** With quotas that would disturb all others. */
export const quota_races: readonly Race[] = [folders, documents, storage];
