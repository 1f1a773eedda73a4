/** Validates web addresses before anything is sent. */
import { common_strings as strings } from "../strings/common";

const isAddress = (text: string): boolean => /^https?:\/\/[^/]/i.test(text) && URL.canParse(text);

/** A sentence about the first entry that is not one. */
export function addressProblem(texts: readonly string[]): string | undefined {
  const wrong = texts.find((text) => !isAddress(text));
  if (wrong === undefined) return undefined;
  return strings.no_address(wrong.length > 60 ? `${wrong.slice(0, 60)}…` : wrong);
}
