/** `import.finished` as `ImportFinished`: names in generated code. */
export const pascalCase = (text: string): string =>
  text.replace(/(?:^|[^a-z0-9]+)([a-z0-9]?)/gi, (_, first: string) => first.toUpperCase());
