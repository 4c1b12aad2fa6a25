import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { INTERFACE_PROFILE } from '../../../src/venues/interface-profile.ts';
import { OrderNames, readOrderName, stopLegKey, type OrderName } from '../../../src/engine/order-names.ts';

const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789'.split('');
const word = (minLength: number, maxLength: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...LETTERS), minLength, maxLength });

const idOf = ({ strategy, row, ...of }: OrderName): string =>
  new OrderNames(of, INTERFACE_PROFILE.clientOrderId).next(strategy, row);

describe('the names of orders', () => {
  const names = fc.record({
    instance: word(1, 6),
    strategy: fc.array(word(1, 3), { minLength: 1, maxLength: 3 }).map((parts) => parts.join('-')),
    epoch: word(4, 4),
    row: fc.integer({ min: 0, max: 36 ** 7 - 1 }),
  });

  it('are read back as they were made, at 32 characters at most', () => {
    fc.assert(
      fc.property(names, (name) => {
        const id = idOf(name);
        expect(id).toMatch(/^[a-z0-9-]{1,32}$/);
        expect(readOrderName(id)).toEqual(name);
      }),
    );
  });

  it('differ when any part of them does', () => {
    fc.assert(
      fc.property(names, names, (left, right) => {
        const isSame = JSON.stringify(left) === JSON.stringify(right);
        expect(idOf(left) === idOf(right)).toBe(isSame);
      }),
    );
  });

  it.each([
    '',
    'abc',
    'bot-one-e001',
    'bot-one-e001-1/2',
    'Bot-one-e001-1',
    'toolong-one-e001-1',
    'bot--e001-1',
    'bot-one-e01-1',
  ])('are not seen in "%s"', (id) => {
    expect(readOrderName(id)).toBeNull();
  });

  it('are not seen where there is none', () => {
    expect(readOrderName(null)).toBeNull();
  });

  it.each([
    { instance: 'bot', strategy: 'one', epoch: 'e001', row: 36 ** 7 },
    { instance: 'bot', strategy: 'One', epoch: 'e001', row: 1 },
    ...['', 'Bot', 'seven77'].map((instance) => ({
      instance,
      strategy: 'one',
      epoch: 'e001',
      row: 1,
    })),
    { instance: 'bot', strategy: 'a-strategy-that-is-long', epoch: 'e001', row: 1 },
  ])('are refused where they would not fit: %o', (name) => {
    expect(() => idOf(name)).toThrow(/at most 32 characters/);
  });

  it('give the stop leg of a pair a key that no order on the wire can have', () => {
    expect(stopLegKey('bot-one-e001-1')).toBe('bot-one-e001-1/2');
    expect(readOrderName(stopLegKey('bot-one-e001-1'))).toBeNull();
  });
});
