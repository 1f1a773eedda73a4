/**
 * The plugin of examples/jupyter in the built executable: notebooks written by Jupyter, Colab and
 * VS Code become documents, and hostile ones do no harm.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { startExecutable, type Executable } from "../helpers/executable";

setDefaultTimeout(120_000);

const media_type = "application/x-ipynb+json";

let dossier: Executable;
let folder_id: string;
beforeAll(async () => {
  dossier = await startExecutable({
    example: "jupyter",
    env: { DOSSIER_JUPYTER_OUTPUT_MAX: "1000" },
  });
  await dossier.createUser();
  folder_id = (await dossier.api("POST", "/folders", { name: "Notebooks" })).body.id;
});
afterAll(() => dossier?.[Symbol.asyncDispose]());

/** Uploads a file and returns its document once it has been read. */
async function read(name: string, content: string | Blob): Promise<any> {
  const form = new FormData();
  form.append("file", new File([content], name));
  const { body } = await dossier.api("POST", `/documents/file?folder_id=${folder_id}`, form);
  const done = (answer: { body: any }) => answer.body.status !== "syncing";
  return (await dossier.until(`/documents/${body.id}`, done, { limit_ms: 60_000 })).body;
}

const note = (source: unknown) => ({ cell_type: "markdown", metadata: {}, source });
const code = (source: unknown, outputs: unknown = [], more: object = {}) => ({
  cell_type: "code",
  execution_count: 1,
  metadata: {},
  source,
  outputs,
  ...more,
});
const stream = (text: unknown) => ({ output_type: "stream", name: "stdout", text });
const shown = (data: unknown) => ({ output_type: "display_data", data, metadata: {} });
const python = {
  kernelspec: { display_name: "Python 3", language: "python", name: "python3" },
  language_info: { name: "python", version: "3.12.1" },
};
const notebook = (cells: unknown, metadata: object = python): string =>
  JSON.stringify({ cells, metadata, nbformat: 4, nbformat_minor: 5 }, null, 1);
const png = { "image/png": "iVBORw0KGgo=", "text/plain": ["<Figure size 640x480 with 1 Axes>"] };

describe("a notebook", () => {
  test("becomes its notes, its code with the language, and its output", async () => {
    const document = await read(
      "survey.ipynb",
      notebook([
        note(["# Otter survey\n", "\n", "Counted along the river. ![map](attachment:map.png)"]),
        code(
          ["import pandas\n", "holts = 41\n", "print(holts)"],
          [
            stream(["\u001b[31mfound\u001b[0m\n", " 10%|#  \r 55%|## \r100%|###\r\n", "41\n"]),
            shown(png),
            shown({
              "text/html": "<table></table>",
              "text/plain": "   year  holts\n0  2024     41",
            }),
            shown({ "application/javascript": "alert(1)" }),
            { output_type: "error", ename: "KeyError", evalue: "'den'", traceback: ["\u001b[0m"] },
          ],
        ),
        note("```sh\n# no heading\n```\n\nWhat follows\n---\n\n## Herons ##\nThey wait."),
        code("%%bash\nls -l", []),
        code("SELECT 1", [], { metadata: { vscode: { languageId: "sql" } } }),
        { cell_type: "raw", metadata: {}, source: "As it is." },
      ]),
    );
    expect(document).toMatchObject({ status: "synced", media_type });
    expect(document.content).toBe(
      "# Otter survey\n\nCounted along the river. map\n\n" +
        "```python\nimport pandas\nholts = 41\nprint(holts)\n```\n\n" +
        "Output:\nfound\n100%|###\n41\n   year  holts\n0  2024     41\nKeyError: 'den'\n\n" +
        "```sh\n# no heading\n```\n\nWhat follows\n---\n\n## Herons ##\nThey wait.\n\n" +
        "```bash\n%%bash\nls -l\n```\n\n```sql\nSELECT 1\n```\n\nAs it is.",
    );
    expect(document.warnings).toEqual([
      {
        code: "pictures_left_out",
        message: "2 pictures were left out: pictures in notebooks are not read.",
        page: null,
      },
      {
        code: "outputs_left_out",
        message: "One output was left out: only text is read.",
        page: null,
      },
    ]);
    const { body } = await dossier.api("POST", "/search", { query: "how many holts" });
    expect(body.data[0].document_id).toBe(document.id);
  });

  test("is found under its headings", async () => {
    const { body } = await dossier.api("POST", "/search", { query: "herons wait" });
    expect(JSON.stringify(body.data[0])).toContain("Herons");
  });

  const recognised: [reason: string, name: string, content: string, media_type: string][] = [
    [
      "a Colab notebook, with the format first",
      "colab.ipynb",
      JSON.stringify({ nbformat: 4, nbformat_minor: 0, metadata: {}, cells: [note("Colab")] }),
      media_type,
    ],
    ["a name without extension", "download", notebook([note("Nameless")]), media_type],
    ["a byte order mark", "marked.ipynb", `\ufeff${notebook([note("Marked")])}`, media_type],
    [
      "cells that begin late",
      "late.ipynb",
      JSON.stringify({ nbformat: 4, metadata: { x: "y".repeat(90_000) }, cells: [note("Late")] }),
      media_type,
    ],
    [
      "notebook format 3",
      "old.ipynb",
      JSON.stringify({
        metadata: { name: "" },
        nbformat: 3,
        nbformat_minor: 0,
        worksheets: [
          {
            cells: [
              { cell_type: "heading", level: 2, source: "Old" },
              {
                cell_type: "code",
                language: "python",
                input: "1",
                outputs: [{ output_type: "pyout", text: "1" }],
              },
            ],
          },
        ],
      }),
      media_type,
    ],
    [
      "not a notebook: one nested in other JSON",
      "list.json",
      JSON.stringify({ books: [JSON.parse(notebook([note("Inner")]))] }),
      "application/json",
    ],
    [
      "not a notebook: other JSON with cells",
      "grid.ipynb",
      JSON.stringify({ cells: [1, 2], rows: 2 }),
      "application/json",
    ],
    ["not a notebook: plain text", "plain.ipynb", "Just words.", "text/plain"],
  ];
  test.each(recognised)("is known by its content: %s", async (_reason, name, content, type) => {
    expect(await read(name, content)).toMatchObject({ status: "synced", media_type: type });
  });
});

describe("a hostile notebook", () => {
  const deep = 200_000;
  const warned: [reason: string, content: () => string, codes: string[], text: RegExp][] = [
    [
      "huge outputs are shortened",
      () => notebook([note("Long"), code("x", [stream("na ".repeat(2_000_000))])]),
      ["outputs_shortened"],
      /^Long\n\n```python\nx\n```\n\nOutput:\n(na ){333}n$/,
    ],
    [
      "so is a million of small ones",
      () => notebook([note("Many"), code("x", Array(200_000).fill(stream("na\n")))]),
      ["outputs_shortened"],
      /^Many\n\n```python\nx\n```\n\nOutput:\n(na\n){333}n$/,
    ],
    [
      "wrong types are left out, one by one",
      () =>
        notebook([
          note("Right"),
          null,
          7,
          [],
          "text",
          note({ a: 1 }),
          note([1, 2]),
          { source: "typeless" },
          { cell_type: {}, source: "x" },
          code("y", 7),
          code("z", [null, 3, { output_type: "stream", text: 5 }, shown(null), shown([])]),
        ]),
      ["outputs_left_out", "cells_left_out"],
      /^Right\n\n```python\ny\n```\n\n```python\nz\n```$/,
    ],
    [
      "so is a language that is none",
      () => notebook([code("x")], { language_info: { name: "a\n# b" }, kernelspec: 7 }),
      [],
      /^```\nx\n```$/,
    ],
    [
      "deep nesting where nobody looks",
      () =>
        `{"cells":[{"cell_type":"markdown","source":"Deep","metadata":${"[".repeat(deep)}` +
        `${"]".repeat(deep)}}],"nbformat":4}`,
      [],
      /^Deep$/,
    ],
    [
      "marks of code inside code",
      () => notebook([code("print('```')\n```` # here")]),
      [],
      /^`{5}python\nprint\('```'\)\n```` # here\n`{5}$/,
    ],
  ];
  test.each(warned)("%s", async (reason, content, codes, text) => {
    const document = await read(`${reason.slice(0, 20)}.ipynb`, content());
    expect([document.status, document.error]).toEqual(["synced", null]);
    expect(document.warnings.map((warning: { code: string }) => warning.code)).toEqual(codes);
    expect(document.content).toMatch(text);
  });

  const failed: [reason: string, content: () => string, error: object][] = [
    [
      "it is cut off",
      () => `{"nbformat":4,"metadata":{},"cells":[${JSON.stringify(note("x"))}`,
      {
        code: "corrupt",
        message:
          "This notebook can't be read, because it is not JSON. The file may be incomplete, or " +
          "contain the markers of a merge conflict.",
      },
    ],
    [
      "it has no list of cells",
      () => `{"cells":{"length":1e9},"metadata":{},"nbformat":4}`,
      { code: "corrupt", message: "This notebook has no list of cells." },
    ],
    [
      "it has nothing to read",
      () => notebook([code("", [shown(png)])]),
      { code: "empty", message: "The file has no text." },
    ],
  ];
  test.each(failed)("fails with a readable error: %s", async (reason, content, error) => {
    const document = await read(`${reason}.ipynb`, content());
    expect([document.status, document.error]).toEqual(["sync_failed", error]);
  });

  test("leaves the server healthy", async () => {
    expect((await dossier.api("GET", "/health")).body).toMatchObject({ status: "ok", plugins: [] });
    expect(dossier.output()).not.toContain("jupyter");
  });
});
