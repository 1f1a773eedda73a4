/** A scripted receiver of webhooks on loopback, which records deliveries. */
import type { Plugin } from "../../core/plugin/contract";
import { definePlugin, handle } from "../../core/sdk";
import { WebhookDue } from "../../plugins/webhooks/contract";

/** A request that the receiver got. */
export interface Delivery {
  readonly method: string;
  readonly path: string;
  readonly body: string;
  readonly headers: Headers;
}
/** Answers the `n`th delivery. */
export type ReceiverScript = (n: number, deliveries: Delivery) => Response | Promise<Response>;

/** A running receiver. */
export interface Receiver extends Disposable {
  readonly port: number;
  /** The deliveries, in order. */
  readonly deliveries: readonly Delivery[];
  /** Sets the script from now on; forgets earlier deliveries. `n` counts from 0. */
  answerWith(next: ReceiverScript): void;
}

/** Starts one that answers 204 until it is told otherwise. */
export function startReceiver(hostname = "127.0.0.2"): Receiver {
  const deliveries: Delivery[] = [];
  let answering: ReceiverScript = () => new Response(null, { status: 204 });
  const server = Bun.serve({
    port: 0,
    hostname,
    idleTimeout: 0,
    async fetch(request) {
      const delivery: Delivery = {
        method: request.method,
        path: new URL(request.url).pathname,
        body: await request.text(),
        headers: request.headers,
      };
      deliveries.push(delivery);
      return answering(deliveries.length - 1, delivery);
    },
  });
  return {
    port: server.port!,
    deliveries,
    answerWith(next) {
      deliveries.length = 0;
      answering = next;
    },
    [Symbol.dispose]: () => void server.stop(true),
  };
}

/** A plugin that records events as webhooks would send them. */
export function webhookListener(): { readonly plugin: Plugin; readonly events: any[] } {
  const events: any[] = [];
  const plugin = definePlugin({
    name: "listener",
    version: "1.0.0",
    setup: () => ({
      jobs: [
        handle(
          WebhookDue,
          async (due) => {
            events.push(due);
          },
          { attempts_max: 1, timeout_ms: 1_000 },
        ),
      ],
    }),
  });
  return { plugin, events };
}
