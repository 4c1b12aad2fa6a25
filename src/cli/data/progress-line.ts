import { lengthText } from '../../domain/time-text.ts';

/** Least time between two drawings of the line, in ms. */
const EVERY_MS = 200;

/** A line on a terminal that shows progress, or lines for another program; else it shows nothing. */
export class ProgressLine {
  private readonly isShown: boolean;
  private readonly startMs = performance.now();
  private drawnMs = Number.NEGATIVE_INFINITY;
  private isDrawn = false;

  constructor(isShown: boolean) {
    this.isShown = isShown && (process.stderr.isTTY || wantsRecords());
  }

  /** Shows how many are done; `share`, from 0 to 1, is null if unknown. */
  show(progress: { readonly what: string; readonly done: number; readonly share: number | null }): void {
    const nowMs = performance.now();
    if (!this.isShown || nowMs - this.drawnMs < EVERY_MS) return;
    this.drawnMs = nowMs;
    if (wantsRecords()) {
      process.stderr.write(progressRecord(progress));
      return;
    }
    this.isDrawn = true;
    process.stderr.write(`\r\u001B[K${progressText({ ...progress, elapsedMs: nowMs - this.startMs })}`);
  }

  /** Removes the line. */
  end(): void {
    if (this.isDrawn) process.stderr.write('\r\u001B[K');
    this.isDrawn = false;
  }

  [Symbol.dispose](): void {
    this.end();
  }
}

/** True if another program started this one and reads its progress, as the lab does. */
export const wantsRecords = (): boolean => process.env['SARRAF_PROGRESS'] === 'records';

/** Returns progress as a line for a program. */
export function progressRecord({
  what,
  done,
  share,
  note,
}: {
  readonly what: string;
  readonly done: number;
  readonly share: number | null;
  readonly note?: string;
}): string {
  return `${JSON.stringify({ progress: { phase: what, done, share, note: note ?? null } })}\n`;
}

/** Returns the line: a bar, the subject, the count, the rate, the time left, and a note. */
export function progressText(progress: {
  readonly what: string;
  readonly done: number;
  readonly share: number | null;
  readonly elapsedMs: number;
  readonly note?: string;
}): string {
  const { what, done, share, elapsedMs, note } = progress;
  const words = [`${what}: ${done.toLocaleString('en')}`, `${rateText(done, elapsedMs)}/s`];
  if (share !== null && share > 0)
    words.push(`${Math.floor(share * 100)} %`, `${lengthText((elapsedMs * (1 - share)) / share)} left`);
  if (note !== undefined) words.push(note);
  return share === null ? words.join(', ') : `${bar(share)} ${words.join(', ')}`;
}

/** Rate below which one decimal is shown. */
const FEW = 10;

function rateText(done: number, elapsedMs: number): string {
  const rate = elapsedMs > 0 ? (done * 1_000) / elapsedMs : 0;
  const isSlow = rate > 0 && rate < FEW;
  return rate.toLocaleString('en', { maximumFractionDigits: isSlow ? 1 : 0 });
}

const BAR_CELLS = 20;

function bar(share: number): string {
  const full = Math.floor(Math.min(1, Math.max(0, share)) * BAR_CELLS);
  return `[${'#'.repeat(full)}${'.'.repeat(BAR_CELLS - full)}]`;
}
