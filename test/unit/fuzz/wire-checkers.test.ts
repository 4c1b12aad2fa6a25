import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ENDPOINTS, type EndpointName } from '../../../src/exchange/endpoints.ts';
import type { HttpResponse, Transport } from '../../../src/exchange/transport.ts';
import {
  type ExchangeTruth,
  type TrueOrder,
  WatchedTransport,
  type LeavingRequest,
} from '../../../src/fuzz/checkers/exchange-truth.ts';
import {
  FreshnessChecker,
  JournalChecker,
  OverlapChecker,
  PauseChecker,
} from '../../../src/fuzz/checkers/freshness-checker.ts';
import { ForeignChecker } from '../../../src/fuzz/checkers/order-checker.ts';
import { LoweredLimitChecker, LockoutChecker } from '../../../src/fuzz/checkers/budget-checker.ts';
import { trueOrder } from '../../support/order-value.ts';
import type { MirrorChange } from '../../../src/engine/mirror-change.ts';
import { intentRecord, journalLine } from '../mirror/mirror-fixture.ts';
import { folderOfEachTest } from '../../support/temporary-folder.ts';

const leaving = (
  name: EndpointName,
  fields: LeavingRequest['fields'] = {},
  atMs = 1_000,
): LeavingRequest => ({
  endpoint: ENDPOINTS[name],
  path: ENDPOINTS[name].path.replace('{symbol}', 'BTCIRT'),
  fields,
  atMs,
});
const response = (status: number, body: unknown): HttpResponse => ({
  status,
  headers: {},
  body: JSON.stringify(body),
});

test('the watched transport reports the fields of body and query, and the reply', async () => {
  const transport: Transport = { send: async () => response(200, {}), close: async () => {} };
  const seen: string[] = [];
  const watched = new WatchedTransport({
    transport,
    nowMs: () => 7,
    witnesses: [
      {
        leaves: ({ endpoint, fields, atMs }) =>
          seen.push(`${endpoint.name} ${JSON.stringify(fields)} ${atMs}`),
        isAnswered: ({ endpoint }, { response: { status } }) => seen.push(`${endpoint.name} ${status}`),
      },
    ],
  });
  const request = { headers: {}, timeoutMs: 1_000 };
  await watched.send({ ...request, method: 'GET', path: '/market/trades/list?fromId=5', body: null });
  await watched.send({
    ...request,
    method: 'POST',
    path: '/market/orders/update-status',
    body: '{"order":3}',
  });
  await watched.send({ ...request, method: 'GET', path: '/nowhere', body: null });
  expect(seen).toEqual([
    'tradesList {"fromId":"5"} 7',
    'tradesList 200',
    'updateOrderStatus {"order":3} 7',
    'updateOrderStatus 200',
  ]);
});

describe('the row before the request', () => {
  const folder = folderOfEachTest();
  let database: Database.Database;
  let checker: JournalChecker;

  beforeEach(() => {
    const path = join(folder, 'mirror.sqlite');
    database = new Database(path);
    database.exec('PRAGMA journal_mode = WAL; CREATE TABLE orders (order_key TEXT, state TEXT)');
    checker = new JournalChecker(path);
  });
  afterEach(() => {
    checker.close();
    database.close();
  });
  const place = (id: string): void => checker.leaves(leaving('addOrder', { clientOrderId: id }));

  test('is content with an order that the file has as on its way', () => {
    database.exec("INSERT INTO orders VALUES ('bot-a-mark-1', 'sending')");
    place('bot-a-mark-1');
    checker.leaves(leaving('tradesList'));
    expect(checker.violations()).toEqual([]);
  });

  test('names one that is not there, and one that was only planned', () => {
    database.exec("INSERT INTO orders VALUES ('bot-a-mark-2', 'planned')");
    place('bot-a-mark-1');
    place('bot-a-mark-2');
    const said = checker.violations().map(({ message }) => message);
    expect(said[0]).toContain('expected bot-a-mark-1 to be on the disk');
    expect(said[1]).toContain('it was planned');
  });
});

const limited = (checker: LockoutChecker, atMs: number, reply: HttpResponse): void =>
  checker.isAnswered(leaving('tradesList', {}, atMs), { response: reply, atMs });

const minute = response(429, { backOff: 60 });
const cutMinute: HttpResponse = { ...minute, headers: { 'retry-after': '60' }, body: '{"status":"fai' };

const countAt = (atMs: number, reply: HttpResponse, name: EndpointName = 'tradesList'): number => {
  const checker = new LockoutChecker();
  limited(checker, 10_000, reply);
  checker.leaves(leaving(name, {}, atMs));
  return checker.violations().length;
};

const lowersTo = (limit: unknown): HttpResponse => response(429, { backOff: 5, limit });

/** Counts violations after a reply at 10 s, for requests that left at these times. */
const breaksOf = (
  reply: HttpResponse,
  leftAtMs: readonly number[],
  before: readonly number[] = [],
): number => {
  const checker = new LoweredLimitChecker();
  for (const atMs of before) checker.leaves(leaving('ordersList', {}, atMs));
  checker.isAnswered(leaving('ordersList', {}, 9_900), { response: reply, atMs: 10_000 });
  for (const atMs of leftAtMs) checker.leaves(leaving('ordersList', {}, atMs));
  return checker.violations().length;
};

describe('lowered limits', () => {
  test.each([
    ['one request more than the limit in a window', lowersTo(2), [20_000, 30_000, 80_000], 1],
    ['none where they are further apart', lowersTo(2), [20_000, 30_000, 80_001], 0],
    ['none where the limit is above ours', lowersTo(31), [20_000, 20_001, 20_002, 20_003], 0],
    ['none where it can be no limit', lowersTo(0), [20_000, 20_001, 20_002], 0],
    ['none of what was under way', lowersTo(2), [10_100, 10_200, 10_250], 0],
    ['none a day later', lowersTo(2), [86_410_001, 86_410_002, 86_410_003], 0],
  ] as const)('count %s', (_, reply, leftAtMs, count) => {
    expect(breaksOf(reply, leftAtMs)).toBe(count);
  });

  test('count what left before the reply', () => {
    expect(breaksOf(lowersTo(2), [20_000], [8_000, 9_000])).toBe(1);
  });
});

describe('lockouts', () => {
  test.each([
    ['what leaves amid the wait', 30_000, minute, 1],
    ['what leaves after it', 70_000, minute, 0],
    ['what was under way already', 10_250, minute, 0],
    ['what leaves amid the wait that a header names', 69_999, cutMinute, 1],
    ['what leaves after the wait that a header names', 70_000, cutMinute, 0],
    [
      'the header where the body names less',
      30_000,
      { ...response(429, { backOff: 5 }), headers: cutMinute.headers },
      1,
    ],
    ['the body where the header names less', 30_000, { ...minute, headers: { 'retry-after': '5' } }, 1],
    ['an hour where the reply does not say', 3_600_000, response(403, { detail: 'Forbidden.' }), 1],
    ['nothing after a reply that is no limit', 30_000, response(500, {}), 0],
  ] as const)('count %s', (_, atMs, reply, count) => {
    expect(countAt(atMs, reply)).toBe(count);
  });

  test('are of one budget', () => {
    expect(countAt(30_000, minute, 'ordersList')).toBe(0);
  });

  test('last as long as the longest of a burst', () => {
    const checker = new LockoutChecker();
    limited(checker, 10_000, minute);
    limited(checker, 10_100, response(429, { backOff: 5 }));
    checker.leaves(leaving('tradesList', {}, 60_000));
    expect(checker.violations()).toHaveLength(1);
  });
});

const order = ({ id = 1, ...changes }: Partial<TrueOrder>): TrueOrder =>
  trueOrder(id, { openedAtMs: 0, ...changes });

describe('orders that are not ours', () => {
  const truth: ExchangeTruth = {
    orders: [
      order({ id: 1, clientOrderId: 'bot-a-mark-1', pairId: 2 }),
      order({ id: 2, pairId: 1 }),
      order({ id: 3 }),
    ],
    fills: [],
    balances: new Map(),
  };

  test('are not canceled: ours are, with the second leg of a pair, by either name', () => {
    const checker = new ForeignChecker('bot');
    for (const fields of [{ order: 1 }, { order: 2 }, { clientOrderId: 'bot-a-mark-1' }])
      checker.leaves(leaving('updateOrderStatus', fields));
    expect(checker.violations(truth)).toEqual([]);
  });

  test.each([
    ['updateOrderStatus', { order: 3 }],
    ['updateOrderStatus', { order: 9 }],
    ['updateOrderStatus', { clientOrderId: 'by-hand-1' }],
    ['cancelOldOrders', {}],
  ] as const)('are named when %s %j asks for their end', (name, fields) => {
    const checker = new ForeignChecker('bot');
    checker.leaves(leaving(name, fields));
    expect(checker.violations(truth)).toHaveLength(1);
  });
});

const read = (...ids: readonly (readonly [from: number, listed: readonly number[]])[]): number => {
  const checker = new OverlapChecker();
  for (const [fromId, trades] of ids) {
    const request = leaving('tradesList', { fromId: String(fromId) });
    checker.leaves(request);
    checker.isAnswered(request, { response: response(200, { trades: trades.map((id) => ({ id })) }) });
  }
  return checker.violations().length;
};

describe('readings of trades', () => {
  test('may begin at the last trade that was reported, or before', () => {
    expect(read([1, [4, 7, 5]], [7, []], [5, [5, 7]])).toBe(0);
  });

  test('may not begin right after it', () => {
    expect(read([1, [4, 7, 5]], [8, []])).toBe(1);
  });

  test('are not judged before the first trade was reported', () => {
    expect(read([900, []], [900, []])).toBe(0);
  });
});

const placement = (atMs: number): LeavingRequest =>
  leaving('addOrder', { clientOrderId: 'a', srcCurrency: 'btc', dstCurrency: 'rls' }, atMs);
const bookAt = (checker: FreshnessChecker, name: EndpointName, status = 200): void =>
  checker.isAnswered(leaving(name), { response: response(status, {}), atMs: 1_000 });

describe('a placement on old data', () => {
  test('is named where no book of its market was answered, or a minute ago', () => {
    const checker = new FreshnessChecker();
    bookAt(checker, 'orderBook', 429);
    checker.leaves(placement(2_000));
    bookAt(checker, 'orderBook');
    checker.leaves(placement(66_000));
    expect(checker.violations(new Set())).toHaveLength(2);
  });

  test('is none where it is the exit of a bracket', () => {
    const checker = new FreshnessChecker();
    checker.leaves(placement(2_000));
    expect(checker.violations(new Set(['b']))).toHaveLength(1);
    expect(checker.violations(new Set(['a']))).toEqual([]);
  });

  test.each(['orderBook', 'allOrderBooks'] as const)('is none where %s was answered lately', (name) => {
    const checker = new FreshnessChecker();
    bookAt(checker, name);
    checker.leaves(placement(60_000));
    expect(checker.violations(new Set())).toEqual([]);
  });
});

const pauseOf = (endsAtMs: number): MirrorChange => ({
  kind: 'kept',
  name: 'locks',
  json: JSON.stringify({ locks: [{ strategy: 'one', endsAtMs, pauses: true }] }),
});
const stateOf = (books: number, fills = 0): MirrorChange => ({
  kind: 'strategy',
  strategy: {
    name: 'one',
    status: 'running',
    reason: null,
    json: JSON.stringify({ state: { books }, fills }),
    atMs: 1,
  },
});
const wishOf = (tag: string, id = 'i1'): MirrorChange => ({
  kind: 'intent',
  intent: intentRecord({ id, strategy: 'one', json: JSON.stringify({ kind: 'place', tag }) }),
});
const noted = (subject: string, facts: unknown): MirrorChange =>
  journalLine(subject, JSON.stringify(facts), 'control');

/** Counts the faults of steps with these changes, a second apart; the first begins a pause of 10 s. */
function faultsOf(...steps: readonly (readonly MirrorChange[])[]): number {
  const checker = new PauseChecker();
  checker.watch({ changes: [stateOf(1), pauseOf(10_000)] }, 0);
  for (const [index, changes] of steps.entries()) checker.watch({ changes }, (index + 1) * 1_000);
  return checker.violations().length;
}

describe('a strategy that is paused', () => {
  test('that changes its state was told something, and figures are no state', () => {
    expect(faultsOf([stateOf(1, 3)])).toBe(0);
    expect(faultsOf([stateOf(2)])).toBe(1);
  });

  test('wants nothing, but for what a person places and closes for it', () => {
    expect(faultsOf([wishOf('mine')])).toBe(1);
    expect(faultsOf([wishOf('by-hand')])).toBe(0);
    expect(faultsOf([wishOf('', 'i7'), noted('close sells', { intentId: 'i7' })])).toBe(0);
  });

  test('may be told again from the step on in which its pause ends', () => {
    expect(faultsOf([noted('lock ended early', { strategy: 'one', pauses: true }), stateOf(2)])).toBe(0);
    expect(faultsOf(...Array.from({ length: 9 }, () => []), [stateOf(2)])).toBe(0);
    expect(faultsOf(...Array.from({ length: 8 }, () => []), [stateOf(2)])).toBe(1);
  });
});
