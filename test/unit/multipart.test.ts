/** Headers of multipart forms, as old and new clients write them. */
import { describe, expect, test } from "bun:test";
import { boundaryOf, dispositionOf } from "../../core/http/multipart-headers";

describe("the boundary", () => {
  const cases: [string, string | null, string | undefined][] = [
    ["plain", "multipart/form-data; boundary=edge", "edge"],
    ["quoted", `multipart/form-data; boundary="e d;g=e"`, "e d;g=e"],
    [
      "in upper case, after other parameters",
      "multipart/form-data; charset=utf-8;BOUNDARY=----Edge12",
      "----Edge12",
    ],
    ["missing", "multipart/form-data", undefined],
    ["empty", "multipart/form-data; boundary=", undefined],
    ["empty in quotes", `multipart/form-data; boundary=""`, undefined],
    ["no type at all", null, undefined],
  ];
  for (const [why, header, expected] of cases)
    test(why, () => expect(boundaryOf(header)).toBe(expected!));
});

describe("the names in a part", () => {
  const latin1 = (text: string) => Buffer.from(text).toString("latin1");
  const cases: [string, string | undefined, string | undefined, string | undefined][] = [
    ["a file", `form-data; name="file"; filename="a.txt"`, "file", "a.txt"],
    ["a field", `form-data; name="note"`, "note", undefined],
    ["in the other order", `form-data; filename="a.txt"; name="file"`, "file", "a.txt"],
    ["without quotes", "form-data; name=file; filename=a.txt", "file", "a.txt"],
    ["in mixed case", `Form-Data; NAME="file"; FileName="a.txt"`, "file", "a.txt"],
    ["UTF-8", latin1(`form-data; name="file"; filename="ünï 概.txt"`), "file", "ünï 概.txt"],
    ["an escaped quote", `form-data; name="file"; filename="a \\"b\\".txt"`, "file", `a "b".txt`],
    ["an escaped quote at the end", `form-data; name="file"; filename="12\\""`, "file", `12"`],
    ["an escaped backslash", `form-data; name="file"; filename="a\\\\b.txt"`, "file", "a\\b.txt"],
    [
      "a Windows path",
      `form-data; name="file"; filename="C:\\dir\\a.txt"`,
      "file",
      "C:\\dir\\a.txt",
    ],
    [
      "a path that ends in a backslash",
      `form-data; name="file"; filename="dir\\"`,
      "file",
      "dir\\",
    ],
    [
      "a semicolon and a name inside the file name",
      `form-data; name="file"; filename="a;name=b.txt"`,
      "file",
      "a;name=b.txt",
    ],
    ["extended", "form-data; name=\"file\"; filename*=UTF-8''caf%C3%A9.txt", "file", "café.txt"],
    [
      "extended before plain",
      'form-data; name="file"; filename="cafe.txt"; filename*=utf-8\'en\'caf%C3%A9.txt',
      "file",
      "café.txt",
    ],
    [
      "extended, but broken",
      'form-data; name="file"; filename="cafe.txt"; filename*=UTF-8\'\'caf%C3.txt',
      "file",
      "cafe.txt",
    ],
    ["an empty name", `form-data; name="file"; filename=""`, "file", ""],
    ["not form-data", `attachment; name="file"; filename="a.txt"`, undefined, undefined],
    ["no header", undefined, undefined, undefined],
  ];
  for (const [why, header, name, file_name] of cases)
    test(why, () => expect(dispositionOf(header)).toEqual({ name, file_name }));
});
