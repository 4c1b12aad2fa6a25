import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkState } from '../../../src/strategy/strategy-state.ts';

describe('a state', () => {
  test('that is JSON is taken, and left as it is', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (state) => {
        const json = JSON.stringify(state);
        checkState(state);
        expect(JSON.stringify(state)).toBe(json);
      }),
    );
  });

  test('is frozen to its depth', () => {
    const state = { levels: [{ amount: '1' }] };
    checkState(state);
    expect(() => {
      state.levels[0]!.amount = '2';
    }).toThrow(TypeError);
    expect(() => state.levels.push({ amount: '2' })).toThrow(TypeError);
  });

  test('that holds itself is refused', () => {
    const state: { self?: unknown; other?: unknown } = {};
    state.self = state;
    state.other = state;
    expect(() => checkState(state)).toThrow('expected a state at most 50 levels deep');
  });

  test('that is very long is refused, at once', () => {
    expect(() => checkState('x'.repeat(1_000_000))).toThrow('expected a state of at most 1000000 characters');
    expect(() => checkState(Array.from({ length: 600_000 }, () => 1))).toThrow('at most 1000000 characters');
    checkState('x'.repeat(999_000));
  });

  test.each([
    ['a function', { run() {} }, 'was function at "run"'],
    ['a class of its own', { at: new URL('http://a') }, 'was URL at "at"'],
    ['a hole', [1, undefined], 'was undefined at the state itself'],
    ['undefined alone', undefined, 'was undefined at the state itself'],
    [
      'what is frozen already',
      Object.freeze({ at: Object.freeze({ last: Number.NaN }) }),
      'was NaN at "last"',
    ],
  ])('that holds %s is refused', (_, state, message) => {
    expect(() => checkState(state)).toThrow(message);
  });
});
