/** The registered handlers of jobs and events. */
import type { EventRef, JobHandler, JobRef } from "./contract";
import { handlerKey } from "./scheduler";

export interface Registered {
  readonly plugin: string;
  readonly handler: JobHandler;
}

export class Handlers {
  private readonly by_key = new Map<string, Registered>();
  private readonly by_id = new Map<string, Registered[]>();

  /** @throws Error when the plugin handles it already, or another plugin handles this job. */
  register(plugin: string, handler: JobHandler): void {
    const { on } = handler;
    const key = handlerKey({ plugin, name: on.id });
    const rival = on.kind === "job" ? this.of(on)[0] : this.by_key.get(key);
    if (rival)
      throw new Error(
        `plugin ${plugin}: ${on.kind} ${on.id} is handled by plugin ${rival.plugin} already`,
      );
    const registered = { plugin, handler };
    this.by_key.set(key, registered);
    this.by_id.set(on.id, [...this.of(on), registered]);
  }

  /** The only handler of a job, or every subscriber of an event. */
  of({ id }: JobRef | EventRef): readonly Registered[] {
    return this.by_id.get(id) ?? [];
  }

  find(job: { readonly plugin: string; readonly name: string }): JobHandler | undefined {
    return this.by_key.get(handlerKey(job))?.handler;
  }
}
