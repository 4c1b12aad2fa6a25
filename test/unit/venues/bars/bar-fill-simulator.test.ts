import { describe, expect, test } from 'vitest';
import { columnsOf, type CandleColumns } from '../../../../src/domain/candle-columns.ts';
import { decimalText } from '../../../../src/domain/decimal-text.ts';
import { createMarket } from '../../../../src/domain/market.ts';
import { formatUnits, parseUnits } from '../../../../src/domain/money.ts';
import type { Execution, Side } from '../../../../src/domain/order.ts';
import type { VenueCall } from '../../../../src/venues/port.ts';
import { BarFillSimulator } from '../../../../src/venues/bar-fill-simulator.ts';
import { walletIdOf } from '../../../../src/venues/read-records.ts';
import { BASE_FEES } from '../../../support/bare-exchange.ts';
import { parseMarket } from '../../../../src/exchange/market-names.ts';

const MINUTE_MS = 60_000;
const BTC = createMarket({
  market: parseMarket('BTCUSDT'),
  priceStep: '0.01',
  amountStep: '0.001',
  minOrderValue: '5',
});
const ETH = createMarket({ market: parseMarket('ETHUSDT'), priceStep: '0.01', amountStep: '0.0001' });

/** Makes flat bars of a minute each, at the given closes. */
function flat(market: typeof BTC, closes: readonly string[], fromMs = 0): CandleColumns {
  const candles = closes.map((close, index) => {
    const price = decimalText(close);
    const openTimeMs = fromMs + index * MINUTE_MS;
    return { openTimeMs, open: price, high: price, low: price, close: price, volume: decimalText('1000') };
  });
  return columnsOf({ market: market.symbol, timeframe: '1m' }, candles);
}

function createVenue(markets = [BTC, ETH], usdt = '1000'): BarFillSimulator {
  const balances = { usdt: parseUnits(usdt), btc: parseUnits('2'), doge: parseUnits('7') };
  return new BarFillSimulator({ markets, fees: BASE_FEES, balances });
}

function order(
  fields: Partial<{
    side: Side;
    execution: Execution;
    amount: string;
    price: string;
    id: string;
    base: string;
  }> = {},
): VenueCall {
  const { side = 'buy', execution = 'limit', amount = '1', price = '99', id = 'a', base = 'btc' } = fields;
  return {
    kind: 'place',
    order: {
      clientOrderId: id,
      base,
      quote: 'usdt',
      side,
      execution,
      amount: parseUnits(amount),
      price: execution === 'market' ? null : parseUnits(price),
      stopPrice: null,
    },
  };
}

describe('the exchange on candles', () => {
  test('says what it is given as its options', () => {
    expect(createVenue().answer({ kind: 'options' }, 0)).toEqual({
      outcome: 'value',
      value: [
        { symbol: 'BTCUSDT', priceStep: '0.01', amountStep: '0.001', minOrderValue: '5' },
        { symbol: 'ETHUSDT', priceStep: '0.01', amountStep: '0.0001', minOrderValue: '0' },
      ],
    });
  });

  test('has no orders before the first bar of their market', () => {
    const venue = createVenue();
    expect(venue.answer(order(), 0)).toMatchObject({
      outcome: 'refused',
      code: 'MarketClosed',
      effect: 'none',
    });
    venue.onCandle(0, flat(BTC, ['100']), 0);
    expect(venue.answer(order({ base: 'eth' }), MINUTE_MS)).toMatchObject({ code: 'MarketClosed' });
    expect(venue.answer(order({ base: 'doge' }), MINUTE_MS)).toMatchObject({ code: 'InvalidMarketPair' });
    expect(venue.answer(order(), MINUTE_MS)).toMatchObject({
      outcome: 'value',
      value: { id: '1', status: 'Active' },
    });
  });

  test('answers a placement with the whole record', () => {
    const venue = createVenue();
    venue.onCandle(0, flat(BTC, ['100']), 0);
    expect(venue.answer(order({ amount: '1.2345', price: '99.005' }), MINUTE_MS)).toEqual({
      outcome: 'value',
      value: {
        id: '1',
        side: 'buy',
        execution: 'limit',
        tradeKind: 'Spot',
        market: { symbol: 'BTCUSDT', base: 'btc', quote: 'usdt', pair: 'BTC-USDT', statsKey: 'btc-usdt' },
        price: parseUnits('99'),
        stopPrice: null,
        amount: parseUnits('1.234'),
        matchedAmount: parseUnits('0'),
        unmatchedAmount: parseUnits('1.234'),
        total: parseUnits('0'),
        orderTotal: parseUnits('122.166'),
        fee: parseUnits('0'),
        averagePrice: parseUnits('0'),
        status: 'Active',
        partial: false,
        createdAtMs: MINUTE_MS,
        clientOrderId: 'a',
        pairId: null,
        tooFine: null,
      },
    });
  });

  test('tells of a fill once, with the order as it then is', () => {
    const venue = createVenue();
    const bars = flat(BTC, ['100', '101']);
    expect(venue.onCandle(0, bars, 0)).toBe(false);
    venue.answer(order({ execution: 'market' }), MINUTE_MS);
    expect(venue.drain()).toEqual({ orders: [], trades: [], walletsChanged: true });
    expect(venue.onCandle(0, bars, 1)).toBe(true);
    const { orders, trades, walletsChanged } = venue.drain();
    expect(orders).toMatchObject([
      {
        id: '1',
        status: 'Done',
        total: parseUnits('101'),
        fee: parseUnits('0.0013'),
        averagePrice: parseUnits('101'),
      },
    ]);
    expect(trades).toMatchObject([
      {
        id: '1',
        orderId: '1',
        timeMs: MINUTE_MS,
        side: 'buy',
        price: parseUnits('101'),
        amount: parseUnits('1'),
        total: parseUnits('101'),
        fee: parseUnits('0.0013'),
      },
    ]);
    expect(walletsChanged).toBe(true);
    expect(venue.drain()).toEqual({ orders: [], trades: [], walletsChanged: false });
    expect(venue.answer({ kind: 'wallets' }, MINUTE_MS)).toMatchObject({
      value: [
        { currency: 'usdt', total: parseUnits('899'), held: parseUnits('0') },
        { currency: 'btc', total: parseUnits('2.9987'), held: parseUnits('0') },
        { currency: 'eth', total: parseUnits('0'), held: parseUnits('0') },
        { currency: 'doge', total: parseUnits('7'), held: parseUnits('0') },
      ],
    });
  });

  test('names the other leg of a pair that a cancel ended, and not the one in the answer', () => {
    const venue = createVenue();
    venue.onCandle(0, flat(BTC, ['100']), 0);
    const [price, stopPrice, stopLimitPrice, amount] = ['105', '95', '94', '1'].map(parseUnits) as never[];
    const pair = { clientOrderId: 'a', base: 'btc', quote: 'usdt', side: 'sell' as const };
    const oco = {
      ...pair,
      amount: amount!,
      price: price!,
      stopPrice: stopPrice!,
      stopLimitPrice: stopLimitPrice!,
    };
    expect(venue.answer({ kind: 'place-oco', order: oco }, MINUTE_MS)).toMatchObject({
      value: [
        { id: '1', pairId: '2' },
        { id: '2', pairId: '1', clientOrderId: null, stopPrice: parseUnits('95') },
      ],
    });
    venue.drain();
    expect(
      venue.answer({ kind: 'cancel', market: 'BTCUSDT', venueId: null, clientOrderId: 'a' }, MINUTE_MS),
    ).toMatchObject({
      outcome: 'value',
      value: { status: 'Canceled', order: { id: '1', status: 'Canceled' } },
    });
    expect(venue.drain()).toMatchObject({ orders: [{ id: '2', status: 'Canceled' }], walletsChanged: true });
    expect(venue.openOrders).toHaveLength(0);
  });

  test('ends what is active at once, and leaves stops that wait', () => {
    const venue = createVenue();
    venue.onCandle(0, flat(BTC, ['100']), 0);
    venue.answer(order(), MINUTE_MS);
    const stop = order({ id: 'b', execution: 'stop_limit', price: '106' }) as Extract<
      VenueCall,
      { kind: 'place' }
    >;
    venue.answer({ ...stop, order: { ...stop.order, stopPrice: parseUnits('105') } }, MINUTE_MS);
    expect(venue.answer({ kind: 'cancel-old' }, MINUTE_MS)).toEqual({ outcome: 'value', value: null });
    expect(venue.openOrders.map(({ id, status }) => `${id} ${status}`)).toEqual(['2 Inactive']);
  });

  test('pages orders and trades by rising id', () => {
    const venue = createVenue();
    const bars = flat(BTC, ['100', '100', '100', '100']);
    for (let index = 0; index < 4; index += 1) {
      venue.onCandle(0, bars, index);
      venue.answer(order({ id: `m${index}`, execution: 'market', amount: '0.1' }), (index + 1) * MINUTE_MS);
    }
    const idsOf = (call: VenueCall): readonly string[] => {
      const answer = venue.answer(call, 0) as {
        readonly value: { readonly items: readonly { readonly id: string }[] };
      };
      return answer.value.items.map(({ id }) => id);
    };
    expect(idsOf({ kind: 'orders', status: 'all', market: null, from: null })).toEqual(['1', '2', '3', '4']);
    expect(idsOf({ kind: 'orders', status: 'all', market: null, from: 3 })).toEqual(['3', '4']);
    expect(idsOf({ kind: 'orders', status: 'open', market: null, from: null })).toEqual(['4']);
    expect(idsOf({ kind: 'trades', market: null, from: 1 })).toEqual(['1', '2', '3']);
    expect(idsOf({ kind: 'trades', market: null, from: 3 })).toEqual(['3']);
    expect(idsOf({ kind: 'trades', market: null, from: 4 })).toEqual([]);
  });

  test('gives an order no part in a bar that had begun before it', () => {
    const venue = createVenue();
    const hour = flat(BTC, ['100', '101', '102', '103']);
    venue.onCandle(0, hour, 0);
    venue.answer(order({ execution: 'market' }), MINUTE_MS + 1);
    expect(venue.onCandle(0, hour, 1)).toBe(true);
    expect(venue.drain().trades).toEqual([]);
    venue.onCandle(0, hour, 2);
    expect(venue.drain().trades).toMatchObject([{ price: parseUnits('102'), timeMs: 2 * MINUTE_MS }]);
  });

  test('lets a limit order take in the first bar of its own only', () => {
    const venue = createVenue();
    const bars = flat(BTC, ['100', '98', '97']);
    venue.onCandle(0, bars, 0);
    venue.answer(order({ price: '99' }), MINUTE_MS);
    venue.onCandle(0, bars, 1);
    expect(venue.drain().trades).toMatchObject([{ price: parseUnits('98'), fee: parseUnits('0.0013') }]);
    venue.answer(order({ id: 'b', price: '97.5' }), 2 * MINUTE_MS - 1);
    venue.onCandle(0, flat(BTC, ['98'], 2 * MINUTE_MS), 0);
    venue.onCandle(0, flat(BTC, ['97'], 3 * MINUTE_MS), 0);
    expect(venue.drain().trades).toMatchObject([{ price: parseUnits('97'), fee: parseUnits('0.001') }]);
  });

  test('follows a column whose decimals change', () => {
    const venue = createVenue();
    venue.onCandle(0, flat(BTC, ['100']), 0);
    venue.answer(order({ price: '99' }), MINUTE_MS);
    expect(venue.onCandle(0, flat(BTC, ['99.0000001'], MINUTE_MS), 0)).toBe(false);
    expect(venue.onCandle(0, flat(BTC, ['98.9999999'], 2 * MINUTE_MS), 0)).toBe(true);
    // A purchase at an open between two steps pays the higher one.
    expect(venue.drain().trades).toMatchObject([{ price: parseUnits('99') }]);
  });

  test('keeps the markets of one account apart, and their money together', () => {
    const venue = createVenue();
    venue.onCandle(0, flat(BTC, ['100']), 0);
    venue.onCandle(1, flat(ETH, ['10']), 0);
    venue.answer(order({ amount: '9', price: '99' }), MINUTE_MS);
    const tooMuch = order({ id: 'b', base: 'eth', amount: '10', price: '11' });
    expect(venue.answer(tooMuch, MINUTE_MS)).toMatchObject({ code: 'OverValueOrder' });
    venue.answer(order({ id: 'b', base: 'eth', amount: '9', price: '11' }), MINUTE_MS);
    expect(venue.onCandle(0, flat(BTC, ['100'], MINUTE_MS), 0)).toBe(false);
    expect(venue.onCandle(1, flat(ETH, ['10'], MINUTE_MS), 0)).toBe(true);
    expect(venue.balance('eth')).toEqual({ total: parseUnits('8.9883'), held: 0n });
    expect(venue.balance('usdt')).toEqual({ total: parseUnits('910'), held: parseUnits('891') });
  });

  test('refuses an order like one of a moment ago, as the exchange does', () => {
    const venue = createVenue();
    venue.onCandle(0, flat(BTC, ['100']), 0);
    venue.answer(order({ id: 'a' }), MINUTE_MS);
    expect(venue.answer(order({ id: 'a' }), MINUTE_MS)).toMatchObject({ code: 'DuplicateClientOrderId' });
    expect(venue.answer(order({ id: 'b' }), MINUTE_MS + 9_999)).toMatchObject({ code: 'DuplicateOrder' });
    expect(venue.answer(order({ id: 'b' }), MINUTE_MS + 10_000)).toMatchObject({ outcome: 'value' });
  });

  test('refuses an order that does not exceed the least value of its market', () => {
    const venue = createVenue();
    venue.onCandle(0, flat(BTC, ['100']), 0);
    const placed = (amount: string) => venue.answer(order({ amount, price: '100' }), MINUTE_MS);
    expect(placed('0.05')).toMatchObject({ code: 'SmallOrder' });
    expect(placed('0.051')).toMatchObject({ outcome: 'value' });
  });

  test('says of data that it has none', () => {
    expect(createVenue().answer({ kind: 'books' }, 0)).toMatchObject({ outcome: 'unsent' });
    expect(createVenue().answer({ kind: 'transactions', walletId: walletIdOf(1), page: 1 }, 0)).toEqual({
      outcome: 'value',
      value: { items: [], hasNext: false },
    });
  });

  test('refuses a market that is there twice, none, and a debt', () => {
    expect(() => createVenue([])).toThrow(/expected one or more markets/);
    expect(() => createVenue([BTC, BTC])).toThrow(/each once, was "BTCUSDT, BTCUSDT"/);
    expect(() => createVenue([BTC], '-1')).toThrow(/no negative balance of usdt, was -1/);
  });
});

describe('the value of the account', () => {
  test('is its money and what it holds at the last closes', () => {
    const venue = createVenue();
    const valuer = venue.valuer('usdt');
    expect(valuer.exact()).toBe(parseUnits('1000'));
    expect(valuer.isExposed()).toBe(true);
    venue.onCandle(0, flat(BTC, ['100.25']), 0);
    expect(formatUnits(venue.equity('usdt'))).toBe('1200.5');
    expect(valuer.number()).toBe(1200.5);
    expect(valuer.unvalued).toEqual(['doge']);
  });

  test('follows fills, and is not exposed with less than a step left', () => {
    const venue = createVenue();
    const bars = flat(BTC, ['100', '100', '110', '110']);
    const valuer = venue.valuer('usdt');
    venue.onCandle(0, bars, 0);
    venue.answer(order({ execution: 'market', amount: '1' }), MINUTE_MS);
    venue.onCandle(0, bars, 1);
    venue.onCandle(0, bars, 2);
    // 900 usdt, and 2.9987 btc at 110.
    expect(valuer.number()).toBeCloseTo(1229.857, 9);
    expect(formatUnits(valuer.exact())).toBe('1229.857');
    venue.answer(order({ side: 'sell', execution: 'market', amount: '2.998', id: 'b' }), 3 * MINUTE_MS);
    venue.onCandle(0, bars, 3);
    expect(valuer.isExposed()).toBe(false);
    expect(formatUnits(valuer.exact())).toBe('1229.428286');
  });
});
