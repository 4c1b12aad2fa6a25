import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decimalText } from '../../../src/domain/decimal-text.ts';
import { joinTrades, oldestFirst, type PublicTrade } from '../../../src/domain/trade.ts';

/** Reads trades such as `1a`: a trade at the first instant, at the price that the letter stands for. */
function tape(text: string): readonly PublicTrade[] {
  return text
    .split(' ')
    .filter((word) => word !== '')
    .map((word) => ({
      timeMs: Number.parseInt(word, 10),
      price: decimalText(String(word.charCodeAt(word.length - 1))),
      amount: decimalText('1'),
      side: 'buy',
    }));
}

const textOf = (trades: readonly PublicTrade[]): string =>
  trades.map(({ timeMs, price }) => `${timeMs}${String.fromCharCode(Number(price))}`).join(' ');

describe('joining pages of the tape', () => {
  it.each([
    ['1a 2b 3c', '1a 2b 3c', '', false],
    ['1a 2b 3c', '2b 3c 4d', '4d', false],
    ['1a 2b 3c', '3c 4d 5e', '4d 5e', false],
    ['1a 2b 3c', '4d 5e 6f', '4d 5e 6f', true],
    ['1a 2b 3c', '2b 4d', '2b 4d', true],
    ['', '1a', '1a', false],
    ['1a', '', '', false],
    // Equal trades in one instant: only as many are new as there are more of them.
    ['1a 1a', '1a 1a 1a', '1a', false],
    ['1a 2b 2b', '2b 2b 2b 3c', '2b 3c', false],
    // The trades of one instant come in another order.
    ['1a 2b 2c', '2c 2b 3d', '3d', false],
    ['1a 2b 2c', '1a 2c 2b 3d', '3d', false],
    // A page with one instant only includes the end of that instant.
    ['2b 2c', '2c 2d', '2d', false],
  ])('"%s" and then "%s" brings "%s", a gap: %s', (before, page, fresh, hasGap) => {
    const joined = joinTrades(tape(before), tape(page));
    expect(textOf(joined.fresh)).toBe(fresh);
    expect(joined.hasGap).toBe(hasGap);
  });

  it('tells all of the first page, without a gap', () => {
    expect(joinTrades(null, tape('1a 2b'))).toEqual({ fresh: tape('1a 2b'), hasGap: false });
  });

  it('tells each trade of a tape once, however it is cut into pages that overlap', () => {
    const steps = fc.array(
      fc.record({ apart: fc.integer({ min: 1, max: 9 }), letter: fc.constantFrom('a', 'b') }),
      {
        minLength: 1,
        maxLength: 40,
      },
    );
    fc.assert(
      fc.property(steps, fc.array(fc.integer({ min: 1, max: 4 })), (made, strides) => {
        let timeMs = 0;
        const all = tape(made.map(({ apart, letter }) => `${(timeMs += apart)}${letter}`).join(' '));
        const joinedTrades: PublicTrade[] = [];
        let page: readonly PublicTrade[] | null = null;
        let end = Math.min(5, all.length);
        for (const stride of [0, ...strides, all.length]) {
          end = stride > 4 ? Math.min(end + 4, all.length) : Math.min(end + stride, all.length);
          const next = all.slice(Math.max(0, end - 5), end);
          const joined = joinTrades(page, next);
          expect(joined.hasGap).toBe(false);
          joinedTrades.push(...joined.fresh);
          page = next;
        }
        expect(joinedTrades).toEqual(all.slice(0, end));
      }),
    );
  });

  it('reads a tape oldest first, whichever way it was listed', () => {
    expect(textOf(oldestFirst(tape('1a 2b 3c')))).toBe('1a 2b 3c');
    expect(textOf(oldestFirst(tape('3c 2b 1a')))).toBe('1a 2b 3c');
    expect(oldestFirst([])).toEqual([]);
  });
});
