/** A question that continues another: what texts are compared with, and what kind of answer it asks. */
import { expect, test } from "bun:test";
import { askedOf } from "../../plugins/answers-extractive/follow-up";

const earlier = "How much is a ticket for adults?";
const cases: [why: string, own: string, context: string | null, names_subject: boolean, object][] =
  [
    ["it stands alone", "And for pupils?", null, false, { whole: "And for pupils?", names: "all" }],
    [
      "a new subject: the kind of answer stays",
      "And for pupils?",
      earlier,
      true,
      {
        whole: `${earlier}\nAnd for pupils?`,
        typed: `${earlier}\nAnd for pupils?`,
        names: "subject",
      },
    ],
    [
      "a new subject behind words that are no question",
      "What about pupils?",
      earlier,
      true,
      { whole: `${earlier}\nWhat about pupils?`, names: "subject" },
    ],
    [
      "the same subject, but a new kind of answer",
      "And when is it sold?",
      earlier,
      false,
      {
        whole: `${earlier}\nAnd when is it sold?`,
        typed: "And when is it sold?",
        names: "attribute",
      },
    ],
    [
      "a complete question",
      "Who runs the museum?",
      earlier,
      true,
      { whole: "Who runs the museum?", typed: "Who runs the museum?", names: "all" },
    ],
  ];
test.each(cases)("%s", (_why, own, context, names_subject, asked) =>
  expect(askedOf(own, { context, names_subject })).toMatchObject(asked),
);
