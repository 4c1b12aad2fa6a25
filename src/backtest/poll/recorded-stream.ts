import { SarrafError } from '../../domain/errors.ts';

/** Rows, or columns of them, in the order in which they were recorded, a chunk at a time. */
export type RecordedChunks<Chunk extends { readonly length: number }> = AsyncIterable<Chunk>;

/** Gaps between rows that are looked at: enough to know the pace of a recording. */
const GAPS_KEPT = 4_096;

const NO_DUES = new Float64Array();

/**
 * The rows of one recording on their way into a run, each with the time at which it changes the market: that
 * of the exchange, else that at which it was seen, and never before the row that came before it. One chunk is
 * read ahead at most.
 */
export class RecordedStream<Chunk extends { readonly length: number }> {
  /** Rows given so far. */
  count = 0;
  /** Due time of the next row at hand; infinite if there is none. */
  dueMs = Number.POSITIVE_INFINITY;
  private readonly chunks: AsyncIterator<Chunk>;
  private readonly timeOf: (chunk: Chunk, row: number) => number;
  /** Chunks that were read and are not passed yet: the chunk of the next row first. */
  private readonly atHand: { readonly chunk: Chunk; readonly dues: Float64Array }[] = [];
  private dues: Float64Array = NO_DUES;
  /** The next row, of the first chunk at hand. */
  private row = 0;
  private isEnded = false;
  private newestMs = Number.NEGATIVE_INFINITY;
  private readonly gaps: number[] = [];

  constructor(chunks: RecordedChunks<Chunk>, timeOf: (chunk: Chunk, row: number) => number) {
    this.chunks = chunks[Symbol.asyncIterator]();
    this.timeOf = timeOf;
  }

  /**
   * Until when every row is at hand, that time included: the last one's may have followers in the next chunk.
   * Infinite at the end.
   */
  get horizonMs(): number {
    return this.isEnded ? Number.POSITIVE_INFINITY : this.newestMs - 1;
  }

  /** Due time of the last row that was read. */
  get lastMs(): number {
    return this.newestMs;
  }

  /** The median time between two rows, of those at the beginning; null for fewer than two. */
  get usualGapMs(): number | null {
    return this.gaps.toSorted((left, right) => left - right)[this.gaps.length >> 1] ?? null;
  }

  /** Hands the next row over; to be called only when it is due. */
  hand(take: (chunk: Chunk, row: number, dueMs: number) => void): void {
    const [first] = this.atHand;
    if (first === undefined)
      throw new SarrafError('INVARIANT', 'expected a recorded row to be at hand, was none');
    const { row, dueMs } = this;
    this.row += 1;
    this.count += 1;
    if (this.row < this.dues.length) this.dueMs = this.dues[this.row] ?? dueMs;
    else this.nextChunk();
    take(first.chunk, row, dueMs);
  }

  /** Reads on until there is a row, or the end. */
  async readFirst(): Promise<void> {
    while (this.atHand.length === 0 && !this.isEnded) await this.readOn();
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
    else if (next.value.length > 0) this.append(next.value);
  }

  private append(chunk: Chunk): void {
    const dues = new Float64Array(chunk.length);
    for (let row = 0; row < dues.length; row += 1) {
      const dueMs = Math.max(this.newestMs, Math.ceil(this.timeOf(chunk, row)));
      if (!Number.isFinite(dueMs)) {
        throw new SarrafError(
          'DATA_UNUSABLE',
          `expected a time of a recorded row in ms, was ${this.timeOf(chunk, row)}`,
        );
      }
      if (this.gaps.length < GAPS_KEPT && Number.isFinite(this.newestMs))
        this.gaps.push(dueMs - this.newestMs);
      this.newestMs = dueMs;
      dues[row] = dueMs;
    }
    this.atHand.push({ chunk, dues });
    if (this.atHand.length === 1) this.begin();
  }

  private nextChunk(): void {
    this.atHand.shift();
    this.begin();
  }

  private begin(): void {
    this.dues = this.atHand[0]?.dues ?? NO_DUES;
    this.row = 0;
    this.dueMs = this.dues[0] ?? Number.POSITIVE_INFINITY;
  }
}
