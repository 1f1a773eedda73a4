/** How a program uses the API, in three languages, with the address of this server. */

export const languages = ["curl", "TypeScript", "Python"] as const;
export type Language = (typeof languages)[number];

/** The shell command that stores a key where the snippets read it. */
export const environment = (token: string): string => `export DOSSIER_KEY=${token}`;

/** `server` is its address, such as `http://127.0.0.1:4780`. */
export function snippet(language: Language, server: string): string {
  const url = `${server}/api/dev/v1`;
  if (language === "curl")
    return `curl ${url}/folders \\\n  -H "Authorization: Bearer $DOSSIER_KEY"`;
  if (language === "TypeScript") {
    return [
      `const response = await fetch("${url}/folders", {`,
      "  headers: { Authorization: `Bearer ${process.env.DOSSIER_KEY}` },",
      "});",
      "if (!response.ok) throw new Error((await response.json()).detail);",
      "const { data } = await response.json();",
      "for (const folder of data) console.log(folder.id, folder.name);",
    ].join("\n");
  }
  return [
    "import json, os, urllib.request",
    "",
    `request = urllib.request.Request("${url}/folders",`,
    `    headers={"Authorization": f"Bearer {os.environ['DOSSIER_KEY']}"})`,
    "with urllib.request.urlopen(request) as response:",
    '    for folder in json.load(response)["data"]:',
    '        print(folder["id"], folder["name"])',
  ].join("\n");
}
