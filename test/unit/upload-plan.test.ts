/** How a directory dropped on the console becomes folders and document names. */
import { expect, test } from "bun:test";
import { planTree } from "../../plugins/console/web/pages/folders/upload-plan";

const file = new File([], "x");
const plans: readonly (readonly [
  why: string,
  levels: number,
  paths: readonly string[],
  planned: readonly string[],
  hidden: number,
])[] = [
  ["a single file stays where it is dropped", 1, ["a.txt"], ["|a.txt"], 0],
  [
    "two levels become folders, deeper ones part of the name",
    2,
    ["Reports/a.txt", "Reports/2025/b.txt", "Reports/2025/q1/week 3/c.txt"],
    ["Reports|a.txt", "Reports/2025|b.txt", "Reports/2025|q1/week 3/c.txt"],
    0,
  ],
  ["in a root folder, one more level becomes folders", 1, ["R/2025/b.txt"], ["R|2025/b.txt"], 0],
  ["in a subfolder, none does", 0, ["R/2025/b.txt"], ["|R/2025/b.txt"], 0],
  [
    "hidden files are left out at any depth",
    2,
    ["R/.DS_Store", "R/.git/config", "R/Thumbs.db", "R/~$a.docx", "__MACOSX/R/._a", "R/a.docx"],
    ["R|a.docx"],
    5,
  ],
  ["a hidden file that was chosen itself is included", 2, [".env"], ["|.env"], 0],
  ["a dot inside a name hides nothing", 2, ["R/v1.2/a..b.txt"], ["R/v1.2|a..b.txt"], 0],
];
test.each(plans)("%s", (_why, levels, paths, planned, hidden) => {
  const plan = planTree(
    paths.map((path) => ({ path: path.split("/"), file })),
    levels,
  );
  expect(plan.files.map(({ folders, name }) => `${folders.join("/")}|${name}`)).toEqual([
    ...planned,
  ]);
  expect(plan.hidden).toBe(hidden);
});

test("a path too long for a name keeps its end", () => {
  const path = ["R", ...Array(40).fill("a long name"), "end.txt"];
  const [only] = planTree([{ path, file }], 0).files;
  expect(only!.name.length).toBe(255);
  expect(only!.name.startsWith("…") && only!.name.endsWith("/end.txt")).toBe(true);
});
