import type { BarAnchors } from '../domain/bar-grid.ts';
import { SarrafError } from '../domain/errors.ts';
import type { MarketSymbol } from '../domain/market-symbol.ts';
import type { Timeframe } from '../domain/timeframe.ts';
import { rowTimeMs, type ReplayRow } from '../simulator/replay-row.ts';

/** Market data of a recording: decimals as texts. */
export interface ReplayedMarket {
  readonly symbol: MarketSymbol;
  readonly priceStep: string;
  readonly amountStep: string;
  readonly initialPrice: string;
}

/** A recording, read whole: rows in the order of time. */
export interface ReplayFile {
  readonly path: string;
  readonly rows: readonly ReplayRow[];
  /** Of its candles; null for trades. */
  readonly timeframe: Timeframe | null;
  /** Anchors of its candles, and of longer ones that are made of them; null for trades. */
  readonly barAnchors: BarAnchors | null;
  readonly market: ReplayedMarket;
}

/**
 * Rows that serve as the past, so that strategies have candles to begin with: this many candles, or this
 * share of trades.
 */
const WARM_UP_CANDLES = 200;
const WARM_UP_SHARE = 0.2;

/** Returns the start of a replay: the rows before serve as the past. At least half of it is played. */
export function replayStart({ rows, timeframe, path }: ReplayFile): {
  readonly warmUpRows: number;
  readonly startMs: number;
} {
  const wanted = timeframe === null ? Math.floor(rows.length * WARM_UP_SHARE) : WARM_UP_CANDLES;
  const warmUpRows = Math.min(wanted, Math.floor(rows.length / 2));
  const first = rows[warmUpRows];
  if (first === undefined)
    throw new SarrafError('INVALID_FILE', `expected at least one row in ${path}, was none`);
  return { warmUpRows, startMs: rowTimeMs(first) };
}
