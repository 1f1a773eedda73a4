/** Usage: requests, answers, documents and storage by day, and the share of the limits in use. */
import { useQuery } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { api } from "../../api/client";
import { keys } from "../../api/queries";
import { BarChart } from "../../ui/bar-chart";
import { Button } from "../../ui/button";
import { Segments } from "../../ui/field";
import { formatBytes, formatDate, formatDay, formatNumber } from "../../ui/format";
import { PageHeader } from "../../ui/page-header";
import { Loading } from "../../ui/states";
import { Table, type Column } from "../../ui/table";
import { Progress } from "../../ui/tag";
import { usage_strings as strings } from "../../strings/usage";
import { measures, toCsv, type Measure, type Usage, type UsageDay } from "./records";

const refresh_ms = 60_000;

export default function UsagePage() {
  const [days, setDays] = useState("30");
  const usage = useQuery({
    queryKey: [...keys.usage, days],
    queryFn: () => api<Usage>("/usage", { query: { days } }),
    refetchInterval: refresh_ms,
    placeholderData: (previous) => previous,
  });
  return (
    <>
      <PageHeader
        title={strings.title}
        text={strings.text}
        actions={
          <>
            <Segments
              label={strings.period}
              value={days}
              onValue={setDays}
              options={Object.entries(strings.periods).map(([value, label]) => ({ value, label }))}
            />
            {usage.data && <DownloadButton days={usage.data.days} />}
          </>
        }
      />
      <Loading query={usage}>
        {(loaded) => (
          <>
            <div class="charts">
              {charts.map((chart) => (
                <Chart key={chart.name} {...chart} days={loaded.days} />
              ))}
            </div>
            <StorageUsage usage={loaded} />
            <Numbers days={loaded.days} />
          </>
        )}
      </Loading>
    </>
  );
}

const DownloadButton = ({ days }: { readonly days: readonly UsageDay[] }) => (
  <Button
    icon="download"
    onClick={() => download(`dossier-usage-${days.at(-1)?.date ?? "empty"}.csv`, toCsv(days))}
  >
    {strings.download}
  </Button>
);

function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  const link = Object.assign(document.createElement("a"), { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1_000);
}

const format = (measure: Measure): ((value: number) => string) =>
  measure === "storage_bytes" ? formatBytes : formatNumber;
/** Dates are calendar days, independent of the time zone. */
const noonOf = (date: string): string => `${date}T12:00:00`;

interface ChartProps {
  readonly name: string;
  /** One series each, the first at the bottom. */
  readonly series: readonly Measure[];
  readonly days: readonly UsageDay[];
}

const charts: readonly Omit<ChartProps, "days">[] = [
  { name: strings.charts.requests!, series: ["requests", "console_requests"] },
  { name: strings.charts.answers!, series: ["answers"] },
  { name: strings.charts.uploads!, series: ["uploads"] },
  { name: strings.charts.storage_bytes!, series: ["storage_bytes"] },
];

function Chart({ name, series, days }: ChartProps) {
  const formatValue = format(series[0]!);
  const total = (measure: Measure) =>
    measure === "storage_bytes"
      ? (days.at(-1)?.storage_bytes ?? 0)
      : days.reduce((sum, day) => sum + day[measure], 0);
  const sums = series.map((measure) => formatValue(total(measure)));
  const summary =
    series.length > 1
      ? series.map((measure, index) => `${sums[index]} ${strings.series[measure]}`).join(", ")
      : series[0] === "storage_bytes"
        ? strings.now(sums[0]!)
        : strings.total(sums[0]!);
  return (
    <section class="card card-body stack-small">
      <div class="row row-between row-wrap">
        <h2>{name}</h2>
        {series.length > 1 ? (
          <span class="chart-series small num">
            {series.map((measure, index) => (
              <span key={measure} class={`chart-serie chart-serie-${index}`}>
                {sums[index]} {strings.series[measure]}
              </span>
            ))}
          </span>
        ) : (
          <span class="muted small num">{summary}</span>
        )}
      </div>
      <BarChart
        label={`${strings.chart_label(name, days.length)}: ${summary}`}
        format={formatValue}
        binary={series[0] === "storage_bytes"}
        empty={strings.nothing[series[0]!]!}
        bars={days.map((day) => ({
          key: day.date,
          values: series.map((measure) => day[measure]),
          label: formatDay(noonOf(day.date)),
          text: `${formatDate(noonOf(day.date))}: ${series
            .map((measure) => [formatValue(day[measure]), strings.series[measure]].join(" ").trim())
            .join(", ")}`,
        }))}
      />
    </section>
  );
}

/** The same as a table, newest first, for exact values and for users who can't see charts. */
function Numbers({ days }: { readonly days: readonly UsageDay[] }) {
  const rows = [...days].reverse().filter((day) => measures.some((measure) => day[measure] > 0));
  return (
    <details class="card numbers-card">
      <summary>{strings.numbers}</summary>
      <Table label={strings.numbers} columns={number_columns} rows={rows} row_key={keyOfDay} />
    </details>
  );
}
const keyOfDay = ({ date }: UsageDay): string => date;
const number_columns: readonly Column<UsageDay>[] = [
  { key: "date", header: strings.day, kind: "main", cell: ({ date }) => formatDate(noonOf(date)) },
  ...measures.map((measure): Column<UsageDay> => ({
    key: measure,
    header: strings.columns[measure],
    kind: "end",
    cell: (day) => format(measure)(day[measure]),
  })),
];

const nearly_full = 0.9;

function StorageUsage({ usage: { storage, limits } }: { readonly usage: Usage }) {
  const rows = [
    {
      name: strings.kinds.folders,
      used: storage.folders,
      limit: limits.folders,
      format: formatNumber,
    },
    {
      name: strings.kinds.documents,
      used: storage.documents,
      limit: limits.documents,
      format: formatNumber,
    },
    { name: strings.kinds.chats, used: storage.chats, limit: limits.chats, format: formatNumber },
    {
      name: strings.kinds.storage,
      used: storage.bytes,
      limit: limits.storage_bytes,
      format: formatBytes,
    },
  ];
  return (
    <section class="card">
      <div class="card-head">
        <h2>{strings.held}</h2>
        <span class="muted small">{strings.held_text}</span>
      </div>
      <div class="card-body stack">
        {rows.map(({ name, used, limit, format }) => (
          <div key={name} class="held">
            <span class="strong">{name}</span>
            {limit === null ? (
              <span class="num">
                {format(used)} <span class="muted small">· {strings.no_limit}</span>
              </span>
            ) : (
              <Progress
                label={name}
                value={limit === 0 ? 1 : Math.min(1, used / limit)}
                warn={used >= limit * nearly_full}
                text={strings.limit(format(used), format(limit))}
              />
            )}
          </div>
        ))}
        <div class="held">
          <span class="strong">{strings.rate}</span>
          <span>
            {limits.requests_per_window === null || limits.window_s === null
              ? strings.no_rate
              : strings.rate_text(formatNumber(limits.requests_per_window), limits.window_s)}
          </span>
        </div>
      </div>
    </section>
  );
}
