/**
 * Rate limit: a number of requests per window for each owner of keys, and for each address that
 * sends no valid key.
 */
import {
  ConfigError,
  definePlugin,
  Duration,
  fill,
  RateLimiter,
  SomeTimeLimits,
  t,
} from "../../core/sdk";
import { FixedWindows } from "./fixed-windows";
import { LeasedWindows } from "./leased-windows";

/**
 * The gateway names its subjects `owner:…` and `address:…`. There are as many owners as users, but
 * unlimited addresses.
 */
const unbounded_prefix = "address:";
const addresses_max = 50_000;

export default definePlugin({
  name: "rate-limit",
  version: "1.0.0",
  config: t.Object({
    requests: t.Integer({
      minimum: 1,
      default: 600,
      changes: "now",
      description: "Requests allowed in one window.",
    }),
    window: Duration({
      default: "60s",
      changes: "now",
      stored: SomeTimeLimits,
      description: "Length of a window.",
    }),
  }),
  checkConfig: ({ window }) => {
    if (window < 1) throw new ConfigError(["rate_limit.window must be at least 1ms."]);
  },
  setup: ({ now_ms, config, notifier, shared }) => {
    const options = {
      limits: () => ({ requests_max: config.requests, window_ms: config.window }),
      unbounded_prefix,
      unbounded_max: addresses_max,
      now_ms,
    };
    if (!shared.is_distributed) return { fills: [fill(RateLimiter, new FixedWindows(options))] };
    const windows = new LeasedWindows({ ...options, notifier, state: shared.state });
    return { fills: [fill(RateLimiter, windows)], stop: () => windows.stop() };
  },
});
