/**
 * The built-in encoder: multilingual-e5-small in WebAssembly, in workers. Nothing is loaded and no
 * worker starts before the first text; the plugin `embeddings` selects it.
 *
 * - `kernel/`: the arithmetic, in AssemblyScript; scripts/build-kernel.ts compiles it
 * - `model-container.ts`, `tokenizer.ts`, `windows.ts`, `encoder.ts`: from a text to its vector
 * - `model-files.ts`, `models.ts`, `commands.ts`: the available models and their files
 * - `pool.ts`, `encoder-worker.ts`: scheduling of the workers
 */
import { definePlugin, fill, task } from "../../core/sdk";
import { SystemChecks } from "../doctor/contract";
import { commandHandlers, commands } from "./commands";
import { BuiltinEncoder } from "./contract";
import { BuiltinEmbedder } from "./embedder";
import { modelCheck } from "./model-check";
import * as files from "./model-files";
import { Models } from "./models";

const unpack_limits = { timeout_ms: 10 * 60_000, memory_max_bytes: 256 * 2 ** 20 };

export default definePlugin({
  name: "embeddings-builtin",
  version: "1.0.0",
  provides: { encoder: BuiltinEncoder },
  commands,
  tasks: {
    unpackModel: task(({ from, to }: { from: string; to: string }) => files.unpackModel(from, to)),
  },
  setup: (ctx) => {
    const models = new Models(ctx.paths);
    const opened = new Map<string, BuiltinEmbedder>();
    return {
      services: {
        encoder: {
          embedder({ model: name, threads }) {
            const model = models.find(name);
            if (model === undefined) return undefined;
            const key = `${threads} ${name} ${model.sha256}`;
            const embedder =
              opened.get(key) ?? new BuiltinEmbedder({ ...ctx, model, threads, unpackModel });
            // A model that is no longer selected stops its workers once their work is done.
            opened.set(key, embedder);
            return embedder;
          },
        },
      },
      commands: commandHandlers(models),
      fills: [fill(SystemChecks, modelCheck(models))],
      stop: async () => {
        for (const embedder of opened.values()) embedder.stop();
      },
    };

    function unpackModel(from: string, to: string): Promise<void> {
      return ctx.isolate("unpackModel", { from, to }, unpack_limits);
    }
  },
});
