import { join } from 'node:path';
import { partitionName } from '../table-shape.ts';
import { AppendFile, type After } from '../append-file.ts';
import { seenMsOf, writeEntry, type SegmentEntry, type SegmentKind } from './segment-entry.ts';

/**
 * Interval at which seen data is synced to the disk: so much is lost in a power cut, and no more than the
 * last moment if the process dies.
 */
const SYNC_EVERY_MS = 1_000;

/** A larger segment is finalized before its day is over, so that one is never long to read. */
const LARGEST_BYTES = 64_000_000;

const EXTENSION = '.jsonl';

export interface SegmentWriterOptions {
  /** Folder of the segments. */
  readonly folder: string;
  readonly kind: SegmentKind;
  /** Sets the segments of this process apart from all before it, and sorts after theirs. */
  readonly life: string;
  readonly after: After;
  /** A segment is complete, and on the disk. */
  readonly onSegment: (path: string) => void;
  /** The disk takes no more: the writer has stopped. */
  readonly onError: (error: unknown) => void;
  readonly largestBytes?: number;
  readonly syncEveryMs?: number;
}

/**
 * Journals what is seen of one kind of one market: a line each, in a segment a day (UTC), or more where they
 * get large. Its queue is the buffer of its file, which is written at once when it is full.
 */
export class SegmentWriter {
  private readonly options: SegmentWriterOptions;
  private current: { readonly file: AppendFile; readonly day: string } | null = null;
  private closing: Promise<void> = Promise.resolve();
  private count = 0;
  private isStopped = false;

  constructor(options: SegmentWriterOptions) {
    this.options = options;
  }

  /**
   * Takes an entry: it is on the disk a second later, or `onError` was called. After that it takes
   * nothing.
   */
  write(entry: SegmentEntry): void {
    if (this.isStopped) return;
    const day = partitionName(seenMsOf(entry), 'day');
    const { largestBytes = LARGEST_BYTES } = this.options;
    if (this.current !== null && (this.current.day !== day || this.current.file.bytes >= largestBytes))
      this.rotate();
    try {
      this.current ??= { day, file: this.open(day) };
      this.current.file.append(Buffer.from(writeEntry(entry)));
    } catch (error) {
      this.fail(error);
    }
  }

  /** Writes nothing more, and hands over the last segment. */
  async end(): Promise<void> {
    this.isStopped = true;
    this.rotate();
    await this.closing;
  }

  private open(day: string): AppendFile {
    const { folder, kind, life, after, syncEveryMs = SYNC_EVERY_MS } = this.options;
    this.count += 1;
    const name = `${kind}-${day}-${life}-${String(this.count).padStart(6, '0')}`;
    return new AppendFile({
      path: join(folder, `${name}${EXTENSION}`),
      after,
      syncEveryMs,
      onError: (error) => this.fail(error),
    });
  }

  private rotate(): void {
    const { current } = this;
    this.current = null;
    // Closing waits for the disk. A kill meanwhile must not leave out the end of this segment and keep the
    // beginning of the next: nobody would see the hole.
    current?.file.flush();
    if (current !== null) this.closing = this.handOver(current.file, this.closing);
  }

  private async handOver(file: AppendFile, after: Promise<void>): Promise<void> {
    await after;
    try {
      await file.close();
    } catch (error) {
      this.fail(error);
    }
    this.options.onSegment(file.path);
  }

  private fail(error: unknown): void {
    if (this.isStopped) return;
    this.isStopped = true;
    this.options.onError(error);
  }
}

/** The kind of a segment, by the name of its file; null for another file. */
export function segmentKind(name: string): SegmentKind | null {
  const [, kind] = /^(books|trades|stats|candles)-\d{4}-\d\d-\d\d-[\w-]+\.jsonl$/.exec(name) ?? [];
  return (kind as SegmentKind | undefined) ?? null;
}
