import type { WalletTransaction } from '../venues/port.ts';
import type { FlawLog } from './flaw-log.ts';
import { lineFlaw } from './plausibility/wallet-flaw.ts';

/** The end of a reading: its lines by rising id, and the id of the last line that was read before it. */
export interface HistoryRead {
  readonly lines: readonly WalletTransaction[];
  /** Undefined where the wallet's history is read for the first time. */
  readonly before: number | undefined;
}

/** The history of every wallet, as far as it was read: what counts was told alike by two readings. */
export class WalletHistory {
  private readonly findings: FlawLog;
  private readonly lastLineIds = new Map<string, number>();
  /** The lines of the wallet that is being read, by their id. */
  private readonly lines = new Map<number, WalletTransaction>();
  /** Whether one of them can not be right. */
  private hasFlaw = false;
  /**
   * What the last reading of each wallet's history told that was new, and wallets that are to be read again
   * to confirm it.
   */
  private readonly toldLines = new Map<string, string>();
  readonly unconfirmed = new Set<string>();
  /**
   * When the history that is being read was asked for, and the last two that were read to their end, by
   * currency.
   */
  private askedAtMs = 0;
  private readonly readSinceMs = new Map<string, number>();
  private readonly readBeforeMs = new Map<string, number>();

  constructor(findings: FlawLog) {
    this.findings = findings;
  }

  restore(lastLineIds: Readonly<Record<string, number>>): void {
    for (const [currency, id] of Object.entries(lastLineIds)) this.lastLineIds.set(currency, id);
  }

  /** The id of each wallet's last line; 0 of one that has had none. */
  store(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.lastLineIds);
  }

  /** Whether a wallet's history was read to its end. */
  isRead(currency: string): boolean {
    return this.lastLineIds.has(currency);
  }

  /** Whether two readings to the end were asked for at a time or later. */
  isReadTwiceSince(currency: string, sinceMs: number): boolean {
    const readAtMs = this.readBeforeMs.get(currency);
    return readAtMs !== undefined && readAtMs >= sinceMs;
  }

  /**
   * One page of a wallet's history, newest first. Answers whether all of it was new, so that more may be on
   * the next page.
   */
  takePage(
    currency: string,
    lines: readonly WalletTransaction[],
    { page, askedAtMs }: { readonly page: number; readonly askedAtMs: number },
  ): boolean {
    const before = this.lastLineIds.get(currency);
    // A page that is read again while lines are added begins with some of the page before.
    if (page === 1) {
      this.lines.clear();
      this.hasFlaw = false;
      this.askedAtMs = askedAtMs;
    }
    for (const line of lines) {
      const flaw = lineFlaw(line, currency);
      if (flaw === null) this.lines.set(line.id, line);
      else {
        this.findings.note(`line ${line.id} of ${currency}`, flaw, { isGrave: false });
        this.hasFlaw = true;
      }
    }
    return before !== undefined && lines.length > 0 && lines.every(({ id }) => id > before);
  }

  /**
   * The last page was read. Answers the lines that two readings in a row have told alike; null while those
   * that are new were read only once, or where there is nothing new.
   */
  end(currency: string): HistoryRead | null {
    const before = this.lastLineIds.get(currency);
    const lines = this.confirmedLines(currency, before);
    // What one reading alone has told may be wrong, and a line that is passed over never comes again.
    if (lines === null) return null;
    const { readSinceMs } = this;
    this.readBeforeMs.set(currency, readSinceMs.get(currency) ?? Number.NEGATIVE_INFINITY);
    readSinceMs.set(currency, this.askedAtMs);
    // 0 where the wallet has had no line yet.
    const lastId = lines.at(-1)?.id ?? before ?? 0;
    if (lastId === before) return null;
    this.lastLineIds.set(currency, lastId);
    return { lines, before };
  }

  /** Nothing counts as read any more, as where the mirror was put back from a copy. */
  forget(): void {
    this.lastLineIds.clear();
    this.toldLines.clear();
  }

  private confirmedLines(currency: string, before: number | undefined): readonly WalletTransaction[] | null {
    const lines = [...this.lines.values()].toSorted((left, right) => left.id - right.id);
    this.lines.clear();
    const text = lines
      .filter(({ id }) => before === undefined || id > before)
      .map(({ id, amount }) => `${id} ${amount}`)
      .join(', ');
    const isNews = text !== '' || this.hasFlaw;
    const isTold = this.toldLines.get(currency) === text && !this.hasFlaw;
    this.toldLines.set(currency, text);
    if (isNews && !isTold) {
      this.unconfirmed.add(currency);
      return null;
    }
    this.unconfirmed.delete(currency);
    return lines;
  }
}
