import { describe, expect, test } from 'vitest';
import type { LockRule } from '../../../src/engine/lock.ts';
import type { TrueFill, TrueOrder } from '../../../src/fuzz/checkers/exchange-truth.ts';
import {
  LockChecker,
  type LockedBot,
  ShownLocks,
  type ShowingBot,
} from '../../../src/fuzz/checkers/lock-checker.ts';
import { endedOrder as order, orderIn, trueFill } from '../../support/order-value.ts';
import type { ShownLock } from '../../../src/strategy/strategy-event.ts';

const always: LockRule = {
  name: 'closed',
  kind: 'hours',
  strategy: null,
  entries: 'cancel',
  calendar: { sessions: [], weekdays: Array.from({ length: 7 }, () => true), closed: [] },
  text: 'never open',
};
const nobody: LockedBot = { instances: [], unfinishedOrders: () => [], locks: { shownTo: () => [] } };
const SALE = 9;

const nameOf = (id: number, strategy = 'one'): string => `bot-${strategy}-mark-${id}`;
const fill = (orderId: number, changes: Partial<TrueFill> = {}): TrueFill =>
  trueFill(orderId, { market: 'USDTIRT', amount: 10n, total: 10n, ...changes });
const sale = (amount: bigint): TrueOrder => order(SALE, { side: 'sell', amount });
const soldAtOnce = fill(SALE, { side: 'sell', amount: 10n });

/** Counts the faults of an order that was planned during a lock, with the given fills and other orders. */
function faultsOf(last: TrueOrder, fills: readonly TrueFill[], others: readonly TrueOrder[]): number {
  const checker = new LockChecker({ instance: 'bot', rules: [always], count: () => {} });
  const sent = orderIn('sending', { key: nameOf(SALE), side: last.side, market: last.market });
  checker.watch(nobody, { changes: [{ kind: 'order', order: sent }] }, 0);
  const truth = { orders: [...others, last], fills, balances: new Map() };
  return checker.violations(truth, { refused: new Set(), exits: new Set() }).length;
}

describe('a sale in a lock', () => {
  test('is a way out up to what was bought, fees taken off', () => {
    expect(faultsOf(sale(10n), [fill(1)], [order(1)])).toBe(0);
    expect(faultsOf(sale(10n), [fill(1, { fee: 1n })], [order(1)])).toBe(1);
    expect(faultsOf(sale(10n), [], [])).toBe(1);
  });

  test('counts no trade of its own, nor of the other leg of its pair, against itself', () => {
    expect(faultsOf(sale(10n), [fill(1), soldAtOnce], [order(1)])).toBe(0);
    const [limit, stop] = [SALE, SALE + 1];
    const legs = [order(1), { ...sale(10n), id: stop, clientOrderId: null, pairId: limit, openedAtMs: SALE }];
    expect(faultsOf({ ...sale(10n), pairId: stop }, [fill(1), soldAtOnce], legs)).toBe(0);
  });

  test('counts sales before it, and not purchases after it', () => {
    const before = order(2, { side: 'sell' });
    expect(faultsOf(sale(10n), [fill(1), fill(2, { side: 'sell', amount: 1n })], [order(1), before])).toBe(1);
    expect(faultsOf(sale(10n), [fill(10)], [order(10)])).toBe(1);
  });

  test('is not judged where the exchange took it long after it was sent', () => {
    expect(faultsOf({ ...sale(10n), openedAtMs: 10_000 }, [], [])).toBe(1);
    expect(faultsOf({ ...sale(10n), openedAtMs: 10_001 }, [], [])).toBe(0);
  });

  test('does not count what another strategy bought, or somebody by hand', () => {
    expect(faultsOf(sale(10n), [fill(1)], [order(1, { clientOrderId: nameOf(1, 'one-more') })])).toBe(1);
    expect(faultsOf(sale(10n), [fill(1)], [order(1, { clientOrderId: nameOf(1, 'other-one') })])).toBe(1);
    expect(faultsOf(sale(10n), [fill(1)], [order(1, { clientOrderId: null })])).toBe(1);
  });

  test('of tether counts what coins were sold and bought for it', () => {
    const inTether = { market: 'BTCUSDT', amount: 1n, total: 10n } as const;
    const sold = fill(1, { ...inTether, side: 'sell' });
    expect(faultsOf(sale(10n), [sold], [order(1, { market: 'BTCUSDT', side: 'sell' })])).toBe(0);
    expect(faultsOf(sale(10n), [{ ...sold, fee: 1n }], [order(1)])).toBe(1);
    const spent = fill(2, inTether);
    expect(faultsOf(sale(10n), [fill(1), spent], [order(1), order(2, { market: 'BTCUSDT' })])).toBe(1);
  });

  test('of a coin counts what was bought of it in another market', () => {
    const last = { ...sale(10n), market: 'BTCIRT' };
    expect(faultsOf(last, [fill(1, { market: 'BTCUSDT' })], [order(1, { market: 'BTCUSDT' })])).toBe(0);
  });
});

test('a purchase in a lock is a way out up to what was sold', () => {
  const bought = order(SALE, { amount: 10n });
  const sold = fill(1, { side: 'sell' });
  expect(faultsOf(bought, [sold], [order(1, { side: 'sell' })])).toBe(0);
  expect(faultsOf({ ...bought, amount: 11n }, [sold], [order(1, { side: 'sell' })])).toBe(1);
});

test('a name of an order that its life died over before it was written may be that of one after the lock', () => {
  const rules = [always];
  const checker = new LockChecker({ instance: 'bot', rules, count: () => {} });
  const sent = orderIn('sending', { key: nameOf(SALE), side: 'sell', market: 'USDTIRT' });
  checker.watch(nobody, { changes: [{ kind: 'order', order: sent }] }, 0);
  checker.died();
  rules.length = 0;
  checker.watch(nobody, { changes: [{ kind: 'order', order: sent }] }, 0);
  const truth = { orders: [sale(10n)], fills: [], balances: new Map() };
  expect(checker.violations(truth, { refused: new Set(), exits: new Set() })).toEqual([]);
});

const shownLock = (changes: Partial<ShownLock>): ShownLock => ({
  name: 'hand',
  kind: 'hand',
  market: null,
  strategy: null,
  reason: 'news',
  beganAtMs: 0,
  endsAtMs: 10,
  entries: 'cancel',
  ...changes,
});
/** Makes a bot whose two strategies see the same locks. */
const showing = (...locks: readonly ShownLock[]): ShowingBot => ({
  instances: ['one', 'two'].map((name) => ({ name, runner: { market: 'BTCIRT' } })),
  locks: { shownTo: () => locks },
});
const json = (...locks: readonly ShownLock[]): string =>
  JSON.stringify({ locks: locks.map((lock) => ({ ...lock, rule: null })) });

const ALL = shownLock({});
const OF_ONE = shownLock({ strategy: 'one' });

test.each([
  ['the lock that was written', json(ALL), showing(ALL), 0, 0],
  ['none where none was written', json(), showing(), 0, 0],
  ['a lock that was not written', json(), showing(ALL), 0, 2],
  ['no lock where one was written', json(ALL), showing(), 0, 2],
  ['a lock of one strategy also in the other', json(OF_ONE), showing(OF_ONE), 0, 1],
  ['a lock at its end', json(ALL), showing(ALL), 10, 2],
  ['a lock of another market', json(shownLock({ market: 'ETHIRT' })), showing(), 0, 2],
  ['a lock up to another end', json(shownLock({ endsAtMs: 12 })), showing(ALL), 0, 2],
])('handlers that see %s', (_, written, bot, atMs, differences) => {
  const checker = new ShownLocks();
  checker.watch(bot, written, atMs);
  expect(checker.differences).toHaveLength(differences);
});

test('nothing is known of a new life before it writes', () => {
  const checker = new ShownLocks();
  checker.watch(showing(ALL), json(ALL), 0);
  checker.beginAnew();
  checker.watch(showing(), null, 0);
  expect(checker.differences).toEqual([]);
});
