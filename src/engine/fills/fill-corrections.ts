import type { TradeOwnerOptions } from './trade-owner.ts';
import { EnginePart } from '../engine-settings.ts';
import {
  addUnits,
  formatUnits,
  negateUnits,
  NO_UNITS,
  subtractUnits,
  type Units,
  UNITS_PER_ONE,
} from '../../domain/money.ts';
import type { VenueOrderId } from '../../domain/order.ts';
import type { ListPlace } from '../own-list.ts';
import { type FillRecord, EMPTY_FILL, placeholderIdOf } from '../../records/fill.ts';
import type { OrderRecord } from '../../records/order.ts';
import { DAY_MS } from '../../domain/time-text.ts';
import { isOpenStatus } from '../../venues/port.ts';

/** Receives each fill of the account, with its order after the fill; null for a foreign order. */
export interface FillListener {
  onFill(fill: FillRecord, order: OrderRecord | null): void;
  /**
   * Receives the correction of booked fills: `by` is the difference to what was booked, with negative amounts
   * if too much was booked; `more` is the change of the number of fills.
   */
  onCorrection?(by: FillRecord, more: number): void;
}

interface FillCorrectionsOptions extends Pick<TradeOwnerOptions, 'blotter' | 'reports' | 'booked'> {
  readonly listeners: readonly FillListener[];
}

/**
 * Corrects fills that are already booked. Rows, positions and balances change in one step, so a crash leaves
 * all of it or nothing. The strategy is not notified again.
 */
export class FillCorrections extends EnginePart<FillCorrectionsOptions> {
  /** Books a trade that a placeholder stands for, and makes the placeholder smaller by that amount. */
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
    // A placeholder has its fee in the currency received.
    const { feeCurrency } = own;
    const ownFee = feeCurrency === null ? own.fee : NO_UNITS;
    const fee = subtractUnits(addUnits(ownFee, rest?.fee ?? NO_UNITS), placeholder.fee);
    const order = blotter.table.byVenueId(venueOrderId);
    if (order !== undefined) blotter.apply(order, { kind: 'corrected', total, fee });
    const by = { ...placeholder, tradeId: own.tradeId, amount: NO_UNITS, total, fee };
    this.correct(by, rest === null ? 0 : 1);
    if (feeCurrency !== null) {
      const { fee: paid, feeValue } = own;
      this.correct({ ...by, total: NO_UNITS, fee: paid, feeCurrency, feeValue }, 0);
    }
    outbox.info(`trade ${trade.tradeId} takes the place of "${placeholder.tradeId}"`, orderKey);
  }

  /** Removes the fills booked beyond what their order matched, for all known orders. */
  removeBeyond(): void {
    for (const orderId of this.options.booked.orders()) this.removeBeyondOf(orderId);
  }

  private removeBeyondOf(orderId: VenueOrderId): void {
    const { blotter, reports, booked } = this.options;
    const order = blotter.table.byVenueId(orderId);
    if (order === undefined) return;
    const stated = reports.statedOf(orderId)?.record.matchedAmount ?? order.matched;
    const matched = stated > order.matched ? stated : order.matched;
    let beyond = subtractUnits(booked.amountOf(orderId), matched);
    // The last booked fills are the ones too many.
    for (const fill of booked.of(orderId).toReversed()) {
      if (beyond <= 0n) return;
      if (fill.amount > beyond) continue;
      beyond = subtractUnits(beyond, fill.amount);
      this.removeFill(fill);
    }
  }

  private removeFill(fill: FillRecord): void {
    const { blotter, booked } = this.options;
    const { tradeId, venueOrderId, amount, total, fee, feeValue } = fill;
    booked.remove(fill);
    blotter.outbox.change({ kind: 'fill-gone', fill });
    const less = { amount: negateUnits(amount), total: negateUnits(total), fee: negateUnits(fee) };
    this.correct({ ...fill, ...less, feeValue: feeValue === null ? null : negateUnits(feeValue) }, -1);
    blotter.outbox.alarm(
      `trade ${tradeId} of ${formatUnits(amount)} is taken out of the books: its order ${venueOrderId} matched less than was booked`,
      fill.orderKey,
    );
  }

  private correct(by: FillRecord, more: number): void {
    const { blotter, listeners } = this.options;
    const { tradeId, orderKey, amount, total, fee, feeCurrency } = by;
    blotter.outbox.journal('fill', orderKey ?? 'foreign', {
      trade: tradeId,
      corrected: {
        amount: formatUnits(amount),
        total: formatUnits(total),
        fee: formatUnits(fee),
        ...(feeCurrency !== null && { feeCurrency }),
      },
    });
    for (const listener of listeners) listener.onCorrection?.(by, more);
  }
}

/** Returns what is left of a placeholder after `came` of its amount arrived; null if nothing is left. */
function restOf(placeholder: FillRecord, came: Units): FillRecord | null {
  const { amount, total, fee } = placeholder;
  const left = subtractUnits(amount, came);
  if (left <= 0n) return null;
  const share = (units: Units): Units => ((units * left) / amount) as Units;
  return { ...placeholder, amount: left, total: share(total), fee: share(fee) };
}

/** Interval in ms at which the trades behind placeholders are searched for, as long as they may be listed. */
const POLL_AGAIN_MS = 600_000;

/**
 * Minimum age of a closed order, in ms, before a person can accept its record: younger ones may still get
 * their fills by themselves.
 */
const ACCEPTS_AFTER_MS = 60_000;

const NONE: readonly never[] = [];

interface PlaceholderFillsOptions extends Pick<
  TradeOwnerOptions,
  'blotter' | 'reports' | 'booked' | 'pending'
> {
  /** Maximum wait for the trades of a closed order, in ms; infinity: no placeholders are made. */
  readonly waitMs: number;
}

/**
 * Placeholders for trades that never arrive: exchanges list own trades for some days only, and a list can
 * lose one. A closed order then gets one fill from its own record, with the amount, value and fee that are
 * missing. Its id marks it as a placeholder. Trades that arrive later replace it (`FillCorrections`).
 */
export class PlaceholderFills extends EnginePart<PlaceholderFillsOptions> {
  /** Keys of the orders whose records a person has accepted. */
  private readonly accepted = new Set<string>();
  private checkedAtMs = Number.NEGATIVE_INFINITY;

  /** Accepts the records of closed orders, on a person's command: no more trades are awaited. */
  accept(): void {
    const { blotter, reports } = this.options;
    this.accepted.clear();
    for (const order of blotter.table.unfinished()) {
      if (order.state !== 'settling') continue;
      if ((order.closedAtMs ?? 0) + ACCEPTS_AFTER_MS > blotter.outbox.nowMs) continue;
      this.accepted.add(order.key);
      reports.inquiries.ask(order.venueId, order.market);
    }
  }

  /**
   * Returns the placeholders that are due. `readAtMs`: time of the request of the last reading that covered
   * all their trades.
   */
  due(readAtMs: number): readonly { readonly fill: FillRecord; readonly order: OrderRecord }[] {
    const { blotter, pending, waitMs } = this.options;
    if (waitMs === Number.POSITIVE_INFINITY) return NONE;
    const { nowMs } = blotter.outbox;
    const due: { readonly fill: FillRecord; readonly order: OrderRecord }[] = [];
    for (const order of blotter.table.unfinished()) {
      if (order.state !== 'settling') continue;
      const closedAtMs = order.closedAtMs ?? nowMs;
      const isAccepted = this.accepted.has(order.key);
      const isLate = closedAtMs + waitMs <= nowMs && readAtMs > closedAtMs;
      if (!isAccepted && (!isLate || pending.hasOf(order.venueId))) continue;
      const fill = this.fillOf(order, isAccepted);
      if (fill !== null) due.push({ fill, order });
    }
    return due;
  }

  /**
   * Returns the places in the trades list from which the trades behind placeholders may come, while these may
   * be listed.
   */
  floors(): readonly ListPlace[] {
    const { blotter, booked } = this.options;
    const listedMs = blotter.venue.ownLists.trades.listedDays * DAY_MS;
    const floors: ListPlace[] = [];
    for (const { atMs, market, cursor } of booked.standing.values())
      if (atMs + listedMs > blotter.outbox.nowMs) floors.push({ market, cursor });
    return floors;
  }

  /** Returns what `floors` does, but at most once in `POLL_AGAIN_MS`: a reading must begin there. */
  floorsToRead(): readonly ListPlace[] {
    const { nowMs } = this.options.blotter.outbox;
    if (this.checkedAtMs + POLL_AGAIN_MS > nowMs) return [];
    this.checkedAtMs = nowMs;
    return this.floors();
  }

  /**
   * Returns a fill for the amount that the order's record shows as matched and no fill has; null if there is
   * none or the record is too old.
   */
  private fillOf(order: OrderRecord, isAccepted: boolean): FillRecord | null {
    const { reports, blotter } = this.options;
    const { venueId, closedAtMs } = order;
    const stated = venueId === null ? undefined : reports.statedOf(venueId);
    if (venueId === null || stated === undefined || stated.atMs <= (closedAtMs ?? 0)) return null;
    const { matchedAmount, status, fee } = stated.record;
    const isOpen = status !== null && isOpenStatus(blotter.venue, status);
    if (isOpen || matchedAmount !== order.matched) return null;
    const amount = subtractUnits(order.matched, order.filled);
    const total = this.totalOf(order, isAccepted);
    if (amount <= 0n || total === null) return null;
    const left = fee === null ? NO_UNITS : subtractUnits(fee, order.fee);
    return {
      ...EMPTY_FILL,
      tradeId: placeholderIdOf(venueId),
      cursor: order.tradeFloor,
      venueOrderId: venueId,
      orderKey: order.key,
      strategy: order.strategy,
      market: order.market,
      side: order.side,
      atMs: closedAtMs ?? blotter.outbox.nowMs,
      price: ((total * UNITS_PER_ONE) / amount) as Units,
      amount,
      total,
      fee: left > 0n ? left : NO_UNITS,
    };
  }

  /**
   * Returns the value of the missing amount by the order's record. If the record has none and a person
   * accepted it: the value at the order's own price. Else null.
   */
  private totalOf(order: OrderRecord, isAccepted: boolean): Units | null {
    const { venueId, price, matched, filled, filledTotal } = order;
    const record = venueId === null ? undefined : this.options.reports.statedOf(venueId)?.record;
    const { total = null, averagePrice = null } = record ?? {};
    const whole = total ?? (averagePrice === null ? null : valueOf(matched, averagePrice));
    const left = whole === null ? NO_UNITS : subtractUnits(whole, filledTotal);
    if (left > 0n) return left;
    return isAccepted && price !== null ? valueOf(subtractUnits(matched, filled), price) : null;
  }
}

function valueOf(amount: Units, price: Units): Units {
  return ((amount * price) / UNITS_PER_ONE) as Units;
}

/** Returns the text about a placeholder, for people. */
export function placeholderText({
  fill,
  order,
}: {
  readonly fill: FillRecord;
  readonly order: OrderRecord;
}): string {
  const { tradeId, amount, total, fee } = fill;
  return `${order.key} is closed with ${formatUnits(order.matched)} matched, and of its trades ${formatUnits(order.filled)} came: ${formatUnits(amount)} for ${formatUnits(total)} with a fee of ${formatUnits(fee)} is booked from its own record, as "${tradeId}", until they come`;
}
