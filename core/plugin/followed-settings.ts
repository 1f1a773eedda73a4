/** Applies settings stored by one process in the others at once. */
import { errorFields, type Log } from "../base/log";
import { topic, type Notifier } from "../base/notifier";

/** A process has stored settings. The key is empty. */
export const SettingsChanged = topic<null>("core.settings_changed");

/** Reads the stored settings again when another process has changed them, or may have. */
export function followSettings(
  { notifier, log }: { readonly notifier: Notifier; readonly log: Log },
  settings: { reload(): Promise<void> },
): void {
  const reload = (): void =>
    void settings
      .reload()
      .catch((error: unknown) => log.error("settings could not be reloaded", errorFields(error)));
  notifier.subscribe(SettingsChanged, "all", (_, is_local) => {
    if (!is_local) reload();
  });
  notifier.onMissed(reload);
}
