/**
 * The glossary: which words mean the same, across languages and within one. It is ours
 * (`glossary-files.ts`).
 */
import { readFileSync } from "node:fs";
import { lowerBound } from "../../../core/lib/binary-search";
import { hashOf } from "./analyzer";
import { glossary_files, type GlossaryLanguage } from "./glossary-files";
import { glossaryStem, plainLetters } from "./glossary-stems";
import { inflectionsOf } from "./inflections";

/** Numbers of lines of the glossary. */
export type Lines = readonly number[];

/** More than a file has lines. */
const lines_max = 2 ** 16;
/** Lines by the hashes of their words: numbers of hash and line, sorted, instead of strings. */
class LineIndex {
  private readonly entries: Float64Array;

  constructor(words: Iterable<readonly [word: string, line: number]>) {
    const entries = new Set<number>();
    for (const [word, line] of words) entries.add(hashOf(word) * lines_max + line);
    this.entries = Float64Array.from(entries).sort();
  }

  /** In their order; undefined if there are none. */
  get(word: string): Lines | undefined {
    const first = hashOf(word) * lines_max;
    const lines: number[] = [];
    for (let at = lowerBound(this.entries, first); this.entries[at]! < first + lines_max; at++)
      lines.push(this.entries[at]! - first);
    return lines.length === 0 ? undefined : lines;
  }
}

/** Lines by a word and by its stem; both without accents if it has any. */
interface LinesByWord {
  readonly by_word: LineIndex;
  readonly by_plain_word: LineIndex;
  readonly by_stem: LineIndex;
  readonly by_plain_stem: LineIndex;
}

/** The words of one language. */
export class GlossaryColumn {
  private readonly text: string;
  /** Where each line begins, and where a further one would. */
  private readonly starts: Uint32Array;
  private indexed: LinesByWord | undefined;

  constructor(private readonly language: GlossaryLanguage) {
    this.text = readFileSync(glossary_files[language], "utf8");
    const starts = [0];
    for (let at = this.text.indexOf("\n"); at >= 0; at = this.text.indexOf("\n", at + 1))
      starts.push(at + 1);
    this.starts = Uint32Array.from(starts);
  }

  /** The words of these lines. */
  words(lines: Lines): string[] {
    return lines.flatMap((at) => {
      const cell = this.text.slice(this.starts[at], this.starts[at + 1]! - 1);
      return cell === "" ? [] : cell.split(", ");
    });
  }

  /** Lines with the word in lower case, or else with another form of it. */
  find(word: string): Lines | undefined {
    return this.exact(word) ?? this.inflected(word) ?? this.withStem(word);
  }

  /** Lines with exactly this word. */
  exact(word: string): Lines | undefined {
    return this.index().by_word.get(word);
  }

  /** Lines with the word, or with another form as far as endings tell. */
  withForm(word: string): Lines | undefined {
    return this.exact(word) ?? this.withStem(word);
  }

  private inflected(word: string): Lines | undefined {
    const { by_word, by_plain_word } = this.index();
    const lines = [...inflectionsOf(word, [this.language])].flatMap(
      (form) => by_word.get(form) ?? by_plain_word.get(form) ?? [],
    );
    return lines.length === 0 ? undefined : [...new Set(lines)];
  }

  private withStem(word: string): Lines | undefined {
    const { by_stem, by_plain_stem } = this.index();
    const same = by_stem.get(glossaryStem(this.language, word));
    if (same !== undefined) return same;
    const plain_stem = glossaryStem(this.language, plainLetters(word));
    return by_stem.get(plain_stem) ?? by_plain_stem.get(plain_stem);
  }

  /** Made when a query in this language is first looked up. */
  private index(): LinesByWord {
    return (this.indexed ??= this.indexOfWords());
  }

  private indexOfWords(): LinesByWord {
    const words: (readonly [string, number])[] = [];
    for (let line = 0; line < this.starts.length - 1; line++)
      for (const word of this.words([line])) words.push([word, line]);
    const plain_words = words
      .map(([word, line]) => [plainLetters(word), line, word] as const)
      .filter(([plain, , word]) => plain !== word)
      .map(([plain, line]) => [plain, line] as const);
    const stems = (some: typeof plain_words) =>
      some.map(([word, line]) => [glossaryStem(this.language, word), line] as const);
    return {
      by_word: new LineIndex(words),
      by_plain_word: new LineIndex(plain_words),
      by_stem: new LineIndex(stems(words)),
      by_plain_stem: new LineIndex(stems(plain_words)),
    };
  }
}

const columns = new Map<GlossaryLanguage, GlossaryColumn>();
/** The column of a language, read when it is first asked for. */
export function glossaryColumn(language: GlossaryLanguage): GlossaryColumn {
  let column = columns.get(language);
  if (column === undefined) columns.set(language, (column = new GlossaryColumn(language)));
  return column;
}
