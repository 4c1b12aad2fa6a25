import { barsBetween, type CandleColumns } from '../src/domain/candle-columns.ts';
import { createMarket, type Market } from '../src/domain/market.ts';
import { parseMarket } from '../src/exchange/market-names.ts';

/** Two years of one-minute bars. */
export const BARS = 1_051_200;
export const MINUTE_MS = 60_000;
export const FROM_MS = 1_704_067_200_000;
export const MARKET = createMarket({
  market: parseMarket('BTCUSDT'),
  priceStep: '0.01',
  amountStep: '0.000001',
});

/** Bars of a random walk in whole cents, from a small generator. */
export function barWalk(): CandleColumns {
  let state = 12_345;
  const random = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const column = (): Float64Array => new Float64Array(BARS);
  const [openTimeMs, open, high, low, close, volume] = [
    column(),
    column(),
    column(),
    column(),
    column(),
    column(),
  ];
  let last = 6_500_000;
  for (let index = 0; index < BARS; index += 1) {
    const next = Math.max(1_000_000, Math.round(last * (1 + (random() - 0.5) * 0.02)));
    openTimeMs[index] = FROM_MS + index * MINUTE_MS;
    open[index] = last;
    close[index] = next;
    high[index] = Math.max(last, next) + Math.round(random() * 500);
    low[index] = Math.min(last, next) - Math.round(random() * 500);
    volume[index] = 10_000_000 + Math.round(random() * 1_000_000);
    last = next;
  }
  return {
    market: MARKET.symbol,
    timeframe: '1m',
    length: BARS,
    openTimeMs,
    priceDecimals: 2,
    open,
    high,
    low,
    close,
    volumeDecimals: 6,
    volume,
  };
}

function marketAt(index: number): Market {
  const market = parseMarket(`C${index}USDT`);
  return createMarket({ market, priceStep: '0.01', amountStep: '0.000001' });
}

/** Cuts the walk into `count` parts, each as the bars of another market over the same minutes. */
export function walksOf(
  count: number,
  columns: CandleColumns,
): readonly { readonly market: Market; readonly columns: CandleColumns }[] {
  const length = Math.floor(columns.length / count);
  return Array.from({ length: count }, (_, index) => {
    const market = marketAt(index);
    const part = barsBetween(columns, index * length, (index + 1) * length);
    const openTimeMs = columns.openTimeMs.slice(0, length);
    return { market, columns: { ...part, market: market.symbol, openTimeMs } };
  });
}

/**
 * Bars of `count` markets over the same minutes, each `length` bars from another place in the walk. Common
 * columns are shared, not copied.
 */
export function rangesOf(
  count: number,
  columns: CandleColumns,
  length: number,
): readonly { readonly market: Market; readonly columns: CandleColumns }[] {
  const { openTimeMs } = barsBetween(columns, 0, length);
  const apart = Math.floor((columns.length - length) / count);
  return Array.from({ length: count }, (_, index) => {
    const market = marketAt(index);
    const part = barsBetween(columns, index * apart, index * apart + length);
    return { market, columns: { ...part, market: market.symbol, openTimeMs } };
  });
}

/** Returns the first bars of the walk. Throws if the walk is shorter. */
export function firstBars(count: number): CandleColumns {
  if (!Number.isSafeInteger(count) || count < 1 || count > BARS)
    throw new Error(`expected 1 to ${BARS} bars, was ${count}`);
  const { openTimeMs, open, high, low, close, volume, ...rest } = barWalk();
  const part = (column: Float64Array): Float64Array => column.slice(0, count);
  return {
    ...rest,
    length: count,
    openTimeMs: part(openTimeMs),
    open: part(open),
    high: part(high),
    low: part(low),
    close: part(close),
    volume: part(volume),
  };
}
