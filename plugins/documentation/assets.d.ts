/** A file imported `with { type: "text" }` is what stands in it, inside the executable too. */
declare module "*.md" {
  const text: string;
  export default text;
}
declare module "*.css" {
  const text: string;
  export default text;
}
