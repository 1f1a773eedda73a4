/** One user of a soak test: performs random operations, and records what is acknowledged. */
import { messageOf } from "../../core/lib/error-message";
import { Ledger, type Kept } from "./ledger";

/** A response with its JSON. */
export interface Answer {
  readonly status: number;
  readonly body: ReturnType<typeof JSON.parse>;
}
/** Who the user is, and where the server is. */
export interface UserOptions {
  readonly name: string;
  readonly key: string;
  /** The current address of the server. */
  readonly url: () => string;
  readonly random: () => number;
  /** The address of pages to import. */
  readonly site: string;
}

const folders_max = 12;
const documents_max = 400;

/** A user who never stops working. */
export class User {
  readonly ledger: Ledger;
  readonly statuses = new Map<number, number>();
  private chat: string | undefined;

  constructor(readonly options: UserOptions) {
    this.ledger = new Ledger(options.name);
  }

  async send(method: string, path: string, body?: object): Promise<Answer> {
    const is_form = body instanceof FormData;
    const response = await fetch(`${this.options.url()}/api/dev/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.options.key}`,
        ...(body && !is_form ? { "content-type": "application/json" } : {}),
      },
      ...(body && { body: is_form ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const { status } = response;
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    if (status >= 500 && status !== 507 && status !== 503)
      throw new Unexpected(`${method} ${path}: ${status} ${text.slice(0, 300)}`);
    return { status, body: text === "" ? null : JSON.parse(text) };
  }

  /** One random operation. @throws when the server dies meanwhile, or gives an invalid response. */
  async act(): Promise<void> {
    const acts: [weight: number, act: () => Promise<void>][] = [
      [8, this.addText],
      [4, this.upload],
      [3, this.overwrite],
      [3, this.unlink],
      [0.4, this.deleteFolder],
      [1, this.addFolder],
      [5, this.search],
      [2, this.ask],
      [1, this.import],
    ];
    if (this.ledger.folders.size === 0) return this.addFolder();
    let remaining_weight = this.options.random() * acts.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, act] of acts) if ((remaining_weight -= weight) < 0) return act();
  }

  private pick<T>(of: Iterable<T>): T | undefined {
    const all = [...of];
    return all[Math.floor(this.options.random() * all.length)];
  }
  private text(word: string): string {
    const sentences = 1 + Math.floor(this.options.random() ** 4 * 3_000);
    const more = "It swims, nests and sleeps by the harbour wall. ".repeat(sentences);
    return `The ${word} lives here. ${more}`;
  }

  private readonly addFolder = async (): Promise<void> => {
    if (this.ledger.folders.size >= folders_max) return;
    const { status, body } = await this.send("POST", "/folders", { name: "Soak" });
    if (status === 201) this.ledger.folders.add(body.id);
  };
  private readonly addText = async (): Promise<void> => {
    if (this.ledger.documents.size >= documents_max) return this.deleteFolder();
    const folder = this.pick(this.ledger.folders)!;
    const word = this.ledger.newWord();
    const { status, body } = await this.send("POST", "/documents", {
      folder_id: folder,
      content: this.text(word),
    });
    if (status === 201) this.keep(body, { folder, word });
  };
  private readonly upload = (): Promise<void> => this.sendText(this.ledger.newWord(), undefined);
  private readonly overwrite = async (): Promise<void> => {
    const id = this.pick(
      [...this.uploads.keys()].filter((upload_id) => this.ledger.documents.has(upload_id)),
    );
    if (id !== undefined) await this.sendText(this.ledger.newWord(), id);
  };
  private readonly uploads = new Map<string, string>();

  private async sendText(word: string, id: string | undefined): Promise<void> {
    const { documents } = this.ledger;
    const kept = id === undefined ? undefined : documents.get(id);
    const folder = kept?.folder ?? this.pick(this.ledger.folders)!;
    const name = (id && this.uploads.get(id)) ?? `${word}.txt`;
    const form = new FormData();
    form.append("file", new File([this.text(word)], name));
    await this.ledger.during(id ? [id] : [], async () => {
      const { status, body } = await this.send(
        "POST",
        `/documents/file?folder_id=${folder}&overwrite=${kept !== undefined}`,
        form,
      );
      if (status !== 201 && status !== 200) return true;
      this.keep(body, { folder, word });
      this.uploads.set(body.id, name);
      return true;
    });
  }

  private keep({ id, version }: Answer["body"], text: Pick<Kept, "folder" | "word">): void {
    try {
      this.ledger.keep(id, { ...text, version });
    } catch (error) {
      throw new Unexpected(messageOf(error));
    }
  }

  private readonly unlink = async (): Promise<void> => {
    const { documents, unsure } = this.ledger;
    const id = this.pick([...documents.keys()].filter((document_id) => !unsure.has(document_id)));
    if (id === undefined) return;
    await this.ledger.during([id], async () => {
      const { folder } = documents.get(id)!;
      const { status } = await this.send("DELETE", `/documents/${id}?folder_id=${folder}`);
      if (status === 204) this.ledger.forget(id);
      return true;
    });
  };
  private readonly deleteFolder = async (): Promise<void> => {
    const folder = this.pick(this.ledger.folders);
    if (folder === undefined || this.ledger.folders.size < 3) return;
    this.ledger.folders.delete(folder);
    const inside = this.ledger.inside(folder);
    await this.ledger.during([folder, ...inside], async () => {
      const { status } = await this.send("DELETE", `/folders/${folder}`);
      if (status !== 204) {
        this.ledger.folders.add(folder);
        return true;
      }
      // What was added to it meanwhile is deleted as well.
      for (const id of this.ledger.inside(folder)) this.ledger.forget(id);
      return true;
    });
  };
  private readonly search = async (): Promise<void> => {
    const document = this.pick(this.ledger.documents.values());
    await this.send("POST", "/search", { query: document?.word ?? "harbour wall", limit: 5 });
  };
  private readonly ask = async (): Promise<void> => {
    if (this.chat === undefined || this.options.random() < 0.1) {
      const answer = await this.send("POST", "/chats", { usedFolders: [...this.ledger.folders] });
      if (answer.status !== 201) return;
      if (this.chat !== undefined) await this.send("DELETE", `/chats/${this.chat}?permanent=true`);
      this.ledger.answers.clear();
      this.chat = answer.body.id;
    }
    const path = `/chats/${this.chat}/messages`;
    const { status, body } = await this.send("POST", path, { text: "What nests by the harbour?" });
    if (status === 202) this.ledger.answers.add(`${path}/${body.requestId}`);
  };
  private readonly import = async (): Promise<void> => {
    const folder_id = this.pick(this.ledger.folders)!;
    const urls = [1, 2, 3].map((n) => `${this.options.site}/${this.ledger.newWord()}/${n}`);
    const source = { type: "urls", urls };
    const { status, body } = await this.send("POST", "/imports", { folder_id, source });
    if (status === 202) this.ledger.imports.add(body.id);
  };
}

/** A response that is invalid whatever happens to the machine. */
export class Unexpected extends Error {
  override readonly name = "Unexpected";
}
