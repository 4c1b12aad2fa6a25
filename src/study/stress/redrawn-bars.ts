import { columnScale, firstBarFrom, type CandleColumns } from '../../domain/candle-columns.ts';
import { SarrafError } from '../../domain/errors.ts';
import { UNIT_DECIMALS, type Units } from '../../domain/money.ts';
import { present } from '../../domain/invariant.ts';
import type { RandomSource } from '../../domain/random.ts';
import { stationaryBootstrap } from '../../statistics/stationary-bootstrap.ts';

/** Bars of a market, and the step that its prices are on. */
interface SteppedBars {
  readonly columns: CandleColumns;
  readonly priceStep: Units;
}

/** Options for drawing bars anew. */
export interface RedrawOptions {
  readonly fromMs: number | null;
  readonly meanBlock: number;
  readonly random: RandomSource;
}

/** Another history of the same kind: blocks of bars drawn anew by the stationary bootstrap. */
export function redrawnBars(markets: readonly SteppedBars[], of: RedrawOptions): readonly CandleColumns[] {
  const { fromMs } = of;
  const times = barTimes(
    markets.map(({ columns }) => columns),
    fromMs,
  );
  return barsInOrder(markets, { fromMs, order: drawnOrder(times.length, of) });
}

/** For each of so many times, in order, the one whose bars it gets. */
export function drawnOrder(
  length: number,
  { meanBlock, random }: Pick<RedrawOptions, 'meanBlock' | 'random'>,
): Int32Array {
  const order = new Int32Array(length);
  stationaryBootstrap({ length, meanBlock, random })(order);
  return order;
}

/** The opens of all bars from a time on, of any of the markets, each once. */
export function barTimes(markets: readonly CandleColumns[], fromMs: number | null): Float64Array {
  const own = markets.map((columns) => columns.openTimeMs.subarray(firstOf(columns, fromMs), columns.length));
  const [only] = own;
  if (only !== undefined && own.length === 1) return only;
  const times = new Set<number>();
  for (const some of own) for (const time of some) times.add(time);
  return Float64Array.from(times).sort();
}

/**
 * Bars whose places are those of `order`, which counts the times of `barTimes` from 0: at each time every
 * market has the bar that it had at the drawn time, and none where it had none then. So markets still move
 * together.
 *
 * Of a bar is kept what it is relative to the close before it, and its volume. Prices are chained from the
 * close before the range, or from the first open, and put on the market's step: the nearest, and at least
 * one. What is chained is not rounded, so roundings do not add up. Bars before the range stay as they are.
 * Throws `TOO_LARGE` where a price is beyond 2^53.
 */
export function barsInOrder(
  markets: readonly SteppedBars[],
  of: { readonly fromMs: number | null; readonly order: Int32Array },
): readonly CandleColumns[] {
  const times = barTimes(
    markets.map(({ columns }) => columns),
    of.fromMs,
  );
  return markets.map((market) => {
    const first = firstOf(market.columns, of.fromMs);
    return chained(market, {
      first,
      times,
      sources: sourcesOf(market.columns, { first, times }),
      order: of.order,
    });
  });
}

const firstOf = (columns: CandleColumns, fromMs: number | null): number =>
  fromMs === null ? 0 : firstBarFrom(columns, fromMs);

/** The bar that a market has at each time; -1 where it has none. */
function sourcesOf(
  { openTimeMs, length }: CandleColumns,
  { first, times }: { readonly first: number; readonly times: Float64Array },
): Int32Array {
  let next = first;
  return Int32Array.from(times, (time) => {
    if (next >= length || openTimeMs[next] !== time) return -1;
    next += 1;
    return next - 1;
  });
}

const PRICES = ['open', 'high', 'low', 'close'] as const;

function chained(
  { columns, priceStep }: SteppedBars,
  of: {
    readonly first: number;
    readonly times: Float64Array;
    readonly sources: Int32Array;
    readonly order: Int32Array;
  },
): CandleColumns {
  const { first, times, sources, order } = of;
  const priceDecimals = decimalsWith(priceStep, columns.priceDecimals);
  const scale = 10 ** (priceDecimals - columns.priceDecimals);
  const step = Number(priceStep / columnScale(priceDecimals));
  const longest = first + times.length;
  const made = {
    openTimeMs: new Float64Array(longest),
    open: new Float64Array(longest),
    high: new Float64Array(longest),
    low: new Float64Array(longest),
    close: new Float64Array(longest),
    volume: new Float64Array(longest),
  };
  for (const price of PRICES)
    for (let bar = 0; bar < first; bar += 1) made[price][bar] = cell(columns[price], bar) * scale;
  made.openTimeMs.set(columns.openTimeMs.subarray(0, first));
  made.volume.set(columns.volume.subarray(0, first));
  let length = first;
  let chain = columns.length === 0 ? 0 : closeBefore(columns, first) * scale;
  for (const [index, time] of times.entries()) {
    const source = cell(sources, cell(order, index));
    if (source === -1) continue;
    const ratio = chain / closeBefore(columns, source);
    for (const price of PRICES) made[price][length] = onStep(ratio * cell(columns[price], source), step);
    made.openTimeMs[length] = time;
    made.volume[length] = cell(columns.volume, source);
    chain = ratio * cell(columns.close, source);
    length += 1;
  }
  return { ...columns, ...made, priceDecimals, length };
}

/** The close before a bar; of the first one its own open. */
function closeBefore({ open, close }: CandleColumns, bar: number): number {
  return bar === 0 ? cell(open, 0) : cell(close, bar - 1);
}

function onStep(price: number, step: number): number {
  const found = Math.max(1, Math.round(price / step)) * step;
  if (Number.isSafeInteger(found)) return found;
  throw new SarrafError('TOO_LARGE', `expected a drawn price below 2^53 of its last decimal, was ${found}`);
}

/** As many decimals as both the prices and their step need. */
function decimalsWith(priceStep: Units, least: number): number {
  let decimals = least;
  while (decimals < UNIT_DECIMALS && priceStep % columnScale(decimals) !== 0n) decimals += 1;
  return decimals;
}

const cell = (column: Float64Array | Int32Array, index: number): number =>
  present(column[index], 'a cell of every column for each bar');
