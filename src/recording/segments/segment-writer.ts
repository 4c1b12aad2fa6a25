import { mkdirSync, readdirSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { SarrafError } from '../../domain/errors.ts';
import type { TakeLock } from '../append-rows.ts';
import type { Catalogue } from '../catalogue.ts';
import { syncFolder } from '../durable-file.ts';
import { sealSegment, type SealReport } from './seal-segment.ts';
import { segmentLine, type SegmentRecord } from './segment-record.ts';

/** What is seen is on the disk after this at the latest. */
const SYNC_EVERY_MS = 1_000;
/** A segment of this size is sealed; all of it is in memory then. */
const LARGEST_SEGMENT_BYTES = 16_000_000;
/** What may wait for a disk that does not take it; beyond that nothing more is taken. */
const MOST_WAITING_BYTES = 64_000_000;
const DAY_MS = 86_400_000;

export interface SegmentWriterOptions {
  readonly catalogue: Catalogue;
  readonly takeLock: TakeLock;
  /** The wall clock, in ms since 1970. */
  readonly nowMs: () => number;
  /** Told of what could not be written or sealed: it stays and is tried again. */
  readonly onProblem: (error: unknown) => void;
  readonly onSealed?: (report: SealReport) => void;
  readonly largestBytes?: number;
  readonly syncEveryMs?: number;
}

/** A segment that is written to. */
interface OpenSegment {
  readonly path: string;
  readonly file: FileHandle;
  readonly day: number;
  bytes: number;
}

/**
 * Keeps what a recorder sees: first in a segment of JSON lines, which is on the disk a second later whatever becomes of the process, then, by the day or when it
 * is large, in the catalogue. Segments that a killed process left are taken up when the next one opens.
 */
export class SegmentWriter {
  private readonly options: SegmentWriterOptions;
  private readonly folder: string;
  private readonly lock: ReturnType<TakeLock>;
  private readonly largestBytes: number;
  private readonly timer: NodeJS.Timeout;
  private waiting: string[] = [];
  private waitingBytes = 0;
  private current: OpenSegment | null = null;
  private count = 0;
  private isClosed = false;
  /** Writing and sealing, one after another. */
  private work: Promise<void> = Promise.resolve();

  private constructor(options: SegmentWriterOptions, folder: string) {
    this.options = options;
    this.folder = folder;
    this.largestBytes = options.largestBytes ?? LARGEST_SEGMENT_BYTES;
    this.lock = options.takeLock(join(folder, '.lock'));
    this.timer = setInterval(() => void this.flush(), options.syncEveryMs ?? SYNC_EVERY_MS);
    this.timer.unref();
  }

  /** Opens the segments of a catalogue, for one process at a time, and seals those that were left. Throws `DATA_UNUSABLE` when another process records into it. */
  static async open(options: SegmentWriterOptions): Promise<SegmentWriter> {
    const folder = join(options.catalogue.root, 'segments');
    mkdirSync(folder, { recursive: true });
    const writer = new SegmentWriter(options, folder);
    await writer.seal();
    return writer;
  }

  /** Takes what was seen. It is on the disk at the next `flush`, within a second. Throws `DATA_UNUSABLE` where too much waits for the disk, `CLOSED` after the end. */
  append(record: SegmentRecord): void {
    if (this.isClosed) throw new SarrafError('CLOSED', 'expected an open recording, was closed');
    if (this.waitingBytes > MOST_WAITING_BYTES) {
      throw new SarrafError(
        'DATA_UNUSABLE',
        `expected ${this.folder} to take what is recorded; too much waits for it already`,
      );
    }
    const line = segmentLine(record);
    this.waiting.push(line);
    this.waitingBytes += line.length;
  }

  /** Puts everything on the disk. What fails is told to `onProblem` and tried again at the next. */
  flush(): Promise<void> {
    return this.queue(async () => this.write());
  }

  /** Moves everything to the catalogue. */
  seal(): Promise<void> {
    return this.queue(async () => {
      await this.write();
      await this.sealAll();
    });
  }

  /** Ends it: everything is in the catalogue, or, where that fails, in a segment for the next one. A second call does nothing. */
  async close(): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    clearInterval(this.timer);
    await this.seal();
    this.lock.release();
  }

  private queue(job: () => Promise<void>): Promise<void> {
    this.work = this.work.then(job).catch((error: unknown) => this.options.onProblem(error));
    return this.work;
  }

  private async write(): Promise<void> {
    if (this.waiting.length === 0) return;
    const segment = await this.segment();
    const { waiting, waitingBytes } = this;
    // It is taken out only when it is written, so that a full disk loses nothing that still fits into memory.
    const text = Buffer.from(waiting.join(''));
    await segment.file.write(text, 0, text.length, segment.bytes);
    await segment.file.datasync();
    segment.bytes += text.length;
    this.waiting = this.waiting.slice(waiting.length);
    this.waitingBytes -= waitingBytes;
    if (segment.bytes >= this.largestBytes) await this.sealAll();
  }

  /** The segment of today; that of yesterday is sealed. */
  private async segment(): Promise<OpenSegment> {
    const nowMs = this.options.nowMs();
    const day = Math.floor(nowMs / DAY_MS);
    if (this.current !== null && this.current.day !== day) await this.sealAll();
    if (this.current !== null) return this.current;
    this.count += 1;
    const name = `${new Date(nowMs).toISOString().replaceAll(/[:.]/g, '-')}-${process.pid}-${this.count}.jsonl`;
    const path = join(this.folder, name);
    const file = await open(path, 'wx');
    syncFolder(this.folder);
    this.current = { path, file, day, bytes: 0 };
    return this.current;
  }

  /** Seals every segment that is there, the current one too. One that fails stays; the others go on. */
  private async sealAll(): Promise<void> {
    await this.current?.file.close();
    this.current = null;
    for (const name of readdirSync(this.folder).toSorted()) {
      if (!name.endsWith('.jsonl')) continue;
      try {
        const report = await sealSegment(this.options.catalogue, join(this.folder, name));
        if (report.records > 0 || report.badLines > 0) this.options.onSealed?.(report);
      } catch (error) {
        this.options.onProblem(error);
      }
    }
  }
}
