/** Importing a file `with { type: "file" }` yields its path, inside the executable too. */
declare module "*.gz" {
  const path: string;
  export default path;
}
declare module "*.woff2" {
  const path: string;
  export default path;
}
declare module "*.png" {
  const path: string;
  export default path;
}
declare module "*.bcmap" {
  const path: string;
  export default path;
}
