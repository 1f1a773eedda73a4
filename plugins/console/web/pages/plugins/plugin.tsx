/** One plugin: its state, its settings as a form, and its parts. */
import { useQuery } from "@tanstack/preact-query";
import type { ComponentChildren } from "preact";
import { api } from "../../api/client";
import { keys } from "../../api/queries";
import type { PageParams } from "../../app/page";
import { PageHeader } from "../../ui/page-header";
import { RecordPage } from "../../ui/record-page";
import { Note } from "../../ui/note";
import { Loading } from "../../ui/states";
import { Tag } from "../../ui/tag";
import { plugin_strings as strings } from "../../strings/plugins";
import type { Setting } from "../system/model-draft";
import { RestartNote } from "./plugins";
import { tones, type PluginDetails } from "./records";
import { SettingsForm } from "./settings-form";

const crumbs = [{ label: strings.title, href: "/plugins" }];

export default function PluginPage({ params }: { readonly params: PageParams }) {
  const name = params.name ?? "";
  const plugin = useQuery({
    queryKey: keys.plugin(name),
    queryFn: () => api<PluginDetails>(`/plugins/${encodeURIComponent(name)}`),
  });
  return (
    <RecordPage query={plugin} title={name} crumbs={crumbs}>
      {(loaded) => <PluginView plugin={loaded} />}
    </RecordPage>
  );
}

function PluginView({ plugin }: { readonly plugin: PluginDetails }) {
  const { name, version, status, reason, next_start, built_in, section } = plugin;
  return (
    <>
      <PageHeader
        title={name}
        crumbs={crumbs}
        text={
          <span class="row row-wrap">
            <Tag tone={tones[status]}>{strings.states[status]}</Tag>
            {version !== null && <span>{version}</span>}
            <span>{built_in ? strings.kinds.built_in : strings.kinds.added}</span>
          </span>
        }
      />
      {reason && (
        <Note tone={status === "left_out" ? "bad" : "info"}>
          <p class="wrap-anywhere">{reason}</p>
        </Note>
      )}
      <RestartNote changes={next_start === null ? 0 : 1} />
      {section !== null && <Settings section={section} />}
      <Facts plugin={plugin} />
    </>
  );
}

function Settings({ section }: { readonly section: string }) {
  const settings = useQuery({
    queryKey: [...keys.system, "settings", section],
    queryFn: () => api<readonly Setting[]>("/settings"),
  });
  return (
    <section class="card" aria-label={strings.settings}>
      <div class="card-head">
        <h2>{strings.settings}</h2>
      </div>
      <div class="card-body">
        <Loading query={settings}>
          {(all) => {
            const section_settings = all.filter(({ setting }) => setting.startsWith(`${section}.`));
            return section_settings.length === 0 ? (
              <p class="muted">{strings.no_settings}</p>
            ) : (
              <SettingsForm settings={section_settings} />
            );
          }}
        </Loading>
      </div>
    </section>
  );
}

function Facts({ plugin }: { readonly plugin: PluginDetails }) {
  const { file, sha256, routes, schedules, tables } = plugin;
  const { fact_labels: labels } = strings;
  const facts: readonly (readonly [label: string, values: readonly ComponentChildren[]])[] = [
    [labels.file, file === null ? [] : [<code key="file">{file}</code>]],
    [labels.sha256, sha256 === null ? [] : [<code key="sha256">{sha256}</code>]],
    [
      labels.routes,
      routes.map(({ method, path, summary }) => (
        <span key={path}>
          <code>
            {method} {path}
          </code>{" "}
          {summary}
        </span>
      )),
    ],
    [labels.needs, plugin.needs],
    [labels.provides, plugin.provides],
    [labels.reads, plugin.reads],
    [labels.fills, plugin.fills],
    [labels.jobs, plugin.jobs],
    [labels.schedules, schedules.map(({ cron, job }) => `${cron}: ${job}`)],
    [labels.events, plugin.events],
    [labels.tables, tables.map(({ name, rows }) => strings.rows(name, rows))],
    [labels.commands, plugin.commands.map((command) => `dossier ${command}`)],
  ];
  return (
    <section class="card">
      <div class="card-head">
        <h2>{strings.facts}</h2>
      </div>
      <dl class="facts card-body">
        {facts
          .filter(([, values]) => values.length > 0)
          .flatMap(([label, values]) => [
            <dt key={`${label} of`}>{label}</dt>,
            <dd key={label}>
              {values.map((value, index) => (
                <div key={index}>{value}</div>
              ))}
            </dd>,
          ])}
      </dl>
    </section>
  );
}
