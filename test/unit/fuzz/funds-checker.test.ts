import { describe, expect, test } from 'vitest';
import { parseUnits } from '../../../src/domain/money.ts';
import { FundsChecker } from '../../../src/fuzz/checkers/exposure-checker.ts';
import type { EngineOutput } from '../../../src/engine/engine-command.ts';
import type { OrderRecord } from '../../../src/records/order.ts';
import { plannedOrder } from '../../support/order-value.ts';

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
