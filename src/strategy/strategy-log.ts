import { HOUR_MS } from '../domain/time-text.ts';
import { isFields } from './fields.ts';

/** One line of a strategy's own log. */
export interface StrategyLogLine {
  readonly text: string;
  /** Plain JSON; null where none were given. */
  readonly fields: Readonly<Record<string, unknown>> | null;
}

/** Lines of one call and of one hour of the run's time; what is more is counted and reported as one line. */
const MOST_A_CALL = 20;
const MOST_AN_HOUR = 1_000;

/** Characters of a line, and of its fields as JSON. */
const LONGEST_TEXT = 500;
const LONGEST_FIELDS = 1_000;

const NO_LINES: readonly StrategyLogLine[] = [];

/**
 * Gathers what a strategy logs until the engine takes it. By the run's own time only, so a backtest logs the
 * same each time.
 */
export class StrategyLog {
  private lines: StrategyLogLine[] | null = null;
  private inCall = 0;
  private inHour = 0;
  private hour = Number.NaN;
  private nowMs = 0;
  private dropped = 0;
  /** True if this hour's bound was reported. */
  private isFull = false;

  /** `log` of the context. Takes anything, and throws nothing. */
  readonly add = Object.freeze((text: unknown, fields?: unknown): void => {
    const hour = Math.floor(this.nowMs / HOUR_MS);
    if (hour !== this.hour) {
      this.hour = hour;
      this.inHour = 0;
      this.isFull = false;
    }
    if (this.inCall >= MOST_A_CALL || this.inHour >= MOST_AN_HOUR) {
      this.dropped += 1;
      return;
    }
    this.inCall += 1;
    this.inHour += 1;
    (this.lines ??= []).push({ text: textOf(text), fields: loggedFields(fields) });
  });

  /** A call begins, at a time of the run. */
  begin(nowMs: number): void {
    this.nowMs = nowMs;
    this.inCall = 0;
  }

  /** Returns the lines logged since its last call. */
  drain(): readonly StrategyLogLine[] {
    if (this.lines === null && this.dropped === 0) return NO_LINES;
    const lines = this.lines ?? [];
    this.lines = null;
    if (this.dropped > 0 && !this.isFull) {
      this.isFull = this.inHour >= MOST_AN_HOUR;
      const bound = this.isFull
        ? `${MOST_AN_HOUR} an hour: the rest of this hour is`
        : `${MOST_A_CALL} a call:`;
      const what = this.isFull ? 'dropped' : `${this.dropped} more were dropped`;
      lines.push({ text: `… expected at most ${bound} ${what}`, fields: null });
    }
    this.dropped = 0;
    return lines;
  }
}

function textOf(text: unknown): string {
  try {
    const whole = typeof text === 'string' ? text : String(text);
    return whole.length > LONGEST_TEXT ? `${whole.slice(0, LONGEST_TEXT)}…` : whole;
  } catch {
    return 'something that can not be said';
  }
}

function loggedFields(fields: unknown): StrategyLogLine['fields'] {
  if (fields === undefined || fields === null) return null;
  try {
    const json = JSON.stringify(fields, (_, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value,
    );
    if (json === undefined) return null;
    if (json.length > LONGEST_FIELDS) return { cut: `${json.slice(0, LONGEST_FIELDS)}…` };
    const plain: unknown = JSON.parse(json);
    return isFields(plain) && !Array.isArray(plain) ? plain : { value: plain };
  } catch {
    return { cut: 'fields that are no JSON' };
  }
}
