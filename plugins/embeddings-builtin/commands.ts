/** The commands for models: listing them, and adding one. */
import { printRows } from "../../core/lib/print-rows";
import type { Command, CommandHandler } from "../../core/sdk";
import { builtin_model } from "./contract";
import type { Models } from "./models";

export const commands = {
  modelAdd: {
    name: "model add",
    changes: true,
    summary: "Add a model for the built-in encoder. Select it with embeddings.model.",
    args: ["file"],
    options: [
      { flags: "--name <name>", description: "the name of the model (default: that of its file)" },
      {
        flags: "--query-prefix <text>",
        description: "text to put before each question",
        default: "query: ",
      },
      {
        flags: "--document-prefix <text>",
        description: "text to put before each passage",
        default: "passage: ",
      },
    ],
  },
  modelList: {
    name: "model list",
    summary: "List the models of the built-in encoder.",
    options: [{ flags: "--json", description: "print one JSON array" }],
  },
} satisfies Record<string, Command>;

export const commandHandlers = (
  models: Models,
): { readonly [N in keyof typeof commands]: CommandHandler } => ({
  async modelAdd({ args, options, print, about }) {
    const prefixes = {
      query_prefix: String(options.queryPrefix),
      document_prefix: String(options.documentPrefix),
    };
    const name = options.name === undefined ? undefined : String(options.name);
    const added = await models.add(args[0]!, prefixes, name);
    about(added.name);
    print(`Added ${added.name}. To use it, set embeddings.model = "${added.name}".`);
  },
  async modelList({ options, print }) {
    const rows = models.list().map(({ name, bytes, sha256, query_prefix, document_prefix }) => ({
      name,
      bytes,
      sha256,
      query_prefix,
      document_prefix,
      origin: name === builtin_model ? "executable" : "added",
    }));
    printRows(rows, { json: options.json === true, empty: "There are no models.", print });
  },
});
