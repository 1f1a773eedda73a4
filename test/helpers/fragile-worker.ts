/** A worker that does as it is told: answers, fails, dies, or never answers. */
import { serve } from "../../plugins/index/worker-side";

export type Order = "answer" | "fail" | "die" | "die once" | "hang" | "count";

let asked = 0;
serve<{ readonly marker: string; readonly broken?: boolean }, { readonly order: Order; readonly file?: string }, string>(({ marker, broken }) => {
  if (broken) throw new Error("it can't be opened");
  return ({ order, file }) => {
    asked++;
    if (order === "fail") throw new Error("it failed");
    if (order === "die" || (order === "die once" && !require("node:fs").existsSync(file!))) {
      if (file) require("node:fs").writeFileSync(file, "died");
      process.exit(1);
    }
    if (order === "hang") Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    return { answer: order === "count" ? String(asked) : marker };
  };
});
