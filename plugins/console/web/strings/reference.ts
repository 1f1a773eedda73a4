/** Strings of the API reference page. */

export const reference_strings = {
  title: "API reference",
  text:
    "Every call of the API. What you try out here is done for real, in your name; scripts send " +
    "an API key instead.",
  calls: "Calls",
  keys: "API keys",
  documentation: "Documentation",
  document: "openapi.json",
  key_placeholder: "YOUR_API_KEY",
} as const;
