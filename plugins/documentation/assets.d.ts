/** Importing a file `with { type: "text" }` yields its content, inside the executable too. */
declare module "*.md" {
  const text: string;
  export default text;
}
declare module "*.css" {
  const text: string;
  export default text;
}
