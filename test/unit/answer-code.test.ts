/** Code in answers: what looks like a marker, a link, a tag or a quotation in it is none. */
import { describe, expect, test } from "bun:test";
import { codeIn, outsideCode } from "../../core/lib/code-ranges";
import { completionOf } from "../../plugins/openai-api/completion";
import { checkedAnswer } from "../helpers/checked-answer";

describe("the code of a text:", () => {
  test.each<[why: string, text: string, code: string[]]>([
    ["a span", "Use `a` here", ["`a`"]],
    ["a span that contains backticks", "Use `` a`b `` here", ["`` a`b ``"]],
    ["a single backtick is none", "Press ` twice", []],
    ["an escaped backtick begins none", "Press \\` or `a`", ["`a`"]],
    ["a span over two lines", "Use `a\nb` here", ["`a\nb`"]],
    ["no span over paragraphs", "A ` here\n\nand ` there", []],
    ["no span over list items", "- a ` here\n- and ` there", []],
    ["quotations of older manuals are none", "Use `-q' or `-v' or ``-x'' and ``-y''", []],
    ["a block", "Run:\n```sh\na `b\n```\nand `c`", ["```sh\na `b\n```", "`c`"]],
    ["a block of tildes", "~~~\n```\n~~~", ["~~~\n```\n~~~"]],
    ["a block in a list", "1. Run\n   ```\n   a\n   ```\n2. b", ["```\n   a\n   ```"]],
    ["an unclosed block, up to the end", "Run:\n```\na\n\nb", ["```\na\n\nb"]],
    ["a marker behind the closing fence", "```\na\n``` [1]\nb", ["```\na\n```"]],
  ])("%s", (_why, text, code) =>
    expect(codeIn(text).ranges.map(({ start, end }) => text.slice(start, end))).toEqual(code),
  );
  test.each<[why: string, text: string, settled: string]>([
    ["an open span may become code", "Use `a", "Use "],
    ["a backtick at the end may be followed by another", "Use `a`", "Use "],
    ["after it, it can't", "Use `a` ", "Use `a` "],
    ["an open block is code until it is closed", "Run:\n```\na\n", "Run:\n"],
    ["a fence at the end may be no fence", "Run:\n```", "Run:\n"],
    ["the next line closes the block", "Run:\n```\na\n```\n", "Run:\n```\na\n```\n"],
    ["a paragraph without its closing backtick is over", "A ` here\n\nb", "A ` here\n\nb"],
  ])("%s", (_why, text, settled) =>
    expect(text.slice(0, codeIn(text, { is_growing: true }).settled)).toBe(settled),
  );
  test("everything else is replaced", () =>
    expect(outsideCode("a `a` a\n```\na\n```\na", (prose) => prose.toUpperCase())).toBe(
      "A `a` A\n```\na\n```\nA",
    ));
});

const manual =
  "Read the second argument with `argv[2]`. Use the `<input>` element for names. Call " +
  "`handlers[name](event)` for each event. The program ends by calling exit(1). The pump hums.\n\n" +
  "```js\nfirst = argv[2];\nlast = argv[7];\n```\n\n" +
  '```html\n<video>\n  <source src="pump.mp4">\n</video>\n```\n\nIt shows the pump.';
const question = "How is the program written?";

describe("code in a model's answer is left as it is:", () => {
  test.each<[why: string, written: string, answer: string]>([
    [
      "an index beside a marker",
      "Read the second argument with `argv[2]` [1].",
      "Read the second argument with `argv[2]` [1].",
    ],
    [
      "indices in a block, whose marker is below it",
      "The pump hums [1].\n\n```js\nfirst = argv[2];\nlast = argv[7];\n```\n\nThe pump hums [1].",
      "The pump hums [1].\n\n```js\nfirst = argv[2];\nlast = argv[7];\n```\n[2]\n\nThe pump hums [1].",
    ],
    [
      "a marker behind the closing fence, which is moved below it",
      "```js\nfirst = argv[2];\nlast = argv[7];\n``` [1]",
      "```js\nfirst = argv[2];\nlast = argv[7];\n```\n[1]",
    ],
    [
      "a tag in backticks",
      "Use the `<input>` element for names [1].",
      "Use the `<input>` element for names [1].",
    ],
    [
      "a call that looks like a link",
      "Call `handlers[name](event)` for each event [1].",
      "Call `handlers[name](event)` for each event [1].",
    ],
    [
      "a call without backticks",
      "The program ends by calling exit(1).",
      "The program ends by calling exit(1) [1].",
    ],
    [
      "a source element, and what follows it",
      '```html\n<video>\n  <source src="pump.mp4">\n</video>\n```\n\nIt shows the pump [1].',
      '```html\n<video>\n  <source src="pump.mp4">\n</video>\n```\n[1]\n\nIt shows the pump [2].',
    ],
    [
      "a block without its closing fence, which is added",
      "The pump hums [1].\n\n```js\nfirst = argv[2];\nlast = argv[7];",
      "The pump hums [1].\n\n```js\nfirst = argv[2];\nlast = argv[7];\n```\n[2]",
    ],
  ])("%s", (_why, written, answer) => {
    for (const size of [Infinity, 1, 3, 7, 20]) {
      const checked = checkedAnswer(written, [manual], question, size);
      expect([checked.answer, checked.grounded, checked.shown]).toEqual([answer, true, answer]);
    }
  });
  test("a long block is one statement, and is shown while it is written", () => {
    const code = Array.from({ length: 40 }, (_, n) => `pump.start(rows[${n}], "fast");`).join("\n");
    const written = `Start all pumps:\n\n\`\`\`js\n${code}\n\`\`\`\n\nThe pump hums [1].`;
    const source = `\`\`\`js\n${code}\n\`\`\`\n\nThe pump hums.`;
    const { answer, grounded } = checkedAnswer(written, [source], question);
    expect(answer).toContain(code);
    expect(grounded).toBe(true);
    const begun = checkedAnswer(written.slice(0, 600), [source], question, 5);
    expect(begun.shown.length).toBeGreaterThan(500);
  });
  test("an untrue string in code is not grounded, but stays", () => {
    const { answer, grounded } = checkedAnswer(
      'The pump hums [1]. Use `<source src="evil.mp4">` [1].',
      [manual],
      question,
    );
    expect([answer, grounded]).toEqual([
      'The pump hums [1]. Use `<source src="evil.mp4">` [?].',
      false,
    ]);
  });
});

test("an index in code is no annotation of a completion", () => {
  const citation = {
    id: 2,
    document_id: "doc_2",
    document_name: "a",
    start: 0,
    end: 1,
    page: null,
  };
  const { choices } = completionOf(
    { id: "c", model: "m", created: 0, public_url: "http://localhost" },
    { answer: "Use `argv[2]` [2].", citations: [citation], usage: null } as never,
  );
  const [annotation, ...others] = choices[0]!.message.annotations;
  expect([annotation!.url_citation.start_index, others]).toEqual([14, []]);
});
