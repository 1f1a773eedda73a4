/** Checks the settings of an endpoint, such as a language model. */

/** What is wrong with `base_url` of this section, as a sentence; null when it can be used. */
export function problemOfUrl(section: string, base_url: string): string | null {
  const url = URL.canParse(base_url) ? new URL(base_url) : null;
  if (!url || !/^https?:$/.test(url.protocol))
    return `${section}.base_url must start with http:// or https://.`;
  return url.username || url.password || url.search || url.hash
    ? `${section}.base_url must not contain a user name, password, query or fragment. Set the ` +
        `key in ${section}.api_key.`
    : null;
}

/** The same for its `api_key`. */
export const problemOfKey = (section: string, api_key: string | undefined): string | null =>
  api_key === undefined || /^[\x21-\x7e]+$/.test(api_key)
    ? null
    : `${section}.api_key contains characters that are not allowed in a key.`;
