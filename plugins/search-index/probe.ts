/** Searches in a copy of the database, to verify that it answers like the original. */
import { openReadConnection } from "../../core/sdk";
import { analyzer, analyzers } from "./analysis/analyzer";
import { Searcher } from "./ranking/searcher";
import { SqliteSegmentReader } from "./segments/segment-reader";

const words_max = 12;
const hits_max = 10;
const cache_bytes_max = 32 * 2 ** 20;

/** The result of a query: documents and positions, with scores as text. */
export interface ProbeAnswer {
  readonly query: string;
  readonly hits: readonly (readonly [document: string, start: number, score: string])[];
}

/** Searches for the first words of the oldest and of the newest text in one of its folders. */
export async function askIndex(database: string): Promise<ProbeAnswer[]> {
  const connection = openReadConnection({ path: database });
  try {
    const searcher = new Searcher(new SqliteSegmentReader(connection), {
      analyzers,
      analyzer_version: analyzer.version,
      cache_bytes_max,
    });
    const answers: ProbeAnswer[] = [];
    for (const end of ["min", "max"]) {
      const row = connection
        .prepare<{ folder_id: string; text: string }, []>(
          "select s.folder_id, c.text from index_scope s join index_chunks c " +
            "on c.segment_id = s.segment_id and c.ordinal = 0 " +
            `where s.segment_id = (select ${end}(segment_id) from index_scope) ` +
            "order by s.folder_id limit 1",
        )
        .get();
      if (row === null) continue;
      const query = row.text.trim().split(/\s+/).slice(0, words_max).join(" ");
      const { passages } = await searcher.search({
        owner_id: "",
        query,
        folder_ids: [row.folder_id],
        limit: hits_max,
      });
      answers.push({
        query,
        hits: passages.map(({ document_id, start, score }) => [
          document_id,
          start,
          score.toPrecision(9),
        ]),
      });
    }
    return answers;
  } finally {
    connection.close();
  }
}
