import { describe, expect, test } from 'vitest';
import { IntentTally } from '../../../src/engine/intent-tally.ts';

const refusal = (code: string, reason = 'why') => ({ what: 'place', code, reason, atMs: 1 });

describe('what was refused', () => {
  test('is one reason a check, whatever numbers are in it', () => {
    const tally = new IntentTally();
    tally.refuse({ ...refusal('risk data-age', 'the book was read 31000 ms ago'), atMs: 5 });
    tally.refuse({ ...refusal('risk data-age', 'the book was read 32000 ms ago'), atMs: 9 });
    tally.refuse(refusal('Risk: the price of 5 is too high'));
    tally.refuse(refusal('Risk: the price of 6 is too high'));
    tally.refuse(refusal('Risk: the price of 7 is too high'));
    expect(tally.refusals()).toEqual([
      { what: 'place', code: 'Risk', count: 3, example: 'why', firstAtMs: 1, lastAtMs: 1 },
      {
        what: 'place',
        code: 'risk data-age',
        count: 2,
        example: 'the book was read 31000 ms ago',
        firstAtMs: 5,
        lastAtMs: 9,
      },
    ]);
  });

  test('has a bounded number of reasons, and loses none of the count', () => {
    const tally = new IntentTally();
    for (let index = 0; index < 1_000; index += 1) tally.refuse(refusal(`code ${index}`, 'x'.repeat(1_000)));
    const refusals = tally.refusals();
    expect(refusals).toHaveLength(51);
    expect(refusals[0]).toMatchObject({ what: 'any', code: 'other', count: 950 });
    expect(refusals.reduce((sum, { count }) => sum + count, 0)).toBe(1_000);
    expect(refusals[0]?.example).toHaveLength(300);
  });
});
