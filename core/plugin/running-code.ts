/**
 * Records which dropped-in plugin's code is running, and which of it has started but not ended, to
 * name the plugin when the event loop is blocked. Kept in shared memory, where the watchdog thread
 * can read it while the main thread is blocked.
 */
import { originOf, withOrigin } from "../base/origin";

/** Names a part of a plugin's code: `notes`, `GET /notes`. There is one label per part. */
export interface CodeLabel {
  readonly plugin: string;
  readonly what: string;
}

/** Indices into the shared numbers. */
export const beat_place = 0;
/** The label of the code that is running; 0 for none. */
export const now_place = 1;
/** From this index on: how many calls of each label are in progress. */
export const first_label_place = 2;
const labels_max = 4_096;

/** The dropped-in plugins' code in this process. */
export class RunningCode {
  /** See the indices above. Labels start at 1: 0 means none. */
  readonly shared = new Int32Array(
    new SharedArrayBuffer((first_label_place + labels_max + 1) * Int32Array.BYTES_PER_ELEMENT),
  );
  /** By index, starting at 1. */
  readonly labels: CodeLabel[] = [];
  private readonly places = new Map<string, number>();
  private onLabel: (label: CodeLabel) => void = () => undefined;

  /**
   * Runs the code of this label, marked as such: during the call, and while its promise is pending.
   */
  marked(label: CodeLabel): <R>(work: () => R) => R {
    const place = this.placeOf(label);
    return (work) => this.run(place, label.plugin, work);
  }

  /** Beyond the maximum, the remaining labels share the last index. */
  private placeOf(label: CodeLabel): number {
    const key = `${label.plugin} ${label.what}`;
    const existing = this.places.get(key);
    if (existing !== undefined) return existing;
    if (this.labels.length === labels_max) return labels_max;
    const place = this.labels.push(label);
    this.places.set(key, place);
    this.onLabel(label);
    return place;
  }

  /** Calls back with every label from now on. */
  reportLabels(onLabel: (label: CodeLabel) => void): void {
    this.onLabel = onLabel;
  }

  /** A plugin's labels in progress; the one running right now comes first. */
  underWay(plugin: string): CodeLabel[] {
    const running = this.labels[this.shared[now_place]! - 1];
    const in_progress = this.labels.filter((_, i) => this.shared[first_label_place + i + 1]! > 0);
    return [running, ...in_progress].filter((label) => label?.plugin === plugin) as CodeLabel[];
  }

  /** The event loop is alive. */
  beat(): void {
    Atomics.add(this.shared, beat_place, 1);
  }

  private run<R>(place: number, plugin: string, work: () => R): R {
    const previous = this.shared[now_place]!;
    this.shared[now_place] = place;
    this.shared[first_label_place + place]! += 1;
    const end = (): void => {
      this.shared[first_label_place + place]! -= 1;
    };
    let result: R;
    try {
      result = withOrigin({ ...originOf(), plugin }, work);
    } catch (error) {
      end();
      throw error;
    } finally {
      this.shared[now_place] = previous;
    }
    if (result instanceof Promise) void result.then(end, end);
    else end();
    return result;
  }
}

/** Messages to the watchdog thread. */
export type WatchdogMessage =
  | { readonly kind: "label"; readonly label: CodeLabel }
  | {
      readonly kind: "begin";
      readonly shared: Int32Array;
      readonly labels: readonly CodeLabel[];
      readonly limit_ms: number;
      readonly look_ms: number;
      /** The data directory. */
      readonly data: string;
    };
