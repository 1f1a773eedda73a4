/**
 * The texts of documents, each stored once: documents write and stream them, the index reads its
 * passages from them. `core/lib/text-pieces.ts` cuts them into pieces, and
 * `core/lib/text-reader.ts` reads them.
 */
import { definePlugin } from "../../core/sdk";
import { Texts } from "./contract";
import { migrations } from "./migrations";
import { TextService } from "./service";

export default definePlugin({
  name: "texts",
  version: "1.0.0",
  provides: { texts: Texts },
  tables: ["texts_pieces", "texts_unused"],
  migrations,
  setup: (ctx) => {
    const texts = new TextService(ctx);
    ctx.node.onGone(() => texts.clearUp());
    return { services: { texts }, start: () => texts.start(), stop: () => texts.stop() };
  },
});
