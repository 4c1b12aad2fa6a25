import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { QUIET, SpotCaller } from './spot-caller.ts';

/** Placement of an order into a book of 1 @ 101, 1 @ 102 above and 1 @ 99, 1 @ 98 below. */
function bookOf(settings = QUIET): SpotCaller {
  const caller = new SpotCaller(settings);
  for (const text of ['sell 1 @ 101', 'sell 1 @ 102', 'buy 1 @ 99', 'buy 1 @ 98']) caller.outside(text);
  return caller;
}

const summary = (body: Record<string, never>): string => {
  const { status, executedQty, cummulativeQuoteQty, expiryReason, code, msg } = body as Record<
    string,
    string
  >;
  if (code !== undefined) return `${code} ${msg}`;
  return `${status} ${Number(executedQty)} for ${Number(cummulativeQuoteQty)}${expiryReason === undefined ? '' : ` ${expiryReason}`}`;
};

test.each([
  ['BUY LIMIT 1 @ 100', 'NEW 0 for 0'],
  ['BUY LIMIT 1.5 @ 101', 'PARTIALLY_FILLED 1 for 101'],
  ['BUY LIMIT 1.5 @ 103', 'FILLED 1.5 for 152'],
  ['SELL LIMIT 2 @ 98', 'FILLED 2 for 197'],
  ['BUY LIMIT 1.5 @ 101 timeInForce=IOC', 'EXPIRED 1 for 101 UNFILLED_IOC_QUANTITY_EXPIRED'],
  ['BUY LIMIT 1 @ 100 timeInForce=IOC', 'EXPIRED 0 for 0 UNFILLED_IOC_QUANTITY_EXPIRED'],
  ['BUY LIMIT 1.5 @ 101 timeInForce=FOK', 'EXPIRED 0 for 0 UNFILLED_FOK_ORDER_EXPIRED'],
  ['BUY LIMIT 1.5 @ 102 timeInForce=FOK', 'FILLED 1.5 for 152'],
  ['BUY MARKET 1.5', 'FILLED 1.5 for 152'],
  ['BUY MARKET 3', 'EXPIRED 2 for 203 INSUFFICIENT_LIQUIDITY'],
  ['SELL MARKET 3', 'EXPIRED 2 for 197 INSUFFICIENT_LIQUIDITY'],
  ['BUY MARKET  quoteOrderQty=50', 'FILLED 0.49504 for 49.99904'],
  ['BUY MARKET  quoteOrderQty=152', 'FILLED 1.5 for 152'],
  ['SELL MARKET  quoteOrderQty=148', 'FILLED 1.5 for 148'],
  ['BUY MARKET  quoteOrderQty=1000', 'EXPIRED 2 for 203 INSUFFICIENT_LIQUIDITY'],
  ['BUY MARKET  quoteOrderQty=3000', 'EXPIRED 2 for 203 INSUFFICIENT_LIQUIDITY'],
  ['BUY LIMIT_MAKER 1 @ 100', 'NEW 0 for 0'],
  ['BUY LIMIT_MAKER 1 @ 101', '-2010 Order would immediately match and take.'],
  ['BUY LIMIT 30 @ 100', '-2010 Account has insufficient balance for requested action.'],
  ['SELL LIMIT 11 @ 110', '-2010 Account has insufficient balance for requested action.'],
  ['SELL MARKET 11', '-2010 Account has insufficient balance for requested action.'],
  ['BUY STOP_LOSS 1 stopPrice=100', '-2010 Order would trigger immediately.'],
  ['SELL TAKE_PROFIT 1 stopPrice=99', '-2010 Order would trigger immediately.'],
  ['BUY STOP_LOSS 1 stopPrice=105', 'NEW 0 for 0'],
])('%s becomes %s', (text, expected) => {
  const caller = bookOf();
  const { body } = caller.order(`${text} newOrderRespType=RESULT`);
  expect(summary(body)).toBe(expected);
  if (body.orderId !== undefined) expect(summary(caller.query(body.orderId))).toBe(expected);
});

test('an order holds its value, and frees what a better price saved', () => {
  const caller = bookOf();
  const { body } = caller.order('BUY LIMIT 1.5 @ 103');
  expect(caller.money()).toEqual({ USDT: '1848', BTC: '11.4985' });
  expect(body.fills).toMatchObject([
    { price: '101.00000000', qty: '1.00000000', commission: '0.00100000', commissionAsset: 'BTC' },
    { price: '102.00000000', qty: '0.50000000', commission: '0.00050000', commissionAsset: 'BTC' },
  ]);
  caller.order('SELL LIMIT 2 @ 110');
  expect(caller.money()).toEqual({ USDT: '1848', BTC: '9.4985+2' });
  caller.signed('DELETE', 'openOrders', { symbol: 'BTCUSDT' });
  expect(caller.money()).toEqual({ USDT: '1848', BTC: '11.4985' });
});

test('a market order on an empty book is refused', () => {
  const caller = new SpotCaller();
  expect(caller.order('BUY MARKET 1').body.code).toBe(-1112);
  const other = new SpotCaller({ ...QUIET, choices: { emptyBookCode: -2010 } });
  expect(other.order('BUY MARKET 1').body.code).toBe(-2010);
});

test('orders rest by price, then time, and two symbols have the same numbers', () => {
  const caller = new SpotCaller();
  const first = caller.order('SELL LIMIT 1 @ 110').body;
  caller.order('SELL LIMIT 1 @ 110', { key: 'two' });
  caller.order('SELL LIMIT 1 @ 109', { key: 'two' });
  caller.outside('buy 1.5');
  expect(caller.query(first.orderId).executedQty).toBe('0.50000000');
  expect(caller.order('BUY LIMIT 1 @ 500 symbol=BNBUSDT').body.orderId).toBe(first.orderId);
});

test('an iceberg shows a part, and its next part waits behind its level', () => {
  const caller = new SpotCaller();
  const iceberg = caller.order('SELL LIMIT 5 @ 110 icebergQty=1').body;
  const other = caller.order('SELL LIMIT 1 @ 110', { key: 'two' }).body;
  const asks = () => caller.open('depth', { symbol: 'BTCUSDT' }).body.asks;
  expect(asks()).toEqual([['110.00000000', '2.00000000']]);
  caller.outside('buy 2');
  expect([caller.query(iceberg.orderId).executedQty, caller.query(other.orderId, 'two').status]).toEqual([
    '1.00000000',
    'FILLED',
  ]);
  expect(asks()).toEqual([['110.00000000', '1.00000000']]);
  caller.outside('buy 4');
  expect(caller.query(iceberg.orderId).status).toBe('FILLED');
});

describe('a stop', () => {
  test.each([
    ['BUY STOP_LOSS 1 stopPrice=105', 104, 105],
    ['SELL STOP_LOSS 1 stopPrice=95', 96, 95],
    ['BUY TAKE_PROFIT 1 stopPrice=95', 96, 95],
    ['SELL TAKE_PROFIT_LIMIT 1 @ 90 stopPrice=105', 104, 105],
  ])('%s waits at %d and trades at %d', (text, before, at) => {
    const caller = new SpotCaller();
    const { body } = caller.order(`${text} newOrderRespType=RESULT`);
    expect([body.status, body.workingTime]).toEqual(['NEW', -1]);
    const trade = (price: number): void => {
      caller.outside(`sell 3 @ ${price}`);
      caller.outside(`buy 3 @ ${price}`);
    };
    trade(before);
    expect(caller.query(body.orderId)).toMatchObject({ isWorking: false, status: 'NEW' });
    caller.outside('sell 2 @ 300');
    caller.outside('buy 2 @ 92');
    caller.nowMs += 5;
    trade(at);
    expect(caller.query(body.orderId)).toMatchObject({
      isWorking: true,
      status: 'FILLED',
      workingTime: caller.nowMs,
    });
  });

  test('trails as the published example does', () => {
    const [market] = QUIET.markets ?? [];
    const caller = new SpotCaller({
      ...QUIET,
      markets: [{ ...market, startPrice: '40000' } as never],
      users: [{ ...QUIET.users?.[0], balances: { USDT: '100000' } } as never],
    });
    const { orderId } = caller.order('BUY STOP_LOSS_LIMIT 1 @ 45000 stopPrice=44000 trailingDelta=500').body;
    const seen = [40_000, 37_000, 44_000, 46_000, 42_000, 44_099, 44_100].map((price) => {
      caller.outside(`sell 1 @ ${price}`);
      caller.outside(`buy 1 @ ${price}`);
      const { isWorking, trailingTime } = caller.query(orderId);
      return `${isWorking ? 'works' : 'waits'} ${trailingTime === -1 ? '' : 'tracking'}`;
    });
    expect(seen).toEqual([
      'waits ',
      'waits ',
      'waits tracking',
      'waits tracking',
      'waits tracking',
      'waits tracking',
      'works tracking',
    ]);
  });

  test('that can not be paid when it triggers is rejected', () => {
    const caller = new SpotCaller();
    const stop = caller.order('BUY STOP_LOSS 10 stopPrice=150').body;
    caller.order('BUY LIMIT 5 @ 90');
    caller.outside('sell 1 @ 150');
    caller.outside('sell 20 @ 160');
    caller.outside('buy 1');
    expect(caller.query(stop.orderId)).toMatchObject({ status: 'REJECTED', executedQty: '0.00000000' });
    expect(caller.money()).toEqual({ USDT: '1550+450', BTC: '10' });
  });
});

const read = (order: Record<string, string>): string => `${order['status']} ${Number(order['executedQty'])}`;

describe('self-trade prevention', () => {
  test('expires all makers of the published example, and lets the taker rest', () => {
    const caller = new SpotCaller({
      ...QUIET,
      users: [{ ...QUIET.users?.[0], balances: { USDT: '2000', BTC: '10' } } as never],
      markets: [{ ...QUIET.markets?.[0], startPrice: '1', minNotional: '1' } as never],
    });
    const ids = ['1.2 @ 1.2', '1.3 @ 1.1', '8.1 @ 1'].map(
      (text) => caller.order(`BUY LIMIT ${text}`).body.orderId,
    );
    const { body } = caller.order('SELL LIMIT 3 @ 1 selfTradePreventionMode=EXPIRE_MAKER');
    expect(body).toMatchObject({ status: 'NEW', origQty: '3.00000000', executedQty: '0.00000000' });
    expect(
      body.preventedMatches.map((each: Record<string, string>) => each['makerPreventedQuantity']),
    ).toEqual(['1.20000000', '1.30000000', '8.10000000']);
    expect(ids.map((id) => caller.query(id).status)).toEqual(Array(3).fill('EXPIRED_IN_MATCH'));
    expect(caller.money()).toEqual({ USDT: '2000', BTC: '7+3' });
  });

  // Own sale of 1 @ 100, then one of another account of 1 @ 101; a purchase of 1.5 @ 101 comes.
  test.each([
    ['NONE', 'FILLED 1.5', 'FILLED 1', 'PARTIALLY_FILLED 0.5'],
    ['EXPIRE_TAKER', 'EXPIRED_IN_MATCH 0', 'NEW 0', 'NEW 0'],
    ['EXPIRE_MAKER', 'PARTIALLY_FILLED 1', 'EXPIRED_IN_MATCH 0', 'FILLED 1'],
    ['EXPIRE_BOTH', 'EXPIRED_IN_MATCH 0', 'EXPIRED_IN_MATCH 0', 'NEW 0'],
    ['DECREMENT', 'FILLED 0.5', 'EXPIRED_IN_MATCH 0', 'PARTIALLY_FILLED 0.5'],
  ])('by %s: taker %s, own maker %s, other maker %s', (mode, taker, own, other) => {
    const caller = new SpotCaller();
    const mine = caller.order('SELL LIMIT 1 @ 100').body.orderId;
    const theirs = caller.order('SELL LIMIT 1 @ 101', { key: 'two' }).body.orderId;
    const { body } = caller.order(`BUY LIMIT 1.5 @ 101 selfTradePreventionMode=${mode}`);
    expect([read(body), read(caller.query(mine)), read(caller.query(theirs, 'two'))]).toEqual([
      taker,
      own,
      other,
    ]);
    const matches = caller.signed('GET', 'myPreventedMatches', {
      symbol: 'BTCUSDT',
      orderId: body.orderId,
    }).body;
    expect(matches).toHaveLength(mode === 'NONE' ? 0 : 1);
    caller.signed('DELETE', 'openOrders', { symbol: 'BTCUSDT' });
    expect(Object.values(caller.money()).filter((text) => text.includes('+'))).toEqual([]);
  });

  test('covers accounts of one group', () => {
    const users = QUIET.users?.map((user) => ({ ...user, tradeGroupId: 7 })) ?? [];
    const caller = new SpotCaller({ ...QUIET, users });
    caller.order('SELL LIMIT 1 @ 100', { key: 'two' });
    expect(caller.order('BUY LIMIT 1 @ 100').body).toMatchObject({ status: 'NEW', tradeGroupId: 7 });
  });

  test('leaves both rows of a self trade that is allowed', () => {
    const caller = new SpotCaller();
    caller.order('SELL LIMIT 1 @ 100');
    caller.order('BUY LIMIT 1 @ 100 selfTradePreventionMode=NONE');
    const rows = caller.signed('GET', 'myTrades', { symbol: 'BTCUSDT' }).body;
    expect(rows.map((row: Record<string, unknown>) => [row['id'], row['isBuyer'], row['isMaker']])).toEqual([
      [1, false, true],
      [1, true, false],
    ]);
    expect(caller.money()).toEqual({ USDT: '1999.9', BTC: '9.999' });
  });
});

test('no money is made or lost, whatever is asked', () => {
  const side = fc.constantFrom('BUY', 'SELL');
  const step = fc.record({
    key: fc.constantFrom('one', 'two'),
    side,
    type: fc.constantFrom(
      'LIMIT',
      'LIMIT',
      'LIMIT_MAKER',
      'MARKET',
      'STOP_LOSS',
      'TAKE_PROFIT_LIMIT',
      'cancel',
      'oco',
      'amend',
    ),
    quantity: fc.integer({ min: 1, max: 30 }),
    price: fc.integer({ min: 95, max: 105 }),
    more: fc.constantFrom('', ' timeInForce=IOC', ' timeInForce=FOK', ' icebergQty=0.1'),
    mode: fc.constantFrom('NONE', 'EXPIRE_TAKER', 'EXPIRE_MAKER', 'EXPIRE_BOTH', 'DECREMENT'),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const caller = new SpotCaller({ ...QUIET, limits: { orders: [{ limit: 1_000 }] } });
      for (const { key, side: of, type, quantity, price, more, mode } of steps) {
        caller.nowMs += 1;
        const amount = quantity / 10;
        const symbol = 'BTCUSDT';
        if (type === 'cancel') caller.signed('DELETE', 'openOrders', { symbol }, { key });
        else if (type === 'amend') {
          const [order] = caller.signed('GET', 'openOrders', { symbol }, { key }).body;
          if (order !== undefined)
            caller.signed(
              'PUT',
              'order/amend/keepPriority',
              { symbol, orderId: order.orderId, newQty: amount },
              { key },
            );
        } else if (type === 'oco') {
          const [limit, stop] = of === 'SELL' ? ['above', 'below'] : ['below', 'above'];
          const legs = { [`${limit}Type`]: 'LIMIT_MAKER', [`${limit}Price`]: of === 'SELL' ? 110 : 90 };
          const others = { [`${stop}Type`]: 'STOP_LOSS', [`${stop}StopPrice`]: of === 'SELL' ? 97 : 103 };
          caller.signed(
            'POST',
            'orderList/oco',
            { symbol, side: of, quantity: amount, ...legs, ...others },
            { key },
          );
        } else {
          const at = type.startsWith('LIMIT') || type.endsWith('LIMIT') ? ` @ ${price}` : '';
          const stop = type.includes('_') && type !== 'LIMIT_MAKER' ? ` stopPrice=${price}` : '';
          const allowed = type === 'LIMIT' ? more : '';
          caller.order(`${of} ${type} ${amount}${at}${stop}${allowed} selfTradePreventionMode=${mode}`, {
            key,
          });
        }
      }
      const totals: Record<string, number> = { BTC: 0, USDT: 0 };
      for (const key of ['one', 'two']) {
        const { balances } = caller.signed('GET', 'account', {}, { key }).body;
        const locked = { BTC: 0, USDT: 0 };
        for (const { asset, ...money } of balances) {
          for (const each of Object.values<string>(money)) expect(each).not.toContain('-');
          totals[asset] =
            (totals[asset] ?? 0) + Math.round((Number(money.free) + Number(money.locked)) * 1e8);
          locked[asset as 'BTC'] = Math.round(Number(money.locked) * 1e8);
        }
        for (const row of caller.signed('GET', 'myTrades', { symbol: 'BTCUSDT', limit: 1_000 }, { key }).body)
          totals[row.commissionAsset] =
            (totals[row.commissionAsset] ?? 0) + Math.round(Number(row.commission) * 1e8);
        const open = caller.signed('GET', 'openOrders', { symbol: 'BTCUSDT' }, { key }).body;
        if (open.length === 0) expect(locked).toMatchObject({ BTC: 0, USDT: 0 });
        // Both orders of an OCO hold the money of the dearer one, once.
        const dearest = new Map<number, { base: number; quote: number }>();
        for (const order of open) {
          const rest =
            Number(order.origQty) - Number(order.executedQty) - Number(order.preventedQuantity ?? 0);
          const price = Number(order.type.includes('LIMIT') ? order.price : order.stopPrice);
          const group = order.orderListId === -1 ? -order.orderId : order.orderListId;
          const { base, quote } = dearest.get(group) ?? { base: 0, quote: 0 };
          const isSale = order.side === 'SELL';
          dearest.set(group, {
            base: Math.max(base, isSale ? rest : 0),
            quote: Math.max(quote, isSale ? 0 : rest * price),
          });
        }
        const base = [...dearest.values()].reduce((sum, each) => sum + each.base, 0);
        const quote = [...dearest.values()].reduce((sum, each) => sum + each.quote, 0);
        expect([locked.BTC / 1e8, locked.USDT / 1e8]).toEqual([
          expect.closeTo(base, 6),
          expect.closeTo(quote, 5),
        ]);
      }
      for (const each of ['buy', 'sell'] as const)
        for (const level of caller.core.markets.get('BTCUSDT')?.side(each).top(1_000) ?? []) {
          let sum = 0;
          for (let order = level.head; order !== null; order = order.next) sum += order.remaining;
          expect(level.amount).toBe(sum);
        }
      expect(totals).toMatchObject({ BTC: 20e8, USDT: 4_000e8 });
    }),
    { numRuns: 300 },
  );
});
