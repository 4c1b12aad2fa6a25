import {
  gridOf,
  gridText,
  liesInside,
  UTC_BARS,
  type BarAnchor,
  type BarAnchors,
  type BarGrid,
  type Candle,
  type BarValues,
  TIMEFRAMES,
  type Timeframe,
} from '../domain/candle.ts';
import { candleAt } from '../domain/candle-columns.ts';
import { invalidOptions } from '../domain/errors.ts';
import type { MarketSymbol } from '../domain/market-symbol.ts';
import type { AppendOutcome } from './staging-table.ts';
import type { Catalogue } from './catalogue.ts';
import { anchorsOf } from './manifest.ts';
import { partitionsWithin } from './read-rows.ts';
import type { TimeRange } from './records.ts';
import { formatUnits, unitsOf, type Units } from '../domain/money.ts';

interface ResampleOptions {
  readonly market: MarketSymbol;
  /** Source of the bars; null: the longest candles that divide them. */
  readonly from: Timeframe | 'trades' | null;
  readonly to: Timeframe;
  /** Start of the new bars; null: that of the catalogue's bars, or of their source. */
  readonly anchor?: BarAnchor | null;
  readonly range: TimeRange;
}

/**
 * Builds longer candles from shorter ones, or from trades, and adds them to the catalogue. Only bars that the
 * data can cover completely are built; those it covers partly at both ends are left out. A bar with a gap
 * inside is built from the existing data. Shorter candles must lie whole inside the longer ones. Throws
 * `INVALID_OPTIONS` if the data is not suitable.
 */
export async function resample(
  catalogue: Catalogue,
  options: ResampleOptions,
): Promise<{ readonly from: Timeframe | 'trades'; readonly outcome: AppendOutcome }> {
  const { market, to, range } = options;
  const from = options.from ?? sourceFor(catalogue, options);
  if (from === to) throw invalidOptions(`expected a finer timeframe than ${to}, was the same`);
  const { anchors, grid, parts: partGrid } = gridsOf(catalogue, options, from);
  if (partGrid !== null && grid.lengthMs % partGrid.lengthMs !== 0)
    throw invalidOptions(`expected candles that fill those of ${to}, was ${from}: they do not divide them`);
  if (partGrid !== null && !liesInside(partGrid, grid))
    throw invalidOptions(
      `expected candles that lie whole inside those of ${gridText(grid)}, was ${gridText(partGrid)}: name finer ones with --of, or another beginning with --anchor`,
    );
  const builder = new BarBuilder(grid);
  const pieces =
    from === 'trades'
      ? tradePieces(catalogue, market, range)
      : candlePieces(catalogue, { market, from, range });
  let firstMs: number | null = null;
  let endMs = 0;
  for await (const part of pieces) {
    for (const piece of part.candles) builder.add(piece);
    firstMs ??= part.candles[0]?.openTimeMs ?? null;
    const lastMs = part.candles.at(-1)?.openTimeMs ?? 0;
    endMs = partGrid === null ? lastMs : partGrid.endOf(lastMs);
    if (builder.count > MOST_BUILT_BARS)
      throw invalidOptions(`expected at most ${MOST_BUILT_BARS} bars, found more: ask for a shorter time`);
  }
  const candles = builder
    .candles()
    .filter(({ openTimeMs }) => openTimeMs >= (firstMs ?? 0) && grid.endOf(openTimeMs) <= endMs);
  if (candles.length === 0)
    throw invalidOptions(`expected data of ${market} over at least one whole bar of ${to}, found less`);
  return {
    from,
    outcome: await catalogue.appendCandles({
      market,
      timeframe: to,
      anchors,
      source: `resampled from ${from}`,
      candles: [candles],
    }),
  };
}

/** Returns the grids of the new bars and of their parts; the latter is null for trades. */
function gridsOf(
  catalogue: Catalogue,
  { market, to, anchor = null }: ResampleOptions,
  from: Timeframe | 'trades',
): { readonly anchors: BarAnchors; readonly grid: BarGrid; readonly parts: BarGrid | null } {
  const there = catalogue.manifest({ market, kind: 'candles', timeframe: to });
  const source = from === 'trades' ? null : catalogue.manifest({ market, kind: 'candles', timeframe: from });
  const ofSource = from === 'trades' ? UTC_BARS : anchorsOf(source, from);
  const known = there !== null && there.partitions.length > 0 ? anchorsOf(there, to) : ofSource;
  const anchors = anchor === null ? known : { ...known, [to]: anchor };
  return {
    anchors,
    grid: gridOf(to, anchors),
    parts: from === 'trades' ? null : gridOf(from, ofSource),
  };
}

/** Returns the longest existing candles in the range that divide the requested ones; else the trades. */
function sourceFor(catalogue: Catalogue, options: ResampleOptions): Timeframe | 'trades' {
  const { market, to, range } = options;
  const there = catalogue
    .keys()
    .filter((key) => key.market === market && partitionsWithin(catalogue.root, key, range).length > 0);
  const finer = TIMEFRAMES.filter((timeframe) => {
    const { grid, parts } = gridsOf(catalogue, options, timeframe);
    return timeframe !== to && parts !== null && liesInside(parts, grid);
  }).toReversed();
  const found = finer.find((timeframe) =>
    there.some((key) => key.kind === 'candles' && key.timeframe === timeframe),
  );
  if (found !== undefined) return found;
  if (there.some(({ kind }) => kind === 'trades')) return 'trades';
  throw invalidOptions(
    `expected candles of ${market} that are finer than ${to} and divide it, or trades, found none; see "sarraf data list"`,
  );
}

/** Number of bars that are converted at once. */
const PART_BARS = 10_000;

interface Pieces {
  readonly candles: readonly Candle[];
}

async function* candlePieces(
  catalogue: Catalogue,
  of: { readonly market: MarketSymbol; readonly from: Timeframe; readonly range: TimeRange },
): AsyncGenerator<Pieces> {
  const columns = await catalogue.readCandles({ market: of.market, timeframe: of.from, ...of.range });
  for (let at = 0; at < columns.length; at += PART_BARS) {
    const length = Math.min(PART_BARS, columns.length - at);
    const candles = Array.from({ length }, (_, index) => candleAt(columns, at + index));
    yield { candles };
  }
}

async function* tradePieces(
  catalogue: Catalogue,
  market: MarketSymbol,
  range: TimeRange,
): AsyncGenerator<Pieces> {
  for await (const part of catalogue.readTrades({ market, ...range })) {
    const candles = part.map(({ timeMs, seenMs, price, amount }) => ({
      openTimeMs: timeMs ?? seenMs,
      open: price,
      high: price,
      low: price,
      close: price,
      volume: amount,
    }));
    yield { candles };
  }
}

type Bar = { -readonly [Name in Exclude<keyof BarValues<Units>, 'volume'>]: Units } & {
  firstMs: number;
  lastMs: number;
  volume: bigint;
};

/** Maximum number of bars that are built at once: more than ten years of minutes. */
export const MOST_BUILT_BARS = 6_000_000;

/**
 * Builds bars of one timeframe from shorter bars or trades, exactly. They may come newest first; of two with
 * the same time the one added first counts as the open.
 */
export class BarBuilder {
  private readonly grid: BarGrid;
  private readonly bars = new Map<number, Bar>();

  constructor(grid: BarGrid) {
    this.grid = grid;
  }

  get count(): number {
    return this.bars.size;
  }

  /** Adds a shorter bar. A trade is a bar with four equal prices. */
  add(piece: Candle): void {
    const { openTimeMs: timeMs } = piece;
    const start = this.grid.startOf(timeMs);
    const [open, high, low, close] = [
      unitsOf(piece.open),
      unitsOf(piece.high),
      unitsOf(piece.low),
      unitsOf(piece.close),
    ];
    const volume = unitsOf(piece.volume);
    const bar = this.bars.get(start);
    if (bar === undefined) {
      this.bars.set(start, { firstMs: timeMs, lastMs: timeMs, open, high, low, close, volume });
      return;
    }
    if (timeMs < bar.firstMs) [bar.firstMs, bar.open] = [timeMs, open];
    if (timeMs >= bar.lastMs) [bar.lastMs, bar.close] = [timeMs, close];
    if (high > bar.high) bar.high = high;
    if (low < bar.low) bar.low = low;
    bar.volume += volume;
  }

  /** Returns the bars, oldest first. */
  candles(): Candle[] {
    return [...this.bars]
      .toSorted(([left], [right]) => left - right)
      .map(([openTimeMs, bar]) => ({
        openTimeMs,
        open: formatUnits(bar.open),
        high: formatUnits(bar.high),
        low: formatUnits(bar.low),
        close: formatUnits(bar.close),
        volume: formatUnits(bar.volume),
      }));
  }
}

/** Time after a bar's end in ms within which its last trades may still appear. */
export const SETTLE_MS = 5_000;

/** True if a bar that ends at a time was seen late enough to be final. */
export const isSettled = (endMs: number, seenMs: number): boolean => seenMs >= endMs + SETTLE_MS;
