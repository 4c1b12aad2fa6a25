import type { Candle } from '../domain/candle.ts';
import { fractionDigits, type DecimalText } from '../domain/decimal-text.ts';
import type { MarketStats } from '../domain/market-stats.ts';
import type { BookLevel } from '../domain/order-book.ts';
import type { RecordedBook, RecordedStats, RecordedTrade } from './records.ts';
import type { Column, TableShape } from './table-shape.ts';

const time = (name: string): Column => ({ name, type: 'time' });
const money = (name: string): Column => ({ name, type: 'money' });

/** Values as one, so that they are compared together. */
const together = (...values: readonly string[]): string =>
  `struct_pack(${values.map((value, index) => `v${index} := ${value}`).join(', ')})`;

const mostDigits = (texts: readonly (DecimalText | null)[]): number =>
  texts.reduce((most, text) => (text === null ? most : Math.max(most, fractionDigits(text))), 0);

/** Bars, one a time. */
export const CANDLE_SHAPE: TableShape<Candle> = {
  noun: 'candles',
  columns: [time('time_ms'), money('open'), money('high'), money('low'), money('close'), money('volume')],
  partition: 'month',
  cells: ({ openTimeMs, open, high, low, close, volume }) => [openTimeMs, open, high, low, close, volume],
  decimals: ({ open, high, low, close, volume }) => ({
    price: mostDigits([open, high, low, close]),
    amount: fractionDigits(volume),
  }),
  timeMs: ({ openTimeMs }) => openTimeMs,
  timeSql: 'time_ms',
  keySql: 'time_ms',
  copySql: null,
  contentSql: together('open', 'high', 'low', 'close', 'volume'),
  tieSql: 'time_ms',
};

/** Trades: by their number where they have one, else as many equal ones as a source tells of. */
export const TRADE_SHAPE: TableShape<RecordedTrade> = {
  noun: 'trades',
  columns: [
    time('time_ms'),
    time('seen_ms'),
    money('price'),
    money('amount'),
    { name: 'side', type: 'text' },
    { name: 'trade_id', type: 'number' },
  ],
  partition: 'day',
  cells: ({ timeMs, seenMs, price, amount, side, id }) => [timeMs, seenMs, price, amount, side, id],
  decimals: ({ price, amount }) => ({ price: fractionDigits(price), amount: fractionDigits(amount) }),
  timeMs: ({ timeMs, seenMs }) => timeMs ?? seenMs,
  timeSql: 'coalesce(time_ms, seen_ms)',
  // Without nulls, whose comparison would be unknown.
  keySql: together(
    // Without nulls, whose comparison would be unknown.
    'coalesce(trade_id, -1)',
    ...['at_ms', 'price', 'amount', 'side', 'copy'].map(
      (name) => `CASE WHEN trade_id IS NULL THEN ${name} ELSE ${name === 'side' ? "''" : '0'} END`,
    ),
  ),
  copySql: 'trade_id, coalesce(time_ms, seen_ms), price, amount, side',
  contentSql: together('at_ms', 'price', 'amount', 'side'),
  tieSql: 'coalesce(trade_id, 0)',
};

/** Books, one a pair of times. */
export const BOOK_SHAPE: TableShape<RecordedBook> = {
  noun: 'books',
  columns: [
    time('venue_time_ms'),
    time('seen_ms'),
    { name: 'bid_prices', type: 'moneys' },
    { name: 'bid_amounts', type: 'moneys' },
    { name: 'ask_prices', type: 'moneys' },
    { name: 'ask_amounts', type: 'moneys' },
  ],
  partition: 'day',
  cells: ({ venueTimeMs, seenMs, bids, asks }) => [
    venueTimeMs,
    seenMs,
    ...[bids, asks].flatMap((levels) => [levels.map(([price]) => price), levels.map(([, amount]) => amount)]),
  ],
  decimals: ({ bids, asks }) => ({
    price: Math.max(levelDigits(bids, 0), levelDigits(asks, 0)),
    amount: Math.max(levelDigits(bids, 1), levelDigits(asks, 1)),
  }),
  timeMs: ({ venueTimeMs, seenMs }) => venueTimeMs ?? seenMs,
  timeSql: 'coalesce(venue_time_ms, seen_ms)',
  keySql: together('coalesce(venue_time_ms, -1)', 'seen_ms'),
  copySql: null,
  contentSql: together('bid_prices', 'bid_amounts', 'ask_prices', 'ask_amounts'),
  tieSql: 'seen_ms',
};

function levelDigits(levels: readonly BookLevel[], place: 0 | 1): number {
  return levels.reduce((most, level) => Math.max(most, fractionDigits(level[place])), 0);
}

/** Decimals of the statistics, by their columns. */
export const STATS_COLUMNS = {
  best_sell: 'bestSell',
  best_buy: 'bestBuy',
  base_volume: 'baseVolume',
  quote_volume: 'quoteVolume',
  latest: 'latest',
  mark: 'mark',
  day_low: 'dayLow',
  day_high: 'dayHigh',
  day_open: 'dayOpen',
  day_close: 'dayClose',
  day_change: 'dayChange',
} as const satisfies Record<string, keyof MarketStats>;

const STATS_FIELDS = Object.values(STATS_COLUMNS);

/** Statistics, one a time. */
export const STATS_SHAPE: TableShape<RecordedStats> = {
  noun: 'statistics',
  columns: [
    time('seen_ms'),
    { name: 'is_closed', type: 'flag' },
    { name: 'closed_reason', type: 'text' },
    ...Object.keys(STATS_COLUMNS).map(money),
  ],
  partition: 'month',
  cells: ({ seenMs, stats }) => [
    seenMs,
    stats.isClosed,
    stats.closedReason,
    ...STATS_FIELDS.map((field) => stats[field]),
  ],
  decimals: () => ({ price: 10, amount: 10 }),
  timeMs: ({ seenMs }) => seenMs,
  timeSql: 'seen_ms',
  keySql: 'seen_ms',
  copySql: null,
  contentSql: together('is_closed', 'closed_reason', ...Object.keys(STATS_COLUMNS)),
  tieSql: 'seen_ms',
};
