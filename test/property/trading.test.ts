import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { valueHalfEven, type Market } from '../../src/domain/market.ts';
import { parseUnits } from '../../src/domain/money.ts';
import type { Execution } from '../../src/domain/order.ts';
import { createBareExchange, fund, type BareMarket } from '../support/bare-exchange.ts';
import type { SimulatedExchange } from '../../src/simulator/exchange.ts';
import { deepRuns } from '../support/deep-runs.ts';
import type { SimulatedOrder, Trade } from '../../src/simulator/market-state.ts';

const USERS = [1, 2, 3, 4];

/** Markets: a usual rial market, a tether market of eight decimals, and a coin at 1e-8 tether. */
const MARKETS: readonly BareMarket[] = [
  {
    market: 'BTCIRT',
    priceStep: '10',
    amountStep: '0.000001',
    initialPrice: '12600000000',
    minOrderValue: '3000000',
  },
  { market: 'ETHUSDT', priceStep: '0.00000001', amountStep: '0.00000001', initialPrice: '0.00012345' },
  { market: 'SHIBUSDT', priceStep: '0.00000001', amountStep: '1', initialPrice: '0.0000001' },
];

const FEE_COIN = {
  currency: 'bnb',
  prices: new Map([
    ['rls', parseUnits('700000000')],
    ['usdt', parseUnits('600')],
  ]),
};

type Operation =
  | {
      readonly kind: 'place';
      readonly user: number;
      readonly market: number;
      readonly side: 'buy' | 'sell';
      readonly execution: Execution | 'oco';
      /** Prices as offsets from the last price, in thousandths of it. */
      readonly offsets: readonly [number, number, number];
      readonly amount: number;
      readonly priced: boolean;
    }
  | { readonly kind: 'cancel'; readonly pick: number }
  | { readonly kind: 'cancel-old'; readonly user: number }
  | { readonly kind: 'take-out'; readonly user: number; readonly market: number; readonly share: number }
  | { readonly kind: 'finer-steps'; readonly market: number };

const user = fc.constantFrom(...USERS);
const market = fc.nat(MARKETS.length - 1);
const operation: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constant('place' as const),
      user,
      market,
      side: fc.constantFrom('buy' as const, 'sell' as const),
      execution: fc.constantFrom<Execution | 'oco'>(
        'limit',
        'limit',
        'limit',
        'market',
        'stop_limit',
        'stop_market',
        'oco',
      ),
      offsets: fc.tuple(
        fc.integer({ min: -20, max: 20 }),
        fc.integer({ min: 1, max: 30 }),
        fc.integer({ min: 0, max: 20 }),
      ),
      amount: fc.integer({ min: 1, max: 5_000 }),
      priced: fc.boolean(),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('cancel' as const), pick: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cancel-old' as const), user }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('take-out' as const),
      user,
      market,
      share: fc.integer({ min: 1, max: 100 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('finer-steps' as const), market }) },
);

class World {
  readonly exchange: SimulatedExchange;
  readonly markets: readonly Market[];
  readonly orders: SimulatedOrder[] = [];
  readonly trades: Trade[] = [];
  accepted = 0;
  readonly feesIn = new Set<string | null>();
  private timeMs = 0;

  constructor() {
    const created = createBareExchange({
      markets: MARKETS,
      fees: { rls: { maker: 2_001, taker: 2_503 }, usdt: { maker: 1_000, taker: 1_337 } },
    });
    this.exchange = created.exchange;
    this.markets = created.markets;
    for (const id of USERS) {
      fund(this.exchange, id, 'rls', '500000000.1234567891');
      fund(this.exchange, id, 'btc', '0.04');
      fund(this.exchange, id, 'usdt', '0.01');
      fund(this.exchange, id, 'eth', '50.000000019');
      fund(this.exchange, id, 'shib', '200000');
    }
    // Some pay fees with a coin, while it lasts.
    for (const id of USERS.slice(0, 2)) {
      fund(this.exchange, id, 'bnb', '0.000003');
      this.exchange.trading.trader(id).feeCoin = FEE_COIN;
    }
    this.exchange.trading.onEvent = (event) => {
      if (event.kind === 'trade') this.trades.push(event.trade);
    };
  }

  apply(step: Operation): void {
    this.timeMs += 1_000;
    const { exchange, timeMs } = this;
    if (step.kind === 'place') this.place(step);
    else if (step.kind === 'cancel') {
      const order = this.orders[step.pick % Math.max(1, this.orders.length)];
      if (order !== undefined) exchange.trading.cancel(order, timeMs);
    } else if (step.kind === 'cancel-old') {
      const all = { createdAtOrBeforeMs: null, execution: null, base: null, quote: null, tradeType: null };
      exchange.trading.cancelOld(step.user, all, timeMs);
    } else if (step.kind === 'take-out') this.takeOut(step);
    else this.refine(step.market);
  }

  private place(step: Extract<Operation, { kind: 'place' }>): void {
    const state = this.exchange.markets.get(this.markets[step.market]!.symbol)!;
    const last = Math.max(1, Math.round(state.lastPrice / state.priceFactor));
    const at = (thousandths: number): number => Math.max(1, last + Math.round((last * thousandths) / 1_000));
    const direction = step.side === 'buy' ? 1 : -1;
    const [offset, stopOffset, limitOffset] = step.offsets;
    const isOco = step.execution === 'oco';
    const isStop = step.execution === 'stop_limit' || step.execution === 'stop_market';
    const stop = at(direction * stopOffset);
    const beyondStop = at(direction * (stopOffset + limitOffset));
    const price = isOco ? at(-direction * Math.abs(offset)) : isStop ? beyondStop : at(offset);
    const isMarket = step.execution === 'market' || step.execution === 'stop_market';
    const result = this.exchange.trading.place(
      step.user,
      {
        market: state.rules.symbol,
        side: step.side,
        execution: step.execution === 'oco' ? 'limit' : step.execution,
        mode: isOco ? 'oco' : 'default',
        amount: step.amount,
        price: isMarket && !step.priced ? null : price,
        stopPrice: isOco || isStop ? stop : null,
        stopLimitPrice: isOco ? beyondStop : null,
        clientOrderId: null,
        pro: true,
      },
      this.timeMs,
    );
    if (!result.ok) return;
    this.accepted += 1;
    this.orders.push(...result.value);
  }

  private takeOut(step: Extract<Operation, { kind: 'take-out' }>): void {
    const { trading, accounts } = this.exchange;
    const currency = this.markets[step.market]!.quote;
    const wallet = accounts.find(step.user, currency);
    if (wallet === undefined) return;
    const units = (wallet.total * BigInt(step.share)) / 400n;
    trading.cancelUntilCovered(step.user, currency, { needed: units, timeMs: this.timeMs });
    accounts.post(wallet, 'outside', { units: -units, description: 'Withdrawal', timeMs: this.timeMs });
  }

  private refine(index: number): void {
    const state = this.exchange.markets.get(this.markets[index]!.symbol)!;
    if (state.rules.version === 1 && index === 0)
      state.changeRules({ priceStep: '1', amountStep: '0.0000001' });
  }

  check(): void {
    const { accounts } = this.exchange;
    for (const currency of accounts.houseCurrencies()) expect(accounts.imbalanceOf(currency)).toBe(0n);
    const heldByOrders = new Map<number, bigint>();
    for (const order of this.orders) {
      expect(order.remaining).toBeGreaterThanOrEqual(0);
      expect(order.held >= 0n).toBe(true);
      if (!order.isOpen) expect(order.held).toBe(0n);
      expect(order.total).toBe(valueHalfEven(order.grid, order.filledSteps));
      const { id } = order.payingWallet;
      heldByOrders.set(id, (heldByOrders.get(id) ?? 0n) + order.held);
    }
    for (const wallet of accounts.allWallets()) {
      expect(wallet.held).toBe(heldByOrders.get(wallet.id) ?? 0n);
      expect(wallet.held <= wallet.total).toBe(true);
    }
    for (const { book } of this.exchange.markets.values()) {
      const bid = book.buys.best;
      const ask = book.sells.best;
      if (bid !== undefined && ask !== undefined) expect(bid.price).toBeLessThan(ask.price);
      for (const side of [book.buys, book.sells]) {
        for (const level of side.top(1_000)) {
          let sum = 0;
          for (let order = level.head; order !== null; order = order.next) sum += order.remaining;
          expect(level.amount).toBe(sum);
        }
      }
    }
  }

  checkTrades(): void {
    const sums = new Map<SimulatedOrder, { amount: number; total: bigint; fee: bigint }>();
    const add = (order: SimulatedOrder, part: { amount: number; total: bigint; fee: bigint }): void => {
      const sum = sums.get(order) ?? { amount: 0, total: 0n, fee: 0n };
      sums.set(order, {
        amount: sum.amount + part.amount,
        total: sum.total + part.total,
        fee: sum.fee + part.fee,
      });
    };
    for (const trade of this.trades) {
      // Every price lies on the price step that its orders have by now.
      const priceFactor = Number(trade.grid.priceStep / trade.maker.grid.priceStep);
      const { taker, maker } = trade;
      const amount = trade.amount * Number(trade.grid.amountStep / maker.grid.amountStep);
      const takerPriceFactor = Number(trade.grid.priceStep / taker.grid.priceStep);
      expect(trade.price * priceFactor).toBe(maker.price);
      if (taker.side === 'buy') expect(trade.price * takerPriceFactor).toBeLessThanOrEqual(taker.price);
      else expect(trade.price * takerPriceFactor).toBeGreaterThanOrEqual(taker.price);
      const { makerFeeCoin, takerFeeCoin } = trade;
      for (const feeCoin of [makerFeeCoin, takerFeeCoin]) this.feesIn.add(feeCoin);
      add(maker, { amount, total: trade.makerTotal, fee: makerFeeCoin === null ? trade.makerFee : 0n });
      add(taker, {
        amount: trade.amount * Number(trade.grid.amountStep / taker.grid.amountStep),
        total: trade.takerTotal,
        fee: takerFeeCoin === null ? trade.takerFee : 0n,
      });
    }
    for (const order of this.orders) {
      const sum = sums.get(order) ?? { amount: 0, total: 0n, fee: 0n };
      expect(order.matched).toBe(sum.amount);
      expect(order.total).toBe(sum.total);
      expect(order.fee).toBe(sum.fee);
      expect(order.matched).toBeLessThanOrEqual(order.amount);
    }
  }
}

describe('trading, whatever is done', () => {
  test('conserves money over all users and the house, covers every hold, and fills no order beyond its amount or limit', () => {
    let accepted = 0;
    let trades = 0;
    const feesIn = new Set<string | null>();
    fc.assert(
      fc.property(fc.array(operation, { minLength: 40, maxLength: 160 }), (steps) => {
        const world = new World();
        for (const step of steps) {
          world.apply(step);
          world.check();
        }
        world.checkTrades();
        accepted += world.accepted;
        trades += world.trades.length;
        for (const coin of world.feesIn) feesIn.add(coin);
      }),
      { numRuns: deepRuns(20, 10) },
    );
    // A property of nothing would prove nothing.
    expect(accepted).toBeGreaterThan(deepRuns(150, 75));
    expect(trades).toBeGreaterThan(deepRuns(30, 10));
    expect(feesIn).toEqual(new Set([null, 'bnb']));
  });
});
