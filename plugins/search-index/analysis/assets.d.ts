/** Files that are imported as text. */
declare module "*.tsv" {
  const text: string;
  export default text;
}
