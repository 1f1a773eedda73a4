/**
 * Which dropped-in plugin's code runs at this moment, and which of it has begun and not ended: for
 * whoever must name the plugin when the event loop stands still. It lies in shared memory, where
 * the thread of the watchdog finds it while this one can say nothing.
 */
import { originOf, withOrigin } from "../base/origin";

/** Code of a plugin by name: `notes`, `GET /notes`. There are as many as plugins have parts. */
export interface CodeLabel {
  readonly plugin: string;
  readonly what: string;
}

/** Places of the shared numbers. */
export const beat_place = 0;
export const now_place = 1;
/** From here on: how often the code of each label is under way. */
export const first_label_place = 2;
const labels_max = 4_096;

export class RunningCode {
  /** See the places above. Label 1 is the first one: 0 is nobody. */
  readonly shared = new Int32Array(
    new SharedArrayBuffer((first_label_place + labels_max + 1) * Int32Array.BYTES_PER_ELEMENT),
  );
  /** By place, from 1. */
  readonly labels: CodeLabel[] = [];
  private readonly places = new Map<string, number>();
  private onLabel: (label: CodeLabel) => void = () => undefined;

  /** What runs the code of this label, marked as such: now, and while its promise is pending. */
  marked(label: CodeLabel): <R>(work: () => R) => R {
    const place = this.placeOf(label);
    return (work) => this.run(place, label.plugin, work);
  }

  /** Beyond the most there can be, what is left shares the last one. */
  private placeOf(label: CodeLabel): number {
    const key = `${label.plugin} ${label.what}`;
    const known = this.places.get(key);
    if (known !== undefined) return known;
    if (this.labels.length === labels_max) return labels_max;
    const place = this.labels.push(label);
    this.places.set(key, place);
    this.onLabel(label);
    return place;
  }

  /** Calls back with every label from now on. */
  tellLabels(onLabel: (label: CodeLabel) => void): void {
    this.onLabel = onLabel;
  }

  /** What of a plugin is under way; what runs at this moment comes first. */
  underWay(plugin: string): CodeLabel[] {
    const now = this.labels[this.shared[now_place]! - 1];
    const begun = this.labels.filter((_, i) => this.shared[first_label_place + i + 1]! > 0);
    return [now, ...begun].filter((label) => label?.plugin === plugin) as CodeLabel[];
  }

  /** The event loop turns. */
  beat(): void {
    Atomics.add(this.shared, beat_place, 1);
  }

  private run<R>(place: number, plugin: string, work: () => R): R {
    const before = this.shared[now_place]!;
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
      this.shared[now_place] = before;
    }
    if (result instanceof Promise) void result.then(end, end);
    else end();
    return result;
  }
}

/** What the thread of the watchdog is told. */
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
