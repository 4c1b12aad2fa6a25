import { expect, test } from 'vitest';
import { SharesChecker } from '../../../src/fuzz/checkers/position-checker.ts';
import type { MirrorChange } from '../../../src/engine/mirror-change.ts';
import { orderIn } from '../../support/order-value.ts';
import { intentRecord } from '../mirror/mirror-fixture.ts';

const intent = intentRecord({ id: 'i1', kind: 'targets' });
const begun: MirrorChange = { kind: 'intent', intent };
const sale = (state: 'sending' | 'filled'): MirrorChange => ({
  kind: 'order',
  order: orderIn(state, { key: 'sale', side: 'sell' }),
});
const purchase: MirrorChange = { kind: 'order', order: orderIn('planned', { key: 'purchase' }) };

test('a set of shares that buys once its sales have ended is right, and one that buys before is found', () => {
  const right = new SharesChecker();
  right.watch({ changes: [begun, sale('sending')] });
  right.watch({ changes: [sale('filled'), purchase] });
  expect(right.violations()).toEqual([]);
  const wrong = new SharesChecker();
  wrong.watch({ changes: [begun, sale('sending'), purchase] });
  expect(wrong.violations().map(({ message }) => message)).toEqual([
    'expected intent i1 to buy once all is sold, purchase was planned before the end of sale was known',
  ]);
});

test('an id of a set that its life died over before it was written may be that of another intent', () => {
  const checker = new SharesChecker();
  checker.watch({ changes: [begun, sale('sending')] });
  checker.watch({ changes: [{ kind: 'intent', intent: { ...intent, kind: 'place' } }, purchase] });
  expect(checker.violations()).toEqual([]);
});
