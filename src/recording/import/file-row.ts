/** One row of a file that is imported, as its fields are written. */
export interface FileRow {
  /** From 1; of a Parquet file the row. */
  readonly line: number;
  readonly fields: readonly string[];
}

/** A file with columns. */
export interface RowFile {
  /** Titles of its columns; null where it has none. */
  readonly header: readonly string[] | null;
  /** In parts, since waiting for each row by itself takes longer than reading it. */
  readonly parts: AsyncIterable<readonly FileRow[]>;
}

/** How far reading is. */
export interface ReadProgress {
  readonly readBytes: number;
  readonly totalBytes: number;
}
