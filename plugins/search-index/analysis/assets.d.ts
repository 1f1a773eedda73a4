/** Importing a file `with { type: "file" }` yields its path, inside the executable too. */
declare module "*.txt" {
  const path: string;
  export default path;
}
