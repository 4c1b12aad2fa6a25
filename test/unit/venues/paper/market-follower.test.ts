import { expect, test } from 'vitest';
import { decimalText } from '../../../../src/domain/decimal-text.ts';
import { writeUnits } from '../../../../src/domain/stored-json.ts';
import { createMarket } from '../../../../src/domain/market.ts';
import { parseUnits, formatUnits } from '../../../../src/domain/money.ts';
import type { OrderBook } from '../../../../src/domain/order-book.ts';
import type { PublicTrade, VenueTrade } from '../../../../src/domain/trade.ts';
import { FollowedExchange } from '../../../../src/venues/followed-exchange.ts';
import { DEFAULT_LIQUIDITY } from '../../../../src/venues/fill-rules.ts';
import { MarketFollower } from '../../../../src/venues/paper-venue.ts';
import type { Page, VenueCall, VenueValues } from '../../../../src/venues/port.ts';
import { parseMarket } from '../../../../src/exchange/market-names.ts';

const MARKET = createMarket({ market: parseMarket('BTCUSDT'), priceStep: '1', amountStep: '1' });

const BOOK: OrderBook = {
  bids: [[decimalText('100'), decimalText('4')]],
  asks: [[decimalText('102'), decimalText('3')]],
  updatedAtMs: null,
};

function tradeOf(timeMs: number, amount: string): PublicTrade {
  return { timeMs, price: decimalText('100'), amount: decimalText(amount), side: 'sell' };
}

const ACCOUNT_CALLS: readonly VenueCall[] = [
  { kind: 'orders', status: 'all', market: null, from: null },
  { kind: 'trades', market: null, from: 0 },
  { kind: 'stats', base: ['btc'], quote: ['usdt'] },
  { kind: 'wallets' },
  { kind: 'options' },
];

/** A paper exchange with an order to buy 3 at 100, behind the 4 in the real book at that price. */
class Paper {
  private readonly exchange = new FollowedExchange({
    markets: [{ market: MARKET, hasTrades: false }],
    fees: { rls: { maker: 1_000, taker: 2_000 }, usdt: { maker: 1_000, taker: 2_000 } },
    balances: { usdt: parseUnits('1000000') },
    limits: {},
    startMs: 0,
    rules: { ...DEFAULT_LIQUIDITY, own: 'hidden', tradesLagMs: 0 },
  });
  private readonly follower = new MarketFollower(this.exchange.markets);
  private nowMs = 1_000;

  constructor() {
    this.read({ kind: 'book', market: 'BTCUSDT' }, BOOK);
    const order = {
      clientOrderId: 'mine',
      base: 'btc',
      quote: 'usdt',
      side: 'buy',
      execution: 'limit',
      amount: parseUnits('3'),
      price: parseUnits('100'),
      stopPrice: null,
    } as const;
    expect(this.exchange.answer({ kind: 'place', order }, this.nowMs)).toMatchObject({ outcome: 'value' });
  }

  /** Passes on an answer of the real exchange. */
  read(call: VenueCall, value: VenueValues[VenueCall['kind']]): void {
    this.nowMs += 1_000;
    this.follower.apply(call, { outcome: 'value', value }, this.nowMs);
  }

  tape(...trades: readonly PublicTrade[]): void {
    // The exchange lists the newest trade first.
    this.read({ kind: 'public-trades', market: 'BTCUSDT' }, trades.toReversed());
  }

  fills(): readonly string[] {
    const answer = this.exchange.answer({ kind: 'trades', market: null, from: 0 }, this.nowMs);
    if (answer.outcome !== 'value') throw new Error(answer.outcome);
    return (answer.value as Page<VenueTrade>).items.map(
      ({ price, amount }) => `${formatUnits(amount)}@${formatUnits(price)}`,
    );
  }

  ask(call: VenueCall): unknown {
    return this.exchange.answer(call, this.nowMs);
  }
}

test('an order on paper is filled by the trades that come after it, once those before it in the queue are served', () => {
  const paper = new Paper();
  paper.tape(tradeOf(1, '50'));
  expect(paper.fills()).toEqual([]);
  paper.tape(tradeOf(1, '50'), tradeOf(2, '3'));
  expect(paper.fills()).toEqual([]);
  paper.tape(tradeOf(2, '3'), tradeOf(3, '3'));
  expect(paper.fills()).toEqual(['2@100']);
});

test('an order on paper is filled whole when the real book goes through its price', () => {
  const paper = new Paper();
  const asks = [[decimalText('99'), decimalText('1')]] as const;
  paper.read({ kind: 'books' }, { BTCUSDT: { bids: [], asks, updatedAtMs: null }, ETHUSDT: BOOK });
  expect(paper.fills()).toEqual(['3@100']);
});

test('nobody sees an order on paper in the book that is polled', () => {
  expect(new Paper().ask({ kind: 'book', market: 'BTCUSDT' })).toMatchObject({
    value: { bids: BOOK.bids, asks: BOOK.asks },
  });
});

test('what a paper exchange answers can be written as JSON, since sessions are recorded', () => {
  const paper = new Paper();
  paper.tape();
  paper.tape(tradeOf(2, '9'));
  for (const call of ACCOUNT_CALLS) expect(() => JSON.stringify(paper.ask(call), writeUnits)).not.toThrow();
});
