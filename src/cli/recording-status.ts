import type { RecordingStatus } from '../daemon/market-polls.ts';
import { agoText } from '../domain/time-text.ts';

/** Describes a recording's progress in one line: rows and age of each kind, and the use of each limit. */
function statusText({ markets, nowMs, requests, failures, lastFailure, budgets }: RecordingStatus): string {
  const parts = markets.map(({ market, kinds }) => {
    const counts = Object.entries(kinds).map(
      ([kind, { rows, seenMs, gaps }]) =>
        `${kind} ${rows.toLocaleString('en')} (${agoText(seenMs, nowMs)}${gaps === 0 ? '' : `, ${gaps} gaps`})`,
    );
    return `${market} ${counts.join(', ')}`;
  });
  const use = budgets.map(({ budget, inUse, limit }) => `${budget} ${inUse}/${limit}`).join(', ');
  const failed = failures === 0 ? '' : `, ${failures} failed (${lastFailure})`;
  return `${parts.join('; ')}; ${requests} requests${failed}${use === '' ? '' : `; ${use}`}`;
}

/** Without a terminal a line a while is enough. */
const LINE_EVERY_MS = 10_000;

/**
 * Shows how far a recording is: in place on a terminal, as a line now and then elsewhere, as JSON lines for
 * programs.
 */
export class RecordingProgress {
  private readonly isJson: boolean;
  private lineMs = Number.NEGATIVE_INFINITY;
  private isDrawn = false;

  constructor(isJson: boolean) {
    this.isJson = isJson;
  }

  show(status: RecordingStatus): void {
    const isTerminal = process.stderr.isTTY && !this.isJson;
    if (isTerminal) {
      this.isDrawn = true;
      process.stderr.write(`\r\u001B[K${statusText(status).slice(0, process.stderr.columns - 1)}`);
    } else if (status.nowMs - this.lineMs >= LINE_EVERY_MS) {
      this.lineMs = status.nowMs;
      console.log(this.isJson ? JSON.stringify({ event: 'status', ...status }) : statusText(status));
    }
  }

  /** Says something beside it. */
  say(message: string): void {
    this.end();
    console.error(message);
  }

  /** Takes the line away. */
  end(): void {
    if (this.isDrawn) process.stderr.write('\r\u001B[K');
    this.isDrawn = false;
  }
}
