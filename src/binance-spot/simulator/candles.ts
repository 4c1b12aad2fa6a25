import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../domain/time-text.ts';
import { paddedText } from './decimals.ts';
import type { SpotRow, TimeWriter } from './rows.ts';
import type { SpotMarket } from './state.ts';
import { addTo, type SpotBar, type TradeOnTape, tradeBar } from './tape.ts';
import { moneyOf, ratioOf } from './market-rules.ts';

/** Intervals of fixed length in ms; weeks and months follow the calendar. */
const LENGTHS = {
  '1s': 1_000,
  '1m': MINUTE_MS,
  '3m': 3 * MINUTE_MS,
  '5m': 5 * MINUTE_MS,
  '15m': 15 * MINUTE_MS,
  '30m': 30 * MINUTE_MS,
  '1h': HOUR_MS,
  '2h': 2 * HOUR_MS,
  '4h': 4 * HOUR_MS,
  '6h': 6 * HOUR_MS,
  '8h': 8 * HOUR_MS,
  '12h': 12 * HOUR_MS,
  '1d': DAY_MS,
  '3d': 3 * DAY_MS,
  '1w': 7 * DAY_MS,
} as const;

type SpotInterval = keyof typeof LENGTHS | '1M';
export const SPOT_INTERVALS = [...(Object.keys(LENGTHS) as (keyof typeof LENGTHS)[]), '1M'] as const;

/** Time from the Monday before 1970-01-01, a Thursday, to that day. */
const MONDAY_MS = 3 * DAY_MS;

/** Starts of candles of an interval, as clocks of a zone show them. */
export interface CandleGrid {
  readonly interval: SpotInterval;
  readonly offsetMin: number;
}

/** Returns the start of the candle that holds a time, or of one `after` candles later. */
export function candleStart({ interval, offsetMin }: CandleGrid, timeMs: number, after = 0): number {
  const offsetMs = offsetMin * MINUTE_MS;
  const local = timeMs + offsetMs;
  if (interval === '1M') {
    const { year, month } = monthOf(Math.floor(local / DAY_MS));
    return firstDay(year, month + after) * DAY_MS - offsetMs;
  }
  const length = LENGTHS[interval];
  const phase = interval === '1w' ? MONDAY_MS : 0;
  return (Math.floor((local + phase) / length) + after) * length - phase - offsetMs;
}

/** Year and month (from 0) of a day since 1970-01-01, by Howard Hinnant's `civil_from_days`. */
function monthOf(day: number): { readonly year: number; readonly month: number } {
  const shifted = day + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1_460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const month = shiftedMonth < 10 ? shiftedMonth + 2 : shiftedMonth - 10;
  return { year: yearOfEra + era * 400 + (month <= 1 ? 1 : 0), month };
}

/** Day since 1970-01-01 on which a month (from 0, of any size) begins, by his `days_from_civil`. */
function firstDay(year: number, monthOfYear: number): number {
  const month = ((monthOfYear % 12) + 12) % 12;
  const shiftedYear = year + Math.floor(monthOfYear / 12) - (month <= 1 ? 1 : 0);
  const era = Math.floor(shiftedYear / 400);
  const yearOfEra = shiftedYear - era * 400;
  const dayOfYear = Math.floor((153 * ((month + 10) % 12) + 2) / 5);
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

/** Index of the first item that is not before a time. */
export function firstFrom<Item>(
  items: readonly Item[],
  timeMs: number,
  timeOf: (item: Item) => number,
): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const item = items[middle];
    if (item !== undefined && timeOf(item) < timeMs) low = middle + 1;
    else high = middle;
  }
  return low;
}

const openMsOf = (bar: SpotBar): number => bar.openMs;
const timeOf = (trade: TradeOnTape): number => trade.timeMs;

/** Sums bars in a row; null for none. */
function summed(bars: readonly SpotBar[]): SpotBar | null {
  const [first, ...later] = bars;
  if (first === undefined) return null;
  const sum = { ...first };
  for (const bar of later) addTo(sum, bar);
  return sum;
}

/** Returns the minutes of a market from `fromMs` on and before `endMs`, and the one before them. */
function minutesIn(market: SpotMarket, fromMs: number, endMs: number) {
  const { minutes } = market;
  const first = firstFrom(minutes, fromMs, openMsOf);
  return { bars: minutes.slice(first, firstFrom(minutes, endMs, openMsOf)), before: minutes[first - 1] };
}

/** Bars of single trades: what candles of a second are made of. */
function tradesIn(market: SpotMarket, fromMs: number, endMs: number) {
  const { trades, rules } = market;
  const first = firstFrom(trades, fromMs, timeOf);
  const bar = (trade: TradeOnTape): SpotBar =>
    tradeBar(trade, trade.timeMs, rules.value(trade.price, trade.quantity));
  const before = trades[first - 1];
  return {
    bars: trades.slice(first, firstFrom(trades, endMs, timeOf)).map(bar),
    before: before === undefined ? undefined : bar(before),
  };
}

/** Question for candles; times are UTC. */
export interface CandleQuery {
  readonly grid: CandleGrid;
  readonly startMs: number | undefined;
  readonly endMs: number | undefined;
  readonly limit: number;
  readonly nowMs: number;
}

/**
 * Returns the candles of a market as rows of twelve. One without a trade repeats the close before it. There
 * is none before the market's first trade.
 */
export function candleRows(
  market: SpotMarket,
  query: CandleQuery,
  time: TimeWriter,
): readonly (readonly unknown[])[] {
  const { grid, limit } = query;
  const partsIn = grid.interval === '1s' ? tradesIn : minutesIn;
  const earliestMs =
    (grid.interval === '1s' ? market.trades[0]?.timeMs : market.minutes[0]?.openMs) ?? query.nowMs;
  const lastStart = candleStart(grid, Math.min(query.endMs ?? query.nowMs, query.nowMs));
  const wanted =
    query.startMs === undefined
      ? candleStart(grid, lastStart, 1 - limit)
      : candleStart(
          grid,
          candleStart(grid, query.startMs) < query.startMs
            ? candleStart(grid, query.startMs, 1)
            : query.startMs,
        );
  let start = Math.max(wanted, candleStart(grid, earliestMs));
  const rows: (readonly unknown[])[] = [];
  let previous = partsIn(market, start, start).before?.close;
  while (start <= lastStart && rows.length < limit) {
    const next = candleStart(grid, start, 1);
    const bar = summed(partsIn(market, start, next).bars);
    if (bar !== null) previous = bar.close;
    const price = (ticks: number | undefined): string => market.rules.priceText(ticks ?? previous ?? 0);
    if (previous !== undefined)
      rows.push([
        time(start),
        price(bar?.open),
        price(bar?.high),
        price(bar?.low),
        price(bar?.close),
        market.rules.amountText(bar?.volume ?? 0),
        // A millisecond or a microsecond before the next one.
        time(next) - 1,
        moneyOf(bar?.value ?? 0n),
        bar?.count ?? 0,
        market.rules.amountText(bar?.buyVolume ?? 0),
        moneyOf(bar?.buyValue ?? 0n),
        '0',
      ]);
    start = next;
  }
  return rows;
}

/** Window of a ticker. */
interface TickerWindow {
  readonly openMs: number;
  readonly closeMs: number;
}

/** Fields of a ticker that both its types have, and those that only the full one has. */
interface TickerRows {
  readonly mini: SpotRow;
  readonly changes: SpotRow;
  readonly previousClose: string;
}

/** Sums the trades of a window to whole minutes. A window without a trade shows zeros and ids of -1. */
function tickerRows(market: SpotMarket, window: TickerWindow, time: TimeWriter): TickerRows {
  const { rules } = market;
  const { bars, before } = minutesIn(
    market,
    Math.floor(window.openMs / MINUTE_MS) * MINUTE_MS,
    window.closeMs + 1,
  );
  const sum = summed(bars);
  const price = (ticks: number | undefined): string => rules.priceText(ticks ?? 0);
  const [open, close] = [rules.price(sum?.open ?? 0), rules.price(sum?.close ?? 0)];
  return {
    mini: {
      symbol: rules.symbol,
      openPrice: price(sum?.open),
      highPrice: price(sum?.high),
      lowPrice: price(sum?.low),
      lastPrice: price(sum?.close),
      volume: rules.amountText(sum?.volume ?? 0),
      quoteVolume: moneyOf(sum?.value ?? 0n),
      openTime: time(window.openMs),
      closeTime: time(window.closeMs),
      firstId: sum?.firstId ?? -1,
      lastId: sum?.lastId ?? -1,
      count: sum?.count ?? 0,
    },
    changes: {
      priceChange: moneyOf(close - open),
      priceChangePercent: paddedText(ratioOf((close - open) * 100n, open), 3),
      weightedAvgPrice: moneyOf(sum === null ? 0n : ratioOf(sum.value, rules.amount(sum.volume))),
    },
    previousClose: price(before?.close ?? sum?.open),
  };
}

export type TickerType = 'FULL' | 'MINI';

/** Ticker of a window, such as `ticker` and `ticker/tradingDay` show. */
export function windowTicker(
  market: SpotMarket,
  of: { readonly window: TickerWindow; readonly type: TickerType; readonly time: TimeWriter },
): SpotRow {
  const { mini, changes } = tickerRows(market, of.window, of.time);
  if (of.type === 'MINI') return mini;
  const { symbol, ...rest } = mini;
  return { symbol, ...changes, ...rest };
}

/** Ticker of the last 24 hours. */
export function dayTicker(
  market: SpotMarket,
  of: { readonly nowMs: number; readonly type: TickerType; readonly time: TimeWriter },
): SpotRow {
  const { nowMs, type, time } = of;
  const window = { openMs: nowMs - DAY_MS, closeMs: nowMs };
  const { mini, changes, previousClose } = tickerRows(market, window, time);
  if (type === 'MINI') return mini;
  const { symbol, openPrice, highPrice, lowPrice, lastPrice, ...rest } = mini;
  return {
    symbol,
    ...changes,
    prevClosePrice: previousClose,
    lastPrice,
    lastQty: market.rules.amountText(market.trades.at(-1)?.quantity ?? 0),
    ...bestRow(market),
    openPrice,
    highPrice,
    lowPrice,
    ...rest,
  };
}

/** Best prices of the book; zero where a side is empty. */
export function bestRow(market: SpotMarket): SpotRow {
  const { rules, buys, sells } = market;
  return {
    bidPrice: rules.priceText(buys.best?.price ?? 0),
    bidQty: rules.amountText(buys.best?.amount ?? 0),
    askPrice: rules.priceText(sells.best?.price ?? 0),
    askQty: rules.amountText(sells.best?.amount ?? 0),
  };
}

/** Aggregate of trades as `aggTrades` shows it. */
export function aggregates(
  trades: readonly TradeOnTape[],
  market: SpotMarket,
  time: TimeWriter,
): readonly SpotRow[] {
  const groups = new Map<number, TradeOnTape[]>();
  for (const trade of trades) {
    const group = groups.get(trade.aggregateId);
    if (group === undefined) groups.set(trade.aggregateId, [trade]);
    else group.push(trade);
  }
  return [...groups].map(([id, group]) => {
    const [first] = group as [TradeOnTape];
    const quantity = group.reduce((sum, trade) => sum + trade.quantity, 0);
    return {
      a: id,
      p: market.rules.priceText(first.price),
      q: market.rules.amountText(quantity),
      f: first.id,
      l: group.at(-1)?.id ?? first.id,
      T: time(first.timeMs),
      m: first.isBuyerMaker,
      M: true,
    };
  });
}
