import {
  addUnits,
  formatUnits,
  negateUnits,
  NO_UNITS,
  subtractUnits,
  type Units,
} from '../../domain/money.ts';
import type { VenueOrderId } from '../../domain/venue-id.ts';
import type { FillRecord } from '../../records/fill.ts';
import type { BookedFills } from './booked-fills.ts';
import type { OrderBlotter } from '../orders/order-blotter.ts';
import type { OrderReportMatcher } from '../orders/order-report-matcher.ts';
import type { OrderRecord } from '../../records/order.ts';

/** Gets each trade of the account: with the order as it then is, or null for a foreign one. */
export interface FillListener {
  onFill(fill: FillRecord, order: OrderRecord | null): void;
  /**
   * Fills were others than they were taken for: by so much, and so many more. Its money is below zero where
   * it is less than it was.
   */
  onCorrection?(by: FillRecord, more: number): void;
}

interface FillCorrectionsOptions {
  readonly blotter: OrderBlotter;
  readonly reports: OrderReportMatcher;
  readonly booked: BookedFills;
  readonly listeners: readonly FillListener[];
}

/**
 * Mends fills that are in the books already: rows, positions and balances in one step, so that a crash has
 * all of it or nothing. The strategy is not told again.
 */
export class FillCorrections {
  private readonly options: FillCorrectionsOptions;

  constructor(options: FillCorrectionsOptions) {
    this.options = options;
  }

  /** One of the trades has come that a placeholder stands for: it takes its part of it. */
  replace(placeholder: FillRecord, trade: FillRecord): void {
    const { blotter, booked } = this.options;
    const { outbox } = blotter;
    const { orderKey, strategy, venueOrderId } = placeholder;
    const own = { ...trade, orderKey, strategy };
    const rest = restOf(placeholder, trade.amount);
    booked.remove(placeholder);
    outbox.change({ kind: 'fill-gone', fill: placeholder });
    for (const fill of rest === null ? [own] : [own, rest]) {
      booked.add(fill);
      outbox.change({ kind: 'fill', fill });
    }
    const total = subtractUnits(addUnits(own.total, rest?.total ?? NO_UNITS), placeholder.total);
    const fee = subtractUnits(addUnits(own.fee, rest?.fee ?? NO_UNITS), placeholder.fee);
    const order = blotter.table.byVenueId(venueOrderId);
    if (order !== undefined) blotter.apply(order, { kind: 'corrected', total, fee });
    const by = { ...placeholder, tradeId: own.tradeId, amount: NO_UNITS, total, fee };
    this.correct(by, rest === null ? 0 : 1);
    outbox.info(`trade ${trade.tradeId} takes the place of "${placeholder.tradeId}"`, orderKey);
  }

  /** Takes out what is booked beyond what its order matched, of every order that is known here. */
  takeOutBeyond(): void {
    for (const orderId of this.options.booked.orders()) this.takeOutBeyondOf(orderId);
  }

  private takeOutBeyondOf(orderId: VenueOrderId): void {
    const { blotter, reports, booked } = this.options;
    const order = blotter.table.byVenueId(orderId);
    if (order === undefined) return;
    const stated = reports.statedOf(orderId)?.record.matchedAmount ?? order.matched;
    const matched = stated > order.matched ? stated : order.matched;
    let beyond = subtractUnits(booked.amountOf(orderId), matched);
    // What was booked last was one too many.
    for (const fill of booked.of(orderId).toReversed()) {
      if (beyond <= 0n) return;
      if (fill.amount > beyond) continue;
      beyond = subtractUnits(beyond, fill.amount);
      this.takeOut(fill);
    }
  }

  private takeOut(fill: FillRecord): void {
    const { blotter, booked } = this.options;
    const { tradeId, venueOrderId, amount, total, fee } = fill;
    booked.remove(fill);
    blotter.outbox.change({ kind: 'fill-gone', fill });
    this.correct(
      { ...fill, amount: negateUnits(amount), total: negateUnits(total), fee: negateUnits(fee) },
      -1,
    );
    blotter.outbox.alarm(
      `trade ${tradeId} of ${formatUnits(amount)} is taken out of the books: its order ${venueOrderId} matched less than was booked`,
      fill.orderKey,
    );
  }

  private correct(by: FillRecord, more: number): void {
    const { blotter, listeners } = this.options;
    const { tradeId, orderKey, amount, total, fee } = by;
    blotter.outbox.journal('fill', orderKey ?? 'foreign', {
      trade: tradeId,
      corrected: { amount: formatUnits(amount), total: formatUnits(total), fee: formatUnits(fee) },
    });
    for (const listener of listeners) listener.onCorrection?.(by, more);
  }
}

/** Returns the rest of a placeholder once so much of it has come; null if nothing is left. */
function restOf(placeholder: FillRecord, came: Units): FillRecord | null {
  const { amount, total, fee } = placeholder;
  const left = subtractUnits(amount, came);
  if (left <= 0n) return null;
  const share = (units: Units): Units => ((units * left) / amount) as Units;
  return { ...placeholder, amount: left, total: share(total), fee: share(fee) };
}
