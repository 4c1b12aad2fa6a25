import type { BacktestRun } from '../backtest-run.ts';
import { DrawdownMeter } from '../metrics/equity-metrics.ts';
import { numberOf } from '../statistics.ts';
import type { ByteWriter } from '../byte-writer.ts';
import type { FinishedRun } from '../finish-run.ts';
import type { LockRow, RefusalRow, TripRow } from '../result-schema.ts';
import { LOCK_TABLE, MEMBER_TABLE, ORDER_TABLE, REFUSED_TABLE, TRIP_TABLE } from './result-tables.ts';
import type { CsvColumns } from './table-format.ts';

const TRADES: CsvColumns<TripRow> = [
  ['number', 'number'],
  ['market', 'market'],
  ['strategy', 'strategy'],
  ['opened_at', 'openedAtMs'],
  ['closed_at', 'closedAtMs'],
  ['amount', 'amount'],
  ['entry_price', 'entryPrice'],
  ['exit_price', 'exitPrice'],
  ['cost', 'cost'],
  ['proceeds', 'proceeds'],
  ['fees', 'fees'],
  ['profit', 'profit'],
  ['return', 'change'],
  ['is_open', 'isOpen'],
  ['entry_order', 'entryOrder'],
  ['exit_order', 'exitOrder'],
];

const ORDERS = ORDER_TABLE.csvColumns(['clientOrderId', 'sentAtMs']);

const REFUSALS: CsvColumns<RefusalRow> = [
  ['strategy', 'strategy'],
  ['code', 'code'],
  ['what', 'what'],
  ['count', 'count'],
  ['meaning', 'meaning'],
  ['example', 'example'],
  ['first_at', 'firstAtMs'],
  ['last_at', 'lastAtMs'],
];

const LOCKS: CsvColumns<LockRow> = [
  ['name', 'name'],
  ['strategy', 'strategy'],
  ['market', 'market'],
  ['began_at', 'beganAtMs'],
  ['ended_at', 'endedAtMs'],
  ['entries', 'entries'],
  ['refused', 'refused'],
  ['reason', 'reason'],
];

const MEMBERS = MEMBER_TABLE.csvColumns();

/** `members.csv`: when markets entered and left universes, and why. */
export function writeMembersCsv({ run }: FinishedRun, out: ByteWriter): void {
  MEMBER_TABLE.writeCsv(MEMBERS, run.members.records, out);
}

/** `locks.csv`: when locks held, and how many orders each refused. */
export function writeLocksCsv({ run }: FinishedRun, out: ByteWriter): void {
  LOCK_TABLE.writeCsv(LOCKS, run.locks.records, out);
}

/** `trades.csv`: the round trips. Times are UTC, money in the quote currency and exact. */
export function writeTradesCsv({ trips }: FinishedRun, out: ByteWriter): void {
  TRIP_TABLE.writeCsv(TRADES, trips, out);
}

/** `orders.csv`. */
export function writeOrdersCsv({ run }: FinishedRun, out: ByteWriter): void {
  ORDER_TABLE.writeCsv(ORDERS, run.orders, out);
}

/** `refusals.csv`: what was refused and why, counted. */
export function writeRefusalsCsv({ head }: FinishedRun, out: ByteWriter): void {
  REFUSED_TABLE.writeCsv(REFUSALS, head.refusals, out);
}

/** Digits of a drawdown after the point, and from how many of the last one on it is written without `e`. */
const FRACTION_DIGITS = 8;
const FRACTION = 10 ** FRACTION_DIGITS;
const LEAST_PLAIN = 100;

/** `equity.csv`: a line for each point of the curve, as floats, with the drawdown as a fraction. */
export function writeEquityCsv({ curve, initialEquity }: BacktestRun, out: ByteWriter): void {
  const { length, timeMs, equity, isExposed } = curve;
  const drawdown = new DrawdownMeter(numberOf(initialEquity));
  out.text('time,equity,drawdown,is_exposed\n');
  for (let index = 0; index < length; index += 1) {
    const value = equity[index] ?? 0;
    out.isoTime(timeMs[index] ?? 0);
    out.text(',');
    out.number(value);
    out.text(',');
    writeFraction(drawdown.next(value), out);
    out.text(isExposed[index] === 1 ? ',true\n' : ',false\n');
  }
}

/** A fraction with eight digits after the point, without needless zeros. */
function writeFraction(fraction: number, out: ByteWriter): void {
  const count = Math.round(fraction * FRACTION);
  if (count < LEAST_PLAIN) out.number(count / FRACTION);
  else out.decimal(count, FRACTION_DIGITS);
}
