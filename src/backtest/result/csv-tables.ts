import type { BacktestRun } from '../backtest-run.ts';
import { drawdowns } from '../metrics/equity-metrics.ts';
import { numberOf } from '../metrics/statistics.ts';
import type { BacktestResult, OrderRow, RefusalRow, TripRow } from './result-schema.ts';

/** A column of a CSV file: its title and what a row has in it. */
type Columns<Row> = readonly (readonly [
  title: string,
  cell: (row: Row) => string | number | boolean | null,
])[];

const TRADES: Columns<TripRow> = [
  ['number', ({ number }) => number],
  ['market', ({ market }) => market],
  ['strategy', ({ strategy }) => strategy],
  ['opened_at', ({ openedAtMs }) => isoTime(openedAtMs)],
  ['closed_at', ({ closedAtMs }) => (closedAtMs === null ? null : isoTime(closedAtMs))],
  ['amount', ({ amount }) => amount],
  ['entry_price', ({ entryPrice }) => entryPrice],
  ['exit_price', ({ exitPrice }) => exitPrice],
  ['cost', ({ cost }) => cost],
  ['proceeds', ({ proceeds }) => proceeds],
  ['fees', ({ fees }) => fees],
  ['profit', ({ profit }) => profit],
  ['return', ({ change }) => change],
  ['is_open', ({ isOpen }) => isOpen],
  ['entry_order', ({ entryOrder }) => entryOrder],
  ['exit_order', ({ exitOrder }) => exitOrder],
];

const ORDERS: Columns<OrderRow> = [
  ['key', ({ key }) => key],
  ['pair_key', ({ pairKey }) => pairKey],
  ['strategy', ({ strategy }) => strategy],
  ['tag', ({ tag }) => tag],
  ['market', ({ market }) => market],
  ['side', ({ side }) => side],
  ['execution', ({ execution }) => execution],
  ['price', ({ price }) => price],
  ['stop_price', ({ stopPrice }) => stopPrice],
  ['amount', ({ amount }) => amount],
  ['filled', ({ filled }) => filled],
  ['filled_total', ({ filledTotal }) => filledTotal],
  ['average_price', ({ averagePrice }) => averagePrice],
  ['fee', ({ fee }) => fee],
  ['state', ({ state }) => state],
  ['reason', ({ reason }) => reason],
  ['planned_at', ({ plannedAtMs }) => isoTime(plannedAtMs)],
  ['closed_at', ({ closedAtMs }) => (closedAtMs === null ? null : isoTime(closedAtMs))],
];

const REFUSALS: Columns<RefusalRow> = [
  ['strategy', ({ strategy }) => strategy],
  ['code', ({ code }) => code],
  ['what', ({ what }) => what],
  ['count', ({ count }) => count],
  ['meaning', ({ meaning }) => meaning],
  ['example', ({ example }) => example],
  ['first_at', ({ firstAtMs }) => isoTime(firstAtMs)],
  ['last_at', ({ lastAtMs }) => isoTime(lastAtMs)],
];

/** `trades.csv`, line by line: the round trips. Times are UTC, money in the quote currency and exact. */
export function tradesCsv({ trades }: BacktestResult): Generator<string> {
  return csvLines(TRADES, trades);
}

/** `orders.csv`, line by line. */
export function ordersCsv({ orders }: BacktestResult): Generator<string> {
  return csvLines(ORDERS, orders);
}

/** `refusals.csv`, line by line: what was refused and why, counted. */
export function refusalsCsv({ refusals }: BacktestResult): Generator<string> {
  return csvLines(REFUSALS, refusals);
}

/** `equity.csv`, line by line: one a point of the curve, as floats, with the drawdown as a fraction. */
export function* equityCsv({ curve, initialEquity }: BacktestRun): Generator<string> {
  const depth = drawdowns(numberOf(initialEquity), curve.equity.subarray(0, curve.length));
  const { length, timeMs, equity, isExposed } = curve;
  const isoTime = isoTimes();
  yield 'time,equity,drawdown,is_exposed\n';
  for (let index = 0; index < length; index += 1) {
    const exposed = isExposed[index] === 1 ? 'true' : 'false';
    yield `${isoTime(timeMs[index] ?? 0)},${equity[index] ?? 0},${fractionText(depth[index] ?? 0)},${exposed}\n`;
  }
}

/** A fraction with eight digits after the point, without needless zeros. */
function fractionText(fraction: number): string {
  return String(Math.round(fraction * 1e8) / 1e8);
}

function* csvLines<Row>(columns: Columns<Row>, rows: readonly Row[]): Generator<string> {
  yield `${columns.map(([title]) => title).join(',')}\n`;
  for (const row of rows) yield `${columns.map(([, cell]) => csvCell(cell(row))).join(',')}\n`;
}

/** RFC 4180: quoted where a comma, a quote or a line break is in it. */
function csvCell(value: string | number | boolean | null): string {
  const text = value === null ? '' : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function isoTime(timeMs: number): string {
  return new Date(timeMs).toISOString();
}

const DAY_MS = 86_400_000;

const TWO_DIGITS = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'));

/**
 * Writes moments as ISO 8601 in UTC, such as `2024-01-31T12:00:00.000Z`. It remembers the day of the one
 * before, which makes a million of them in order several times as fast as `toISOString`. The function throws
 * a RangeError for what is no time.
 */
export function isoTimes(): (timeMs: number) => string {
  let dayStartMs = Number.NaN;
  let prefix = '';
  return (timeMs) => {
    const start = Math.floor(timeMs / DAY_MS) * DAY_MS;
    if (start !== dayStartMs) {
      prefix = new Date(start).toISOString().slice(0, -13);
      dayStartMs = start;
    }
    const within = Math.floor(timeMs - start);
    const minutes = Math.floor(within / 60_000);
    const hour = TWO_DIGITS[Math.floor(minutes / 60)];
    const second = TWO_DIGITS[Math.floor(within / 1_000) % 60];
    return `${prefix}${hour}:${TWO_DIGITS[minutes % 60]}:${second}.${String(within % 1_000).padStart(3, '0')}Z`;
  };
}
