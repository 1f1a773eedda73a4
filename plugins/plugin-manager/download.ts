/**
 * Downloads a plugin file: only over HTTPS, only from checked addresses, following redirects one by
 * one, and up to the size limit for plugins.
 */
import { messageOf } from "../../core/lib/error-message";
import { TimeLimit } from "../../core/lib/timeout";
import {
  badRequest,
  checkHost,
  fetchPinned,
  HttpError,
  InvalidUrl,
  parseTarget,
  plugin_bytes_max,
  tooLarge,
  version,
  type AddressPolicy,
  type DnsLookup,
  type Target,
} from "../../core/sdk";

/** Which addresses may be requested. */
export interface DownloadOptions {
  readonly lookup: DnsLookup;
  readonly allows: AddressPolicy;
}

const redirects_max = 5;
const download_ms_max = 120_000;

/** Whether it is an address rather than the path of a file. */
export const isAddress = (source: string): boolean => /^[a-z][a-z0-9+.-]*:\/\//i.test(source);

/** @throws HttpError with a readable message */
export async function downloadPlugin(
  address: string,
  { lookup, allows }: DownloadOptions,
): Promise<Uint8Array> {
  const limit = new TimeLimit(download_ms_max);
  try {
    let target = targetOf(address);
    for (let redirects = 0; redirects <= redirects_max; redirects++) {
      const response = await fetchPinned(target, await addressesOf(target, { lookup, allows }), {
        method: "GET",
        headers: { "user-agent": `Dossier/${version}`, accept: "*/*" },
        signal: limit.signal,
      });
      const location = response.headers.get("location");
      if (response.status === 200) return await bodyOf(response);
      await response.body?.cancel().catch(() => undefined);
      if (response.status < 300 || response.status > 399 || location === null)
        throw badRequest(`${target.host} responded with status ${response.status}.`);
      if (!URL.canParse(location, target.href))
        throw badRequest(`${target.host} redirects to an invalid address.`);
      target = targetOf(new URL(location, target.href).href);
    }
    throw badRequest(`The address redirects more than ${redirects_max} times.`);
  } catch (error) {
    if (error instanceof HttpError) throw error;
    throw badRequest(
      limit.signal.aborted
        ? `The download took longer than ${download_ms_max / 1_000} s.`
        : `The download failed: ${messageOf(error)}.`,
    );
  } finally {
    limit.clear();
  }
}

function targetOf(address: string): Target {
  try {
    const target = parseTarget(address.replace(/#.*$/s, ""));
    if (target.url.protocol !== "https:")
      throw badRequest(`Plugins can only be downloaded over https, not from ${target.url.origin}.`);
    return target;
  } catch (error) {
    throw error instanceof InvalidUrl ? badRequest(error.message) : error;
  }
}

async function addressesOf(
  target: Target,
  { lookup, allows }: DownloadOptions,
): Promise<readonly string[]> {
  const checked = await checkHost(target, lookup, allows);
  if (checked.kind === "allowed") return checked.addresses;
  if (checked.kind === "refused")
    throw badRequest(
      `${target.host} has a local, private or reserved address. Download the file ` +
        "yourself, or allow its network in plugins.allow_networks.",
    );
  throw badRequest(
    checked.kind === "absent"
      ? `The host ${target.host} does not exist.`
      : `The host ${target.host} could not be looked up: ${checked.reason}.`,
  );
}

async function bodyOf(response: Response): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > plugin_bytes_max)
      throw tooLarge(`The plugin is larger than the limit of ${plugin_bytes_max / 2 ** 20} MiB.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
