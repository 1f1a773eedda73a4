/** The newest lines of the server's log. */
import { useQuery } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { api } from "../../api/client";
import { keys } from "../../api/queries";
import type { Answer } from "../../api/types";
import { Select } from "../../ui/field";
import { formatMoment } from "../../ui/format";
import { Empty, Loading } from "../../ui/states";
import { Table, type Column } from "../../ui/table";
import { Tag } from "../../ui/tag";
import { system_strings as strings } from "../../strings/system";
import { level_tones, type LogLine } from "./records";

const lines_max = 200;
const refresh_ms = 5_000;

const columns: readonly Column<LogLine & { readonly key: string }>[] = [
  {
    key: "time",
    header: strings.time,
    kind: "tight",
    cell: ({ at }) => (
      <time dateTime={at} class="nowrap num small">
        {formatMoment(at)}
      </time>
    ),
  },
  {
    key: "level",
    header: strings.level,
    kind: "tight",
    cell: ({ level }) => (
      <Tag tone={level_tones[level] ?? "plain"}>{strings.level_names[level] ?? level}</Tag>
    ),
  },
  {
    key: "message",
    header: strings.message,
    kind: "main",
    cell: ({ message, fields }) => (
      <span class="two-lines">
        <span class="wrap-anywhere">{message}</span>
        {Object.keys(fields).length > 0 && (
          <span class="mono wrap-anywhere">{fieldsText(fields)}</span>
        )}
      </span>
    ),
  },
];

/** `name=unlucky.count attempt=1`: JSON only where a value is more than a word. */
function fieldsText(fields: LogLine["fields"]): string {
  return Object.entries(fields)
    .map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join("  ");
}

/** The newest 200 lines of at least the chosen level. */
export function Logs() {
  const [level, setLevel] = useState("info");
  const logs = useQuery({
    queryKey: [...keys.system, "logs", level],
    queryFn: () =>
      api<Answer<"listLogLines">>("/system/logs", {
        query: { level, limit: lines_max },
      }),
    refetchInterval: refresh_ms,
    placeholderData: (previous) => previous,
  });
  return (
    <section class="card">
      <div class="card-head">
        <Select
          label={strings.level}
          label_hidden
          value={level}
          onValue={setLevel}
          options={Object.entries(strings.levels).map(([value, label]) => ({ value, label }))}
        />
      </div>
      <Loading query={logs}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty icon="file-text" title={strings.no_logs} />
          ) : (
            <Table
              label={strings.logs_label}
              columns={columns}
              rows={data.map((line, index) => ({ ...line, key: `${line.at} ${index}` }))}
              row_key={({ key }) => key}
            />
          )
        }
      </Loading>
    </section>
  );
}
