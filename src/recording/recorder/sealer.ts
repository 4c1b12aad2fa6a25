import { setTimeout as pause } from 'node:timers/promises';
import type { After } from './append-file.ts';
import type { Segment } from './read-segment.ts';
import { sealSegment, type SealReport, type SealTarget } from './seal-segment.ts';

/** A segment that could not be sealed, as while another process writes to its folder, is tried again after this. */
const AGAIN_AFTER_MS = 60_000;

/** At the end there is no later: so often, and so far apart, the rest is tried. */
const LAST_TRIES = 5;
const LAST_TRY_AFTER_MS = 1_000;

export interface SealerOptions extends SealTarget {
  readonly after: After;
  readonly onSealed: (segment: Segment, report: SealReport) => void;
  /** Told of each failure. The segment stays. */
  readonly onError: (error: unknown, segment: Segment) => void;
}

/** Seals segments one after another, beside everything else. What it can not seal stays where it is for the next process. */
export class Sealer {
  private readonly options: SealerOptions;
  private readonly failed = new Set<Segment>();
  private work: Promise<void> = Promise.resolve();
  private cancelAgain: (() => void) | null = null;
  private count = 0;

  constructor(options: SealerOptions) {
    this.options = options;
  }

  /** Segments that are complete and not yet in the catalogue. */
  get waiting(): number {
    return this.count;
  }

  add(segment: Segment): void {
    this.count += 1;
    this.queue(segment);
  }

  /** Resolves when everything that was added has been tried. */
  settled(): Promise<void> {
    return this.work;
  }

  /** Tries what is left for the last time. */
  async end(): Promise<void> {
    this.cancelAgain?.();
    await this.work;
    for (let tries = 0; tries < LAST_TRIES && this.failed.size > 0; tries += 1) {
      await pause(LAST_TRY_AFTER_MS);
      this.again();
      await this.work;
    }
    this.cancelAgain?.();
  }

  private queue(segment: Segment): void {
    this.work = this.work.then(async () => this.seal(segment));
  }

  private async seal(segment: Segment): Promise<void> {
    const { onSealed, onError, after } = this.options;
    try {
      const report = await sealSegment(segment, this.options);
      this.count -= 1;
      onSealed(segment, report);
    } catch (error) {
      this.failed.add(segment);
      onError(error, segment);
      this.cancelAgain ??= after(AGAIN_AFTER_MS, () => this.again());
    }
  }

  private again(): void {
    this.cancelAgain?.();
    this.cancelAgain = null;
    const segments = [...this.failed];
    this.failed.clear();
    for (const segment of segments) this.queue(segment);
  }
}
