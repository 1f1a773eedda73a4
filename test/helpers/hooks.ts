/**
 * The executable with an environment for webhooks: a scripted name server, an allowed and a refused
 * receiver, and a plugin that ends runs.
 */
import { expect } from "bun:test";
import { startExecutable, type Executable } from "./executable";
import { person, type Person } from "./person";
import { until, type Answered } from "./server";
import { startNameServer, type NameServer } from "../../scripts/lib/name-server";
import { startReceiver, type Receiver } from "./receiver";

/** The only loopback address that may receive deliveries. */
export const allowed = "127.0.0.2";
/** A loopback address that may not receive them. */
export const refused = "127.0.0.1";
/** The type of the events that tests cause. */
export const event_type = "import.finished";
/** The data of such an event. */
export const finished = {
  event: event_type,
  import_run_id: "imp_ä€😀",
  status: "completed",
  completed_item_count: 2,
  succeeded_item_count: 2,
  failed_item_count: 0,
};

/** A webhook, and its deliveries. */
export interface Hook extends AsyncDisposable {
  readonly id: string;
  readonly secret: string;
  /** Deliveries, newest first. */
  log(): Promise<any[]>;
  /** The same once there are `of` of them and none is in progress. */
  ended(of?: number): Promise<any[]>;
}

/** The executable with everything that it delivers to. */
export interface Hooks extends AsyncDisposable {
  readonly server: Executable;
  readonly names: NameServer;
  /** Listens on `allowed`; `hook.test` is its name. */
  readonly receiver: Receiver;
  /** Listens on `refused`. */
  readonly inner: Receiver;
  readonly ada: Person;
  /**
   * A webhook of Ada, or of someone else, deleted at the end of the test. Default: `hook.test`, at
   * the receiver's port.
   */
  register(
    url?: string,
    options?: { readonly type?: string; readonly who?: Person },
  ): Promise<Hook>;
  /**
   * Ends a run of Ada, or of someone else, which triggers the delivery of `body`. With `fail` the
   * transaction that ends it fails.
   */
  emit(
    body: object,
    options?: {
      readonly type?: string;
      readonly who?: Person;
      readonly fail?: boolean;
      readonly times?: number;
    },
  ): Promise<Answered>;
}

const bell = `
import { definePlugin, reply, route, t } from "dossier";
import { WebhookDue } from "dossier/contracts";
export default definePlugin({
  name: "bell", version: "1.0.0",
  routes: { ring: route.post("/bell", {
    summary: "Ends a run", tag: "Bell", operation: "ringBell",
    body: t.Object({
      event_type: t.String(),
      body: t.Record(t.String(), t.Unknown()),
      fail: t.Boolean(),
      times: t.Integer(),
    }),
    example: { event_type: "import.finished", body: {}, fail: false, times: 1 },
    answers: { 204: { description: "It has ended." } },
  }) },
  setup: (ctx) => ({ routes: { ring: async ({ caller, body: { event_type, body, fail, times } }) => {
    await ctx.inTransaction(async (tx) => {
      for (let n = 0; n < times; n++) await ctx.emit(tx, WebhookDue, { owner_id: caller.owner_id, event_type, body });
      if (fail) throw new Error("the run could not be ended");
    });
    return reply(204);
  } } }),
});
`;

/** Starts all of it. */
export async function startHooks({
  env = {},
}: { readonly env?: Readonly<Record<string, string>> } = {}): Promise<Hooks> {
  const names = await startNameServer();
  names.set("hook.test", [allowed]);
  const receiver = startReceiver(allowed);
  const inner = startReceiver(refused);
  const server = await startExecutable({
    files: { "plugins/bell.ts": bell },
    env: {
      DOSSIER_WEBHOOKS_DNS_SERVERS: names.address,
      DOSSIER_WEBHOOKS_ALLOW_NETWORKS: `${allowed},::1`,
      DOSSIER_WEBHOOKS_RETRY_DELAYS: "20ms,40ms",
      ...env,
    },
  });
  const ada = await person(server, "ada");
  return {
    server,
    names,
    receiver,
    inner,
    ada,
    async register(
      url = `http://hook.test:${receiver.port}/hook?a=1`,
      { type = event_type, who = ada } = {},
    ) {
      const { id, secret } = await who.create("/webhooks", { event_type: type, url });
      const log = async () =>
        (await who.send("GET", `/webhooks/${id}/deliveries?per_page=200`)).body.data;
      return {
        id,
        secret,
        log,
        [Symbol.asyncDispose]: async () => void (await who.send("DELETE", `/webhooks/${id}`)),
        async ended(of = 1) {
          await until(async () => {
            const all = await log();
            return (
              all.length >= of &&
              all.every(({ status }: { status: string }) => status !== "pending")
            );
          }, 20_000);
          return log();
        },
      };
    },
    async emit(body, { type = event_type, who = ada, fail = false, times = 1 } = {}) {
      const answer = await who.send("POST", "/bell", { event_type: type, body, fail, times });
      expect(answer.status).toBe(fail ? 500 : 204);
      return answer;
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      for (const resource of [names, receiver, inner]) resource[Symbol.dispose]();
    },
  };
}
