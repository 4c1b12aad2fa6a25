import { expect, test } from 'vitest';
import { bracketIn } from '../../../src/dashboard/readers/market-replies.ts';

/** The position was bought as 0.001541 at 64856.13; the fee of 0.000001541 was taken from the coin. */
const algorithm = {
  kind: 'bracket',
  terms: {
    entry: { amount: '0.0015418744', price: '64856.125715', expiresAtMs: null },
    takeProfit: { by: 'ratio', units: '0.009' },
    stopLoss: { by: 'ratio', units: '0.006' },
    trail: null,
    breakEvenAt: null,
    timeStopMs: null,
    stopSlip: '0.01',
    whenCanceled: 'replace',
    tag: 'dip',
  },
  entry: 'ended',
  bought: '0.001539459',
  gross: '0.001541',
  spent: '99.94329633',
  exits: { filled: '0', countedKey: null },
  heldSinceMs: 1_795_831_097_442,
  highest: null,
  closeAtMs: 0,
  raisedStop: null,
  raisedBy: null,
  trailedAtMs: null,
  isMoving: false,
  isStopAlone: false,
  leaving: null,
  setbacks: { inARow: 0, retryAtMs: null, reason: null },
};

test('levels of a bracket are measured from the price that was paid, as those of its orders', () => {
  const bracket = bracketIn(JSON.stringify({ version: 1, algorithm }));
  expect(Number(bracket?.takeProfits[0])).toBeCloseTo(64_856.13 * 1.009, 2);
  expect(Number(bracket?.stop)).toBeCloseTo(64_856.13 * 0.994, 2);
});
