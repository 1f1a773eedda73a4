/** The registered handlers of jobs and events. */
import type { Kind } from "./candidates";
import type { EventRef, JobHandler, JobRef } from "./contract";
import { handlerKey } from "./scheduler";

/** A handler and the plugin that it belongs to. */
export interface Registered {
  readonly plugin: string;
  readonly handler: JobHandler;
}

/** Finds handlers by job, event and kind. */
export class Handlers {
  private readonly by_key = new Map<string, Registered>();
  private readonly by_id = new Map<string, Registered[]>();

  /** @throws Error when the plugin handles it already, or another plugin handles this job. */
  register(plugin: string, handler: JobHandler): void {
    const { on } = handler;
    const key = handlerKey({ plugin, name: on.id });
    const existing = on.kind === "job" ? this.of(on)[0] : this.by_key.get(key);
    if (existing)
      throw new Error(
        `plugin ${plugin}: ${on.kind} ${on.id} is handled by plugin ${existing.plugin} already`,
      );
    const registered = { plugin, handler };
    this.by_key.set(key, registered);
    this.by_id.set(on.id, [...this.of(on), registered]);
  }

  /** The only handler of a job, or every subscriber of an event. */
  of({ id }: JobRef | EventRef): readonly Registered[] {
    return this.by_id.get(id) ?? [];
  }

  /** The handler of jobs of this kind; undefined when its plugin is not loaded. */
  find(kind: Kind): JobHandler | undefined {
    return this.by_key.get(handlerKey(kind))?.handler;
  }

  /** The same if failed jobs of this kind can be run again; otherwise undefined. */
  findRetriable(kind: Kind): JobHandler | undefined {
    const handler = this.find(kind);
    return handler && isRetriable(handler.limits) ? handler : undefined;
  }
}

/** Whether a job that failed for good can be run again: its payload is kept then. */
export const isRetriable = ({ onExhausted, requeue }: JobHandler["limits"]): boolean =>
  requeue !== undefined || onExhausted === undefined;
