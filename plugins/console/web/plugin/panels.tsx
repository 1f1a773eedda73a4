/** The panels of plugins on a page of the console: a card each, below the page's own content. */
import { useCallback, useEffect, useMemo } from "preact/hooks";
import { useLocation } from "wouter-preact";
import type { PanelPlace, PanelRecords } from "../../page-contract";
import { usePanels } from "../api/queries";
import type { PluginPanel } from "../api/types";
import { useUser } from "../app/session";
import { panelHost, ShownRecord, signInHost, type Lifetime } from "./host";
import { Mounted } from "./mounted";

const usePanelsOf = (place: PanelPlace): readonly PluginPanel[] =>
  usePanels(place === "signin").data?.filter(({ where }) => where === place) ?? [];

/** Whether a plugin has any there. */
export const useHasPanels = (place: keyof PanelRecords): boolean => usePanelsOf(place).length > 0;

/** On the page of a record. */
export function Panels<W extends keyof PanelRecords>({
  where,
  record,
}: {
  readonly where: W;
  readonly record: PanelRecords[W];
}) {
  const panels = usePanelsOf(where);
  return (
    <>
      {panels.map((panel) => (
        <Panel key={`${panel.module} ${record.id}`} panel={panel} record={record} />
      ))}
    </>
  );
}

function Panel<W extends keyof PanelRecords>({
  panel,
  record,
}: {
  readonly panel: PluginPanel;
  readonly record: PanelRecords[W];
}) {
  const user = useUser();
  const [, navigate] = useLocation();
  const shown_record = useMemo(() => new ShownRecord(record), [record.id]);
  useEffect(() => shown_record.update(record), [shown_record, record]);
  const hostOf = useCallback(
    (lifetime: Lifetime) => panelHost(lifetime, { user, navigate }, shown_record),
    [user, navigate, shown_record],
  );
  return (
    <section class="card panel" aria-label={panel.title}>
      <div class="card-head">
        <h2>{panel.title}</h2>
      </div>
      <div class="card-body">
        <Mounted plugin={panel.plugin} module={panel.module} hostOf={hostOf} />
      </div>
    </section>
  );
}

/** Below the form of the sign-in page. */
export function SignInPanels() {
  const panels = usePanelsOf("signin");
  return (
    <>
      {panels.map(({ plugin, title, module }) => (
        <section key={module} class="panel stack-small" aria-label={title}>
          <h2>{title}</h2>
          <Mounted plugin={plugin} module={module} hostOf={signInHost} />
        </section>
      ))}
    </>
  );
}
