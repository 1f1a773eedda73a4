/** A list of addresses. */
import { t } from "../../../core/sdk";
import type { ImportSource } from "../contract";
import { urls_max } from "../limits";

export const urlsSource: ImportSource<{ readonly urls: readonly string[] }> = {
  type: "urls",
  description: "A list of web addresses.",
  schema: t.Object({
    urls: t.Array(t.String(), {
      maxItems: urls_max,
      description: "Absolute http or https addresses.",
    }),
  }),
  async *items({ urls }) {
    for (const uri of urls) yield { uri };
  },
};
