import fc from 'fast-check';
import { expect, test } from 'vitest';
import { columnsOf } from '../../../../src/domain/candle-columns.ts';
import { decimalText } from '../../../../src/domain/decimal-text.ts';
import { amountUnits, createMarket, priceUnits } from '../../../../src/domain/market.ts';
import { parseUnits, type Amount, type Price } from '../../../../src/domain/money.ts';
import type { Execution, Side, VenueOrder } from '../../../../src/domain/order.ts';
import type { VenueCall } from '../../../../src/venues/port.ts';
import { BarFillSimulator } from '../../../../src/venues/bar-fill-simulator.ts';
import { createBareExchange, fund } from '../../../support/bare-exchange.ts';
import { orderIdOf } from '../../../../src/venues/read-records.ts';
import { parseMarket } from '../../../../src/exchange/market-names.ts';

const TERMS = { market: 'BTCUSDT', priceStep: '0.01', amountStep: '0.001', minOrderValue: '11' };
const MARKET = createMarket({ ...TERMS, market: parseMarket(TERMS.market) });
const BALANCES = { usdt: '2000', btc: '15' };

interface Wish {
  readonly side: Side;
  readonly execution: Execution | 'oco';
  /** Prices in steps; the last price is 10,000 steps. */
  readonly prices: readonly [number, number, number];
  readonly amount: number;
  readonly sameId: boolean;
  readonly afterMs: number;
  readonly cancels: boolean;
  /** True if the order is placed once more, with another id. */
  readonly repeats: boolean;
}

const price = fc.oneof(fc.integer({ min: 6_990, max: 13_010 }), fc.integer({ min: 9_998, max: 10_002 }));
const below = fc.integer({ min: 7_500, max: 9_900 });
const above = fc.integer({ min: 10_100, max: 12_500 });
const wish: fc.Arbitrary<Wish> = fc.record({
  side: fc.constantFrom<Side>('buy', 'sell'),
  execution: fc.constantFrom<Execution | 'oco'>(
    'limit',
    'limit',
    'market',
    'stop_limit',
    'stop_market',
    'oco',
  ),
  // A pair needs prices on both sides of the last one, which three random prices seldom have.
  prices: fc.oneof(
    fc.tuple(price, price, price),
    fc.tuple(below, above, above),
    fc.tuple(above, below, below),
  ),
  amount: fc.oneof(fc.integer({ min: 1, max: 20_000 }), fc.constant(1_000), fc.integer({ min: 0, max: 200 })),
  sameId: fc.boolean(),
  afterMs: fc.constantFrom(0, 9_999, 10_000),
  cancels: fc.boolean(),
  repeats: fc.boolean(),
});

/** Both exchanges with the same account, and the last price at 100. The full one has no other traders. */
class Twins {
  private readonly full = createBareExchange({ markets: [{ ...TERMS, initialPrice: '100' }] }).exchange;
  private readonly candles = new BarFillSimulator({
    markets: [MARKET],
    fees: { rls: { maker: 0, taker: 0 }, usdt: { maker: 0, taker: 0 } },
    balances: { usdt: parseUnits(BALANCES.usdt), btc: parseUnits(BALANCES.btc) },
  });
  private nowMs = 60_000;
  private ids = 0;

  constructor() {
    for (const [currency, amount] of Object.entries(BALANCES)) fund(this.full, 1, currency, amount);
    const [flat, volume] = [decimalText('100'), decimalText('1')];
    const candle = { openTimeMs: 0, open: flat, high: flat, low: flat, close: flat, volume };
    this.candles.onCandle(0, columnsOf({ market: MARKET.symbol, timeframe: '1m' }, [candle]), 0);
  }

  /** Does a step on both, which must agree; returns the statuses or the code that they gave. */
  step(wish: Wish): string {
    this.nowMs += wish.afterMs;
    if (!wish.sameId) this.ids += 1;
    // Both refuse the id of a resting order, and a market order would rest on candles only.
    const clientOrderId = `c${this.ids}`;
    const [candles, candleIds] = this.placeOnCandles(wish, clientOrderId);
    const [full, fullIds] = this.placeOnFull(wish, clientOrderId);
    if (wish.execution === 'market' && candleIds.length > 0) this.cancelOnCandles(candleIds[0]!);
    if (wish.cancels && candleIds.length > 0) {
      this.cancelOnCandles(candleIds.at(-1)!);
      this.full.trading.cancel(
        this.full.trading.find(1, { id: fullIds.at(-1)!, clientOrderId: null })!,
        this.nowMs,
      );
    }
    for (const currency of Object.keys(BALANCES)) {
      const { total, held } = this.full.accounts.find(1, currency)!;
      expect(this.candles.balance(currency)).toEqual({ total, held });
    }
    expect(`${candles} ${candleIds.join(' ')}`).toBe(`${full} ${fullIds.join(' ')}`);
    return candles;
  }

  private placeOnCandles(wish: Wish, clientOrderId: string): readonly [string, readonly number[]] {
    const { side, execution, prices, amount } = wish;
    const at = (steps: number) => priceUnits(MARKET, steps as Price);
    const common = {
      clientOrderId,
      base: 'btc',
      quote: 'usdt',
      side,
      amount: amountUnits(MARKET, amount as Amount),
    };
    const [first, stop, stopLimit] = prices;
    const isPriced = execution === 'limit' || execution === 'stop_limit';
    const isStop = execution === 'stop_limit' || execution === 'stop_market';
    const call: VenueCall =
      execution === 'oco'
        ? {
            kind: 'place-oco',
            order: { ...common, price: at(first), stopPrice: at(stop), stopLimitPrice: at(stopLimit) },
          }
        : {
            kind: 'place',
            order: {
              ...common,
              execution,
              price: isPriced ? at(first) : null,
              stopPrice: isStop ? at(stop) : null,
            },
          };
    const answer = this.candles.answer(call, this.nowMs);
    if (answer.outcome !== 'value') return [answer.outcome === 'refused' ? answer.code : answer.outcome, []];
    const orders = [answer.value].flat() as VenueOrder[];
    const said = execution === 'market' ? 'Canceled' : orders.map(({ status }) => status).join(' ');
    return [said, orders.map(({ id }) => Number(id))];
  }

  private placeOnFull(wish: Wish, clientOrderId: string): readonly [string, readonly number[]] {
    const { side, execution, prices, amount } = wish;
    // The full exchange refuses an amount of zero steps before it is an order.
    if (amount === 0) return ['SmallOrder', []];
    const [first, stop, stopLimit] = prices;
    const isOco = execution === 'oco';
    const placed = this.full.trading.place(
      1,
      {
        market: MARKET.symbol,
        side,
        execution: isOco ? 'limit' : execution,
        mode: isOco ? 'oco' : 'default',
        amount,
        price: isOco || execution === 'limit' || execution === 'stop_limit' ? first : null,
        stopPrice: isOco || execution === 'stop_limit' || execution === 'stop_market' ? stop : null,
        stopLimitPrice: isOco ? stopLimit : null,
        clientOrderId,
        pro: false,
      },
      this.nowMs,
    );
    if (!placed.ok) return [placed.code, []];
    return [placed.value.map(({ status }) => status).join(' '), placed.value.map(({ id }) => id)];
  }

  private cancelOnCandles(venueId: number): void {
    this.candles.answer(
      { kind: 'cancel', market: 'BTCUSDT', venueId: orderIdOf(venueId), clientOrderId: null },
      this.nowMs,
    );
  }
}

test('the exchange on candles accepts, refuses and holds as the full one does', () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(fc.array(wish, { minLength: 1, maxLength: 25, size: 'max' }), (chosen) => {
      // On the full exchange one's own orders would trade with each other, so each side has its own pair.
      const twins = { buy: new Twins(), sell: new Twins() };
      for (const wish of chosen) {
        seen.add(twins[wish.side].step(wish));
        if (wish.repeats) seen.add(twins[wish.side].step({ ...wish, sameId: false }));
      }
    }),
    { numRuns: 60 },
  );
  const answers = ['Active', 'Active Inactive', 'Canceled', 'Inactive'];
  const prices = ['BadPrice', 'PriceConditionFailed', 'OverValueOrder', 'SmallOrder'];
  const repeats = ['DuplicateClientOrderId', 'DuplicateOrder'];
  expect([...seen]).toEqual(expect.arrayContaining([...answers, ...prices, ...repeats]));
});
