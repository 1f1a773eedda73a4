/** The columns of a table of plugins: name and state. */
import type { Column } from "../../ui/table";
import { Tag } from "../../ui/tag";
import { plugin_strings as strings } from "../../strings/plugins";
import { tones, type Plugin } from "./records";

/** The columns of a plugin's version, origin and state. */
export const state_columns: readonly Column<Pick<Plugin, "version" | "built_in" | "status">>[] = [
  {
    key: "version",
    header: strings.version,
    kind: "tight",
    cell: ({ version }) => <span class="num">{version ?? "–"}</span>,
    wide_only: true,
  },
  {
    key: "kind",
    header: strings.kind,
    kind: "tight",
    cell: ({ built_in }) => (built_in ? strings.kinds.built_in : strings.kinds.added),
  },
  {
    key: "status",
    header: strings.status,
    kind: "tight",
    cell: ({ status }) => <Tag tone={tones[status]}>{strings.states[status]}</Tag>,
  },
];
