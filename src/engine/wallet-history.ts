import { present } from '../domain/invariant.ts';
import { cursorOf, LIST_START, mayFollow } from '../execution/own-list.ts';
import type { ListCursor, VenueProfile, WalletTransaction } from '../venues/port.ts';
import type { FlawLog } from './flaw-log.ts';
import { lineFlaw } from './plausibility/wallet-flaw.ts';
import type { StoredReconciliation } from './stored-reconciliation.ts';

/** What is new in a reading to the end. */
export interface HistoryRead {
  /** Oldest first. */
  readonly lines: readonly WalletTransaction[];
  /** Whether the wallet's history was read for the first time. */
  readonly isFirst: boolean;
}

type LastLines = StoredReconciliation['lastLines'];

/** The history of every wallet, as far as it was read: what counts was alike in two readings. */
export class WalletHistory {
  private readonly findings: FlawLog;
  private readonly list: VenueProfile['ownLists']['transactions'];
  /** By currency: the last line that was read, and those so near that a new one may stand among them. */
  private readonly lastLines = new Map<string, LastLines[string]>();
  /** The lines of the wallet that is being read, by their id. */
  private readonly lines = new Map<WalletTransaction['id'], WalletTransaction>();
  /** Whether one of them can not be right. */
  private hasFlaw = false;
  /**
   * What was new in the last reading of each wallet's history, and wallets that are to be read again to
   * confirm it.
   */
  private readonly lastNews = new Map<string, string>();
  readonly unconfirmed = new Set<string>();
  /**
   * When the history that is being read was asked for, and the last two that were read to their end, by
   * currency.
   */
  private askedAtMs = 0;
  private readonly readSinceMs = new Map<string, number>();
  private readonly readBeforeMs = new Map<string, number>();

  constructor(findings: FlawLog, { transactions }: VenueProfile['ownLists']) {
    this.findings = findings;
    this.list = transactions;
  }

  restore(lastLines: LastLines): void {
    for (const [currency, lines] of Object.entries(lastLines)) this.lastLines.set(currency, lines);
  }

  /** Each wallet's last lines; none of one that has had none. */
  store(): LastLines {
    return Object.fromEntries(this.lastLines);
  }

  /** Whether a wallet's history was read to its end. */
  isRead(currency: string): boolean {
    return this.lastLines.has(currency);
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
    const before = this.lastLines.get(currency);
    // A page that is read again while lines are added begins with some of the page before.
    if (page === 1) {
      this.lines.clear();
      this.hasFlaw = false;
      this.askedAtMs = askedAtMs;
    }
    for (const line of lines) {
      const flaw = lineFlaw(line, currency, this.list);
      if (flaw === null) this.lines.set(line.id, line);
      else {
        this.findings.note(`line ${line.id} of ${currency}`, flaw, { isGrave: false });
        this.hasFlaw = true;
      }
    }
    if (before === undefined || lines.length === 0) return false;
    return lines.every((line) => mayFollow(this.list, this.cursorOf(line), endOf(before)));
  }

  /**
   * The last page was read. Answers the new lines that were alike in two readings in a row; null while they
   * were read only once, or where there is nothing new.
   */
  end(currency: string): HistoryRead | null {
    const before = this.lastLines.get(currency);
    const lines = this.confirmedLines(currency);
    // What one reading alone shows may be wrong, and a line that is passed over never comes again.
    if (lines === null) return null;
    const { readSinceMs } = this;
    this.readBeforeMs.set(currency, readSinceMs.get(currency) ?? Number.NEGATIVE_INFINITY);
    readSinceMs.set(currency, this.askedAtMs);
    if (before !== undefined && lines.length === 0) return null;
    const known = [
      ...(before ?? []),
      ...lines.map((line) => [line.id, this.cursorOf(line)] as const),
    ].toSorted(([, left], [, right]) => left - right);
    const end = endOf(known);
    const last = known.filter(([, cursor]) => cursor === end || mayFollow(this.list, cursor, end));
    this.lastLines.set(currency, last);
    return { lines, isFirst: before === undefined };
  }

  /** Nothing counts as read any more, as where the mirror was put back from a copy. */
  forget(): void {
    this.lastLines.clear();
    this.lastNews.clear();
  }

  private confirmedLines(currency: string): readonly WalletTransaction[] | null {
    // The pages show the newest first, and some lines may stand at one place.
    const lines = [...this.lines.values()]
      .filter((line) => this.isNew(currency, line))
      .toReversed()
      .toSorted((left, right) => this.cursorOf(left) - this.cursorOf(right));
    this.lines.clear();
    const text = lines.map(({ id, amount }) => `${id} ${amount}`).join(', ');
    const isNews = text !== '' || this.hasFlaw;
    const isConfirmed = this.lastNews.get(currency) === text && !this.hasFlaw;
    this.lastNews.set(currency, text);
    if (isNews && !isConfirmed) {
      this.unconfirmed.add(currency);
      return null;
    }
    this.unconfirmed.delete(currency);
    return lines;
  }

  private isNew(currency: string, line: WalletTransaction): boolean {
    const known = this.lastLines.get(currency);
    if (known === undefined) return true;
    return mayFollow(this.list, this.cursorOf(line), endOf(known)) && !known.some(([id]) => id === line.id);
  }

  private cursorOf({ id, atMs }: WalletTransaction): ListCursor {
    return present(cursorOf(this.list, { id, timeMs: atMs }), () => `the place of line ${id} in its list`);
  }
}

/** Where the last line of a wallet stands. */
function endOf(lines: LastLines[string]): ListCursor {
  return lines.at(-1)?.[1] ?? LIST_START;
}
