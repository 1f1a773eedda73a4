/** Importing a file `with { type: "file" }` yields its path, inside the executable too. */
declare module "*.wasm" {
  const path: string;
  export default path;
}
declare module "*.bin" {
  const path: string;
  export default path;
}
