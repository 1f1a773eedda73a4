/** Usage: requests, answers, documents and storage by day, and what of the limits is used. */
import { useQuery } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { api } from "../../api/client";
import { keys } from "../../api/queries";
import { BarChart } from "../../ui/bar-chart";
import { Button } from "../../ui/button";
import { Segments } from "../../ui/field";
import { formatBytes, formatDate, formatNumber } from "../../ui/format";
import { PageHeader } from "../../ui/page-header";
import { Loading } from "../../ui/states";
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
    placeholderData: (before) => before,
  });
  return (
    <>
      <PageHeader
        title={strings.title}
        text={strings.text}
        actions={
          <Segments
            label={strings.period}
            value={days}
            onValue={setDays}
            options={Object.entries(strings.periods).map(([value, label]) => ({ value, label }))}
          />
        }
      />
      <Loading query={usage}>
        {(shown) => (
          <>
            <div class="charts">
              {measures.map((measure) => (
                <Chart key={measure} measure={measure} days={shown.days} />
              ))}
            </div>
            <Held usage={shown} />
            <div>
              <Button
                icon="download"
                onClick={() =>
                  download(
                    `dossier-usage-${shown.days.at(-1)?.date ?? "empty"}.csv`,
                    toCsv(shown.days),
                  )
                }
              >
                {strings.download}
              </Button>
            </div>
          </>
        )}
      </Loading>
    </>
  );
}

function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  const link = Object.assign(document.createElement("a"), { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1_000);
}

const shown = (measure: Measure, value: number): string =>
  measure === "storage_bytes" ? formatBytes(value) : formatNumber(value);

function Chart({
  measure,
  days,
}: {
  readonly measure: Measure;
  readonly days: readonly UsageDay[];
}) {
  const name = strings.charts[measure]!;
  const sum =
    measure === "storage_bytes"
      ? strings.now(formatBytes(days.at(-1)?.storage_bytes ?? 0))
      : strings.total(formatNumber(days.reduce((total, day) => total + day[measure], 0)));
  return (
    <section class="card card-body stack-small">
      <div class="row row-between">
        <h2>{name}</h2>
        <span class="muted small num">{sum}</span>
      </div>
      <BarChart
        label={`${strings.chart_label(name, days.length)}: ${sum}`}
        bars={days.map((day) => ({
          key: day.date,
          value: day[measure],
          text: `${formatDate(`${day.date}T12:00:00`)}: ${shown(measure, day[measure])}`,
        }))}
      />
      <p class="row row-between small muted">
        <span>{days[0] && formatDate(`${days[0].date}T12:00:00`)}</span>
        <span>{days.length > 0 && formatDate(`${days.at(-1)!.date}T12:00:00`)}</span>
      </p>
    </section>
  );
}

const nearly_full = 0.9;

function Held({ usage: { storage, limits } }: { readonly usage: Usage }) {
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
