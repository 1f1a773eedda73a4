/** A short name for a browser. */

const browsers: readonly [pattern: RegExp, name: string][] = [
  [/\bEdg\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\bFirefox\//, "Firefox"],
  [/\bHeadlessChrome\/|\bChrome\//, "Chrome"],
  [/\bSafari\//, "Safari"],
  [/^curl\//, "curl"],
];
const systems: readonly [pattern: RegExp, name: string][] = [
  [/\biPhone\b/, "iPhone"],
  [/\biPad\b/, "iPad"],
  [/\bAndroid\b/, "Android"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b/, "macOS"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bLinux\b/, "Linux"],
];

/**
 * `Firefox on macOS`, the first 60 characters of an unknown user agent, or null if there is none.
 */
export function deviceOf(user_agent: string | null): string | null {
  if (!user_agent) return null;
  const [browser, system] = [browsers, systems].map(
    (list) => list.find(([pattern]) => pattern.test(user_agent))?.[1],
  );
  if (browser && system) return `${browser} on ${system}`;
  return browser ?? system ?? user_agent.slice(0, 60);
}
