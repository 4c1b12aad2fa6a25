import { setTimeout as pause } from 'node:timers/promises';
import type { After } from '../append-file.ts';
import type { Segment } from '../read-segment.ts';
import {
  finalizeSegments,
  type FinalizeReport,
  type FinalizeSegments,
  type FinalizeTarget,
} from '../finalize-segment.ts';

/**
 * A segment that could not be finalized, as while another process writes to its folder, is tried again after
 * this.
 */
const AGAIN_AFTER_MS = 60_000;

/** At the end there is no later: so often, and so far apart, the rest is tried. */
const LAST_TRIES = 5;
const LAST_TRY_AFTER_MS = 1_000;

interface SegmentCompactorOptions {
  readonly target: FinalizeTarget;
  /** In this process without it. */
  readonly finalize?: FinalizeSegments;
  readonly after: After;
  readonly onFinalized: (report: FinalizeReport & { readonly kind: 'sealed' }) => void;
  /** Called at each failure. The segment stays. */
  readonly onFailed: (report: FinalizeReport & { readonly kind: 'failed' }) => void;
}

/**
 * Finalizes segments beside everything else, those that have gathered together. What it can not finalize
 * stays where it is for the next process.
 */
export class SegmentCompactor {
  private readonly options: SegmentCompactorOptions;
  private waiting: Segment[] = [];
  private failed: Segment[] = [];
  private work: Promise<void> | null = null;
  private cancelAgain: (() => void) | null = null;

  constructor(options: SegmentCompactorOptions) {
    this.options = options;
  }

  add(...segments: readonly Segment[]): void {
    this.waiting.push(...segments);
    if (this.waiting.length > 0) this.work ??= this.finalizeWaiting();
  }

  /** Resolves when everything that was added has been tried. */
  async settled(): Promise<void> {
    await this.work;
  }

  /** Tries what is left for the last time. */
  async end(): Promise<void> {
    await this.work;
    for (let tries = 0; tries < LAST_TRIES && this.failed.length > 0; tries += 1) {
      await pause(LAST_TRY_AFTER_MS);
      this.again();
      await this.work;
    }
    this.cancelAgain?.();
  }

  private async finalizeWaiting(): Promise<void> {
    const { finalize = finalizeSegments, target } = this.options;
    while (this.waiting.length > 0) {
      const segments = this.waiting;
      this.waiting = [];
      for (const report of await finalize(segments, target)) this.note(report);
    }
    this.work = null;
  }

  private note(report: FinalizeReport): void {
    const { onFinalized, onFailed, after } = this.options;
    if (report.kind === 'sealed') {
      onFinalized(report);
      return;
    }
    this.failed.push(report.segment);
    onFailed(report);
    this.cancelAgain ??= after(AGAIN_AFTER_MS, () => this.again());
  }

  private again(): void {
    this.cancelAgain?.();
    this.cancelAgain = null;
    const segments = this.failed;
    this.failed = [];
    this.add(...segments);
  }
}
