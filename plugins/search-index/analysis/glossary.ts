/**
 * The glossary: which words mean the same, across languages and within one. It is ours
 * (`glossary-files.ts`).
 */
import { readFileSync } from "node:fs";
import { glossary_files, type GlossaryLanguage } from "./glossary-files";
import { inflectionsOf } from "./inflections";
import { glossaryStem, plainLetters } from "./glossary-stems";

/** Numbers of lines of the glossary. */
export type Lines = readonly number[];

/** Lines by a word and by its stem; both without accents if it has any. */
interface LinesByWord {
  readonly by_word: ReadonlyMap<string, Lines>;
  readonly by_plain_word: ReadonlyMap<string, Lines>;
  readonly by_stem: ReadonlyMap<string, Lines>;
  readonly by_plain_stem: ReadonlyMap<string, Lines>;
}

/** The words of one language. */
export class GlossaryColumn {
  /** By line: the usual word first. */
  private readonly cells: readonly string[];
  private indexed: LinesByWord | undefined;

  constructor(private readonly language: GlossaryLanguage) {
    const text = readFileSync(glossary_files[language], "utf8");
    this.cells = text.replace(/\n$/, "").split("\n");
  }

  /** The words of these lines. */
  words(lines: Lines): string[] {
    return lines.flatMap((at) => this.cells[at]!.split(", ")).filter((word) => word !== "");
  }

  /** Lines with the word in lower case, or else with another form of it. */
  find(word: string): Lines | undefined {
    return this.exact(word) ?? this.inflected(word) ?? this.withStem(word);
  }

  /** Lines with exactly this word. */
  exact(word: string): Lines | undefined {
    return this.lines().by_word.get(word);
  }

  /** Lines with the word, or with another form as far as endings tell. */
  withForm(word: string): Lines | undefined {
    return this.exact(word) ?? this.withStem(word);
  }

  private inflected(word: string): Lines | undefined {
    const { by_word, by_plain_word } = this.lines();
    const lines = [...inflectionsOf(word, [this.language])].flatMap(
      (form) => by_word.get(form) ?? by_plain_word.get(form) ?? [],
    );
    return lines.length === 0 ? undefined : lines;
  }

  private withStem(word: string): Lines | undefined {
    const { by_stem, by_plain_stem } = this.lines();
    const same = by_stem.get(glossaryStem(this.language, word));
    if (same !== undefined) return same;
    const plain_stem = glossaryStem(this.language, plainLetters(word));
    return by_stem.get(plain_stem) ?? by_plain_stem.get(plain_stem);
  }

  /** Made when a query in this language is first looked up. */
  private lines(): LinesByWord {
    return (this.indexed ??= this.index());
  }

  private index(): LinesByWord {
    const by_word = new Map<string, number[]>();
    const by_plain_word = new Map<string, number[]>();
    const by_stem = new Map<string, number[]>();
    const by_plain_stem = new Map<string, number[]>();
    for (const line of this.cells.keys())
      for (const word of this.words([line])) {
        addTo(by_word, word, line);
        addTo(by_stem, glossaryStem(this.language, word), line);
        const plain = plainLetters(word);
        if (plain === word) continue;
        addTo(by_plain_word, plain, line);
        addTo(by_plain_stem, glossaryStem(this.language, plain), line);
      }
    return { by_word, by_plain_word, by_stem, by_plain_stem };
  }
}

function addTo(lines: Map<string, number[]>, key: string, line: number): void {
  const existing = lines.get(key);
  if (existing === undefined) lines.set(key, [line]);
  else if (existing.at(-1) !== line) existing.push(line);
}

const columns = new Map<GlossaryLanguage, GlossaryColumn>();
/** The column of a language, read when it is first asked for. */
export function glossaryColumn(language: GlossaryLanguage): GlossaryColumn {
  let column = columns.get(language);
  if (column === undefined) columns.set(language, (column = new GlossaryColumn(language)));
  return column;
}
