/**
 * A scripted embeddings endpoint on loopback. Synonyms have the same direction, so a test knows
 * which texts are similar.
 */
import { hashOf } from "../../plugins/search-index/analysis/analyzer";
import { reference_pairs } from "../../plugins/search-index/vectors/reference-pairs";
import { reference_questions } from "../../plugins/search-index/vectors/reference-questions";

/** How the endpoint responds. */
export type EmbedderBehaviour =
  | "well"
  | "500"
  | "429"
  | "401"
  | "404"
  | "silent"
  | "broken off"
  | "no JSON"
  | "wrong dimension"
  | "too few"
  | "too many"
  | "NaN"
  | "null"
  | "too large a number"
  | "no numbers"
  | "mixed up"
  | { readonly refuses: (texts: readonly string[], model: string) => number | undefined };

/** Some of them are in no glossary. */
const synonyms: Readonly<Record<string, string>> = {
  automobile: "car",
  vehicle: "car",
  cars: "car",
  jalopies: "car",
  price: "cost",
  costs: "cost",
  expensive: "cost",
  pricey: "cost",
  doctor: "physician",
  medic: "physician",
  sawbones: "physician",
  ill: "sick",
  unwell: "sick",
  poorly: "sick",
};
const stops = new Set(
  "the a an of is are does do how much what who when where in on to and for it i my number".split(
    " ",
  ),
);

/** The sum of the directions of its words. */
export function vectorOf(text: string, dimensions: number, salt = ""): number[] {
  const vector = new Array<number>(dimensions).fill(0);
  for (const word of text.toLowerCase().match(/\p{L}+/gu) ?? [])
    if (!stops.has(word)) vector[hashOf(salt + (synonyms[word] ?? word)) % dimensions]! += 1;
  return vector;
}

const references = new Set([
  ...reference_pairs.flatMap((pair) => Object.values(pair)),
  ...reference_questions.flat(),
]);
/** Whether a text is one of the probes by which a model is measured. */
export const isReference = (text: string): boolean => references.has(text);

/** A request that the endpoint received. */
export interface EmbedderRequest {
  readonly model: string;
  readonly input: readonly string[];
  readonly dimensions?: number;
  readonly authorization: string | null;
}

/** `lengths`: dimensions by model; other models do not exist. */
export function startEmbedder(lengths: Readonly<Record<string, number>> = { small: 512 }) {
  const requests: EmbedderRequest[] = [];
  let behaviour: EmbedderBehaviour = "well";

  async function answer(request: Request): Promise<Response> {
    if (!request.url.endsWith("/v1/embeddings")) return new Response("no", { status: 404 });
    const body = (await request.json()) as { model: string; input: string[]; dimensions?: number };
    requests.push({ ...body, authorization: request.headers.get("authorization") });
    const length = lengths[body.model];
    if (length === undefined) return new Response("no such model", { status: 404 });
    if (typeof behaviour === "object") {
      const status = behaviour.refuses(body.input, body.model);
      if (status !== undefined) return new Response("refused", { status });
    } else if (/^\d+$/.test(behaviour))
      return new Response("secret words of the endpoint", { status: Number(behaviour) });
    if (behaviour === "silent") return new Promise(() => {});
    if (behaviour === "broken off") return new Response('{"data": [');
    if (behaviour === "no JSON") return new Response("<html>");
    const dimensions = (body.dimensions ?? length) + (behaviour === "wrong dimension" ? 1 : 0);
    const numbers: unknown[][] = body.input.map((text) => vectorOf(text, dimensions, body.model));
    const odd: Partial<Record<string, unknown>> = {
      NaN: "NaN",
      null: null,
      "too large a number": 1e300,
    };
    if (typeof behaviour === "string" && behaviour in odd) numbers.at(-1)![3] = odd[behaviour];
    if (behaviour === "no numbers") for (const vector of numbers) vector.length = 0;
    if (behaviour === "too few") numbers.pop();
    if (behaviour === "too many") numbers.push(numbers[0]!);
    // In any order: the index of each tells which text it belongs to.
    const data = numbers
      .map((embedding, index) => ({
        object: "embedding",
        index: behaviour === "mixed up" ? 1 : index,
        embedding,
      }))
      .reverse();
    return Response.json({ object: "list", model: body.model, data });
  }
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", idleTimeout: 0, fetch: answer });
  return {
    url: `http://127.0.0.1:${server.port}/v1`,
    asked: requests,
    setBehaviour(next: EmbedderBehaviour) {
      behaviour = next;
    },
    stop: () => server.stop(true),
  };
}
