import { describe, expect, test } from 'vitest';
import { checkAgreement } from '../../../src/fuzz/checkers/agreement-checker.ts';
import { BudgetChecker } from '../../../src/fuzz/checkers/budget-checker.ts';
import type {
  ExchangeTruth,
  TrueFill,
  TrueOrder,
  MirrorFill,
  MirrorRows,
  MirrorOrder,
  Violation,
} from '../../../src/fuzz/checkers/exchange-truth.ts';
import { checkOrders } from '../../../src/fuzz/checkers/order-checker.ts';
import { parseUnits } from '../../../src/domain/money.ts';
import { RequestLog } from '../../../src/simulator-server/request-log.ts';
import { trueFill, trueOrder } from '../../support/order-value.ts';
import { scenarios } from '../../support/scenarios.ts';

const order = ({ id = 10, ...changes }: Partial<TrueOrder> = {}): TrueOrder =>
  trueOrder(id, {
    clientOrderId: 'bot-a-mark-1',
    price: parseUnits('100'),
    amount: parseUnits('2'),
    matched: parseUnits('1'),
    openedAtMs: 1_000,
    ...changes,
  });
const fill = (changes: Partial<TrueFill> = {}): TrueFill => {
  const paid = { amount: parseUnits('1'), total: parseUnits('100'), fee: parseUnits('0.001') };
  return trueFill(10, { tradeId: 5, atMs: 1_500, ...paid, ...changes });
};
const row = (changes: Partial<MirrorOrder> = {}): MirrorOrder => ({
  key: 'bot-a-mark-1',
  clientOrderId: 'bot-a-mark-1',
  intentId: 'i1',
  plannedAtMs: 1_000,
  state: 'open',
  attempts: 1,
  venueId: '10',
  pairKey: null,
  amount: '2',
  matched: '1',
  filled: '1',
  filledTotal: '100',
  fee: '0.001',
  ...changes,
});
const fillRow = (changes: Partial<MirrorFill> = {}): MirrorFill => ({
  tradeId: '5',
  venueOrderId: '10',
  orderKey: 'bot-a-mark-1',
  side: 'buy',
  amount: '1',
  total: '100',
  fee: '0.001',
  ...changes,
});
const truth = (changes: Partial<ExchangeTruth> = {}): ExchangeTruth => ({
  orders: [order()],
  fills: [fill()],
  balances: new Map([['usdt', { total: parseUnits('900') as bigint, held: parseUnits('100') as bigint }]]),
  ...changes,
});
const intent = { id: 'i1', kind: 'place', json: '{"kind":"place","amount":"2"}', atMs: 0 };
const rows = (changes: Partial<MirrorRows> = {}): MirrorRows => ({
  orders: [row()],
  fills: [fillRow()],
  intents: [intent],
  balances: [{ currency: 'usdt', total: '900', held: '100' }],
  ...changes,
});

const saying = (violations: readonly Violation[]): string =>
  violations.map(({ message }) => message).join('\n');

describe('the agreement of mirror and exchange', () => {
  test('has nothing to say when every row is the same', () => {
    expect(checkAgreement(truth(), rows(), { instance: 'bot' })).toEqual([]);
  });

  scenarios<readonly [ExchangeTruth, MirrorRows]>((words, [exchange, mirror]) => {
    expect(saying(checkAgreement(exchange, mirror, { instance: 'bot' }))).toContain(words);
  }, 'names %s')`
    an order that the mirror lacks ${[truth(), rows({ orders: [] })]}: it is not there
    an order that never was ${[truth({ orders: [] }), rows()]}: it never was there
    an order taken for rejected ${[truth(), rows({ orders: [row({ state: 'rejected' })] })]}
      rejected in the mirror
    an order still unknown ${[truth(), rows({ orders: [row({ state: 'unknown' })] })]}: unknown in the mirror
    a closed order taken for open ${[truth({ orders: [order({ isOpen: false, status: 'Done' })] }), rows()]}
      is Done
    what was matched ${[truth(), rows({ orders: [row({ filled: '0.5' })] })]}: filled 0.5
    a fill that the mirror lacks ${[truth(), rows({ fills: [] })]}
      expected fill 5 of order 10 (buy) in the mirror, 
    a fill twice ${[truth(), rows({ fills: [fillRow(), fillRow()] })]}: once at the exchange, it is not
    a fill that never was ${[truth({ fills: [] }), rows()]}: expected fills of order 10 (buy) of the mirror
    a fee ${[truth(), rows({ fills: [fillRow({ fee: '0.1' })] })]}: with a fee of 0.1, once at the exchange
    a balance ${[truth(), rows({ balances: [{ currency: 'usdt', total: '901', held: '100' }] })]}: usdt: 900
    a hold ${[truth(), rows({ balances: [{ currency: 'usdt', total: '900', held: '0' }] })]}: held 100
    a balance that the mirror lacks ${[truth(), rows({ balances: [] })]}: expected a balance of usdt
  `;

  test('knows the stop leg of a pair by the other one, and leaves foreign orders alone', () => {
    const exchange = truth({
      orders: [
        order({ pairId: 11 }),
        order({ id: 11, clientOrderId: null, pairId: 10, matched: 0n }),
        order({ id: 12, clientOrderId: null }),
        order({ id: 13, clientOrderId: 'by-hand-1' }),
      ],
    });
    const stop = row({
      key: 'bot-a-mark-1/2',
      clientOrderId: null,
      venueId: '11',
      matched: '0',
      filled: '0',
    });
    expect(checkAgreement(exchange, rows({ orders: [row(), stop] }), { instance: 'bot' })).toEqual([]);
    expect(saying(checkAgreement(exchange, rows(), { instance: 'bot' }))).toContain('bot-a-mark-1/2');
  });
});

describe('an order that was called refused, and is there', () => {
  const options = { instance: 'bot', refused: new Set(['bot-a-mark-1']) };
  const mirror = rows({ orders: [row({ state: 'rejected', matched: '0', filled: '0' })], fills: [] });
  const traceless = order({ isOpen: false, status: 'Canceled', matched: 0n });

  test('may stay rejected where it ended without a trace, and is missed where it is open or has traded', () => {
    expect(checkAgreement(truth({ orders: [traceless], fills: [] }), mirror, options)).toEqual([]);
    expect(saying(checkAgreement(truth({ fills: [] }), mirror, options))).toContain('rejected in the mirror');
    const ended = order({ isOpen: false, status: 'Canceled' });
    expect(saying(checkAgreement(truth({ orders: [ended] }), mirror, options))).toContain(
      'rejected in the mirror',
    );
  });

  test('is no second order of its intent', () => {
    const second = order({ id: 11, clientOrderId: 'bot-a-mark-2' });
    const both = rows({
      orders: [row(), row({ key: 'bot-a-mark-2', clientOrderId: 'bot-a-mark-2', venueId: '11' })],
    });
    expect(checkOrders(truth({ orders: [order(), second] }), both, options.refused)).toEqual([]);
  });

  test('counts as bought where a bracket sells it', () => {
    const bought = order({ isOpen: false, status: 'Done', closedAtMs: 1_500 });
    const sold = order({ id: 11, clientOrderId: 'bot-a-mark-2', side: 'sell', openedAtMs: 2_000 });
    const bracket = rows({
      orders: [row(), row({ key: 'bot-a-mark-2', clientOrderId: 'bot-a-mark-2', venueId: '11' })],
      intents: [{ id: 'i1', kind: 'bracket', json: '{}', atMs: 0 }],
    });
    expect(checkOrders(truth({ orders: [bought, sold] }), bracket, options.refused)).toEqual([]);
    const more = { ...sold, amount: parseUnits('3'), matched: parseUnits('2') };
    expect(saying(checkOrders(truth({ orders: [bought, more] }), bracket, options.refused))).toContain(
      'to sell at most 1, it sold 2',
    );
    const dusty = { roundingOf: () => 0n, dustOf: () => parseUnits('1') };
    expect(checkOrders(truth({ orders: [bought, more] }), bracket, options.refused, dusty)).toEqual([]);
  });
});

describe('the check of orders', () => {
  const second = order({ id: 11, clientOrderId: 'bot-a-mark-2' });
  const secondRow = row({ key: 'bot-a-mark-2', clientOrderId: 'bot-a-mark-2', venueId: '11' });

  test('has nothing to say of one order for one intent', () => {
    expect(checkOrders(truth(), rows())).toEqual([]);
  });

  test('finds an id that was accepted twice', () => {
    expect(saying(checkOrders(truth({ orders: [order(), order({ id: 11 })] }), rows()))).toContain(
      'accepted 10, 11',
    );
  });

  test('finds two orders for an intent that wants one', () => {
    const found = checkOrders(truth({ orders: [order(), second] }), rows({ orders: [row(), secondRow] }));
    expect(saying(found)).toContain('expected one order for intent i1');
  });

  test('lets the parts of an iceberg follow one another and finds them together', () => {
    const iceberg = rows({
      orders: [row(), secondRow],
      intents: [{ id: 'i1', kind: 'iceberg', json: '{"amount":"4"}', atMs: 0 }],
    });
    const first = order({ isOpen: false, status: 'Done', closedAtMs: 2_000 });
    expect(checkOrders(truth({ orders: [first, { ...second, openedAtMs: 2_000 }] }), iceberg)).toEqual([]);
    expect(
      saying(checkOrders(truth({ orders: [first, { ...second, openedAtMs: 1_999 }] }), iceberg)),
    ).toContain('10 and 11 were there together');
  });

  test('lets a set of shares buy once all is sold, and finds what was bought before', () => {
    const shares = rows({
      orders: [row(), secondRow],
      intents: [{ id: 'i1', kind: 'targets', atMs: 0, json: '{"shares":{"BTCUSDT":"0","ETHUSDT":"0.1"}}' }],
    });
    const sold = order({ side: 'sell', isOpen: false, status: 'Done', closedAtMs: 2_000 });
    const bought = { ...second, side: 'buy', market: 'ETHUSDT', openedAtMs: 2_000 } as const;
    expect(checkOrders(truth({ orders: [sold, bought] }), shares)).toEqual([]);
    expect(
      saying(checkOrders(truth({ orders: [sold, { ...bought, openedAtMs: 1_999 }] }), shares)),
    ).toContain('expected intent i1 to buy once all is sold, 11 came before the end of the sale 10');
  });

  test('finds more filled than was wanted', () => {
    const twap = rows({
      orders: [row(), secondRow],
      intents: [{ id: 'i1', kind: 'twap', json: '{"amount":"1.5"}', atMs: 0 }],
    });
    expect(saying(checkOrders(truth({ orders: [order(), second] }), twap))).toContain(
      'at most 1.5 for intent i1',
    );
  });
});

const saidOf = (orders: readonly TrueOrder[], mirror: MirrorRows): string =>
  saying(checkOrders(truth({ orders }), mirror));

const OTHER_ROW = row({ key: 'bot-a-mark-2', clientOrderId: 'bot-a-mark-2', venueId: '11' });

/** Makes two orders of one intent, the second of them planned at a time. */
const bothOf = (kind: string, fields: object, plannedAtMs = 1_000): MirrorRows =>
  rows({
    orders: [row(), { ...OTHER_ROW, plannedAtMs }],
    intents: [{ id: 'i1', kind, json: JSON.stringify(fields), atMs: 0 }],
  });

describe('the check of intents that take time', () => {
  const second = order({ id: 11, clientOrderId: 'bot-a-mark-2' });
  const daily = { value: '100', everyMs: 60_000 };
  const first = order({ isOpen: false, status: 'Done', closedAtMs: 1_500 });
  const later = { ...second, openedAtMs: 2_000 };

  test('finds a peg beyond its bound', () => {
    const fine = bothOf('peg', { amount: '4', bound: '100' });
    expect(saidOf([first, later], fine)).toBe('');
    const beyond = bothOf('peg', { amount: '4', bound: '99.9' });
    expect(saidOf([first, later], beyond)).toContain('10 lies at 100');
    // The exchange has just changed the price step to 0.2, so 99.9 is rounded to 100.
    const found = checkOrders(truth({ orders: [first, later] }), beyond, undefined, {
      roundingOf: () => parseUnits('0.1'),
      dustOf: () => 0n,
    });
    expect(found).toEqual([]);
  });

  test('finds a rung that was placed twice', () => {
    const ladder = bothOf('ladder', { amount: '4', orders: 2 });
    expect(saidOf([order(), { ...second, price: parseUnits('99') }], ladder)).toBe('');
    expect(saidOf([order(), second], ladder)).toContain('10 at 100, 11 at 100');
    expect(
      saidOf([order(), { ...second, price: parseUnits('99') }], bothOf('ladder', { amount: '4', orders: 1 })),
    ).toContain('expected at most 1 orders for intent i1 (ladder)');
  });

  test('finds a purchase that was made twice', () => {
    const bought = { ...later, matched: parseUnits('1') };
    expect(saidOf([first, bought], bothOf('dca', daily, 59_999))).toContain(
      'expected 1 purchases of intent i1 (dca) by 59999, there were 10, 11',
    );
    expect(saidOf([first, { ...bought, matched: 0n }], bothOf('dca', daily, 59_999))).toBe('');
    expect(saidOf([first, bought], bothOf('dca', daily, 60_000))).toBe('');
  });
});

function found(times: readonly number[], status = 200): string {
  const log = new RequestLog();
  const checker = new BudgetChecker(log, {
    limits: new Map([['orders/list', { limit: 2, windowMs: 1_000 }]]),
  });
  for (const timeMs of times) {
    log.add({
      timeMs,
      ip: 'here',
      credentialId: 'bot',
      method: 'GET',
      path: '/orders',
      endpoint: 'ordersList',
      budget: 'orders/list',
      status,
    });
  }
  return saying(checker.violations());
}

describe('the check of budgets', () => {
  test('lets as many through as the limit says, and the next one after the window', () => {
    expect(found([0, 0, 1_001, 1_001, 2_002])).toBe('');
  });

  test('finds one more in a window, both its ends included', () => {
    expect(found([0, 500, 1_000])).toContain('there were 3 from 0 to 1000');
  });

  test('finds a refusal by a limit', () => {
    expect(found([0], 429)).toContain('got 429');
  });

  test('looks at every request once, however often it looks', () => {
    const log = new RequestLog(3);
    const checker = new BudgetChecker(log, { limits: new Map() });
    const request = {
      timeMs: 0,
      ip: '',
      credentialId: null,
      method: 'GET',
      path: '/',
      endpoint: null,
      budget: null,
    };
    for (let count = 0; count < 6; count += 1) {
      log.add({ ...request, status: 200 });
      checker.poll();
    }
    expect(checker.violations()).toEqual([]);
    for (let count = 0; count < 6; count += 1) log.add({ ...request, status: 200 });
    expect(saying(checker.violations())).toContain('were forgotten');
  });
});
