/**
 * `npm run bench -- rivals --data <directory of sets>`: quality and speed of the ranking beside
 * minisearch and lunr, on questions with known answers. Each set is a directory of corpus.jsonl
 * (id, title, text), queries.jsonl (id, text) and qrels.tsv (query, document, grade).
 */
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import lunr from "lunr";
import MiniSearch from "minisearch";
import { median, quantile, type Row } from "./measure";
import { OwnIndex } from "./own-index";

interface Document {
  readonly id: string;
  readonly title: string;
  readonly text: string;
}
interface Question {
  readonly id: string;
  readonly text: string;
}
/** The relevant documents of a query with their grade of relevance. */
type Grades = ReadonlyMap<string, number>;
interface TestSet {
  readonly name: string;
  readonly documents: readonly Document[];
  readonly questions: readonly Question[];
  readonly grades: ReadonlyMap<string, Grades>;
}

/** Finds documents for a query, best first. */
interface Ranker {
  readonly name: string;
  readonly indexed_ms: number;
  find(query: string): readonly string[] | Promise<readonly string[]>;
  close?(): Promise<void>;
}

const depth = 10;
/** Passages requested, enough to contain ten documents. */
const passages = 50;

/** `directory` contains data sets, or is one. */
export async function rivalRows(directory: string): Promise<Row[]> {
  const holdsSet = (at: string) => existsSync(join(at, "corpus.jsonl"));
  const inside = existsSync(directory)
    ? readdirSync(directory)
        .sort()
        .map((name) => join(directory, name))
    : [];
  const directories = holdsSet(directory) ? [directory] : inside.filter(holdsSet);
  if (directories.length === 0)
    throw new Error(
      `${directory} holds no set: ` +
        "a set is a directory with corpus.jsonl, queries.jsonl and qrels.tsv.",
    );
  const rows: Row[] = [];
  for (const at of directories) rows.push(...(await setRows(readSet(at))));
  return rows;
}

function readSet(directory: string): TestSet {
  const lines = (name: string) =>
    readFileSync(join(directory, name), "utf8")
      .split("\n")
      .filter((line) => line.trim() !== "");
  const grades = new Map<string, Map<string, number>>();
  for (const line of lines("qrels.tsv")) {
    const [question, document, grade] = line.split("\t") as [string, string, string];
    if (!(Number(grade) > 0)) continue;
    if (!grades.has(question)) grades.set(question, new Map());
    grades.get(question)!.set(document, Number(grade));
  }
  const documents = lines("corpus.jsonl")
    .map((line) => JSON.parse(line) as { id: string; title?: string; text?: string })
    .map(({ id, title = "", text = "" }) => ({ id, title, text }));
  const questions = lines("queries.jsonl")
    .map((line) => JSON.parse(line) as Question)
    .filter(({ id }) => grades.has(id));
  return { name: basename(directory), documents, questions, grades };
}

async function setRows(set: TestSet): Promise<Row[]> {
  const rankers = [await dossier(set.documents), minisearch(set.documents), lunrOf(set.documents)];
  const gains = rankers.map(() => [] as number[]);
  const times = rankers.map(() => [] as number[]);
  for (const { text } of set.questions.slice(0, 20))
    for (const ranker of rankers) await ranker.find(text);
  // Query by query, so that all of them run under the same conditions.
  for (const { id, text } of set.questions)
    for (const [at, ranker] of rankers.entries()) {
      const started = performance.now();
      const found = await ranker.find(text);
      times[at]!.push(performance.now() - started);
      gains[at]!.push(ndcg(found, set.grades.get(id)!));
    }
  for (const ranker of rankers) await ranker.close?.();
  return rankers.map(({ name, indexed_ms }, at) => ({
    name: `${set.name}: ${name}`,
    unit: "nDCG@10",
    target: null,
    value: gains[at]!.reduce((sum, gain) => sum + gain, 0) / gains[at]!.length,
    measured:
      `a search takes ${median(times[at]!).toFixed(2)}/` +
      `${quantile(times[at]!, 0.95).toFixed(2)} ms p50/p95, ` +
      `indexing ${(indexed_ms / 1000).toFixed(1)} s; ` +
      `${set.questions.length} questions, ${set.documents.length} documents`,
  }));
}

/** Normalised discounted cumulative gain of the first ten (nDCG@10). */
function ndcg(found: readonly string[], grades: Grades): number {
  const gain = (values: readonly number[]) =>
    values.slice(0, depth).reduce((sum, value, at) => sum + value / Math.log2(at + 2), 0);
  return (
    gain(found.map((id) => grades.get(id) ?? 0)) / gain([...grades.values()].sort((a, b) => b - a))
  );
}

const since = (started: number): number => performance.now() - started;

/**
 * A document ranks by its first passage. Its text is on disk; the rivals keep everything in memory.
 */
async function dossier(documents: readonly Document[]): Promise<Ranker> {
  const index = await OwnIndex.open();
  const started = performance.now();
  for (const { id, title, text } of documents)
    await index.add({ document_id: id, title: title || id, text: text || title || "-" }, "fld_a");
  await index.flush();
  const indexed_ms = since(started);
  return {
    name: "Dossier",
    indexed_ms,
    async find(query) {
      const found = await index.search(query, ["fld_a"], passages);
      return [...new Set(found.map((passage) => passage.document_id))].slice(0, depth);
    },
    close: () => index.close(),
  };
}

/** With its default settings: no stemming. */
function minisearch(documents: readonly Document[]): Ranker {
  const started = performance.now();
  const index = new MiniSearch<Document>({ fields: ["title", "text"] });
  index.addAll(documents);
  return {
    name: "minisearch",
    indexed_ms: since(started),
    find: (query) =>
      index
        .search(query)
        .slice(0, depth)
        .map(({ id }) => String(id)),
  };
}

/**
 * With its default settings: English stemming, stopwords. Its query syntax is avoided by passing
 * the words as terms.
 */
function lunrOf(documents: readonly Document[]): Ranker {
  const started = performance.now();
  const index = lunr((builder) => {
    builder.ref("id");
    builder.field("title");
    builder.field("text");
    for (const document of documents) builder.add(document);
  });
  const find = (text: string) =>
    index
      .query((query) => {
        for (const token of lunr.tokenizer(text)) query.term(token, {});
      })
      .slice(0, depth)
      .map(({ ref }) => ref);
  return { name: "lunr", indexed_ms: since(started), find };
}
