/** Opens, in a worker, the reader for its searches. */
import {
  openReadConnection,
  PostgresReadSession,
  type ReadConnectionSpec,
} from "../../../core/worker-sdk";
import { PostgresSegmentReader } from "./postgres-reader";
import { SqliteSegmentReader, type SegmentReader } from "./segment-reader";

/** The reader for the database engine. */
export const openSegmentReader = (spec: ReadConnectionSpec): SegmentReader =>
  spec.engine === "postgres"
    ? new PostgresSegmentReader(new PostgresReadSession(spec))
    : new SqliteSegmentReader(openReadConnection(spec));
