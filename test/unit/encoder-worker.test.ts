/** The built-in encoder in its worker: a long text delays no question and can be aborted. */
import { afterAll, expect, test } from "bun:test";
import { jsonLog } from "../../core/base/log";
import { BuiltinEmbedder } from "../../plugins/embeddings-builtin/embedder";
import { Models } from "../../plugins/embeddings-builtin/models";

const embedder = new BuiltinEmbedder({
  model: new Models({ data: "/nowhere" }).find("multilingual-e5-small")!,
  threads: 1,
  log: jsonLog("error"),
  unpackModel: () => Promise.reject(new Error("the model of the project is mapped as it is")),
});
// Workers don't keep the process alive, so the tests need something else that does.
const alive = setInterval(() => undefined, 60_000);
afterAll(() => {
  clearInterval(alive);
  embedder.stop();
});
const embed = (
  text: string,
  kind: "document" | "query",
  signal = new AbortController().signal,
): Promise<(readonly Float32Array[])[]> =>
  embedder.embed([text], { kind, model: embedder.model, dimensions: null, signal });

test("a question overtakes a text of many windows, which stops when aborted", async () => {
  const given_up = new AbortController();
  let is_pending = true;
  const long = embed("日本語".repeat(30_000), "document", given_up.signal).finally(() => {
    is_pending = false;
  });
  const refused = long.then(
    () => "made",
    (error: Error) => error.message,
  );
  for (const question of ["How long?", "Wie lange?"])
    expect((await embed(question, "query"))[0]![0]).toHaveLength(384);
  expect(is_pending).toBe(true);
  given_up.abort(new Error("nobody waits"));
  expect(await refused).toBe("nobody waits");
  const [passage] = await embed("Herons stand in water.", "document");
  const [question] = await embed("Herons stand in water.", "query");
  // Each kind has a prefix of its own.
  expect(passage).not.toEqual(question!);
});

test("an unknown model is refused by name", async () => {
  const { signal } = new AbortController();
  const refused = embedder.embed(["x"], {
    kind: "query",
    model: "other",
    dimensions: null,
    signal,
  });
  await expect(refused).rejects.toThrow("does not have the model other");
  expect([embedder.has("other"), embedder.has(embedder.model)]).toEqual([false, true]);
});
