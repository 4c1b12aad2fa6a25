import { describe, expect, test } from 'vitest';
import { compareDecisions, compareSessions } from '../../../../src/backtest/parity/compare-sessions.ts';
import type { SessionView } from '../../../../src/backtest/session.ts';
import { createMarket } from '../../../../src/domain/market.ts';
import { parseUnits } from '../../../../src/domain/money.ts';
import { EMPTY_FILL, type FillRecord } from '../../../../src/records/fill.ts';
import type { OrderRecord } from '../../../../src/records/order.ts';
import { plannedOrder } from '../../../support/order-value.ts';
import { orderIdOf, tradeIdOf } from '../../../../src/venues/read-records.ts';
import { parseMarket } from '../../../../src/exchange/market-names.ts';
import { OwnLevels, OwnTrades } from '../../../../src/backtest/parity/run-again.ts';
import { decimalText } from '../../../../src/domain/decimal-text.ts';
import type { RecordedBook, RecordedTrade } from '../../../../src/recording/records.ts';

const OWN_FILL = {
  side: 'buy',
  atMs: 5_000,
  price: parseUnits('100'),
  amount: parseUnits('0.5'),
} as FillRecord;

function trade(of: Partial<RecordedTrade> = {}): RecordedTrade {
  const [price, amount] = [decimalText('100'), decimalText('0.50')];
  return { timeMs: 5_000, seenMs: 9_000, id: null, price, amount, side: 'buy', ...of };
}

test('what the session took is not there, be it timed a little apart', () => {
  expect(new OwnTrades([OWN_FILL]).without([trade()])).toEqual([]);
  expect(new OwnTrades([OWN_FILL]).without([trade({ timeMs: 5_900 })])).toEqual([]);
});

test.each([
  ['in which others took from it', trade({ side: 'sell' })],
  ['of another time', trade({ timeMs: 6_100 })],
  ['of another price', trade({ price: decimalText('101') })],
  ['of another amount', trade({ amount: decimalText('0.4') })],
] as const)('a trade %s stays', (_, other) => {
  expect(new OwnTrades([OWN_FILL]).without([other])).toEqual([other]);
});

test('each fill takes one trade out, over all parts of a tape', () => {
  const own = new OwnTrades([OWN_FILL, { ...OWN_FILL, atMs: 5_500 }]);
  expect(own.without([trade(), trade({ side: 'sell' })])).toHaveLength(1);
  expect(own.without([trade(), trade(), trade()])).toHaveLength(2);
});

const level = (price: string, amount: string): RecordedBook['bids'][number] => [
  decimalText(price),
  decimalText(amount),
];

const bookAt = (seenMs: number): RecordedBook => ({
  venueTimeMs: null,
  seenMs,
  bids: [level('100', '5'), level('99', '2')],
  asks: [level('101', '5')],
});

const ORDER = {
  key: 'one',
  side: 'buy',
  execution: 'limit',
  price: parseUnits('99'),
  amount: parseUnits('2'),
  sentAtMs: 1_000,
  closedAtMs: 3_000,
} as OrderRecord;

const FILL = { orderKey: 'one', atMs: 2_000, amount: parseUnits('0.5') } as FillRecord;

const bidsAt = (seenMs: number, orders = [ORDER]): readonly (readonly string[])[] =>
  new OwnLevels(orders, [FILL]).without(bookAt(seenMs)).bids;

test.each([
  ['before it was sent', 999, ['5', '2']],
  ['from when it was sent', 1_000, ['5']],
  ['after a part was filled', 2_500, ['5', '0.5']],
  ['after it was closed', 3_001, ['5', '2']],
] as const)('an order of ours %s leaves what others have', (_, atMs, amounts) => {
  expect(bidsAt(atMs).map(([, amount]) => amount)).toEqual(amounts);
});

test('a stop rests in no book', () => {
  expect(bidsAt(1_500, [{ ...ORDER, execution: 'stop_limit' }])).toEqual(bookAt(0).bids);
});

const MARKET = createMarket({
  market: parseMarket('BTCUSDT'),
  priceStep: '1',
  amountStep: '0.01',
  minOrderValue: '1',
});
const END_MS = 100_000;
const OPTIONS = {
  markets: [MARKET],
  toleranceMs: 1_000,
  reads: new Map([['slow', new Set<string>(['candles'])]]),
  endMs: END_MS,
};

function order(key: string, of: Partial<OrderRecord> = {}): OrderRecord {
  return plannedOrder({
    key,
    strategy: 'fast',
    market: MARKET.symbol,
    plannedAtMs: 10_000,
    sentAtMs: of.plannedAtMs ?? 10_000,
    attempts: 1,
    state: 'filled',
    venueId: orderIdOf(1),
    venueStatus: 'Done',
    ...of,
  });
}

function fill(of: {
  readonly price?: string;
  readonly amount?: string;
  readonly fee?: string;
  readonly atMs?: number;
}): FillRecord {
  const { price = '100', amount = '1', fee = '0.001', atMs = 11_000 } = of;
  return {
    ...EMPTY_FILL,
    tradeId: tradeIdOf(1),
    cursor: 1,
    venueOrderId: orderIdOf(1),
    orderKey: 'one',
    strategy: 'fast',
    market: MARKET.symbol,
    side: 'buy',
    atMs,
    price: parseUnits(price),
    amount: parseUnits(amount),
    total: parseUnits('100'),
    fee: parseUnits(fee),
  };
}

function view(of: Partial<SessionView>): SessionView {
  return {
    signals: [],
    intents: [],
    stops: [],
    orders: [],
    fills: [],
    books: [],
    bars: [],
    received: null,
    ...of,
  };
}

const seen = (atMs: number, text: string): SessionView['books'][number] => ({
  market: MARKET.symbol,
  atMs,
  text,
});

const causes = (session: SessionView, again: SessionView, options = OPTIONS): readonly string[] =>
  compareSessions({ session, again }, options).differences.map(({ what, cause }) => `${what} ${cause}`);

const causesOfAnotherBar = (strategy: string): readonly string[] =>
  causes(
    view({ orders: [order('one', { strategy })], bars: [seen(9_000, 'a')] }),
    view({ bars: [seen(9_000, 'b')] }),
  );

describe('a fill of an order that both runs have', () => {
  test.each([
    ['the same', {}, {}, []],
    ['another price', {}, { price: '101' }, ['fill data age']],
    ['less of it', {}, { amount: '0.5' }, ['fill queue', 'money queue']],
    ['a later moment', {}, { atMs: 13_000 }, ['fill queue']],
    ['a moment within the tolerance', {}, { atMs: 12_000 }, []],
    ['another fee', {}, { fee: '0.002' }, ['fill fee', 'money fee']],
    ['a fee by a unit', {}, { fee: '0.0010000001' }, ['fill rounding', 'money rounding']],
    ['less than a step', {}, { amount: '1.001' }, ['fill rounding', 'money rounding']],
  ] as const)('with %s', (_, left, right, expected) => {
    const orders = [order('one')];
    const found = causes(view({ orders, fills: [fill(left)] }), view({ orders, fills: [fill(right)] }));
    expect(found.filter((text) => !text.startsWith('money'))).toEqual(
      expected.filter((text) => !text.startsWith('money')),
    );
    expect(found.some((text) => text.startsWith('money'))).toBe(
      expected.some((text) => text.startsWith('money')),
    );
  });

  test('that came in one run only is the queue, or the latency where the order left at another moment', () => {
    const session = view({ orders: [order('one')], fills: [fill({})] });
    expect(causes(session, view({ orders: [order('one')] }))[0]).toBe('fill queue');
    expect(causes(session, view({ orders: [order('one', { sentAtMs: 15_000 })] }))[0]).toBe('fill latency');
  });
});

describe('an order that only one run has', () => {
  const session = view({ orders: [order('one')] });

  test('is the code where everything before it was the same', () => {
    const books = [seen(9_000, 'a')];
    const comparison = compareSessions({ session: { ...session, books }, again: view({ books }) }, OPTIONS);
    expect(comparison.differences.map(({ cause }) => cause)).toEqual(['code']);
    expect(comparison).toMatchObject({ decisions: 1, decisionsOnSameInputs: 1 });
  });

  test.each([
    ['another book before it', [seen(9_000, 'a')], [seen(9_000, 'b')], 'data age'],
    ['a book more before it', [seen(9_000, 'a')], [], 'data age'],
    ['the same book at another moment before it', [seen(5_000, 'a')], [seen(7_000, 'a')], 'latency'],
    ['another book after it', [seen(11_000, 'a')], [seen(11_000, 'b')], 'code'],
  ] as const)('has the cause of %s', (_, left, right, cause) => {
    expect(causes({ ...session, books: left }, view({ books: right }))).toEqual([`order ${cause}`]);
  });

  test('has the cause of another bar only where its strategy reads bars', () => {
    expect(causesOfAnotherBar('slow')).toEqual(['order data age']);
    expect(causesOfAnotherBar('fast')).toEqual(['order code']);
  });

  test('has the cause of the fill before it that was another one', () => {
    const later = order('two', { plannedAtMs: 20_000, price: parseUnits('90') });
    const left = view({ orders: [order('one'), later], fills: [fill({})] });
    expect(causes(left, view({ orders: [order('one')] })).slice(0, 2)).toEqual(['fill queue', 'order queue']);
  });
});

test('a fill within the millisecond of its order is known to what is decided after the order, and not to the order itself', () => {
  const orders = [order('one'), order('two', { price: parseUnits('90') })];
  const at = 10_000;
  const session = view({ orders, fills: [fill({ atMs: at })] });
  const comparison = compareSessions({ session, again: view({ orders: [order('one')] }) }, OPTIONS);
  expect(comparison.differences.map(({ what, cause }) => `${what} ${cause}`)).toContain('order queue');
  expect(comparison).toMatchObject({ decisions: 2, decisionsOnSameInputs: 1 });
});

test('another price of the same order on the same inputs is the code, however small', () => {
  const other = order('one', { price: parseUnits('100.0000000001') });
  expect(causes(view({ orders: [order('one')] }), view({ orders: [other] }))).toEqual(['order code']);
});

test('what was decided again from the same events is the code where it differs, and counts until its moment', () => {
  const session = view({ orders: [order('one'), order('two', { plannedAtMs: 20_000 })] });
  expect(compareDecisions(session, session, 30_000)).toEqual({ differences: [], decisions: 2 });
  expect(compareDecisions(session, view({ orders: [order('one')] }), 15_000)).toEqual({
    differences: [],
    decisions: 1,
  });
  const { differences } = compareDecisions(
    session,
    view({ orders: [order('one', { plannedAtMs: 10_001 })] }),
    30_000,
  );
  expect(differences.map(({ cause, session: mine }) => [cause, mine === null])).toEqual([
    ['code', false],
    ['code', true],
    ['code', false],
  ]);
});

describe('a strategy that was stopped in one run only', () => {
  const stop = { strategy: 'fast', atMs: 9_000, reason: 'it was too slow' };
  const session = view({ orders: [order('one')], stops: [stop] });

  test('is the cause of what is decided otherwise after it, from the same events too', () => {
    expect(causes(session, view({}))).toEqual(['order stop']);
    expect(causes(view({}), session)).toEqual(['order stop']);
    const [difference] = compareDecisions(session, view({}), 30_000).differences;
    expect(difference).toMatchObject({
      cause: 'stop',
      why: 'fast was paused or stopped in the session only: it was too slow',
    });
  });

  test('is none of what was decided before it, nor is a stop that both runs have', () => {
    const later = { ...stop, atMs: 20_000 };
    expect(causes(view({ orders: [order('one')], stops: [later] }), view({}))).toEqual(['order code']);
    expect(causes(session, view({ stops: [stop] }))).toEqual(['order code']);
    expect(compareDecisions(session, view({ stops: [stop] }), 30_000).differences).toMatchObject([
      { cause: 'code' },
    ]);
  });
});

const signal = (id: string, more: Partial<SessionView['signals'][number]> = {}) =>
  ({
    strategy: 'fast',
    name: 'alert',
    id,
    payload: 1,
    sentAtMs: null,
    source: 'desk',
    seenAtMs: 9_000,
    outcome: 'told',
    code: 'told',
    reason: null,
    ...more,
  }) as const;

test.each([
  ['told alike', [signal('a')], []],
  [
    'refused by another schema',
    [signal('a', { outcome: 'refused', reason: 'payload: no' })],
    ['signal code'],
  ],
  ['not given', [], ['signal code']],
  ['told later', [signal('a', { seenAtMs: 9_200 })], ['signal latency']],
])('a signal of the session that is %s in the second run', (_, again, expected) => {
  expect(causes(view({ signals: [signal('a')] }), view({ signals: again }))).toEqual(expected);
});

test('what follows from a signal that was not told alike has its cause', () => {
  const late = view({ signals: [signal('a', { seenAtMs: 9_200 })] });
  expect(causes(view({ signals: [signal('a')], orders: [order('one')] }), late)).toEqual([
    'signal latency',
    'order latency',
  ]);
});

test('what follows an entry that waited for a person has that as its cause', () => {
  const intent = { id: 'i1', strategy: 'fast', kind: 'place', atMs: 10_000 };
  const late = order('one', { plannedAtMs: 40_000 });
  expect(
    causes(
      view({ intents: [{ ...intent, approval: 'approved' }], orders: [late] }),
      view({ intents: [intent], orders: [order('one')] }),
    ),
  ).toEqual(['order approval', 'order approval']);
  expect(
    causes(
      view({ intents: [{ ...intent, approval: 'exempt' }], orders: [late] }),
      view({ intents: [intent], orders: [order('one')] }),
    ),
  ).toEqual(['order code', 'order code']);
});
