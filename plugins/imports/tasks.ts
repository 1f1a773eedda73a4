/** What runs in a child process: everything that reads what strangers wrote. */
import { task } from "../../core/sdk";
import { readFeed, readSitemap } from "./child/lists";
import { readPage } from "./child/page";
import { listZip, unzip } from "./child/zip";

export const tasks = {
  feed: task(readFeed),
  page: task(readPage),
  sitemap: task(readSitemap),
  unzip: task(unzip),
  zip: task(listZip),
};
