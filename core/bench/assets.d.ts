/** A file imported `with { type: "file" }` is its path, inside the executable too. */
declare module "*.zst" {
  const path: string;
  export default path;
}
