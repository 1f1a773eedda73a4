/** Exact phrases in quotes. */
import { describe, expect, test } from "bun:test";
import { containsPhrases, phrasesOf } from "../../plugins/search/phrases";
import { SearchService } from "../../plugins/search/service";
import { startTestServer } from "../helpers/host";

describe("the phrases of a query", () => {
  const cases: [string, string, string[]][] = [
    ["none without quotes", "brass valve", []],
    ["straight quotes", `the "brass valve" of the boiler`, ["brass valve"]],
    ["two phrases, folded", `"Brass  Valve" and "boiler"`, ["brass valve", "boiler"]],
    [
      "curly, German, French and Japanese quotes",
      "“a b” „c d“ «e f» 「漢字」",
      ["a b", "c d", "e f", "漢字"],
    ],
    ["a phrase that occurs twice is one", `"brass valve" or «Brass valve»`, ["brass valve"]],
    ["an unclosed quote is no phrase", `5" pipe`, []],
    ["… nor are very many of them", `${"«".repeat(300_000)} "brass valve"`, ["brass valve"]],
    [
      "of more than 50 phrases, the first count",
      Array.from({ length: 60 }, (_, at) => `"pipe ${at}"`).join(" "),
      Array.from({ length: 50 }, (_, at) => `pipe ${at}`),
    ],
    ["empty quotes are no phrase", `"" " - "`, []],
    ["quotes in a question are no phrases", `What does "brass valve" mean?`, []],
    ["… also when it ends inside the quote", `Who wrote "Where are you?"`, []],
    ["… in Arabic", "ما هي «الحرب»؟", []],
    ["… in Japanese", "「漢字」とは何ですか？", []],
    ["… in Greek", "Τι είναι ο «πόλεμος»;", []],
    ["a semicolon makes no question", `"brass valve";`, ["brass valve"]],
    ["a question mark in the middle makes no question", `what? "brass valve"`, ["brass valve"]],
  ];
  for (const [why, query, phrases] of cases)
    test(why, () => expect(phrasesOf(query)).toEqual(phrases));
});

describe("a text contains a phrase", () => {
  const cases: [string, string, string, boolean][] = [
    ["word for word", "The brass valve leaks.", "brass valve", true],
    ["whatever its case and line breaks", "The BRASS\nvalve leaks.", "brass valve", true],
    ["not in another order", "The valve of brass.", "brass valve", false],
    ["not with a word between", "The brass inlet valve.", "brass valve", false],
    ["not inside a longer word", "a party", "art", false],
    ["at a later place when the first is inside a word", "a party of art", "art", true],
    ["at both ends of the text", "art", "art", true],
    ["inside a run of Chinese", "我们检查锅炉的阀门。", "锅炉", true],
    ["with a ligature", "an e\ufb03cient pump", "efficient pump", true],
    ["after an emoji", "😀art", "art", true],
  ];
  for (const [why, text, phrase, is_phrase] of cases)
    test(why, () => expect(containsPhrases(text, [phrase])).toBe(is_phrase));
});

test("looking for phrases ends when the request is aborted", async () => {
  const request = new AbortController();
  const passages = Array.from({ length: 200 }, (_, at) => ({
    document_id: `doc_${at}`,
    folder_id: "fld_1",
    version: 1,
    page: null,
    text: "A valve of brass.",
  }));
  const findLinked = (_db: unknown, ids: readonly string[]) => {
    request.abort(new Error("gone"));
    return Promise.resolve(new Map(ids.map((id) => [id, { current_version: 1, name: "a.txt" }])));
  };
  const search = new SearchService({
    folders: { listIds: () => Promise.resolve(["fld_1"]) },
    documents: { findLinked },
    index: { search: () => Promise.resolve({ passages, terms: [], lead: null }) },
    rerankers: () => [],
    answer_scorers: () => [],
  } as never);
  const found = search.search("usr_1", { query: `"brass valve"` }, request.signal);
  await expect(found).rejects.toThrow("gone");
});

test("search returns only passages that contain the phrase", async () => {
  const { send, settle } = await startTestServer();
  const folder_id = (await send("ada", "POST", "/folders", { name: "Boilers" })).body.id;
  for (const content of [
    "The brass valve leaks at night.",
    "The valve is made of brass.",
    "Brass and a valve: the brass, the valve.",
  ])
    await send("ada", "POST", "/documents", { folder_id, content });
  await settle();
  const found = async (query: string) =>
    (await send("ada", "POST", "/search", { query })).body.data.map(
      (passage: { quote: string }) => passage.quote,
    );
  expect(await found("brass valve")).toHaveLength(3);
  expect(await found(`"brass valve"`)).toEqual(["The brass valve leaks at night."]);
  expect(await found(`"valve brass"`)).toEqual([]);
  expect(await found(`Is the "valve brass"?`)).toHaveLength(3);
});
