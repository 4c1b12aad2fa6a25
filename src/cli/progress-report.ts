import { progressText, progressRecord, wantsRecords } from './data/progress-line.ts';

/** Duration of work below which no progress is shown, in ms. */
const QUIET_MS = 2_000;

/** Intervals of progress, in ms: on a terminal one line is drawn again; else lines get rarer. */
const DRAW_EVERY_MS = 200;
const RECORD_EVERY_MS = 500;
const FIRST_LINE_EVERY_MS = 5_000;
const LONGEST_LINE_EVERY_MS = 60_000;

const DEFAULT_COLUMNS = 80;

type Progress = Omit<Parameters<typeof progressRecord>[0], 'what'>;

interface ProgressOptions {
  /** `terminal`: one line is drawn again and again; `records`: a line of JSON for another program. */
  readonly form: 'terminal' | 'lines' | 'records';
  readonly columns?: number;
  readonly write: (text: string) => void;
  /** Returns the time in ms. */
  readonly clock: () => number;
}

/** Shows the progress of long work in several phases, each with its own rate and time left. */
export class ProgressReport {
  private readonly options: ProgressOptions;
  private readonly startMs: number;
  private phase = '';
  private phaseMs: number;
  private shownMs = Number.NEGATIVE_INFINITY;
  private lineEveryMs = FIRST_LINE_EVERY_MS;
  private isDrawn = false;
  private ticker: NodeJS.Timeout | null = null;

  constructor(options: ProgressOptions) {
    this.options = options;
    this.startMs = options.clock();
    this.phaseMs = this.startMs;
  }

  /** Begins a phase. One that reports nothing itself, such as reading a file, is shown with its time. */
  begin(phase: string): void {
    this.phase = phase;
    this.phaseMs = this.options.clock();
    this.stopTicking();
    this.ticker = setInterval(() => this.tick(), DRAW_EVERY_MS);
    this.ticker.unref();
  }

  /** Updates the elapsed time. */
  tick(): void {
    const nowMs = this.options.clock();
    if (this.isTime(nowMs))
      this.showText(`${this.phase}: ${Math.floor((nowMs - this.phaseMs) / 1_000)} s`, nowMs, {
        done: 0,
        share: null,
      });
  }

  /** Shows progress. `share`: from 0 to 1; null if unknown. `note`: text at the end. */
  show(progress: Progress): void {
    this.stopTicking();
    const nowMs = this.options.clock();
    if (!this.isTime(nowMs)) return;
    const text = progressText({ ...progress, what: this.phase, elapsedMs: nowMs - this.phaseMs });
    this.showText(text, nowMs, progress);
  }

  /** Ends the progress and removes the line from a terminal. */
  end(): void {
    this.stopTicking();
    if (this.isDrawn) this.options.write('\r\u001B[K');
    this.isDrawn = false;
  }

  [Symbol.dispose](): void {
    this.end();
  }

  private isTime(nowMs: number): boolean {
    const { form } = this.options;
    if (form !== 'records' && nowMs - this.startMs < QUIET_MS) return false;
    const everyMs = { terminal: DRAW_EVERY_MS, lines: this.lineEveryMs, records: RECORD_EVERY_MS }[form];
    return nowMs - this.shownMs >= everyMs;
  }

  private showText(text: string, nowMs: number, progress: Progress): void {
    const { form, columns = DEFAULT_COLUMNS, write } = this.options;
    if (form !== 'terminal' && this.shownMs > Number.NEGATIVE_INFINITY)
      this.lineEveryMs = Math.min(LONGEST_LINE_EVERY_MS, this.lineEveryMs * 2);
    this.shownMs = nowMs;
    if (form !== 'terminal') {
      write(form === 'records' ? progressRecord({ ...progress, what: this.phase }) : `${text}\n`);
      return;
    }
    this.isDrawn = true;
    // A line that wraps could not be drawn over.
    write(`\r\u001B[K${text.slice(0, Math.max(1, columns - 1))}`);
  }

  private stopTicking(): void {
    if (this.ticker !== null) clearInterval(this.ticker);
    this.ticker = null;
  }
}

/** Creates a report on standard error, beside the output; silent if the output is for a program. */
export function reportOnStderr({ isSilent }: { readonly isSilent: boolean }): ProgressReport {
  return new ProgressReport({
    form: wantsRecords() ? 'records' : process.stderr.isTTY ? 'terminal' : 'lines',
    columns: process.stderr.columns,
    write: isSilent ? () => {} : (text) => void process.stderr.write(text),
    clock: () => performance.now(),
  });
}
