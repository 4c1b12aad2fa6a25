import { present } from '../../domain/errors.ts';
import { cursorOf, LIST_START, mayFollow } from '../own-list.ts';
import type { OwnList, VenueProfile, WalletTransaction } from '../../venues/port.ts';
import type { IssueLog } from '../issue-log.ts';
import { lineIssue } from './plausibility.ts';
import type { StoredReconciliation } from '../stored-records.ts';
import type { ListCursor } from '../../domain/order.ts';

/** New lines of a history that a second reading has confirmed. */
export interface HistoryRead {
  /** Confirmed lines, oldest first. */
  readonly lines: readonly WalletTransaction[];
  /** True if the wallet's history was read for the first time. */
  readonly isFirst: boolean;
  /** True if there were more lines than are read at once, so that some were skipped. */
  readonly isCut: boolean;
}

type LastLines = StoredReconciliation['lastLines'];

/** Maximum number of pages of one reading; older pages are skipped. */
const MOST_PAGES = 40;

/** Number of lines stored from the end of each history: a new line may still be listed among them. */
const LINES_STORED = 100;

/** Stored lines that a reading must show again, or all if fewer, to be joined to the last reading. */
const LINES_JOINED = 10;

/** Lines that the last reading of a history showed and the one before did not. */
interface News {
  readonly askedAtMs: number;
  /** New lines, oldest first. */
  readonly lines: readonly WalletTransaction[];
}

/** The list of an exchange that has none: nothing is ever read of it. */
const NOT_LISTED: OwnList<WalletTransaction['id']> = { by: 'time', overlapMs: 0 };

/**
 * The history of every wallet, as far as it was read. A line counts once two readings in a row have shown it
 * and all lines before it. Lines that come late count as well, as long as they stand among the newest.
 */
export class WalletHistory {
  private readonly findings: IssueLog;
  private readonly list: OwnList<WalletTransaction['id']>;
  /** False if the exchange lists no history. */
  readonly isListed: boolean;
  /** Newest lines that count, by currency, and those so near that a new line may be listed among them. */
  readonly lastLines = new Map<string, LastLines[string]>();
  /** Lines of the wallet that is being read, by their id. */
  private readonly lines = new Map<WalletTransaction['id'], WalletTransaction>();
  /** Number of these lines that were stored before. */
  private knownLines = 0;
  /** True if one of these lines has an issue or could not be read. */
  private hasIssue = false;
  private isCut = false;
  /** Lines that the last reading of each history showed and that do not count yet. */
  private readonly news = new Map<string, News>();
  /** Currencies whose history is to be read again at once: the last reading has confirmed nothing. */
  readonly unconfirmed = new Set<string>();
  /**
   * Request time of the current reading; and, by currency, those of the last two readings of which every line
   * counts.
   */
  private askedAtMs = 0;
  private readonly wholeAtMs = new Map<string, readonly [last: number, before: number]>();

  constructor(findings: IssueLog, { transactions }: VenueProfile['ownLists']) {
    this.findings = findings;
    this.list = transactions ?? NOT_LISTED;
    this.isListed = transactions !== null;
  }

  restore(lastLines: LastLines): void {
    for (const [currency, lines] of Object.entries(lastLines)) this.lastLines.set(currency, lines);
  }

  /**
   * Returns what to store of each wallet's history, by currency: id and cursor of its newest counted lines. A
   * wallet without lines has an empty list; one that was not read yet has no entry.
   */
  store(): LastLines {
    return Object.fromEntries(this.lastLines);
  }

  /**
   * Returns the request time of the earlier of the last two readings that left no line uncounted: every line
   * listed by then counts. Minus infinity before there are two in this life.
   */
  readTwiceSinceMs(currency: string): number {
    return this.wholeAtMs.get(currency)?.[1] ?? Number.NEGATIVE_INFINITY;
  }

  /**
   * Applies one page of a wallet's history, newest first. Returns true if the next page has to be read, since
   * the pages so far do not join what was read before.
   */
  applyPage(
    currency: string,
    lines: readonly WalletTransaction[],
    {
      page,
      askedAtMs,
      hasNext,
      isMissing = false,
    }: {
      readonly page: number;
      readonly askedAtMs: number;
      readonly hasNext: boolean;
      /** True if a line of it could not be read. */
      readonly isMissing?: boolean;
    },
  ): boolean {
    // Lines that are added between two requests push older ones to the next page, which repeats them.
    if (page === 1) {
      this.lines.clear();
      this.knownLines = 0;
      this.hasIssue = false;
      this.isCut = false;
      this.askedAtMs = askedAtMs;
    }
    if (isMissing) this.hasIssue = true;
    const known = this.lastLines.get(currency);
    const ids = new Set(known?.map(([id]) => id));
    for (const line of lines) {
      const issue = lineIssue(line, currency, this.list);
      if (issue === null) {
        if (ids.has(line.id) && !this.lines.has(line.id)) this.knownLines += 1;
        this.lines.set(line.id, line);
      } else {
        this.findings.note(`line ${line.id} of ${currency}`, issue, { isGrave: false });
        this.hasIssue = true;
      }
    }
    if (known === undefined || lines.length === 0 || !hasNext) return false;
    const isJoined = known.length > 0 && this.knownLines >= Math.min(known.length, LINES_JOINED);
    if (isJoined || lines.some((line) => this.isBefore(line, known))) return false;
    this.isCut = page >= MOST_PAGES;
    return !this.isCut;
  }

  /**
   * Ends a reading after its last page. Returns the new lines that count from now on; null if there are none.
   * One reading alone may be wrong, and a skipped line never comes again.
   */
  end(currency: string): HistoryRead | null {
    const { askedAtMs, isCut } = this;
    const shown = this.newLines(currency);
    this.lines.clear();
    if (this.hasIssue) {
      this.unconfirmed.add(currency);
      return null;
    }
    const isFirst = !this.lastLines.has(currency);
    const news = this.news.get(currency) ?? { askedAtMs, lines: [] };
    const lines = isFirst || isCut ? sameAfterFirst(news.lines, shown) : sameBeginning(news.lines, shown);
    const last = lines.at(-1);
    const rest = last === undefined ? shown : shown.slice(shown.indexOf(last) + 1);
    this.news.set(currency, { askedAtMs, lines: rest });
    if (rest.length > 0 && lines.length === 0) this.unconfirmed.add(currency);
    else this.unconfirmed.delete(currency);
    // A reading without lines that the one before has shown is an old one, or the one before was wrong.
    const newest = news.lines.at(-1);
    if (newest === undefined || lines.some(({ id }) => id === newest.id)) {
      if (news.lines.length > 0) this.wasWhole(currency, news.askedAtMs);
      if (rest.length === 0) this.wasWhole(currency, askedAtMs);
    }
    if (isFirst ? rest.length > 0 && lines.length === 0 : lines.length === 0) return null;
    this.remember(currency, lines);
    return { lines, isFirst, isCut };
  }

  /** Forgets all that was read, as after the mirror was restored from a copy. */
  forget(): void {
    this.lastLines.clear();
    this.news.clear();
    this.wholeAtMs.clear();
  }

  private wasWhole(currency: string, askedAtMs: number): void {
    const [last] = this.wholeAtMs.get(currency) ?? [Number.NEGATIVE_INFINITY];
    this.wholeAtMs.set(currency, [askedAtMs, last]);
  }

  /** Returns the lines of the reading that do not count yet, oldest first. */
  private newLines(currency: string): readonly WalletTransaction[] {
    const known = this.lastLines.get(currency) ?? [];
    const ids = new Set(known.map(([id]) => id));
    const fresh: WalletTransaction[] = [];
    for (const line of this.lines.values())
      if (!ids.has(line.id) && !this.isBefore(line, known)) fresh.push(line);
    // Pages show the newest first, and several lines may have the same cursor.
    return fresh.toReversed().toSorted((left, right) => this.cursorOf(left) - this.cursorOf(right));
  }

  /** True if a line that is not stored is listed before the stored ones: it counts already. */
  private isBefore(line: WalletTransaction, known: LastLines[string]): boolean {
    const first = known[0]?.[1] ?? LIST_START;
    const end = known.at(-1)?.[1] ?? LIST_START;
    const cursor = this.cursorOf(line);
    return cursor <= first && !mayFollow(this.list, cursor, end);
  }

  /** Stores lines, which count from now on. */
  private remember(currency: string, lines: readonly WalletTransaction[]): void {
    const known: LastLines[string][number][] = [...(this.lastLines.get(currency) ?? [])];
    for (const line of lines) known.push([line.id, this.cursorOf(line)]);
    known.sort(([, left], [, right]) => left - right);
    const end = known.at(-1)?.[1] ?? LIST_START;
    const last = known.filter(
      ([, cursor], place) => place >= known.length - LINES_STORED || mayFollow(this.list, cursor, end),
    );
    this.lastLines.set(currency, last);
  }

  private cursorOf({ id, atMs }: WalletTransaction): ListCursor {
    return present(cursorOf(this.list, { id, timeMs: atMs }), () => `the place of line ${id} in its list`);
  }
}

/** Returns the lines with which both readings begin. */
function sameBeginning(
  before: readonly WalletTransaction[],
  now: readonly WalletTransaction[],
): readonly WalletTransaction[] {
  for (const [at, { id, amount }] of now.entries())
    if (id !== before[at]?.id || amount !== before[at].amount) return now.slice(0, at);
  return now;
}

/**
 * Returns the common lines of two readings when no line before them is known. The oldest lines may be missing
 * now, as newer ones replace them. All others must be the same, or none counts: lines from before the first
 * reading could not be told from later ones.
 */
function sameAfterFirst(
  before: readonly WalletTransaction[],
  now: readonly WalletTransaction[],
): readonly WalletTransaction[] {
  const start = before.findIndex(({ id }) => id === now[0]?.id);
  const shown = start === -1 ? [] : before.slice(start);
  const same = sameBeginning(shown, now);
  return same.length < shown.length ? [] : same;
}
