/**
 * Checks what a model writes while it writes: sentence by sentence, so that only what was checked
 * is ever shown.
 */
import { codePoints } from "../../core/sdk";
import type { Citation, FoundPassage } from "../search/contract";
import { harmless } from "./harmless";
import { settledLength, unmarked, type Marker } from "./markers";
import { folded, honest, isOpen, standsIn } from "./quotations";
import { createSupport, numbersIn, share_least, type Claim, type Reading } from "./support";

export interface CheckingParts {
  /** Source `n` of the prompt is `sources[n - 1]`. */
  readonly sources: readonly FoundPassage[];
  readonly question: string;
  readonly reading: Reading;
  /** Gets the checked text piece by piece, from the first valid citation on. */
  readonly emit: (text: string) => void;
}
export interface Checked {
  readonly answer: string;
  readonly citations: readonly Citation[];
  /** Every sentence is borne out by a source. */
  readonly grounded: boolean;
  /** The model says that the sources don't answer the question. */
  readonly refused: boolean;
}

/** What the model writes when the sources don't answer. */
export const no_answer_word = "NO_ANSWER";
/**
 * A look at less new text than this, or than this share of what waits, is not worth it; a sentence
 * is whole when so much of the next one is there.
 */
const look_chars = 48,
  look_share = 0.25,
  next_chars = 16;
/** A quotation that runs on longer than this is looked at in parts. */
const open_chars_max = 1_000;
const claim_words_least = 3;
/**
 * Words of the question that stand in quotation marks are a term; more of them are a statement, and
 * must stand in a source.
 */
const term_words_max = 3;

/** Markers wait in the text as characters that no answer holds. */
const place_first = 0xe000,
  places = /[\ue000-\uf8ff]/g;
const place = (at: number): string => String.fromCharCode(place_first + at);
/** What would read as a marker without being one. */
const false_marker = /\[[\s\ue000-\uf8ff]*\d+[\s\ue000-\uf8ff]*\]/g;

export function createChecker(parts: CheckingParts) {
  const { reading } = parts;
  const judge = createJudge(parts);
  const thoughts = skipThoughts();
  let pending = "",
    looked = 0,
    answer = "",
    emitted = 0;

  /** Checks every sentence that is whole, or all there is. */
  function look(all: boolean): void {
    looked = pending.length;
    const { text, markers } = unmarked(all ? pending : pending.slice(0, settledLength(pending)));
    let from = 0,
      raw = 0,
      used = 0;
    for (const to of boundaries(text, reading)) {
      if (!all && text.length - to < next_chars) break;
      const own = markers.slice(used).filter((one) => one.at <= to);
      answer += judge.sentence(
        text.slice(from, to),
        own.map((one) => ({ ...one, at: one.at - from })),
      );
      used += own.length;
      raw += to - from + own.reduce((sum, one) => sum + one.raw, 0);
      from = to;
    }
    if (all)
      answer += judge.sentence(
        text.slice(from),
        markers.slice(used).map((one) => ({ ...one, at: one.at - from })),
      );
    pending = all ? "" : pending.slice(raw);
    looked -= raw;
    show();
  }
  function show(): void {
    const start = answer.search(/\S/);
    if (judge.citations().length === 0 || start < 0) return;
    const end = answer.trimEnd().length,
      from = Math.max(emitted, start);
    if (end > from) parts.emit(answer.slice(from, end));
    emitted = Math.max(from, end);
  }

  return {
    add(text: string): void {
      pending += thoughts(text).replace(places, "");
      if (pending.length - looked >= Math.max(look_chars, pending.length * look_share)) look(false);
    },
    /** `cut`: the model was stopped, so its last sentence is left out when it is not whole. */
    end(cut: boolean): Checked {
      if (cut) pending = pending.slice(0, wholeLength(pending, reading));
      look(true);
      return {
        answer: answer.trim(),
        citations: judge.citations(),
        grounded: judge.grounded(),
        refused: judge.refused(),
      };
    },
  };
}

/**
 * Where one sentence ends and the next begins, the text's end left out. A quotation is not taken
 * apart.
 */
function boundaries(text: string, { sentences }: Reading): number[] {
  const found: number[] = [];
  let from = 0;
  for (const { start } of sentences(text).slice(1)) {
    const part = text.slice(from, start);
    if (isOpen(part) && part.length < open_chars_max && !/\n\s*\n/.test(part)) continue;
    found.push(start);
    from = start;
  }
  return found;
}

/** How much of a text that was cut is whole sentences; all of it when it has only one. */
function wholeLength(pending: string, { sentences }: Reading): number {
  const raw = pending.slice(0, settledLength(pending)),
    last = sentences(raw).at(-1);
  return last === undefined || last.start === 0 || /[.!?…。！？।؟۔][\s\])】"”»」』]*$/.test(raw)
    ? raw.length
    : last.start;
}

/**
 * Models that think aloud do so first, between `<think>` and `</think>`: that is no part of the
 * answer.
 */
function skipThoughts(): (text: string) => string {
  let head: string | null = "";
  return (text) => {
    if (head === null) return text;
    head += text;
    const said = head.trimStart();
    if (said.length < "<think>".length && "<think>".startsWith(said)) return "";
    const end = said.startsWith("<think>") ? said.indexOf("</think>") : 0;
    if (end < 0) return "";
    head = null;
    return end === 0 ? said : said.slice(end + "</think>".length);
  };
}

/** Judges one sentence after the other; the citations are counted by first use. */
function createJudge({ sources, question, reading }: CheckingParts) {
  const support = createSupport(
    sources.map((source) => source.quote),
    reading,
  );
  const texts = sources.map((source) => folded(source.quote));
  const named = sources.flatMap((source) => [
      folded(source.document_name),
      folded(source.heading ?? ""),
    ]),
    wording = [folded(question)];
  const asked = support.claimOf(question),
    asked_numbers = numbersIn(question);
  const citations = new Map<string, Citation>();
  let grounded = true,
    refused = false,
    in_block = false;

  /**
   * The number of the citation that bears this claim out by this source; null when there is nothing
   * in it.
   */
  function cite(source: number, claim: Claim): number | null {
    // A claim in another language than its source shares no words with it: then what the source
    // says about the question is shown.
    const evidence = support.evidence(source, claim) ?? support.evidence(source, asked);
    if (evidence === null) return null;
    const passage = sources[source]!,
      key = `${source}:${evidence.start}:${evidence.end}`,
      known = citations.get(key);
    if (known) return known.id;
    const quote = passage.quote.slice(evidence.start, evidence.end),
      start = passage.start + codePoints(passage.quote.slice(0, evidence.start));
    const id = citations.size + 1;
    citations.set(key, {
      ...passage,
      id,
      quote,
      start,
      end: start + codePoints(quote),
      verified: true,
      stale: false,
    });
    return id;
  }

  function isBorneOut(text: string, claim: Claim, cited: readonly number[]): boolean {
    const among = cited.length > 0 ? cited : [...sources.keys()];
    return among.some(
      (source) =>
        (support.evidence(source, claim)?.share ?? 0) >= share_least &&
        support.holdsNumbers(source, text, asked_numbers),
    );
  }

  return {
    citations: () => [...citations.values()],
    grounded: () => grounded,
    refused: () => refused,

    /** The sentence as it may be shown. `markers` stand at indices into it. */
    sentence(written: string, markers: readonly Marker[]): string {
      let text = "",
        end = 0;
      for (const [at, one] of markers.entries()) {
        text += written.slice(end, one.at) + place(at);
        end = one.at;
      }
      text = harmless(text + written.slice(end));
      while (text.search(false_marker) >= 0) text = text.replace(false_marker, "");
      if (text.includes(no_answer_word)) {
        refused = true;
        text = text.replaceAll(no_answer_word, "");
      }

      const cited = [...new Set(markers.flatMap((one) => one.sources.map((n) => n - 1)))].filter(
        (source) => source in sources,
      );
      const where = [
        ...(cited.length > 0 ? cited.map((source) => texts[source]!) : texts),
        ...named,
      ];
      const holds = (quoted: string) => {
        const words = quoted.replace(places, "");
        return (
          standsIn(words, where) ||
          (reading.analyze(words).length <= term_words_max && standsIn(words, wording))
        );
      };
      const checked = honest(text, holds),
        block = quotedBlock(checked.text, in_block, holds);
      in_block = block.inside;
      text = block.text;
      const bare = text.replace(places, ""),
        claim = support.claimOf(bare),
        broken = checked.broken || block.broken;
      if (broken || (saysSomething(bare, claim) && !isBorneOut(bare, claim, cited)))
        grounded = false;
      return text
        .replace(places, (char) => {
          const marker = markers[char.charCodeAt(0) - place_first];
          const ids =
            broken || !marker
              ? []
              : marker.sources
                  .filter((n) => n - 1 in sources)
                  .flatMap((n) => cite(n - 1, claim) ?? []);
          return ids.length === 0
            ? ""
            : `${marker!.spaced ? " " : ""}${[...new Set(ids)].map((id) => `[${id}]`).join("")}`;
        })
        .replace(/\[(\d+)\][ \t]*(?=\[\1\])/g, "")
        .replace(/(\[\d+\])[ \t]+(?=\[\d+\])/g, "$1");
    },
  };
}

/** Whether the sentence claims anything: a heading, a rule or the beginning of a list does not. */
const saysSomething = (text: string, claim: Claim): boolean =>
  claim.size >= claim_words_least && !/^\s*#/.test(text) && !/:[\s*_]*$/.test(text);

/**
 * A line that begins with `>` is shown as a quotation: it stays one only as far as its sentences
 * stand somewhere.
 */
function quotedBlock(
  text: string,
  was_inside: boolean,
  holds: (words: string) => boolean,
): { readonly text: string; readonly inside: boolean; readonly broken: boolean } {
  const prefix = /^(\s*)((?:>[ \t]*)+)/.exec(text),
    goes_on = was_inside && prefix === null;
  if (!prefix && !goes_on) return { text, inside: false, broken: false };
  const words = prefix ? text.slice(prefix[0].length) : text,
    good = holds(words),
    inside = good && !/\n/.test(text.trimStart());
  if (good) return { text, inside, broken: false };
  return { text: prefix ? `${prefix[1]}${words}` : `\n\n${words}`, inside: false, broken: true };
}
