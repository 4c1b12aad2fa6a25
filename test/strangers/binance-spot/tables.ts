import assert from 'node:assert/strict';
import {
  BUILT_IN_KEY,
  createSimulatedSpot,
  SimulatedSpotServer,
  spotExchangeSettings,
} from '../../../src/binance-spot/simulated-exchange.ts';

/** Time by which the exchange is ahead: clients may be that much behind it, and one second ahead of it. */
const AHEAD_MS = 3_000;

/** A served exchange whose time stands still within a check, and its own tables as plain numbers. */
export class Tables {
  readonly core;
  readonly key = BUILT_IN_KEY;
  address = '';
  /** Checks that passed, by their names. */
  readonly passed: string[] = [];
  private readonly mistakes: unknown[] = [];
  private readonly server;
  private nowMs = Date.now() + AHEAD_MS;

  constructor() {
    const settings = spotExchangeSettings.parse({ limits: { creditDelayMs: 0 } });
    this.core = createSimulatedSpot({ settings, seed: 5, startMs: this.nowMs });
    this.server = new SimulatedSpotServer({
      core: this.core,
      clock: () => this.nowMs,
      onMistake: (error) => this.mistakes.push(error),
    });
  }

  async open(): Promise<void> {
    this.address = await this.server.listen({ host: '127.0.0.1', port: 0 });
  }

  close(): Promise<void> {
    return this.server.close();
  }

  /** Lets time go on to now, and then runs one check. */
  async check(name: string, act: () => Promise<void>): Promise<void> {
    this.nowMs = Date.now() + AHEAD_MS;
    this.core.advance(this.nowMs);
    try {
      await act();
      assert.deepEqual(this.mistakes, []);
    } catch (error) {
      throw new Error(`${name} is not as in the tables of the exchange`, { cause: error });
    }
    this.passed.push(name);
  }

  market(symbol: string) {
    const market = this.core.markets.get(symbol);
    assert(market !== undefined);
    return market;
  }

  /** Price and amount of the levels of a side, best first. */
  levels(symbol: string, side: 'buy' | 'sell', most: number): readonly (readonly number[])[] {
    const { rules } = this.market(symbol);
    return this.market(symbol)
      .side(side)
      .top(most)
      .map(({ price, amount }) => [Number(rules.priceText(price)), Number(rules.amountText(amount))]);
  }

  lastPrice(symbol: string): number {
    const { rules, lastPrice } = this.market(symbol);
    return Number(rules.priceText(lastPrice));
  }

  get account() {
    const [account] = this.core.accounts;
    assert(account !== undefined);
    return account;
  }

  /** Free and locked money of an asset. */
  money(asset: string): { readonly free: number; readonly used: number; readonly total: number } {
    const { free, locked } = this.account.wallet(asset);
    return { free: Number(free) / 1e10, used: Number(locked) / 1e10, total: Number(free + locked) / 1e10 };
  }

  /** An own order by its id, in the numbers of its market. */
  order(symbol: string, id: number | string) {
    const order = this.account.history(symbol).byId.get(Number(id));
    assert(order !== undefined, `expected an order ${id}`);
    const { rules } = order.market;
    return {
      status: order.status,
      price: Number(rules.priceText(order.request.price)),
      amount: Number(rules.amountText(order.quantity)),
      filled: Number(rules.amountText(order.filled)),
      cost: Number(order.filledValue) / 1e10,
      side: order.side,
      type: order.request.type,
      clientOrderId: order.clientOrderId,
    };
  }

  openIds(symbol: string): readonly number[] {
    return this.account.openOrders(symbol).map(({ id }) => id);
  }

  orderIds(symbol: string): readonly number[] {
    return this.account.history(symbol).orders.map(({ id }) => id);
  }

  fills(symbol: string) {
    return this.account.history(symbol).fills.map((fill) => ({
      id: fill.tradeId,
      order: fill.order.id,
      price: Number(fill.order.market.rules.priceText(fill.price)),
      amount: Number(fill.order.market.rules.amountText(fill.quantity)),
      fee: Number(fill.commission) / 1e10,
      asset: fill.commissionAsset,
      isMaker: fill.isMaker,
    }));
  }
}
