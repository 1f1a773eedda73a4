/** Strings of the API reference page. */

export const reference_strings = {
  title: "API reference",
  text:
    "Every operation of the API. Requests you try out here are real and run under your " +
    "account. Scripts use an API key instead.",
  calls: "Operations",
  keys: "API keys",
  documentation: "Documentation",
  document: "openapi.json",
  key_placeholder: "YOUR_API_KEY",
} as const;
