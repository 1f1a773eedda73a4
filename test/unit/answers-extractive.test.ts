/**
 * Answers without a model: splitting into sentences, which sentences are picked, and what an answer
 * cites.
 */
import { describe, expect, test } from "bun:test";
import { ExtractiveAnswerer } from "../../plugins/answers-extractive/answerer";
import type { Word } from "../../plugins/answers-extractive/question-weights";
import type { Source } from "../../plugins/answers-extractive/passages";
import { findSentences } from "../../plugins/answers-extractive/sentence-finder";
import type { Question } from "../../plugins/chats/contract";
import { analyzer } from "../../plugins/search-index/analysis/analyzer";
import { areLanguagesDifferent, languageOf } from "../../plugins/search-index/analysis/languages";
import { SearchService } from "../../plugins/search/service";
import { sentencesOf } from "../../plugins/search/sentences";
import type { FoundPassage } from "../../plugins/search/contract";

const analyze = (text: string): Word[] => {
  const words: Word[] = [];
  analyzer.tokenize(text, (_hash, start, end, term) => {
    words.push({ term: term ?? text.slice(start, end), start, end });
  });
  return words;
};
const analysis = { analyze, sentences: sentencesOf };
const parts = { analysis, areLanguagesDifferent, languageOf };
const terms = (words: string, idf = 2) =>
  analyze(words).map(({ term }) => ({ term, idf, others: [] }));

describe("splitting into sentences:", () => {
  const cases: [string, string, string[]][] = [
    [
      "a full stop before a capital ends a sentence",
      "One two. Three four! Five? Six",
      ["One two.", "Three four!", "Five?", "Six"],
    ],
    [
      "a full stop before a lower-case letter doesn't",
      "It is approx. ten e.g. this one. Next.",
      ["It is approx. ten e.g. this one.", "Next."],
    ],
    [
      "titles and initials don't end a sentence",
      "Dr. Smith met J. K. Rowling in St. Ives. He left.",
      ["Dr. Smith met J. K. Rowling in St. Ives.", "He left."],
    ],
    [
      "neither do those of other languages",
      "Η κ. Ρήγα ζει στις Σέρρες. Ông ở TP. Huế. Doç. Dr. Ak geldi. Z. B. Öl.",
      ["Η κ. Ρήγα ζει στις Σέρρες.", "Ông ở TP. Huế.", "Doç. Dr. Ak geldi.", "Z. B. Öl."],
    ],
    [
      "German ordinals don't end a sentence",
      "Im 19. Jahrhundert kam er, am 5. Mai. Vor dem 2. Krieg. It took 12. The end.",
      ["Im 19. Jahrhundert kam er, am 5. Mai.", "Vor dem 2. Krieg.", "It took 12.", "The end."],
    ],
    [
      "the Greek question mark ends a sentence, a semicolon doesn't",
      "Τι είναι; Ναι. One; Two; three.",
      ["Τι είναι;", "Ναι.", "One; Two; three."],
    ],
    [
      "decimal points don't end a sentence",
      "It cost 3.5 million. Yes.",
      ["It cost 3.5 million.", "Yes."],
    ],
    [
      "closing quotes and brackets belong to the sentence",
      'He said "Stop." Then (it ended.) Done.',
      ['He said "Stop."', "Then (it ended.)", "Done."],
    ],
    [
      "a question inside a sentence does not end it",
      '"Really?" she asked. Yes.',
      ['"Really?" she asked.', "Yes."],
    ],
    [
      "ideographic full stops need no space",
      "最初の文。二番目「はい。」三番目！最後",
      ["最初の文。", "二番目「はい。」", "三番目！", "最後"],
    ],
    [
      "Arabic and Hindi punctuation ends sentences",
      "هل هذا؟ نعم. यह है। वह है।",
      ["هل هذا؟", "نعم.", "यह है।", "वह है।"],
    ],
    [
      "a wrapped line continues the sentence",
      "This line is wrapped somewhere behind its fiftieth letter\nand goes on here. End.",
      ["This line is wrapped somewhere behind its fiftieth letter\nand goes on here.", "End."],
    ],
    [
      "a wrapped line of ideographs continues the sentence, though it has few characters",
      "本馆星期二至星期六从上午十点开放到晚上七点，星期一和法定\n节假日不开放。儿童免费。",
      ["本馆星期二至星期六从上午十点开放到晚上七点，星期一和法定\n节假日不开放。", "儿童免费。"],
    ],
    [
      "short lines of ideographs stand alone",
      "开放时间\n上午九点\n下午两点",
      ["开放时间", "上午九点", "下午两点"],
    ],
    [
      "full-width stops end sentences, those of numbers don't",
      "電圧は３．５Ｖである．詳細は次の章に書く．",
      ["電圧は３．５Ｖである．", "詳細は次の章に書く．"],
    ],
    [
      "Armenian and Ethiopic full stops end sentences",
      "Սա մեր տունն է։ Մենք այստեղ ենք։ ይህ ቤት ነው። እኛ እዚህ ነን።",
      ["Սա մեր տունն է։", "Մենք այստեղ ենք։", "ይህ ቤት ነው።", "እኛ እዚህ ነን።"],
    ],
    [
      "short lines and list items stand alone",
      "Name: Ada\nPhone: 12\n- one\n- two",
      ["Name: Ada", "Phone: 12", "- one", "- two"],
    ],
    [
      "an option ends a list's line, not a wrapped sentence that it ends",
      "-a all of them\n-q\nThe plain way to get it into a document is to write it with\n\\input. It is.",
      [
        "-a all of them",
        "-q\nThe plain way to get it into a document is to write it with\n\\input.",
        "It is.",
      ],
    ],
    ["a blank line ends a sentence", "Heading\n\nText goes", ["Heading", "Text goes"]],
    ["white space has no sentences", " \n ", []],
  ];
  for (const [why, text, expected] of cases)
    test(why, () =>
      expect(sentencesOf(text).map(({ start, end }) => text.slice(start, end))).toEqual(expected),
    );

  test("a long Thai text is split at its spaces", () => {
    const text = "ประเทศไทยเป็นประเทศในเอเชียตะวันออกเฉียงใต้ ".repeat(20).trim();
    const found = sentencesOf(text);
    expect(found.length).toBeGreaterThan(5);
    for (const { start, end } of found) expect(end - start).toBeLessThan(200);
  });
  test("sentences are in order, trimmed, and separated by white space only", () => {
    const text = "A b. C d!\n\n  E f… g? H\r\ni. 三。四 - five\n- six ".repeat(50);
    let last = 0;
    for (const { start, end } of sentencesOf(text)) {
      expect(text.slice(last, start).trim()).toBe("");
      expect(text.slice(start, end)).toBe(text.slice(start, end).trim());
      last = end;
    }
    expect(text.slice(last).trim()).toBe("");
  });
  test("degenerate text takes linear time", () => {
    for (const text of [
      "a".repeat(200_000),
      ". ".repeat(100_000),
      "\n".repeat(200_000),
      "x\n".repeat(100_000),
      "。".repeat(100_000),
      "A. ".repeat(60_000),
      '")'.repeat(100_000),
    ])
      expect(sentencesOf(text).length).toBeLessThanOrEqual(text.length);
  });
});

const source = (text: string, score = 10, title = "", heading: string | null = null): Source => ({
  text,
  document_id: "",
  title,
  heading,
  score,
});
const picked = async (question: string, asked: string, sources: readonly Source[]) => {
  const passages = sources.map(({ text, title, heading, score }) => ({
    quote: text,
    document_name: title,
    heading,
    score,
  }));
  const found = { passages: passages as never, meanings: [], terms: terms(asked), lead: null };
  const { chosen } = await findSentences({ text: question }, found, parts);
  return chosen.map(({ source: at, start, end }) => sources[at]!.text.slice(start, end));
};

test("other forms of the question's words count as these words", async () => {
  const [heron] = terms("heron");
  const text = "The storks stand here. Reiher warten hier.";
  const answer = async (others: readonly string[]) => {
    const found = {
      passages: [{ quote: text, document_name: "", heading: null, score: 1 }] as never,
      meanings: [],
      terms: [{ ...heron!, others }],
      lead: null,
    };
    const { chosen } = await findSentences({ text: "heron" }, found, parts);
    return chosen.map(({ start, end }) => text.slice(start, end));
  };
  expect(await answer([])).toEqual([]);
  expect(await answer(terms("Reiher").map(({ term }) => term))).toEqual(["Reiher warten hier."]);
});

test("each of two complete questions is answered, the first one first", async () => {
  const cabin = "The cabin holds no more than twelve guests.";
  const price = "A night costs guests nine euros, or five with a card.";
  const found = await picked(
    "How many guests may stay in the cabin, and what does a night cost with a card?",
    "guests stay cabin night cost card",
    [source(price, 10), source(cabin, 9)],
  );
  expect(found).toEqual([cabin, price]);
});

describe("the sentences that answer:", () => {
  const cases: [string, string, string, Source[], string[]][] = [
    [
      "the one with the words of the question is picked, without padding",
      "tower height",
      "tower height",
      [
        source(
          `The bridge is old and very long indeed. ${"Nothing else of note here. ".repeat(12)}\n\nThe tower height is large.`,
        ),
      ],
      ["The tower height is large."],
    ],
    [
      "also when a reranker found every passage irrelevant",
      "tower height",
      "tower height",
      [source("The bridge is long.", 0), source("The tower height is large.", 0)],
      ["The tower height is large."],
    ],
    [
      "the kind of answer asked for breaks ties",
      "When was the tower built?",
      "tower built",
      [
        source(
          `The tower was built by people ${"of many lands ".repeat(12)}. The tower was built in 1889 ${"of much iron ".repeat(12)}.`,
        ),
      ],
      [`The tower was built in 1889 ${"of much iron ".repeat(12)}.`],
    ],
    [
      "two from different passages are ordered by rank",
      "tower river",
      "tower river",
      [
        source("The tower stands by the river today."),
        source("The tower and the river are old.", 9),
      ],
      ["The tower stands by the river today.", "The tower and the river are old."],
    ],
    [
      "a sentence isn't repeated",
      "tower river",
      "tower river",
      [source("The tower stands by the river."), source("The tower stands by the river.", 9)],
      ["The tower stands by the river."],
    ],
    [
      "nor is it with a word more",
      "tower river",
      "tower river",
      [
        source("The old tower stands by the river near the town of the northern people."),
        source("Note: The old tower stands by the river near the town of the northern people.", 9),
      ],
      ["The old tower stands by the river near the town of the northern people."],
    ],
    [
      "what introduces something else adds nothing",
      "tower river",
      "tower river",
      [
        source("The tower stands by the river."),
        source(`The tower and the river have:\n\n- fish ${"of many kinds ".repeat(20)}`, 9),
      ],
      ["The tower stands by the river."],
    ],
    [
      "another number makes another sentence",
      "tower river",
      "tower river",
      [
        source("The old tower stands 12 km from the river of the northern people."),
        source("The old tower stands 15 km from the river of the northern people.", 9),
      ],
      [
        "The old tower stands 12 km from the river of the northern people.",
        "The old tower stands 15 km from the river of the northern people.",
      ],
    ],
    [
      "a compound that no text has counts by its parts",
      "iron-tower visitors photos tickets parking floors",
      "iron-tower visitors photos tickets parking floors",
      [source("The tower was of iron.")],
      ["The tower was of iron."],
    ],
    [
      "words in the title count for its sentences",
      "tower opened",
      "tower opened",
      [source("It opened early in the year.", 10, "The tower")],
      ["It opened early in the year."],
    ],
    [
      "an unrelated text gives no answer",
      "tower opened",
      "tower opened river bridge iron",
      [source("A cake needs flour and some eggs.", 10)],
      [],
    ],
    ["no passages give no answer", "tower", "tower", [], []],
    ["a question without words gets no answer", "??", "", [source("Some text.")], []],
  ];
  for (const [why, question, asked, sources, expected] of cases)
    test(why, async () => expect(await picked(question, asked, sources)).toEqual(expected));

  test("a few fit into 380 characters, or a single longer one is picked", async () => {
    const long = `The tower ${"and the iron river ".repeat(20)}ends.`;
    const short = Array.from(
      { length: 30 },
      (_, i) => `Tower and river of iron number ${i} here.`,
    ).join(" ");
    expect(await picked("tower river", "tower river", [source(long)])).toEqual([long]);
    const few = await picked("tower river iron", "tower river iron", [source(short)]);
    expect(few.join(" ").length).toBeLessThanOrEqual(380);
    expect(few.length).toBe(4);
  });
});

/** Similarities of which each is `similarity`. */
const comparedAs =
  (
    similarity: number | null,
    {
      are_by_tokens = false,
      alignment = null,
    }: { readonly are_by_tokens?: boolean; readonly alignment?: number | null } = {},
  ): Question["compare"] =>
  async (_question, texts) => ({
    of_texts: texts.map(() => similarity),
    are_by_tokens,
    alignment,
  });

describe("whether the nearest sentence answers:", () => {
  const prose = "The output is printed as TIFF by default.";
  /** Similarity of the sentence; in brackets: of its passage only. */
  const cases: [string, string, string, number | readonly [number], boolean][] = [
    ["the name asked about is there", "How is the output written as TIFF?", prose, 0.9, true],
    ["an abbreviation is missing", "How is the output written as MP3?", prose, 0.9, false],
    ["a year is missing", "How is the output written in 1775?", prose, 0.9, false],
    ["a word is missing", "How is the output printed as paper?", prose, 0.9, true],
    ["a word with a capital is missing", "How is the output printed on Mars?", prose, 0.9, false],
    [
      "one with a capital inside is missing",
      "How is the output printed as eBook?",
      prose,
      0.9,
      false,
    ],
    ["each word has a capital", "How Is Output Printed As Paper?", prose, 0.9, true],
    [
      "a capital that begins a sentence marks no name",
      "I want output. Say: how is it printed as TIFF?",
      prose,
      0.9,
      true,
    ],
    ["the question is all in capitals", "HOW IS THE OUTPUT PRINTED AS PAPER?", prose, 0.9, true],
    [
      "a German noun is missing",
      "Wie wird die Ausgabe auf Papier gedruckt?",
      "Die Ausgabe wird auf Band gedruckt.",
      0.9,
      true,
    ],
    ["a name is missing, but everything else matches", "Printed MP3 output?", prose, 1.6, true],
    ["languages differ", "Wie wird die Ausgabe gedruckt?", prose, 0.35, true],
    ["languages differ and similarity is low", "Wie hoch ist der Turm?", prose, 0.33, false],
    ["languages differ and a code is missing", "Was bedeutet der Fehler E18?", prose, 0.6, false],
    ["languages and scripts differ", "كيف تتم طباعة الناتج؟", prose, 0.35, true],
    ["scripts differ and similarity is low", "كيف تتم طباعة الناتج؟", prose, 0.33, false],
    [
      "no sentence was compared in time, and the passage is near",
      "Wie wird die Ausgabe gedruckt?",
      prose,
      [0.4],
      true,
    ],
    [
      "no sentence was compared in time, and the passage isn't near",
      "Wie wird die Ausgabe gedruckt?",
      prose,
      [0.38],
      false,
    ],
  ];
  test.each(cases)("%s", async (_why, text, passage, nearness, expected) => {
    const [similarity, meaning] =
      typeof nearness === "number" ? [nearness, null] : [null, ...nearness];
    const passages = [{ quote: passage, document_name: "", heading: null, score: 1 }] as never;
    const asked = terms(text.replace(/\b(?:how|is|the|as|in|wie|wird|die|der|ist)\b/giu, ""));
    const { chosen } = await findSentences(
      { text, compare: comparedAs(similarity) },
      { passages, meanings: [meaning], terms: asked, lead: null },
      parts,
    );
    expect(chosen.length > 0).toBe(expected);
  });

  const written = "The output of version 31 was written by Noor in TIFF.";
  const in_greek = "Η έξοδος γράφτηκε από τον Νουρ το 1931.";
  const by_tokens: [
    why: string,
    question: string,
    passage: string,
    similarity: number,
    alignment: number | null,
    boolean,
  ][] = [
    ["tokens are compared", "Wie wird die Ausgabe gedruckt?", prose, 0.35, 1, true],
    ["tokens are less similar", "Wie hoch ist der Turm?", prose, 0.32, 1, false],
    ["the pair of languages is unknown", "Wie wird die Ausgabe gedruckt?", prose, 0.35, null, true],
    ["the question's language is unknown", "zqv blorptang frimble?", prose, 0.5, null, false],
    ["the model relates them well", "Wie hoch ist der Turm?", prose, 0.5, 1.3, false],
    ["it does, and the text is nearer", "Wie wird die Ausgabe gedruckt?", prose, 0.52, 1.3, true],
    ["it relates them badly", "Çıktı nasıl yazdırılır?", "输出默认打印为图像。", 0.2, 0.87, true],
    ["and the text is far", "Kule ne kadar yüksektir?", "输出默认打印为图像。", 0.17, 0.87, false],
    ["a code is missing", "Was bedeutet der Fehler E18?", prose, 0.6, 1, false],
    ["a number is missing", "1775年如何打印输出？", prose, 0.6, 1, false],
    ["a single digit is missing", "3种输出如何打印？", prose, 0.35, 1, true],
    ["a number is there", "Was wird in Version 31 geschrieben?", written, 0.15, 1, true],
    ["a Latin word of a Chinese question is there", "Noor写了什么？", written, 0.2, 1, true],
    [
      "it is not there",
      "Doyle写下了哪些重要的内容？",
      "The output was written by Noor.",
      0.36,
      1,
      false,
    ],
    [
      "a name is not there",
      "Qué escribe Doyle con la salida?",
      "The output was written by Noor.",
      0.36,
      1,
      false,
    ],
    [
      "a name of another script is not there",
      "What is it that Doyle wrote?",
      in_greek,
      0.35,
      1,
      true,
    ],
  ];
  test.each(by_tokens)(
    "languages differ, %s",
    async (_why, text, passage, similarity, alignment, expected) => {
      const { chosen } = await findSentences(
        { text, compare: comparedAs(similarity, { are_by_tokens: true, alignment }) },
        {
          passages: [{ quote: passage, document_name: "", heading: null, score: 1 }] as never,
          meanings: [null],
          terms: terms(text),
          lead: null,
        },
        parts,
      );
      expect(chosen.length > 0).toBe(expected);
    },
  );

  const counts: [why: string, question: string, compared: number][] = [
    ["in the question's language, the first ones by words", "How is the output written?", 10],
    ["in another language, more of them", "Wie wird die Ausgabe geschrieben?", 40],
  ];
  test.each(counts)("sentences are compared: %s", async (_why, text, compared) => {
    const sentences = Array.from({ length: 45 }, (_, at) => `The output ${at} is written.`);
    let count = 0;
    await findSentences(
      {
        text,
        compare: async (_question, texts) => {
          count = texts.length;
          return null;
        },
      },
      {
        passages: [
          { quote: sentences.join(" "), document_name: "", heading: null, score: 1 },
        ] as never,
        meanings: [null],
        terms: terms(text),
        lead: null,
      },
      parts,
    );
    expect(count).toBe(compared);
  });

  const close: [why: string, question: string, similarity: number, lead: number, boolean][] = [
    [
      "it says the same in other words, and stands out",
      "How do I get it on paper?",
      0.7,
      0.35,
      true,
    ],
    ["it is less similar", "How do I get it on paper?", 0.69, 0.35, false],
    ["others are as similar", "How do I get it on paper?", 0.7, 0.34, false],
    ["a name is missing", "How do I get an MP3?", 0.7, 0.35, false],
  ];
  test.each(close)("%s", async (_why, text, similarity, lead, expected) => {
    const { chosen } = await findSentences(
      { text, compare: comparedAs(similarity) },
      {
        passages: [{ quote: prose, document_name: "", heading: null, score: 1 }] as never,
        meanings: [null],
        terms: terms("get paper"),
        lead,
      },
      parts,
    );
    expect(chosen.length > 0).toBe(expected);
  });
});

describe("an answer:", () => {
  const passage = (n: number, quote: string): FoundPassage => ({
    document_id: `doc_${n}`,
    document_name: "Towers",
    document_version: 1,
    folder_id: "fld_1",
    quote,
    start: 10,
    end: 10 + [...quote].length,
    passage: { start: 10, end: 10 + [...quote].length },
    page: n,
    page_end: n,
    page_label: null,
    time_start: null,
    time_end: null,
    heading: null,
    score: 10 - n,
    matched: "words",
    verified: true,
    stale: false,
    url: `/api/dev/v1/documents/doc_${n}`,
  });
  const ask = async (
    text: string,
    passages: readonly FoundPassage[],
    more: Partial<Question> & { readonly asked?: string } = {},
  ) => {
    const finds: (string | undefined)[] = [];
    const retrieval = new SearchService({ index: { analyze } } as never);
    const options = { analysis, areLanguagesDifferent, languageOf };
    const answerer = new ExtractiveAnswerer(options, retrieval, () => 5);
    const answer = await answerer.answer({
      text,
      prompts: [],
      history: [],
      signal: new AbortController().signal,
      waitFor: (call) => call(),
      overview: async () => ({ documents: [], count: 0, all_counted: true }),
      find: async (_query, { context }) => {
        finds.push(context);
        return {
          passages,
          meanings: passages.map(() => null),
          lead: null,
          terms: terms(more.asked ?? text),
        };
      },
      ...more,
    });
    return { answer, finds };
  };
  const six = [1, 2, 3, 4, 5, 6].map((n) =>
    passage(n, `The tower number ${n} is made of iron. Something else follows in this text.`),
  );

  test("quotes have markers, and related passages fill up to five", async () => {
    const { answer } = await ask("tower iron", six);
    expect(answer).toMatchObject({
      outcome: "answered",
      grounded: true,
      model: "extractive",
      prompts: [],
      usage: null,
      warnings: [],
    });
    expect(answer.answer).toMatch(
      /^The tower number \d is made of iron\. \[1\] .* The tower number \d is made of iron\. \[4\]$/,
    );
    const { citations, related = [] } = answer;
    expect(citations.map((citation) => citation.id)).toEqual([1, 2, 3, 4]);
    expect(related.length).toBe(1);
    expect(new Set([...citations, ...related].map((passage) => passage.document_id)).size).toBe(5);
    for (const source of [...citations, ...related]) {
      expect(source.quote).toMatch(/^The tower number \d is made of iron\.$/);
      expect(source).toMatchObject({ start: 10, end: 10 + source.quote.length });
      expect(six.map(({ passage }) => passage)).toContainEqual(source.passage!);
    }
    for (const [, sentence, id] of answer.answer.matchAll(/(\S[^[]*?) \[(\d)\]/g))
      expect(citations[Number(id) - 1]!.quote).toBe(sentence!);
  });
  const neighbours: [string, string, string, string[]][] = [
    [
      "two adjacent sentences are one quote",
      "The tower is of iron. The river is by the tower.",
      "The tower is of iron. The river is by the tower. [1]",
      ["The tower is of iron. The river is by the tower."],
    ],
    [
      "two separate sentences of a passage are two quotes, the likelier one first",
      `The tower is of iron. A cake ${"of very sweet plums ".repeat(20)}. 😀 The river is by the tower.`,
      "😀 The river is by the tower. [1] The tower is of iron. [2]",
      ["😀 The river is by the tower.", "The tower is of iron."],
    ],
  ];
  for (const [why, text, said, quotes] of neighbours)
    test(why, async () => {
      const { answer } = await ask("tower river iron", [passage(1, text)]);
      expect(answer.answer).toBe(said);
      expect(answer.citations.map(({ quote }) => quote)).toEqual(quotes);
      for (const { start, end, quote } of answer.citations)
        expect([...text].slice(start - 10, end - 10).join("")).toBe(quote);
      expect(answer.related).toEqual([]);
    });
  test("the second question may be answered by the sentence before the first answer", async () => {
    const tower = `The tower is made of iron${", and of more iron".repeat(8)}.`;
    const { answer } = await ask("What is the tower made of and which river flows by?", [
      passage(1, `The long river flows by. ${tower}`),
    ]);
    expect(answer.answer).toBe(`${tower} [1] The long river flows by. [2]`);
  });
  test("a sentence too long for a quote is cut in the answer too", async () => {
    const text = `${"so much about other things, ".repeat(40)}and the iron tower, ${"and on ".repeat(80)}.`;
    const { answer } = await ask("iron tower", [passage(1, text)]);
    const { quote } = answer.citations[0]!;
    expect(quote.length).toBeLessThanOrEqual(500);
    expect(quote).toContain("iron tower");
    expect(answer.answer).toBe(`${quote} [1]`);
  });
  const headed: [why: string, heading: string | null, text: string, quote: string, said: string][] =
    [
      [
        "the heading above is not part of a sentence",
        "The tower and its (old) iron from the river and further on",
        "The tower and its (old) iron\n  from the river and further on\nThe tower is made of iron.",
        "The tower is made of iron.",
        "The tower is made of iron. [1]",
      ],
      [
        "nor are the headings above that",
        "Buildings of the whole old town and its surroundings › The tower made of iron and of steel",
        "Buildings of the whole old town and its surroundings\nThe tower made of iron and of steel\n" +
          "it is of iron.",
        "it is of iron.",
        "it is of iron. [1]",
      ],
      [
        "a sentence that begins like its heading stays whole",
        "The tower",
        "The tower is made of iron.",
        "The tower is made of iron.",
        "The tower is made of iron. [1]",
      ],
      [
        "a heading alone is quoted as it is",
        "The iron tower",
        "The iron tower",
        "The iron tower",
        "The iron tower [1]",
      ],
      [
        "a heading isn't quoted when there is text below it",
        null,
        "# Handbook of the iron tower\n\nThe tower is made of iron.",
        "The tower is made of iron.",
        "The tower is made of iron. [1]",
      ],
      [
        "a lone Markdown heading is not a heading in the answer",
        null,
        "## The iron tower",
        "## The iron tower",
        "The iron tower [1]",
      ],
      [
        "a list item is not a list item in the answer",
        null,
        "- The tower is made of iron.",
        "- The tower is made of iron.",
        "The tower is made of iron. [1]",
      ],
      [
        "tab-separated rows are written with separators",
        null,
        "Building of the old town\tmaterial that it is made of\nthe tower\tiron and a little steel",
        "Building of the old town\tmaterial that it is made of\nthe tower\tiron and a little steel",
        "Building of the old town | material that it is made of / the tower | iron and a little " +
          "steel [1]",
      ],
    ];
  for (const [why, heading, text, quote, said] of headed)
    test(why, async () => {
      const { answer } = await ask("iron tower", [{ ...passage(1, text), heading }]);
      expect(answer.citations.map((citation) => citation.quote)).toEqual([quote]);
      expect(answer.answer).toBe(said);
      for (const { start, end } of answer.citations)
        expect([...text].slice(start - 10, end - 10).join("")).toBe(quote);
    });
  test("a sentence is put on one line, and its own bracketed numbers are dropped", async () => {
    const { answer } = await ask("tower iron", [
      passage(
        1,
        "The tower that is high above the old town and the river\nis of iron[12] and [3] steel.",
      ),
    ]);
    expect(answer.answer).toBe(
      "The tower that is high above the old town and the river is of iron and steel. [1]",
    );
  });
  test("without a matching passage, it says so and cites nothing", async () => {
    for (const passages of [[], [passage(1, "A cake needs flour.")]]) {
      const { answer } = await ask("tower iron bridge", passages);
      expect(answer).toMatchObject({
        outcome: "no_answer",
        citations: [],
        answer: "No passage in the selected folders answers this.",
      });
    }
  });
  test("it warns that saved prompts were not applied", async () => {
    const { answer } = await ask("tower iron", six, {
      prompts: [{ id: "prm_1", name: "Short", text: "Be short." }],
    });
    expect([answer.prompts, answer.warnings.map((warning) => warning.code)]).toEqual([
      [],
      ["prompts_not_applied"],
    ]);
  });
  const history = [
    { question: "Who designed the tower?", answer: "Ada [1]" },
    { question: "How high is the iron tower?", answer: "300 m [1]" },
  ];
  const turns: [string, string, string | undefined, boolean][] = [
    ["a short question uses the previous one as context", "And the river?", "river", true],
    [
      "a question that refers back does too",
      "How many people visit it every single year today?",
      "peopl visit everi singl year",
      true,
    ],
    [
      "a self-contained question doesn't",
      "Which river flows under the oldest bridge?",
      "river flow oldest bridg",
      false,
    ],
  ];
  for (const [why, text, asked, leans] of turns)
    test(why, async () => {
      const { finds } = await ask(text, six, { history, asked: asked! });
      expect(finds).toEqual(leans ? [undefined, "How high is the iron tower?"] : [undefined]);
    });
  const long_histories: [why: string, earlier: string[], context: RegExp, length: number][] = [
    [
      "the end of a long question, from a word on",
      ["Who?", `${"towers ".repeat(600_000)}How high are they?`],
      /^towers (?:towers )+How high are they\?$/,
      4_000,
    ],
    ["the end of one without spaces", [`${"塔".repeat(600_000)}？`], /^塔+？$/, 4_000],
    [
      "of several that depend on each other, the last ones that fit",
      [`${"tower ".repeat(900)}`, "How high is it?", "And its lift?"],
      /^How high is it\?\nAnd its lift\?$/,
      29,
    ],
  ];
  for (const [why, earlier, context, length] of long_histories)
    test(`of a long conversation is searched: ${why}`, async () => {
      const history = earlier.map((question) => ({ question, answer: "" }));
      const { finds } = await ask("And iron?", six, { history, asked: "iron" });
      expect(finds.at(-1)).toMatch(context);
      expect(finds.at(-1)!.length).toBeWithin(length - 20, length + 3);
    });
  test("it stops when the request is aborted", async () => {
    const disconnection = new AbortController();
    disconnection.abort(new Error("gone"));
    await expect(ask("tower", six, { signal: disconnection.signal })).rejects.toThrow("gone");
  });
});
