import { unitsOfInput } from '../execution/fit-to-market.ts';
import { isFinal, type OrderRecord } from '../execution/order-record.ts';
import { createProgram, type ProgramIntent } from '../execution/algorithms/algorithms.ts';
import type { DecimalInput, Intent } from '../strategy/intents.ts';
import type { Rejection } from '../strategy/strategy-event.ts';
import type { IntentBook } from './intent-blotter.ts';
import type { MarketDesk } from './market-data-cache.ts';
import type { MirrorState } from './mirror-change.ts';
import type { OrderDesk } from './order-manager.ts';
import type { OrderGate, WishedOrder } from './pre-trade-risk.ts';
import type { Outbox } from './outbox.ts';
import { MOST_PROGRAMS, type ProgramDesk } from './algorithm-manager.ts';
import type { Seat } from './strategy-instance.ts';

export interface IntentDeskOptions {
  readonly outbox: Outbox;
  readonly desk: OrderDesk;
  readonly gate: OrderGate;
  readonly programs: ProgramDesk;
  readonly markets: MarketDesk;
  readonly intents: IntentBook;
  readonly nextIntentId: () => string;
  readonly closed: () => string | null;
  readonly onRejected: (seat: Seat, rejection: Rejection) => void;
}

/** Turns what strategies want into orders and programs, or says why not. */
export class IntentDesk {
  private readonly options: IntentDeskOptions;

  constructor(options: IntentDeskOptions) {
    this.options = options;
    options.desk.keeper.listen((order) => this.onOrder(order));
  }

  take(seat: Seat, intent: Intent): void {
    switch (intent.kind) {
      case 'cancel':
        this.cancel(seat, intent.clientOrderId);
        return;
      case 'cancel-all':
        this.cancelAll(seat, intent.market ?? null);
        return;
      case 'place':
      case 'oco':
        this.place(seat, intent);
        return;
      case 'quotes':
      case 'replace':
      case 'target':
      case 'twap':
      case 'iceberg':
        this.program(seat, intent);
    }
  }

  /** Ends all of a strategy's programs in one market or all, and cancels its orders there. */
  cancelAll(seat: Seat, market: string | null): void {
    const { programs, desk } = this.options;
    programs.end((work) => work.seat === seat && (market === null || work.market === market), 'canceled');
    for (const order of desk.keeper.table.unfinishedOf(seat.name)) {
      if (market === null || order.market === market) desk.cancels.cancel(order);
    }
  }

  private cancel(seat: Seat, key: string): void {
    const { desk } = this.options;
    const order = desk.keeper.table.get(key);
    if (order?.strategy === seat.name) {
      desk.cancels.cancel(order);
      return;
    }
    this.reject(
      seat,
      { kind: 'cancel', clientOrderId: key },
      { code: 'unknown', reason: `no order ${key} of its own` },
    );
  }

  private place(seat: Seat, intent: Extract<Intent, { kind: 'place' | 'oco' }>): void {
    const { gate, markets, intents, nextIntentId } = this.options;
    const state = markets.get(intent.market);
    if (state === undefined) {
      this.reject(seat, intent, { code: 'market', reason: this.unknownMarket(intent.market) });
      return;
    }
    const wish = wishOf(intent);
    if (wish === null) {
      this.reject(seat, intent, { code: 'fit', reason: 'expected positive decimals for amounts and prices' });
      return;
    }
    const closed = this.options.closed();
    if (closed !== null) {
      this.reject(seat, intent, { code: 'closed', reason: closed });
      return;
    }
    const intentId = nextIntentId();
    intents.begin(intentId, seat.name, intent);
    const planned = gate.plan(seat, state.market, { ...wish, intentId });
    if (planned.ok) return;
    intents.end(intentId, 'refused', planned.reason);
    this.reject(seat, intent, planned);
  }

  private program(seat: Seat, intent: ProgramIntent): void {
    const { markets, programs, intents, outbox, nextIntentId, closed } = this.options;
    const replaced = intent.kind === 'replace' ? this.ownOrder(seat, intent.clientOrderId) : undefined;
    const market = intent.kind === 'replace' ? (replaced?.market ?? '') : intent.market;
    if (intent.kind === 'quotes') {
      const at = programs.quotesOf(seat, market);
      if (at !== null) {
        const why = programs.renew(at, intent);
        if (why !== null) this.reject(seat, intent, { code: 'fit', reason: why });
        return;
      }
    }
    const state = markets.get(market);
    if (state === undefined) {
      const reason =
        intent.kind === 'replace' ? `no order ${intent.clientOrderId} of its own` : this.unknownMarket(market);
      this.reject(seat, intent, { code: 'market', reason });
      return;
    }
    const why = closed() ?? (programs.size >= MOST_PROGRAMS ? `${MOST_PROGRAMS} programs are at work already` : null);
    if (why !== null) {
      this.reject(seat, intent, { code: 'closed', reason: why });
      return;
    }
    const made = createProgram(intent, { market: state.market, nowMs: outbox.nowMs, replaced });
    if (!made.ok) {
      this.reject(seat, intent, { code: 'fit', reason: made.reason });
      return;
    }
    // One that is being replaced twice would be placed anew twice.
    if (replaced !== undefined && programs.isReplacing(replaced.key)) {
      this.reject(seat, intent, { code: 'fit', reason: `${replaced.key} is being replaced already` });
      return;
    }
    // An order that a program looks after is that program's own.
    if (replaced !== undefined && programs.isAtWork(replaced.intentId)) {
      this.reject(seat, intent, { code: 'fit', reason: `${replaced.key} belongs to a program at work` });
      return;
    }
    if (intent.kind === 'target') programs.endTargets(seat, market);
    const intentId = nextIntentId();
    intents.begin(intentId, seat.name, intent);
    programs.begin(seat, intentId, { market, program: made.program });
  }

  /** Takes over the intents that were at work before a restart, once their orders and programs are there, and ends those that have none any more. */
  restore({ intents: records, orders }: MirrorState): void {
    const { intents, programs, desk } = this.options;
    const { table } = desk.keeper;
    intents.restore(records);
    const live = new Set(table.unfinished().map(({ intentId }) => intentId));
    const lastKeys = new Map(orders.map(({ intentId, key }) => [intentId, key]));
    for (const { id } of records) {
      if (live.has(id) || programs.isAtWork(id)) continue;
      const last = table.get(lastKeys.get(id) ?? '');
      if (last?.state === 'rejected') intents.end(id, 'refused', last.reason ?? 'rejected');
      else intents.end(id, 'done', last?.state ?? 'it had ended before a restart');
    }
  }

  private ownOrder(seat: Seat, key: string): OrderRecord | undefined {
    const order = this.options.desk.keeper.table.get(key);
    return order?.strategy === seat.name ? order : undefined;
  }

  /** An intent of one order ends with it. */
  private onOrder(order: OrderRecord): void {
    const { intents, programs } = this.options;
    if (!isFinal(order) || programs.isAtWork(order.intentId) || !intents.isWorking(order.intentId)) return;
    const pair = order.pairKey === null ? undefined : this.options.desk.keeper.table.get(order.pairKey);
    if (pair !== undefined && !isFinal(pair)) return;
    if (order.state === 'rejected') intents.end(order.intentId, 'refused', order.reason ?? 'rejected');
    else intents.end(order.intentId, 'done', order.state);
  }

  private reject(seat: Seat, intent: Intent, why: { readonly code: string; readonly reason: string }): void {
    const { code, reason } = why;
    this.options.onRejected(seat, {
      intent,
      clientOrderId: null,
      market: 'market' in intent ? (intent.market ?? null) : null,
      side: 'side' in intent ? intent.side : null,
      tag: 'tag' in intent ? (intent.tag ?? null) : null,
      code,
      reason,
    });
  }

  private unknownMarket(market: string): string {
    const known = [...this.options.markets.all()].map((state) => state.market.symbol);
    return `expected one of the markets ${known.join(', ')}, was ${market}`;
  }
}

/** A wish in units; null where a number is no positive decimal. */
function wishOf(intent: Extract<Intent, { kind: 'place' | 'oco' }>): Omit<WishedOrder, 'intentId'> | null {
  const amount = unitsOfInput(intent.amount);
  const price = optionalUnits(intent.price);
  const stopPrice = optionalUnits(intent.stopPrice);
  const stopLimitPrice = optionalUnits(intent.kind === 'oco' ? intent.stopLimitPrice : undefined);
  if (amount === null || price === undefined || stopPrice === undefined || stopLimitPrice === undefined) return null;
  const whenIdentical = intent.allowIdentical === true ? 'insist' : 'hold';
  return { tag: intent.tag ?? null, side: intent.side, amount, price, stopPrice, stopLimitPrice, whenIdentical };
}

/** Null for what was left out, undefined for what is no positive decimal. */
function optionalUnits(input: DecimalInput | undefined): ReturnType<typeof unitsOfInput> | undefined {
  return input === undefined ? null : (unitsOfInput(input) ?? undefined);
}
