import { SarrafError } from '../../domain/errors.ts';

/** Rows in the order in which they were recorded, a chunk at a time. */
export type RecordedChunks<Row> = AsyncIterable<readonly Row[]>;

/** Gaps between rows that are looked at: enough to know the pace of a recording. */
const GAPS_KEPT = 4_096;

/**
 * The rows of one recording on their way into a run, each with the time at which it changes the market: that
 * of the exchange, else that at which it was seen, and never before the row that came before it. One chunk is
 * read ahead at most.
 */
export class RecordedStream<Row> {
  /** Rows given so far. */
  count = 0;
  private readonly chunks: AsyncIterator<readonly Row[]>;
  private readonly timeOf: (row: Row) => number;
  private rows: readonly Row[] = [];
  private dues: readonly number[] = [];
  private index = 0;
  private isEnded = false;
  private newestMs = Number.NEGATIVE_INFINITY;
  private readonly gaps: number[] = [];

  constructor(chunks: RecordedChunks<Row>, timeOf: (row: Row) => number) {
    this.chunks = chunks[Symbol.asyncIterator]();
    this.timeOf = timeOf;
  }

  /** When the next row at hand is due; infinite where none is. */
  get dueMs(): number {
    return this.dues[this.index] ?? Number.POSITIVE_INFINITY;
  }

  /**
   * Until when every row is at hand, that time included: the last one's may have followers in the next chunk.
   * Infinite at the end.
   */
  get horizonMs(): number {
    return this.isEnded ? Number.POSITIVE_INFINITY : this.newestMs - 1;
  }

  /** When the last row that was read is due. */
  get lastMs(): number {
    return this.newestMs;
  }

  /** The median time between two rows, of those at the beginning; null for fewer than two. */
  get usualGapMs(): number | null {
    return this.gaps.toSorted((left, right) => left - right)[this.gaps.length >> 1] ?? null;
  }

  /** The next row; to be asked for only when it is due. */
  take(): Row {
    const row = this.rows[this.index];
    if (row === undefined)
      throw new SarrafError('INVARIANT', 'expected a recorded row to be at hand, was none');
    this.index += 1;
    this.count += 1;
    return row;
  }

  /** Reads on until there is a row, or the end. */
  async readFirst(): Promise<void> {
    while (this.index >= this.rows.length && !this.isEnded) await this.readOn();
  }

  /** Reads on until all rows until a time are at hand. */
  async readTo(untilMs: number): Promise<void> {
    while (this.horizonMs < untilMs) await this.readOn();
  }

  /** Lets go of a recording that was not read to its end. */
  async close(): Promise<void> {
    await this.chunks.return?.();
  }

  private async readOn(): Promise<void> {
    const next = await this.chunks.next();
    if (next.done === true) this.isEnded = true;
    else this.append(next.value);
  }

  private append(chunk: readonly Row[]): void {
    const rest = this.rows.slice(this.index);
    const dues = this.dues.slice(this.index);
    for (const row of chunk) {
      const dueMs = Math.max(this.newestMs, Math.ceil(this.timeOf(row)));
      if (!Number.isFinite(dueMs)) {
        throw new SarrafError(
          'DATA_UNUSABLE',
          `expected a time of a recorded row in ms, was ${this.timeOf(row)}`,
        );
      }
      if (this.gaps.length < GAPS_KEPT && Number.isFinite(this.newestMs))
        this.gaps.push(dueMs - this.newestMs);
      this.newestMs = dueMs;
      dues.push(dueMs);
    }
    this.rows = rest.length === 0 ? chunk : [...rest, ...chunk];
    this.dues = dues;
    this.index = 0;
  }
}
