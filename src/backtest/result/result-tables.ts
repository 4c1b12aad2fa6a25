import { UNITS_PER_ONE, type Units, divideHalfEven } from '../../domain/money.ts';
import { FILL, FILL_RESULT, type FillRecord } from '../../records/fill.ts';
import type { LockRecord } from '../../engine/lock-records.ts';
import type { MemberRecord } from '../../engine/member-records.ts';
import { outText } from '../../strategy/rank-markets.ts';
import { ORDER_RESULT, SHOWN_ORDER, type OrderRecord } from '../../records/order.ts';
import type { RoundTrip } from '../round-trips.ts';
import { tripReturn } from '../metrics/trip-statistics.ts';
import type { FillRow, OrderRow, LockRow, MemberRow, RefusalRow, TripRow } from '../result-schema.ts';
import {
  recordCells,
  decimalCell,
  flagCell,
  momentCell,
  numberCell,
  TableFormat,
  textCell,
} from './table-format.ts';
import { english } from '../../language/sentence.ts';

/** Round trips, with their money as text. */
export const TRIP_TABLE = new TableFormat<RoundTrip, TripRow>({
  number: numberCell((trip) => trip.number),
  market: textCell(({ market }) => market),
  strategy: textCell(({ strategy }) => strategy),
  entryOrder: textCell(({ entryOrder }) => entryOrder),
  exitOrder: textCell(({ exitOrder }) => exitOrder),
  openedAtMs: momentCell(({ openedAtMs }) => openedAtMs),
  closedAtMs: momentCell(({ closedAtMs }) => closedAtMs),
  amount: decimalCell(({ amount }) => amount),
  entryPrice: decimalCell(({ entryPrice }) => entryPrice),
  exitPrice: decimalCell(({ exitPrice }) => exitPrice),
  cost: decimalCell(({ cost }) => cost),
  proceeds: decimalCell(({ proceeds }) => proceeds),
  fees: decimalCell(({ fees }) => fees),
  profit: decimalCell(({ profit }) => profit),
  change: numberCell(tripReturn),
  isOpen: flagCell(({ isOpen }) => isOpen),
});

/** Columns of orders for readers of a result, with money as text. */
export const ORDER_TABLE = new TableFormat<OrderRecord, OrderRow>({
  ...recordCells<OrderRecord, OrderRow>(SHOWN_ORDER, ORDER_RESULT),
  averagePrice: decimalCell(averagePrice),
});

function averagePrice({ filled, filledTotal }: OrderRecord): Units | null {
  return filled > 0n ? (divideHalfEven(filledTotal * UNITS_PER_ONE, filled) as Units) : null;
}

/** Fills, with their money as text. */
export const FILL_TABLE = new TableFormat<FillRecord, FillRow>(recordCells(FILL, FILL_RESULT));

/** Locks, with the orders that they refused. */
export const LOCK_TABLE = new TableFormat<LockRecord, LockRow>({
  name: textCell(({ lock }) => lock.name),
  strategy: textCell(({ lock }) => lock.strategy),
  market: textCell(({ lock }) => lock.market),
  reason: textCell(({ lock }) => english(lock.reason)),
  entries: textCell(({ lock }) => lock.entries),
  beganAtMs: momentCell(({ lock }) => lock.beganAtMs),
  endedAtMs: momentCell(({ endedAtMs }) => endedAtMs),
  refused: numberCell(({ refused }) => refused),
});

/** Markets that entered and left universes. */
export const MEMBER_TABLE = new TableFormat<MemberRecord, MemberRow>({
  atMs: momentCell(({ atMs }) => atMs),
  strategy: textCell(({ strategy }) => strategy),
  universe: textCell(({ universe }) => universe),
  market: textCell(({ market }) => market),
  kind: textCell(({ kind }) => kind),
  rank: numberCell(({ rank }) => rank),
  reason: textCell(({ reason, rankBy }) => outText(reason, rankBy)),
});

/** Reasons for which something was refused, as they are. */
export const REFUSED_TABLE = new TableFormat<RefusalRow, RefusalRow>({
  strategy: textCell(({ strategy }) => strategy),
  what: textCell(({ what }) => what),
  code: textCell(({ code }) => code),
  count: numberCell(({ count }) => count),
  meaning: textCell(({ meaning }) => meaning),
  example: textCell(({ example }) => example),
  firstAtMs: momentCell(({ firstAtMs }) => firstAtMs),
  lastAtMs: momentCell(({ lastAtMs }) => lastAtMs),
});
