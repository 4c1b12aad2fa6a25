import { describe, expect, test } from 'vitest';
import type { MirrorChange } from '../../../src/engine/mirror-change.ts';
import { ByHandChecker } from '../../../src/fuzz/checkers/by-hand-checker.ts';
import type { TrueOrder } from '../../../src/fuzz/checkers/exchange-truth.ts';
import type { OrderRecord } from '../../../src/engine/order-record.ts';
import { orderIn, trueFill, trueOrder } from '../../support/order-value.ts';

const nameOf = (id: number): string => `bot-one-mark-${id}`;
const order = (id: number, changes: Partial<TrueOrder> = {}): TrueOrder =>
  trueOrder(id, {
    clientOrderId: nameOf(id),
    market: 'USDTIRT',
    amount: 10n,
    status: 'Done',
    isOpen: false,
    closedAtMs: id,
    ...changes,
  });
const bought = trueFill(1, { market: 'USDTIRT', amount: 10n, total: 10n, fee: 1n });
const sent = (id: number, intentId: string): MirrorChange => ({
  kind: 'order',
  order: orderIn('sending', { key: nameOf(id), clientOrderId: nameOf(id), intentId, plannedAtMs: 0 }),
});

function faultsOf(
  changes: readonly MirrorChange[],
  orders: readonly TrueOrder[],
  unfinished: readonly OrderRecord[] = [],
): number {
  const checker = new ByHandChecker({ instance: 'bot', count: () => {} });
  checker.watch({ unfinishedOrders: () => unfinished }, { changes }, 0);
  const truth = { orders: [order(1), ...orders], fills: [bought], balances: new Map() };
  return checker.violations(truth, new Set()).length;
}

const wish = (id: string): MirrorChange => ({
  kind: 'intent',
  intent: {
    id,
    strategy: 'one',
    atMs: 0,
    kind: 'place',
    market: 'USDTIRT',
    json: '{"kind":"place","amount":"25.01","tag":"by-hand"}',
    status: 'working',
    reason: null,
  },
});

const sale = (amount: bigint): readonly TrueOrder[] => [order(9, { side: 'sell', amount })];
const open = (intentId: string, market = 'USDTIRT'): readonly OrderRecord[] => [
  orderIn('open', { strategy: 'one', intentId, market }),
];

describe('what is done by hand', () => {
  const begun: MirrorChange = {
    kind: 'journal',
    entry: {
      kind: 'control',
      subject: 'close sells',
      json: JSON.stringify({ intentId: 'i1', strategy: 'one', market: 'USDTIRT' }),
    },
  };

  test('sells no more in a close than the exchange has brought', () => {
    expect(faultsOf([begun, sent(9, 'i1')], sale(9n))).toBe(0);
    expect(faultsOf([begun, sent(9, 'i1')], sale(10n))).toBe(1);
    expect(faultsOf([sent(9, 'i1')], sale(10n))).toBe(0);
  });

  test('waits in a close for the ends of the other orders in the coin', () => {
    expect(faultsOf([begun], [], open('i1'))).toBe(0);
    expect(faultsOf([begun], [], open('i2', 'BTCUSDT'))).toBe(0);
    expect(faultsOf([begun], [], open('i2'))).toBe(1);
  });

  test('places one order for each command', () => {
    expect(faultsOf([wish('i1'), sent(9, 'i1')], [])).toBe(0);
    expect(faultsOf([wish('i1'), sent(9, 'i1'), wish('i2'), sent(10, 'i2')], [])).toBe(1);
  });
});

test('an intent that its life died over before it was written is none of the next life', () => {
  const checker = new ByHandChecker({ instance: 'bot', count: () => {} });
  const engine = { unfinishedOrders: () => [] };
  const json = JSON.stringify({ intentId: 'i1', strategy: 'one', market: 'USDTIRT' });
  checker.watch(
    engine,
    { changes: [{ kind: 'journal', entry: { kind: 'control', subject: 'close sells', json } }] },
    0,
  );
  checker.died();
  checker.watch(engine, { changes: [sent(9, 'i1')] }, 0);
  const truth = { orders: [order(1), ...sale(20n)], fills: [bought], balances: new Map() };
  expect(checker.violations(truth, new Set())).toEqual([]);
});
