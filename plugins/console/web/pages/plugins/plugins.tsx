/** Plugins, for administrators: the list with their state; adding, disabling and removing. */
import { useQuery } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { Link } from "wouter-preact";
import { api } from "../../api/client";
import { keys } from "../../api/queries";
import { Button } from "../../ui/button";
import { Secret } from "../../ui/copy";
import { Menu, type MenuItem } from "../../ui/menu";
import { Note } from "../../ui/note";
import { PageHeader } from "../../ui/page-header";
import { RecordPage } from "../../ui/record-page";
import { Table, type Column } from "../../ui/table";
import { plugin_purposes } from "../../strings/plugin-purposes";
import { plugin_strings as strings } from "../../strings/plugins";
import { AddDialog, DisableDialog, RemoveDialog } from "./dialogs";
import { state_columns } from "./columns";
import { enable, isEnabledNext, type Plugin, type Plugins } from "./records";

const refresh_ms = 10_000;
type OpenDialog = { readonly action: "disable" | "remove"; readonly plugin: Plugin } | "add" | null;

export default function PluginsPage() {
  const [dialog, setDialog] = useState<OpenDialog>(null);
  const plugins = useQuery({
    queryKey: keys.plugins,
    queryFn: () => api<Plugins>("/plugins"),
    refetchInterval: refresh_ms,
  });
  const close = () => setDialog(null);
  return (
    <RecordPage query={plugins} title={strings.title}>
      {({ data, directory, installs }) => (
        <>
          <PageHeader
            title={strings.title}
            text={strings.text(directory)}
            actions={
              installs && (
                <Button
                  kind="primary"
                  icon="plus"
                  data-shortcut="n"
                  onClick={() => setDialog("add")}
                >
                  {strings.add}
                </Button>
              )
            }
          />
          <RestartNote changes={data.filter(({ next_start }) => next_start !== null).length} />
          <section class="card">
            <Table
              label={strings.label}
              columns={columnsOf(installs, setDialog)}
              rows={addedFirst(data)}
              row_key={({ name, file }) => `${name} ${file}`}
            />
          </section>
          {!installs && (
            <Note title={strings.not_here_title}>
              <div class="stack-small">
                <p>{strings.not_here_text}</p>
                <Secret label={strings.add} text={strings.not_here_command} />
              </div>
            </Note>
          )}
          {dialog === "add" && <AddDialog onClose={close} />}
          {dialog !== null && dialog !== "add" && dialog.action === "disable" && (
            <DisableDialog plugin={dialog.plugin} onClose={close} />
          )}
          {dialog !== null && dialog !== "add" && dialog.action === "remove" && (
            <RemoveDialog plugin={dialog.plugin} onClose={close} />
          )}
        </>
      )}
    </RecordPage>
  );
}

/** Added plugins and failures come before the built-in ones. */
const addedFirst = (plugins: readonly Plugin[]): Plugin[] =>
  [...plugins].sort((a, b) => Number(a.built_in) - Number(b.built_in));

/** Changes that wait for the next start, and how to restart. */
export function RestartNote({ changes }: { readonly changes: number }) {
  if (changes === 0) return null;
  return (
    <Note tone="warn" title={strings.restart_title}>
      <div class="stack-small">
        <p>{strings.restart_text(changes)}</p>
        <Secret label={strings.restart_title} text={strings.restart_command} />
        <p class="small">{strings.restart_other}</p>
      </div>
    </Note>
  );
}

const columnsOf = (
  installs: boolean,
  onDialog: (asking: OpenDialog) => void,
): readonly Column<Plugin>[] => [
  {
    key: "name",
    header: strings.plugin,
    kind: "main",
    cell: ({ name, reason, next_start, status, built_in }) => (
      <span class="two-lines">
        <Link href={`/plugins/${name}`} class="title-link">
          {name}
        </Link>
        {built_in && plugin_purposes[name] && <span>{plugin_purposes[name]}</span>}
        {reason && (
          <span class={`wrap-anywhere ${status === "disabled" ? "muted small" : "bad-text"}`}>
            {reason}
          </span>
        )}
        {next_start && <span class="small">{strings.next[next_start]}</span>}
      </span>
    ),
  },
  ...state_columns,
  {
    key: "actions",
    header: strings.actions,
    kind: "actions",
    cell: (plugin) => (
      <Menu label={strings.actions_of(plugin.name)} items={itemsOf(plugin, installs, onDialog)} />
    ),
  },
];

function itemsOf(
  plugin: Plugin,
  installs: boolean,
  ask: (asking: OpenDialog) => void,
): readonly MenuItem[] {
  const toggle: MenuItem = isEnabledNext(plugin)
    ? { label: strings.disable, icon: "close", run: () => ask({ action: "disable", plugin }) }
    : { label: strings.enable, icon: "check", run: () => void enable(plugin) };
  const removes = installs && !plugin.built_in && plugin.next_start !== "removed";
  return removes
    ? [
        toggle,
        "separator",
        {
          label: strings.remove,
          icon: "trash",
          danger: true,
          run: () => ask({ action: "remove", plugin }),
        },
      ]
    : [toggle];
}
