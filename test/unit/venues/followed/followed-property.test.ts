import fc from 'fast-check';
import { bookColumns, tradeColumns } from '../../../../src/recording/records.ts';
import { describe, expect, it } from 'vitest';
import { FollowedExchange } from '../../../../src/venues/followed-exchange.ts';
import { createPollRules, type PollRules } from '../../../../src/venues/fill-rules.ts';
import { decimalText } from '../../../../src/domain/decimal-text.ts';
import { createMarket } from '../../../../src/domain/market.ts';
import { parseUnits, unitsOf } from '../../../../src/domain/money.ts';
import type { BookLevel, OrderBook } from '../../../../src/domain/order-book.ts';
import type { VenueOrder } from '../../../../src/domain/order.ts';
import type { VenueTrade } from '../../../../src/domain/trade.ts';
import type { Page, VenueCall } from '../../../../src/venues/port.ts';
import { deepRuns } from '../../../support/deep-runs.ts';
import { parseMarket } from '../../../../src/exchange/market-names.ts';

const MARKET = createMarket({ market: parseMarket('BTCUSDT'), priceStep: '1', amountStep: '0.1' });
const CASH = '100000';
const COINS = '500';

const side = fc.constantFrom('buy' as const, 'sell' as const);
const amount = fc.integer({ min: 1, max: 60 });
const price = fc.integer({ min: 93, max: 107 });
const event = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('book' as const),
      middle: fc.integer({ min: 95, max: 105 }),
      amounts: fc.array(amount, { minLength: 1, maxLength: 5 }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('trade' as const), side, amount, price }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('limit' as const), side, amount, price }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('market' as const), side, amount }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('stop' as const), side, amount, price }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cancel' as const), index: fc.nat(20) }) },
);
const rules = fc.record({
  queue: fc.constantFrom<PollRules['queue']>(
    { kind: 'back' },
    { kind: 'front' },
    { kind: 'share', millionths: 300_000 },
  ),
  through: fc.constantFrom<PollRules['through']>('whole', 'volume'),
  liquidity: fc.constantFrom<PollRules['liquidity']>('until-change', 'next-book'),
});

type Event = typeof event extends fc.Arbitrary<infer Kind> ? Kind : never;

describe('a recorded market, whatever happens in it', () => {
  it('keeps every unit of money, fills no order beyond its amount or price, and never shows a crossed book', () => {
    fc.assert(
      fc.property(fc.array(event, { minLength: 5, maxLength: 60 }), rules, (events, given) => {
        const market = new Exchange(createPollRules(given));
        for (const each of events) {
          market.do(each);
          market.check();
        }
      }),
      { numRuns: deepRuns(80) },
    );
  });
});

class Exchange {
  private readonly exchange: FollowedExchange;
  private nowMs = 1_000;
  private orders = 0;

  constructor(given: PollRules) {
    this.exchange = new FollowedExchange({
      markets: [{ market: MARKET, hasTrades: true }],
      fees: { rls: { maker: 1_000, taker: 2_000 }, usdt: { maker: 1_000, taker: 2_000 } },
      balances: { usdt: parseUnits(CASH), btc: parseUnits(COINS) },
      limits: {},
      startMs: 0,
      rules: given,
    });
    this.do({ kind: 'book', middle: 100, amounts: [10, 20] });
  }

  do(each: Event): void {
    this.nowMs += 11_000;
    const [market] = this.exchange.markets;
    if (market === undefined) return;
    if (each.kind === 'book') {
      const levels = (direction: 1 | -1): readonly BookLevel[] =>
        each.amounts.map((steps, index) => [text(each.middle + direction * (1 + index)), tenths(steps)]);
      const book = { venueTimeMs: null, seenMs: this.nowMs, bids: levels(-1), asks: levels(1) };
      market.onBook(bookColumns([book]), 0, this.nowMs);
    } else if (each.kind === 'trade') {
      const trade = { price: text(each.price), amount: tenths(each.amount), side: each.side };
      const seen = { timeMs: this.nowMs, seenMs: this.nowMs };
      market.onTrade(tradeColumns([{ ...trade, ...seen }]), 0, this.nowMs);
    } else if (each.kind === 'cancel') {
      this.exchange.answer(
        { kind: 'cancel', market: 'BTCUSDT', venueId: null, clientOrderId: `o${each.index}` },
        this.nowMs,
      );
    } else this.place(each);
  }

  check(): void {
    const { items: trades } = this.value({ kind: 'trades', market: null, from: 1 }) as Page<VenueTrade>;
    const { items: orders } = this.value({
      kind: 'orders',
      status: 'all',
      market: null,
      from: null,
    }) as Page<VenueOrder>;
    let cash = parseUnits(CASH) as bigint;
    let coins = parseUnits(COINS) as bigint;
    for (const trade of trades) {
      const [total, fee, size] = [trade.total, trade.fee, trade.amount];
      cash += trade.side === 'buy' ? 0n - total : total - fee;
      coins += trade.side === 'buy' ? size - fee : 0n - size;
    }
    expect(this.exchange.balance('usdt')).toBe(cash);
    expect(this.exchange.balance('btc')).toBe(coins);
    for (const order of orders) this.checkOrder(order, trades);
    const { bids, asks } = this.value({ kind: 'book', market: 'BTCUSDT' }) as OrderBook;
    const [bid, ask] = [bids[0]?.[0], asks[0]?.[0]];
    if (bid !== undefined && ask !== undefined) expect(Number(bid)).toBeLessThan(Number(ask));
  }

  private checkOrder(order: VenueOrder, trades: readonly VenueTrade[]): void {
    const own = trades.filter(({ orderId }) => orderId === order.id);
    const filled = own.reduce((sum, trade) => sum + trade.amount, 0n);
    expect(filled).toBe(order.matchedAmount);
    expect(filled).toBeLessThanOrEqual(order.amount);
    if (order.execution !== 'limit' || order.price === null) return;
    for (const { price } of own) {
      if (order.side === 'buy') expect(Number(price)).toBeLessThanOrEqual(Number(order.price));
      else expect(Number(price)).toBeGreaterThanOrEqual(Number(order.price));
    }
  }

  /** Places an order, which the exchange may refuse like any other. */
  private place(of: Extract<Event, { kind: 'limit' | 'market' | 'stop' }>): void {
    this.orders += 1;
    const execution = of.kind === 'stop' ? 'stop_market' : of.kind;
    this.exchange.answer(
      {
        kind: 'place',
        order: {
          clientOrderId: `o${this.orders}`,
          base: 'btc',
          quote: 'usdt',
          side: of.side,
          execution,
          amount: unitsOf(tenths(of.amount)),
          price: of.kind === 'limit' ? parseUnits(of.price) : null,
          stopPrice: of.kind === 'stop' ? parseUnits(of.price) : null,
        },
      },
      this.nowMs,
    );
  }

  private value(call: VenueCall): unknown {
    const answer = this.exchange.answer(call, this.nowMs);
    if (answer.outcome !== 'value') throw new Error(`${call.kind}: ${JSON.stringify(answer)}`);
    return answer.value;
  }
}

const text = (value: number): ReturnType<typeof decimalText> => decimalText(String(value));

const tenths = (steps: number): ReturnType<typeof decimalText> => decimalText((steps / 10).toFixed(1));
