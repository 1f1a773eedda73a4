/** A folder's name, leading to it. */
import { Link } from "wouter-preact";
import { useFolders } from "../../api/queries";
import { folder_strings as strings } from "../../strings/folders";

/** A deleted folder has no page, so it is no link. Nothing is shown until the names are known. */
export function FolderLink({ id }: { readonly id: string }) {
  const { data: folders } = useFolders();
  const folder = folders?.find((folder) => folder.id === id);
  if (folder) return <Link href={`/folders/${id}`}>{folder.name}</Link>;
  return <>{folders && <span class="muted">{strings.gone_folder}</span>}</>;
}
