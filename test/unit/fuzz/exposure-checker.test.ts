import { describe, expect, test, it } from 'vitest';
import type { TrueFill, TrueOrder, HoldingBot } from '../../../src/fuzz/checkers/exchange-truth.ts';
import {
  checkExposure,
  checkOwnership,
  FundsChecker,
  DustChecker,
} from '../../../src/fuzz/checkers/exposure-checker.ts';
import { trueFill, trueOrder, plannedOrder } from '../../support/order-value.ts';
import { parseUnits } from '../../../src/domain/money.ts';
import type { EngineOutput } from '../../../src/engine/engine-event.ts';
import type { OrderRecord } from '../../../src/records/order.ts';
import type { MirrorChange } from '../../../src/engine/mirror-change.ts';
import { createAlgorithm } from '../../../src/engine/algorithms/algorithms.ts';
import { algorithmToJson } from '../../../src/engine/algorithm-json.ts';
import { intentRecord } from '../mirror/mirror-fixture.ts';
import { CREATED } from '../execution/algorithms/algorithm-table.ts';
import { english } from '../../../src/language/sentence.ts';

const order = (id: number, changes: Partial<TrueOrder> = {}): TrueOrder =>
  trueOrder(id, { clientOrderId: `bot-a-mark-${id}`, price: 100n, amount: 6n, ...changes });
const fill = (orderId: number, changes: Partial<TrueFill> = {}): TrueFill =>
  trueFill(orderId, { amount: 6n, ...changes });
const count = (orders: readonly TrueOrder[], fills: readonly TrueFill[] = []): number =>
  checkExposure({ orders, fills, balances: new Map() }, { instance: 'bot', maxPosition: { btc: 10n } })
    .length;

describe('positions with all orders of a side', () => {
  test('stay within the limit while there is one order', () => {
    expect(count([order(1)])).toBe(0);
  });

  test('are beyond it with two that are open together', () => {
    expect(count([order(1), order(2)])).toBe(1);
  });

  test('are not when the first had ended, but for what it filled', () => {
    const ended = { isOpen: false, closedAtMs: 2 };
    expect(count([order(1, ended), order(3)])).toBe(0);
    expect(count([order(1, { ...ended, matched: 6n }), order(3)], [fill(1)])).toBe(1);
  });

  test('are made less by the other side only once that has traded, and by fees', () => {
    const sale = order(2, { side: 'sell', amount: 5n });
    const bought = [fill(1, { fee: 1n })];
    const first = order(1, { isOpen: false, closedAtMs: 1, matched: 6n });
    expect(count([first, sale, order(4)], bought)).toBe(1);
    expect(count([first, sale, order(4)], [...bought, fill(2, { side: 'sell', amount: 1n })])).toBe(0);
  });

  test('count of an order that was called refused only what makes them less', () => {
    const refused = new Set(['bot-a-mark-1']);
    const limits = { instance: 'bot', maxPosition: { btc: 10n }, refused };
    const countOf = (orders: readonly TrueOrder[], fills: readonly TrueFill[]): number =>
      checkExposure({ orders, fills, balances: new Map() }, limits).length;
    const sold = [fill(1, { side: 'sell', amount: 2n })];
    expect(countOf([order(1), order(2)], [fill(1)])).toBe(0);
    expect(countOf([order(1, { side: 'sell' }), order(2), order(3)], [])).toBe(1);
    expect(countOf([order(1, { side: 'sell' }), order(2), order(3)], sold)).toBe(0);
  });

  test('may be short as far as long', () => {
    expect(count([order(1, { side: 'sell' }), order(2, { side: 'sell' })])).toBe(1);
  });

  test('count a pair once, and what is not ours or in another market not at all', () => {
    const pair = [order(1, { pairId: 2 }), order(2, { pairId: 1, clientOrderId: null, openedAtMs: 1 })];
    expect(count(pair)).toBe(0);
    expect(count([order(1), order(2, { clientOrderId: 'by-hand-2' }), order(3, { market: 'BTCIRT' })])).toBe(
      0,
    );
  });

  test('are of one strategy each, where a market has two', () => {
    const ofOther = (id: number): TrueOrder => order(id, { clientOrderId: `bot-other-2-mark-${id}` });
    expect(count([order(1), ofOther(2)])).toBe(0);
    expect(count([order(1), ofOther(2), ofOther(3)])).toBe(1);
    // A sale of the other strategy does not reduce what this one has.
    const sale = { ...ofOther(2), side: 'sell' as const };
    expect(count([order(1), sale, order(3)], [fill(2, { side: 'sell' })])).toBe(1);
  });

  test('need names that name a strategy', () => {
    expect(() => count([order(1, { clientOrderId: 'bot-1' })])).toThrow(
      'expected an order of ours to name its strategy',
    );
  });

  test('are not judged where the coin has no limit', () => {
    expect(count([order(1, { market: 'USDTIRT' }), order(2, { market: 'USDTIRT' })])).toBe(0);
  });
});

const sold = (
  orders: readonly TrueOrder[],
  fills: readonly TrueFill[] = [],
  given: ReadonlyMap<string, bigint> = new Map(),
): number => checkOwnership({ orders, fills, balances: new Map() }, { instance: 'bot', given }).length;
const sale = (id: number, amount: bigint): TrueOrder => order(id, { side: 'sell', amount });

describe('coins that a strategy sells', () => {
  test('are none of those that it was not given and has not bought', () => {
    expect(sold([sale(1, 1n)])).toBe(1);
    expect(sold([sale(1, 3n), sale(2, 2n)], [], new Map([['a btc', 5n]]))).toBe(0);
    expect(sold([sale(1, 3n), sale(2, 3n)], [], new Map([['a btc', 5n]]))).toBe(1);
  });

  test('are what it has bought, less the fee', () => {
    const bought = order(1, { isOpen: false, closedAtMs: 1, matched: 6n });
    expect(sold([bought, sale(2, 5n)], [fill(1, { fee: 1n })])).toBe(0);
    expect(sold([bought, sale(2, 6n)], [fill(1, { fee: 1n })])).toBe(1);
  });

  test('are in all its markets together, and a quote currency is none', () => {
    const bought = order(1, { isOpen: false, closedAtMs: 1, matched: 6n });
    const inRial = order(2, { side: 'sell', market: 'BTCIRT', amount: 6n });
    expect(sold([bought, inRial], [fill(1)])).toBe(0);
    expect(sold([bought, order(2, { side: 'sell', market: 'USDTIRT' })], [fill(1)])).toBe(0);
  });
});

const refused = (change: Partial<OrderRecord> = {}): Pick<EngineOutput, 'changes'> => ({
  changes: [
    {
      kind: 'order',
      order: plannedOrder({
        key: 'bot-one-1',
        market: 'BTCUSDT',
        side: 'buy',
        amount: parseUnits('2'),
        price: parseUnits('100'),
        state: 'rejected',
        reason: 'OverValueOrder',
        ...change,
      }),
    },
  ],
});

const funds =
  (total: string, heldByOwn: string, [heldByStrategy, bought] = ['0', '0']) =>
  () => ({
    total: parseUnits(total),
    heldByOwn: parseUnits(heldByOwn),
    heldByStrategy: parseUnits(heldByStrategy),
    bought: parseUnits(bought),
  });

describe('the checker of funds', () => {
  test('finds an order for money that own orders hold', () => {
    const checker = new FundsChecker();
    checker.watch(refused(), funds('1000', '900'), 0);
    expect(checker.violations()).toMatchObject([
      {
        check: 'funds',
        message:
          'expected bot-one-1 to want no money that own orders hold already: it needs 200 usdt, they hold 900 of 1000 (0)',
      },
    ]);
  });

  test('finds a sale of coins that own orders sell', () => {
    const checker = new FundsChecker();
    checker.watch(refused({ side: 'sell' }), funds('2', '0.5'), 0);
    expect(checker.violations()[0]?.message).toContain('it needs 2 btc, they hold 0.5 of 2');
  });

  test.each([
    ['is refused for money that somebody else holds', refused(), funds('1000', '700')],
    ['is refused for another reason', refused({ reason: 'BadPrice' }), funds('1000', '900')],
    ['is a stop leg, which its limit leg stands for', refused({ key: 'bot-one-1/2' }), funds('1000', '900')],
  ])('lets pass what %s', (_, output, fundsOf) => {
    const checker = new FundsChecker();
    checker.watch(output, fundsOf, 0);
    expect(checker.violations()).toEqual([]);
  });

  test('judges nothing for a quarter of an hour after somebody else was at the account', () => {
    const checker = new FundsChecker();
    checker.disturbed(1_000);
    checker.watch(refused(), funds('1000', '900'), 900_999);
    expect(checker.violations()).toEqual([]);
    checker.watch(refused(), funds('1000', '900'), 901_000);
    expect(checker.violations()).toHaveLength(1);
  });

  describe('where a strategy sells what it has bought', () => {
    const sale = refused({ side: 'sell' });
    const bought = funds('2', '0.5', ['0.5', '2.5']);

    test('lets it pass once somebody else was at the account', () => {
      const checker = new FundsChecker();
      checker.disturbed(0);
      checker.watch(sale, bought, 1_000_000);
      expect(checker.violations()).toEqual([]);
    });

    test.each([
      ['nobody else ever was there', false, bought],
      ['it has bought less than it sells in all', true, funds('2', '0.5', ['0.5', '2.4'])],
    ])('finds it where %s', (_, isDisturbed, fundsOf) => {
      const checker = new FundsChecker();
      if (isDisturbed) checker.disturbed(0);
      checker.watch(sale, fundsOf, 1_000_000);
      expect(checker.violations()).toHaveLength(1);
    });
  });
});

/** Makes a bot whose strategy holds this amount. */
function holding(btc: string): HoldingBot {
  const holdings = new Map([['btc', { held: parseUnits(btc) }]]);
  return { instances: [{ name: 'one', ledger: { state: { holdings } } }] } as unknown as HoldingBot;
}

/** Makes the change that begins a bracket which takes over dust. */
function began(intentId: string, dust: string): { readonly changes: readonly MirrorChange[] } {
  const entry = { amount: '1' };
  const intent = { kind: 'bracket', market: 'BTCUSDT', entry, stopLoss: { percent: '5' } } as const;
  const made = createAlgorithm(intent, CREATED);
  if (!made.ok) throw new Error(english(made.reason));
  const json = algorithmToJson({ ...made.algorithm, bought: parseUnits(dust) } as typeof made.algorithm);
  return {
    changes: [{ kind: 'algorithm', algorithm: { intentId, strategy: 'one', market: 'BTCUSDT', json } }],
  };
}

const faults = (checker: DustChecker): readonly string[] =>
  checker.violations().map(({ message }) => message);

describe('a checker of dust', () => {
  it('lets a bracket take what its strategy holds, once', () => {
    const checker = new DustChecker();
    expect(checker.watch(holding('0.0006'), began('i1', '0.0006'))).toBe(1);
    expect(checker.watch(holding('0.0006'), began('i1', '0.0006'))).toBe(0);
    expect(checker.watch(holding('0.0006'), began('i2', '0'))).toBe(0);
    checker.watch(holding('0.0006'), { changes: [{ kind: 'algorithm-end', intentId: 'i1' }] });
    checker.watch(holding('0.0006'), began('i3', '0.0006'));
    expect(faults(checker)).toEqual([]);
  });

  it('finds one that takes more', () => {
    const checker = new DustChecker();
    checker.watch(holding('0.0006'), began('i1', '0.0012'));
    expect(faults(checker)).toEqual([
      'expected brackets of one btc to take at most what is held, 0 or 0.0006, they took 0.0012',
    ]);
  });

  it('finds a second one that takes the same, while neither has an exit', () => {
    const checker = new DustChecker();
    checker.watch(holding('0.0006'), began('i1', '0.0006'));
    checker.watch(holding('0.0006'), began('i2', '0.0006'));
    expect(faults(checker)).toHaveLength(1);
  });

  it('judges a bracket with the id of one that its life died over before it was written', () => {
    const checker = new DustChecker();
    checker.watch(holding('0.0006'), began('i1', '0.0006'));
    checker.died();
    const begins = { kind: 'intent', intent: intentRecord({ id: 'i1', kind: 'bracket' }) } as const;
    const { changes } = began('i1', '0.0012');
    checker.watch(holding('0.0006'), { changes: [begins, ...changes] });
    expect(faults(checker)).toHaveLength(1);
  });
});
