import { describe, expect, test } from 'vitest';
import { RejectionChecker } from '../../../src/fuzz/checkers/order-checker.ts';
import type { OrderState } from '../../../src/records/order.ts';
import { orderIn } from '../../support/order-value.ts';

const idOf = (name: string): number | null => (name === 'there' ? 5 : null);
const found = (state: OrderState, key: string, refused: readonly string[] = []): number => {
  const checker = new RejectionChecker();
  const changes = [{ kind: 'order', order: orderIn(state, { key }) }] as const;
  checker.watch({ changes }, { idOf, refused: new Set(refused) }, 1_000);
  return checker.violations().length;
};

describe('an order that is given up', () => {
  test('is named where the exchange has it, and so is the second leg of a pair', () => {
    expect(found('rejected', 'there')).toBe(1);
    expect(found('rejected', 'there/2')).toBe(1);
  });

  test('is well given up where the exchange does not have it, or where that was said with its own code', () => {
    expect(found('rejected', 'elsewhere')).toBe(0);
    expect(found('rejected', 'there', ['there'])).toBe(0);
  });

  test('is one that is rejected: whatever else becomes of it is none of this', () => {
    for (const state of ['unknown', 'cancelled', 'open'] as const) expect(found(state, 'there')).toBe(0);
  });
});
