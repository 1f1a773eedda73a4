/** The processes that serve the database: one, or several on a database server. */
import { Table, type Column } from "../../ui/table";
import { Tag } from "../../ui/tag";
import { Time } from "../../ui/time";
import { system_strings as strings } from "../../strings/system";
import { node_tones, type NodeState } from "./records";

/** A table of processes with what each is doing. */
export const Nodes = ({ nodes }: { readonly nodes: readonly NodeState[] }) => (
  <section class="card">
    <div class="card-head">
      <h2>{strings.nodes_title}</h2>
    </div>
    <Table label={strings.nodes_title} columns={columns} rows={nodes} row_key={({ id }) => id} />
  </section>
);

const columns: readonly Column<NodeState>[] = [
  {
    key: "node",
    header: strings.node,
    kind: "main",
    cell: ({ host, pid, role, here, jobs }) => (
      <span class="two-lines">
        <span class="strong wrap-anywhere">
          {strings.node_name(host, pid)}
          {here && <span class="muted"> {strings.node_here}</span>}
        </span>
        <span>{strings.roles[role]}</span>
        <span class="muted wrap-anywhere">
          {jobs.length === 0
            ? strings.runs_nothing
            : strings.runs(jobs.map(({ name, jobs: count }) => strings.run_of(name, count)))}
        </span>
      </span>
    ),
  },
  {
    key: "version",
    header: strings.version,
    kind: "tight",
    cell: ({ version }) => <span class="num">{version}</span>,
  },
  {
    key: "started",
    header: strings.started,
    kind: "tight",
    cell: ({ started_at }) => <Time value={started_at} />,
  },
  {
    key: "seen",
    header: strings.seen,
    kind: "tight",
    cell: ({ seen_at }) => <Time value={seen_at} />,
    roomy_only: true,
  },
  {
    key: "status",
    header: strings.status,
    kind: "tight",
    cell: ({ status }) => <Tag tone={node_tones[status]}>{strings.node_states[status]}</Tag>,
  },
];
