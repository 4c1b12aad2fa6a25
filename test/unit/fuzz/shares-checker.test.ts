import { expect, test } from 'vitest';
import type { EngineOutput } from '../../../src/engine/engine-command.ts';
import { SharesChecker } from '../../../src/fuzz/checkers/shares-checker.ts';
import type { MirrorChange } from '../../../src/engine/mirror-change.ts';
import { orderIn } from '../../support/order-value.ts';

const outputOf = (...changes: readonly MirrorChange[]): EngineOutput => ({
  changes,
  isDurable: true,
  requests: [],
  notices: [],
  wakeAtMs: 0,
});
const begun = {
  kind: 'intent',
  intent: {
    id: 'i1',
    strategy: 'one',
    atMs: 0,
    kind: 'targets',
    market: null,
    json: '{}',
    status: 'working',
    reason: null,
  },
} satisfies MirrorChange;
const sale = (state: 'sending' | 'filled'): MirrorChange => ({
  kind: 'order',
  order: orderIn(state, { key: 'sale', side: 'sell' }),
});
const purchase: MirrorChange = { kind: 'order', order: orderIn('planned', { key: 'purchase' }) };

test('a set of shares that buys once its sales have ended is right, and one that buys before is found', () => {
  const right = new SharesChecker();
  right.watch(outputOf(begun, sale('sending')));
  right.watch(outputOf(sale('filled'), purchase));
  expect(right.violations()).toEqual([]);
  const wrong = new SharesChecker();
  wrong.watch(outputOf(begun, sale('sending'), purchase));
  expect(wrong.violations().map(({ message }) => message)).toEqual([
    'expected intent i1 to buy once all is sold, purchase was planned before the end of sale was known',
  ]);
});

test('an id of a set that its life died over before it was written may be that of another intent', () => {
  const checker = new SharesChecker();
  checker.watch(outputOf(begun, sale('sending')));
  checker.watch(outputOf({ kind: 'intent', intent: { ...begun.intent, kind: 'place' } }, purchase));
  expect(checker.violations()).toEqual([]);
});
