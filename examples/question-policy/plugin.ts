/**
 * Question policy: refuses questions with forbidden words, and folders whose name lacks a required
 * prefix. To use it, copy it to `<data directory>/plugins/question-policy.ts`, and configure it in
 * `dossier.toml`:
 *
 *     [question_policy]
 *     words = ["salary", "payroll"]
 *     folder_beginnings = ["HR ", "Sales "]
 */
import { definePlugin, DocumentParts, fill, List, refused, t } from "dossier";
import { BeforeFolderCreate, BeforeQuestion } from "dossier/contracts";

export default definePlugin({
  name: "question-policy",
  version: "1.0.0",
  config: t.Object({
    words: List("string", {
      changes: "now",
      description: "Questions with one of these words are refused, regardless of case.",
    }),
    folder_beginnings: List("string", {
      changes: "now",
      description:
        "The name of a new root folder must begin with one of these. If empty, any name is " +
        "allowed.",
    }),
  }),
  setup: ({ config }) => ({
    fills: [
      fill(BeforeQuestion, {
        name: "words of questions",
        before({ text }) {
          const question_words = new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu));
          const word = config.words.find((word) => question_words.has(word.toLowerCase()));
          if (word !== undefined)
            throw refused(`Questions about “${word}” are not answered here.`, "not_answered_here");
        },
      }),
      fill(BeforeFolderCreate, {
        name: "names of folders",
        before({ name, parent_id }) {
          const wanted = config.folder_beginnings;
          if (parent_id !== null || wanted.length === 0) return;
          if (!wanted.some((prefix) => name.startsWith(prefix)))
            throw refused(
              `The name of a folder must begin with “${wanted.join("” or “")}”.`,
              "folder_name_refused",
            );
        },
      }),
      fill(DocumentParts, {
        codes: {
          not_answered_here: "The question contains a word that is not allowed here.",
          folder_name_refused: "The name of the folder has a prefix that is not allowed.",
        },
      }),
    ],
  }),
});
