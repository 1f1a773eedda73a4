/** Importing a file `with { type: "file" }` yields its path, inside the executable too. */
declare module "*.zst" {
  const path: string;
  export default path;
}
