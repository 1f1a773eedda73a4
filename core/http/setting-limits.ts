/**
 * Constraints shared by settings of several plugins: the address of a service, its key, a non-blank
 * text.
 */
import type { StoredLimits } from "../base/settings";
import { endpoint_pattern } from "../outbound/url-patterns";
import { required_pattern } from "./fields";

/** The address of a service. */
export const EndpointLimits: StoredLimits = {
  name: "Endpoint",
  json: { pattern: `^${endpoint_pattern}$` },
  must: "be an address such as http://127.0.0.1:8080/v1, without user name, query or fragment",
};
/** A duration above zero. */
export const SomeTimeLimits: StoredLimits = { name: "SomeDuration", least_ms: 1 };
/** A key that is sent in a header. */
export const KeyLimits: StoredLimits = {
  name: "Key",
  json: { pattern: "^[!-~]+$" },
  must: "contain only ASCII characters and no spaces",
};
/** A text that is not only white space. */
export const NotBlankLimits: StoredLimits = {
  json: { pattern: required_pattern },
  must: "not be blank",
};
