/** What the server has acknowledged, and must therefore keep; and what is uncertain. */

export interface Kept {
  readonly folder: string;
  /** A word found only in this document, in its newest acknowledged version. */
  readonly word: string;
  /** The number of that version. */
  readonly version: number;
  /** Words of versions that were replaced. */
  readonly replaced: readonly string[];
}

/** The acknowledged work of one user. */
export class Ledger {
  readonly documents = new Map<string, Kept>();
  readonly folders = new Set<string>();
  readonly deleted = new Map<string, Kept>();
  readonly answers = new Set<string>();
  readonly imports = new Set<string>();
  /** Sent, but not answered before the server died: either outcome is valid. */
  readonly unsure = new Set<string>();
  private words = 0;

  constructor(private readonly name: string) {}

  newWord(): string {
    return `zq${this.name}${(this.words++).toString(36)}x`;
  }

  /**
   * Records an acknowledged version. Responses to two changes at once may arrive in either order.
   * @throws Error when two changes were acknowledged as the same version.
   */
  keep(id: string, added: Pick<Kept, "folder" | "word" | "version">): void {
    const known = this.documents.get(id);
    if (known?.version === added.version)
      throw new Error(`version ${added.version} of ${id} is both ${known.word} and ${added.word}`);
    const replaced = known?.replaced ?? [];
    if (known === undefined || added.version > known.version)
      this.documents.set(id, { ...added, replaced: known ? [...replaced, known.word] : [] });
    else this.documents.set(id, { ...known, replaced: [...replaced, added.word] });
  }

  /** A document or folder with a pending change: uncertain until the response. */
  async during(ids: readonly string[], work: () => Promise<boolean>): Promise<boolean> {
    const certain = ids.filter((id) => !this.unsure.has(id));
    certain.forEach((id) => this.unsure.add(id));
    const is_known = await work();
    if (is_known) certain.forEach((id) => this.unsure.delete(id));
    return is_known;
  }

  forget(id: string): void {
    const document = this.documents.get(id);
    if (document) this.deleted.set(id, document);
    this.documents.delete(id);
  }

  inside(folder: string): string[] {
    return [...this.documents]
      .filter(([, document]) => document.folder === folder)
      .map(([id]) => id);
  }
}
