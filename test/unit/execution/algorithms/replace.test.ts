import { describe, expect, test } from 'vitest';
import { parseUnits } from '../../../../src/domain/money.ts';
import { plainOrder } from '../../../../src/engine/algorithms/algorithm-step.ts';
import type { OrderRecord } from '../../../../src/records/order.ts';
import type { SizedAlgorithmIntent } from '../../../../src/engine/algorithms/algorithms.ts';
import { orderOf, refusalOf, runAlgorithm } from './algorithm-table.ts';
import { scenarios } from '../../../support/scenarios.ts';

const bid = plainOrder('buy', parseUnits('1'), parseUnits('99'));
const dearer = { kind: 'replace', clientOrderId: 'id-old', price: '99.5' } as const;
const replacing = (intent: SizedAlgorithmIntent) => runAlgorithm(intent, { replaced: bid });

describe('a replacement', () => {
  scenarios<SizedAlgorithmIntent | undefined>((table, intent = dearer) => replacing(intent)(table))`
    places what is left once the old order has ended and its fills are read
      start => cancel old
      old cancelling => -
      old cancelling 0.1 => -
      old settling 0.1/0.3 => -
      old cancelled 0.3 => place buy 0.7@99.5
      1 unknown => -
      1 open => done replaced

    places nothing while the end of the old order is not known
      old planned => -
      old sending => cancel old
      old unknown => cancel old
      old cancelling => -
      at 3600000 => -
      old open => cancel old
      old cancelled => place buy 1@99.5

    is over when the old order was filled meanwhile
      start => cancel old
      old cancelling => -
      old settling 0.4/1 => -
      old filled => done filled before it could be replaced

    places nothing for an order that never was
      old unknown => cancel old
      old lost => done the order to replace never was: NeverArrived

    counts what was filled into a smaller amount ${{ ...dearer, amount: '0.5' }}
      start => cancel old
      old cancelled 0.2 => place buy 0.3@99.5
      1 filled => done replaced

    only cancels when more was filled than is wanted
      ${{ kind: 'replace', clientOrderId: 'id-old', amount: '0.2' }}
      start => cancel old
      old cancelled 0.2 => done canceled, as no more is wanted than was filled

    places what is left though the old order is in no view any more
      start => cancel old
      old cancelled 0.3 => place buy 0.7@99.5
      forget old => -
      forget 1 => place buy 0.7@99.5     # a plan that was never written down
  `;

  test.each([
    [
      'is not planned',
      'refused the value does not exceed the minimum',
      'the value does not exceed the minimum',
    ],
    ['is refused by the exchange', '1 rejected NoFunds', 'NoFunds'],
    ['is refused unheard', '1 lost', 'NeverArrived'],
  ])('ends when what is left %s', (_, happens, reason) =>
    replacing(dearer)(`
      start => cancel old
      old cancelled 0.99 => place buy 0.01@99.5
      ${happens} => done what is left was refused: ${reason}
    `),
  );

  test('places nothing when the old order was forgotten before its end was seen', () =>
    replacing(dearer)('forget old => done the order to replace is not known any more'));

  test.each<[string, object, Partial<OrderRecord> | null]>([
    ['of an order that nobody knows', {}, null],
    ['of an order that has ended', {}, { state: 'cancelled' }],
    ['of an order that is ending by itself', {}, { state: 'settling' }],
    ['of a market order', {}, { execution: 'market' }],
    ['of a leg of a pair', {}, { pairKey: 'old/2' }],
    ['by a price of nothing', { price: '0' }, {}],
    ['by an amount that is none', { amount: 'all' }, {}],
    ['by what it is already', { price: '99.001', amount: '1.0001' }, {}],
  ])('is refused %s', (_, fields, record) => {
    const old = record === null ? undefined : orderOf(bid, { key: 'old', state: 'open', ...record });
    expect(refusalOf({ ...dearer, ...fields }, { replaced: old })).toMatch(/^expected /);
  });
});
