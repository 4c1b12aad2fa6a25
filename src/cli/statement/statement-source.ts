import { parseUnits, type Units } from '../../domain/money.ts';
import { STORED_BALANCE_MARKS } from '../../engine/comparisons.ts';
import { readRecord } from '../../engine/stored-records.ts';
import { STORED_RECONCILIATION } from '../../engine/stored-reconciliation.ts';
import { MARKET_NAMES, parseMarket } from '../../exchange/market-names.ts';
import { walletLineKind } from '../../exchange/wallet.ts';
import { isPlaceholder, type FillRecord } from '../../records/fill.ts';
import type { StatementRows } from '../../mirror/read-statement-rows.ts';
import type { RecordedBalances, StatementTrade } from '../../portfolio/statement-line.ts';
import { lineKey, type StatementSource } from '../../portfolio/make-statement.ts';

/** Data of a mirror for a statement, with remarks on it. */
export interface ReadSource {
  readonly source: StatementSource;
  /** Reason for the start of the data. */
  readonly begins: 'mirror' | 'deleted-trades' | 'deleted-lines';
  /** Currencies whose wallet's history the bot reads. */
  readonly followed: ReadonlySet<string>;
  /** Of the break that nobody has accepted yet; empty without one. */
  readonly differences: readonly {
    readonly currency: string;
    readonly expected: string;
    readonly found: string;
  }[];
  /** Trades of a market that nobody knows: they are left out. */
  readonly unknownMarkets: number;
}

/** Makes the source of a statement of what a mirror has. Null where the mirror is empty. */
export function sourceOf(rows: StatementRows): ReadSource | null {
  const { beganAtMs, aliveUntilMs, deletedFills, deletedLines } = rows;
  if (beganAtMs === null || aliveUntilMs === null) return null;
  const fillsSinceMs = deletedFills.count > 0 ? (deletedFills.sinceMs ?? 0) : 0;
  const linesSinceMs = Math.max(0, ...deletedLines.map(({ sinceMs }) => sinceMs));
  const sinceMs = Math.max(beganAtMs, fillsSinceMs, linesSinceMs);
  const stored = readRecord(rows.stored, STORED_RECONCILIATION);
  const expected = stored?.books.expected ?? {};
  const now = new Map(rows.balances.map(({ currency, total }) => [currency, total]));
  // What the books have goes with the trades that are stored; a wallet may be read before its last trade is.
  for (const [currency, units] of Object.entries(expected)) now.set(currency, units as Units);
  const marks = readRecord(rows.stored, STORED_BALANCE_MARKS)?.marks ?? [];
  const records: RecordedBalances[] = marks
    .filter(({ throughMs }) => sinceMs === beganAtMs || throughMs >= sinceMs)
    .map(({ totals, ...times }) => ({ ...times, totals: new Map(Object.entries(totals)) }));
  records.push({ throughMs: Number.POSITIVE_INFINITY, seenAtMs: aliveUntilMs, totals: now });
  return {
    source: {
      marketNames: MARKET_NAMES,
      beganAtMs: sinceMs,
      trades: () => tradesOf(rows.fills()),
      lines: rows.lines.filter(({ atMs }) => atMs >= sinceMs),
      moves: rows.moves.map((move) => ({
        ...move,
        amount: parseUnits(move.amount),
        price: parseUnits(move.price),
      })),
      describedKind: walletLineKind,
      uncounted: new Set((stored?.books.outside ?? []).map(([currency, id]) => lineKey({ currency, id }))),
      records,
      closes: rows.closesOf(MARKET_NAMES.bridge.market),
    },
    begins: sinceMs === beganAtMs ? 'mirror' : sinceMs === fillsSinceMs ? 'deleted-trades' : 'deleted-lines',
    followed: new Set([...(stored?.followed ?? []), ...Object.keys(expected)]),
    differences: stored?.break?.rows ?? [],
    unknownMarkets: countUnknown(rows.fills()),
  };
}

const UNKNOWN_MARKET = '?';

function* tradesOf(fills: Iterable<FillRecord>): Generator<StatementTrade> {
  for (const fill of fills) {
    if (fill.market === UNKNOWN_MARKET) continue;
    yield { ...fill, market: parseMarket(fill.market), isSum: isPlaceholder(fill) };
  }
}

function countUnknown(fills: Iterable<FillRecord>): number {
  let count = 0;
  for (const { market } of fills) if (market === UNKNOWN_MARKET) count += 1;
  return count;
}
