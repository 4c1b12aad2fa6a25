import { expect } from 'vitest';
import { formatAmount, formatPrice, parseAmount, parsePrice, type Market } from '../../src/domain/market.ts';
import { formatUnits, type Amount, type Price } from '../../src/domain/money.ts';
import type { Execution, Side } from '../../src/domain/order.ts';
import type { SimulatedExchange } from '../../src/simulator/exchange.ts';
import type { TradingSettings } from '../../src/simulator/requests.ts';
import { BASE_FEES, createBareExchange, fund, NO_FEES } from '../support/bare-exchange.ts';
import type { SimulatedOrder, Trade } from '../../src/simulator/market-state.ts';

/**
 * Runs a scenario written as a table, one line for each step. Users are letters and own 1,000,000 usdt and
 * 1,000 btc each, unless `fund` gives them something else. One market: BTCUSDT, price step 0.01, amount step
 * 0.001, last price 100, no minimum, no fees unless `fees` is said.
 *
 *     a sell limit 2 @101 => Active            places; the status of the (first) order, or the code of a
 * refusal
 *     a sell oco 1 @110 stop 90 limit 89 => Active
 *     trades 1x2 1@101                         the trades of the last step, maker x taker amount@price
 *     cancel 1 => ok | no                      orders are numbered from 1 in the order of acceptance
 *     order 1 Done 2                           its status and matched amount
 *     wallet a usdt 1000101 held 0
 *     book 99:1 98:2 | 101:3                   buys | sells, best first
 *     at 5000                                  the time in ms of the steps after it
 *     last 101                                 the last price
 */
export function runTable(table: string, settings: Partial<TradingSettings> = {}): void {
  const runner = new TableRunner(
    table.includes('\n    fees') || table.trimStart().startsWith('fees'),
    settings,
  );
  for (const [index, raw] of table.split('\n').entries()) {
    const line = raw.replace(/#.*/, '').trim();
    if (line !== '') runner.step(line, `line ${index + 1}: ${line}`);
  }
}

class TableRunner {
  private readonly exchange: SimulatedExchange;
  private readonly market: Market;
  private readonly orders: SimulatedOrder[] = [];
  private trades: Trade[] = [];
  private timeMs = 0;
  private readonly funded = new Set<string>();

  constructor(withFees: boolean, settings: Partial<TradingSettings>) {
    const { exchange, markets } = createBareExchange({
      markets: [{ market: 'BTCUSDT', priceStep: '0.01', amountStep: '0.001', initialPrice: '100' }],
      fees: withFees ? BASE_FEES : NO_FEES,
      trading: settings,
    });
    this.exchange = exchange;
    this.market = markets[0]!;
    exchange.trading.onEvent = (event) => {
      if (event.kind === 'trade') this.trades.push(event.trade);
    };
  }

  step(line: string, where: string): void {
    const words = line.split(/\s+/);
    const [first = ''] = words;
    if (first === 'fees') return;
    if (first === 'fund') this.fundUser(words[1]!, words[2]!, words[3]!);
    else if (first === 'at') this.moveTo(Number(words[1]));
    else if (first === 'trades') expect(this.tradesText(), where).toBe(words.slice(1).join(' '));
    else if (first === 'cancel') this.cancel(words, where);
    else if (first === 'activate') this.exchange.trading.activate(this.orderOf(words[1]!), this.timeMs);
    else if (first === 'reject') this.exchange.trading.reject(this.orderOf(words[1]!), this.timeMs);
    else if (first === 'close') this.exchange.markets.get(this.market.symbol)!.isClosed = true;
    else if (first === 'open') this.exchange.markets.get(this.market.symbol)!.isClosed = false;
    else if (first === 'order') this.expectOrder(words, where);
    else if (first === 'wallet') this.expectWallet(words, where);
    else if (first === 'book') expect(this.bookText(), where).toBe(words.slice(1).join(' '));
    else if (first === 'last') expect(this.priceText(this.state.lastPrice), where).toBe(words[1]);
    else this.place(words, where);
    this.checkBooks(where);
  }

  private get state() {
    return this.exchange.markets.get(this.market.symbol)!;
  }

  private moveTo(timeMs: number): void {
    this.timeMs = timeMs;
    this.trades = [];
    this.exchange.trading.advance(timeMs);
  }

  private fundUser(user: string, currency: string, amount: string): void {
    this.funded.add(user);
    fund(this.exchange, userIdOf(user), currency, amount);
  }

  private place(words: readonly string[], where: string): void {
    const arrow = words.indexOf('=>');
    const [user, side, kind, amount] = words as [string, Side, string, string];
    if (!this.funded.has(user)) {
      this.fundUser(user, 'usdt', '1000000');
      this.fundUser(user, 'btc', '1000');
    }
    const rest = words.slice(4, arrow);
    const after = (word: string): string | null =>
      rest.includes(word) ? rest[rest.indexOf(word) + 1]! : null;
    const priced = rest.find((word) => word.startsWith('@'))?.slice(1) ?? null;
    const price = (text: string | null): number | null =>
      text === null ? null : parsePrice(this.market, text);
    this.trades = [];
    const result = this.exchange.trading.place(
      userIdOf(user),
      {
        market: after('on') === null ? this.market.symbol : (after('on') as Market['symbol']),
        side,
        execution: kind === 'oco' ? 'limit' : (kind as Execution),
        mode: kind === 'oco' ? 'oco' : 'default',
        amount: amount === '0' ? 0 : parseAmount(this.market, amount),
        price: price(priced),
        stopPrice: price(after('stop')),
        stopLimitPrice: price(after('limit')),
        clientOrderId: after('id'),
        pro: !rest.includes('once'),
      },
      this.timeMs,
    );
    if (result.ok) this.orders.push(...result.value);
    expect(result.ok ? result.value[0]?.status : result.code, where).toBe(words[arrow + 1]);
  }

  private cancel(words: readonly string[], where: string): void {
    this.trades = [];
    const done = this.exchange.trading.cancel(this.orderOf(words[1]!), this.timeMs);
    expect(done ? 'ok' : 'no', where).toBe(words[3]);
  }

  private orderOf(number: string): SimulatedOrder {
    const order = this.orders[Number(number) - 1];
    if (order === undefined)
      throw new Error(`expected an order number up to ${this.orders.length}, was ${number}`);
    return order;
  }

  private expectOrder(words: readonly string[], where: string): void {
    const order = this.orderOf(words[1]!);
    expect(`${order.status} ${formatAmount(order.grid, order.matched as Amount)}`, where).toBe(
      words.slice(2).join(' '),
    );
  }

  private expectWallet(words: readonly string[], where: string): void {
    const wallet = this.exchange.accounts.find(userIdOf(words[1]!), words[2]!);
    const text =
      wallet === undefined ? 'none' : `${formatUnits(wallet.total)} held ${formatUnits(wallet.held)}`;
    expect(text, where).toBe(words.slice(3).join(' '));
  }

  private tradesText(): string {
    return this.trades
      .map(
        (trade) =>
          `${this.numberOf(trade.maker)}x${this.numberOf(trade.taker)} ${formatAmount(trade.grid, trade.amount as Amount)}@${this.priceText(trade.price)}`,
      )
      .join(' ');
  }

  /** Number of an order. A taker is not in the list while it is being placed: it gets the next number. */
  private numberOf(order: SimulatedOrder): number {
    const index = this.orders.indexOf(order);
    return index === -1 ? this.orders.length + 1 : index + 1;
  }

  private priceText(price: number): string {
    return formatPrice(this.state.grid, price as Price);
  }

  private bookText(): string {
    const side = (levels: readonly { readonly price: number; readonly amount: number }[]): string[] =>
      levels.map(
        (level) => `${this.priceText(level.price)}:${formatAmount(this.state.grid, level.amount as Amount)}`,
      );
    const { book } = this.state;
    return [...side(book.buys.top(24)), '|', ...side(book.sells.top(24))].join(' ');
  }

  /** Checks what must hold after every step of every scenario. */
  private checkBooks(where: string): void {
    const { accounts } = this.exchange;
    for (const currency of accounts.houseCurrencies()) expect(accounts.imbalanceOf(currency), where).toBe(0n);
    const { buys, sells } = this.state.book;
    if (buys.best !== undefined && sells.best !== undefined)
      expect(buys.best.price, where).toBeLessThan(sells.best.price);
  }
}

const userIdOf = (user: string): number => user.charCodeAt(0);
