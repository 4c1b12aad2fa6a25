import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createMarket, amountUnits, priceUnits } from '../../../../src/domain/market.ts';
import {
  UNITS_PER_ONE,
  type Amount,
  type Price,
  type Units,
  divideHalfEven,
} from '../../../../src/domain/money.ts';
import type { Execution, Side, VenueOrder, VenueOrderId } from '../../../../src/domain/order.ts';
import { isOpenStatus, type VenueAnswer, type VenueCall } from '../../../../src/venues/port.ts';
import type { VenueTrade } from '../../../../src/domain/trade.ts';
import { createBarRules, type BarPath, type BarRules } from '../../../../src/venues/fill-rules.ts';
import { BarFillSimulator } from '../../../../src/venues/bar-fill-simulator.ts';
import { BASE_FEES } from '../../../support/bare-exchange.ts';
import { INTERFACE_PROFILE } from '../../../../src/venues/interface-profile.ts';
import { deepRuns } from '../../../support/deep-runs.ts';
import { orderIdOf, tradeIdOf } from '../../../../src/venues/read-records.ts';
import { parseMarket } from '../../../../src/exchange/market-names.ts';
import { barColumns } from '../../../support/bar-columns.ts';

const HOUR_MS = 3_600_000;

/**
 * A rial market with a coarse price step, and a tether market whose values are no whole units. Columns have
 * finer prices than the steps.
 */
const MARKETS = [
  createMarket({ market: parseMarket('BTCIRT'), priceStep: '10', amountStep: '0.000001' }),
  createMarket({ market: parseMarket('ETHUSDT'), priceStep: '0.000001', amountStep: '0.0000001' }),
];
const START_CELLS = [1_260_000_000_00, 100_000_000];
const DECIMALS = [1, 7];

type Action =
  | {
      readonly kind: 'place';
      readonly market: number;
      readonly side: Side;
      readonly execution: Execution | 'oco';
      /** Distances from the last close, in thousandths of it. */
      readonly offsets: readonly [number, number];
      readonly amount: number;
    }
  | { readonly kind: 'cancel'; readonly pick: number }
  | {
      readonly kind: 'bar';
      readonly market: number;
      readonly moves: readonly number[];
      readonly volume: number;
    };

const market = fc.nat(1);
const action = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('place' as const),
      market,
      side: fc.constantFrom('buy' as const, 'sell' as const),
      execution: fc.constantFrom<Execution | 'oco'>('limit', 'market', 'stop_limit', 'stop_market', 'oco'),
      offsets: fc.tuple(fc.integer({ min: -5, max: 25 }), fc.integer({ min: 0, max: 10 })),
      amount: fc.integer({ min: 1, max: 3_000_000 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cancel' as const), pick: fc.nat(50) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('bar' as const),
      market,
      // The gap, the ways from open to high and to low, and where between them the bar closes.
      moves: fc.tuple(fc.integer({ min: -20, max: 20 }), fc.nat(20), fc.nat(20), fc.nat(100)),
      volume: fc.constantFrom(0, 30_000_000, 1_000_000_000),
    }),
  },
);

const rules: fc.Arbitrary<BarRules> = fc.record({
  arrival: fc.constantFrom('next-open' as const, 'this-close' as const),
  spreadBps: fc.constantFrom(0, 3.5),
  slippage: fc.constantFrom(
    { kind: 'bps' as const, bps: 0 },
    { kind: 'range' as const, millionths: 300_000 },
  ),
  limitFill: fc.constantFrom('through' as const, 'touch' as const),
  limitGap: fc.constantFrom('open' as const, 'own-price' as const),
  path: fc.constantFrom<BarPath>(
    'worst-first',
    'open-high-low-close',
    'open-low-high-close',
    'nearest-first',
  ),
  volumeShareMillionths: fc.constantFrom(100_000, null),
  marketBand: fc.constantFrom('none' as const, 'exchange' as const),
});

const moved = (cell: number, thousandths: number): number =>
  Math.round((cell * (1_000 + thousandths)) / 1_000);

/** Does steps on the exchange on candles, and keeps its own books of the answers. */
class Bookkeeper {
  readonly venue: BarFillSimulator;
  private readonly rules: BarRules;
  private readonly totals: Record<string, bigint> = {
    rls: 3_000_000_000_000n * UNITS_PER_ONE,
    usdt: 300n * UNITS_PER_ONE,
    btc: 3n * UNITS_PER_ONE,
    eth: 3n * UNITS_PER_ONE,
  };
  private readonly closes = [...START_CELLS];
  private readonly bars = [0, 0];
  private readonly orders = new Map<VenueOrderId | null, VenueOrder>();
  private readonly filled = new Map<VenueOrderId | null, bigint>();
  private lastTradeId = 0;
  fills = 0;

  constructor(rules: BarRules) {
    this.rules = rules;
    this.venue = new BarFillSimulator({
      markets: MARKETS,
      fees: BASE_FEES,
      balances: this.totals as Record<string, Units>,
      rules,
    });
    for (const index of [0, 1]) this.bar(index, [0, 0, 0, 0], 0);
  }

  run(action: Action): void {
    if (action.kind === 'bar') this.bar(action.market, action.moves, action.volume);
    else if (action.kind === 'place') this.place(action);
    else this.cancel(action.pick);
    this.check();
  }

  private nowMs(market: number): number {
    return this.bars[market]! * HOUR_MS;
  }

  private bar(market: number, moves: readonly number[], volume: number): void {
    const [gap = 0, up = 0, down = 0, place = 0] = moves;
    const open = moved(this.closes[market]!, gap);
    const high = moved(open, up);
    const low = moved(open, -down);
    const close = low + Math.round(((high - low) * place) / 100);
    const rows = [[this.nowMs(market), open, high, low, close, volume]];
    const decimals = { priceDecimals: DECIMALS[market]!, volumeDecimals: 7 };
    const columns = barColumns(MARKETS[market]!.symbol, '1h', rows, decimals);
    this.closes[market] = close;
    this.venue.onCandle(market, columns, 0);
    this.bars[market]! += 1;
    const trades = this.take();
    for (const trade of trades) this.checkPrice(trade, market, { low, high });
    const share = this.rules.volumeShareMillionths;
    if (share === null) return;
    const taken = trades.reduce((sum, { amount }) => sum + amount, 0n);
    expect(taken * 10n).toBeLessThanOrEqual(BigInt(volume) * 1_000n);
  }

  /** Checks the price of a trade: with costs or rounding it may be worse than the bar's, never better. */
  private checkPrice(
    trade: VenueTrade,
    market: number,
    bar: { readonly low: number; readonly high: number },
  ): void {
    const { priceStep } = MARKETS[market]!;
    const units = (cell: number): bigint => BigInt(cell) * 10n ** BigInt(10 - DECIMALS[market]!);
    const price = trade.price;
    const isFree = this.rules.spreadBps === 0 && this.rules.slippage.kind === 'bps';
    const { limitGap } = this.rules;
    // At a gap a resting order that keeps its own price may fill outside the bar, at a worse price.
    if (trade.side === 'buy') expect(price).toBeGreaterThanOrEqual(units(bar.low));
    else expect(price).toBeLessThanOrEqual(units(bar.high));
    if (!isFree || limitGap === 'own-price') return;
    if (trade.side === 'buy') expect(price).toBeLessThan(units(bar.high) + priceStep);
    else expect(price).toBeGreaterThan(units(bar.low) - priceStep);
  }

  private place(action: Extract<Action, { kind: 'place' }>): void {
    const { side, execution, offsets, amount } = action;
    const market = MARKETS[action.market]!;
    const away = side === 'buy' ? 1 : -1;
    const at = (thousandths: number) => {
      const cell = moved(this.closes[action.market]!, thousandths);
      const units = BigInt(cell) * 10n ** BigInt(10 - DECIMALS[action.market]!);
      return priceUnits(market, Number(units / market.priceStep) as Price);
    };
    const [first, second] = offsets;
    const common = {
      clientOrderId: `c${this.orders.size}-${this.nowMs(action.market)}`,
      base: market.base,
      quote: market.quote,
      side,
      amount: amountUnits(market, amount as Amount),
    };
    const stopPrice = at(away * first);
    const call: VenueCall =
      execution === 'oco'
        ? {
            kind: 'place-oco',
            order: {
              ...common,
              price: at(-away * second),
              stopPrice,
              stopLimitPrice: at(away * (first + second)),
            },
          }
        : {
            kind: 'place',
            order: {
              ...common,
              execution,
              price:
                execution === 'limit'
                  ? at(-away * first)
                  : execution === 'stop_limit'
                    ? at(away * (first + second))
                    : null,
              stopPrice: execution === 'stop_limit' || execution === 'stop_market' ? stopPrice : null,
            },
          };
    this.note(this.venue.answer(call, this.nowMs(action.market)));
    this.take();
  }

  private cancel(pick: number): void {
    const open = this.venue.openOrders;
    const venueId = open[pick % Math.max(1, open.length)]?.id ?? orderIdOf(1);
    this.venue.answer({ kind: 'cancel', market: 'BTCUSDT', venueId, clientOrderId: null }, 0);
    const after = this.venue.answer({ kind: 'order', market: 'BTCUSDT', venueId, clientOrderId: null }, 0);
    this.note(after);
    this.take();
  }

  private note(answer: VenueAnswer): void {
    if (answer.outcome !== 'value') return;
    for (const order of [answer.value].flat() as VenueOrder[]) this.orders.set(order.id, order);
  }

  private take(): readonly VenueTrade[] {
    const { orders, trades } = this.venue.drain();
    for (const order of orders) this.orders.set(order.id, order);
    for (const trade of trades) this.enter(trade);
    return trades;
  }

  private enter(trade: VenueTrade): void {
    const { orderId, side, market: name } = trade;
    const order = this.orders.get(orderId)!;
    const amount = trade.amount;
    const total = trade.total;
    const fee = trade.fee;
    const price = trade.price;
    this.fills += 1;
    this.lastTradeId += 1;
    expect(trade.id).toBe(tradeIdOf(this.lastTradeId));
    const { base, quote } = name!;
    const sign = side === 'buy' ? 1n : -1n;
    this.totals[base]! += sign * amount - (side === 'buy' ? fee : 0n);
    this.totals[quote]! -= sign * total + (side === 'sell' ? fee : 0n);
    const filled = (this.filled.get(order.id) ?? 0n) + amount;
    this.filled.set(order.id, filled);
    expect(filled).toBeLessThanOrEqual(order.amount);
    if (order.price !== null) expect(sign * (order.price - price)).toBeGreaterThanOrEqual(0n);
  }

  private check(): void {
    for (const [currency, expected] of Object.entries(this.totals)) {
      const { total, held } = this.venue.balance(currency);
      expect(total, currency).toBe(expected);
      expect(held >= 0n && held <= total, `${currency} holds ${held} of ${total}`).toBe(true);
      if (this.venue.openOrders.length === 0) expect(held).toBe(0n);
    }
    for (const [id, order] of this.orders) {
      expect(order.matchedAmount, `${id}`).toBe(this.filled.get(id) ?? 0n);
      if (order.status === 'Done') expect(order.matchedAmount).toBe(order.amount);
      const pair = this.orders.get(order.pairId);
      if (pair !== undefined && order.matchedAmount !== 0n) {
        expect(pair.matchedAmount).toBe(0n);
        expect(isOpenStatus(INTERFACE_PROFILE, pair.status ?? '')).toBe(false);
      }
    }
    const close = BigInt(this.closes[1]!) * 10n ** BigInt(10 - DECIMALS[1]!);
    expect(this.venue.equity('usdt')).toBe(
      this.totals['usdt']! + divideHalfEven(this.totals['eth']! * close, UNITS_PER_ONE),
    );
  }
}

test('an account on candles loses and finds nothing, whatever is traded by whichever rules', () => {
  let fills = 0;
  fc.assert(
    fc.property(rules, fc.array(action, { minLength: 1, maxLength: 60, size: 'max' }), (rules, actions) => {
      const books = new Bookkeeper(createBarRules(rules));
      for (const action of actions) books.run(action);
      fills += books.fills;
    }),
    { numRuns: deepRuns(30) },
  );
  expect(fills).toBeGreaterThan(deepRuns(30));
});
