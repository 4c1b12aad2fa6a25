import { describe, expect, it } from 'vitest';
import { decodeReply } from '../../../src/exchange/reply-decoder.ts';
import { json } from './fake-transport.ts';

type Pairs = readonly (readonly [string | number, string | number])[];

function bookOf(bids: Pairs, asks: Pairs, lastUpdate: unknown = 1_700_000_000) {
  const result = decodeReply('orderBook', json({ status: 'ok', lastUpdate, bids, asks }));
  if (!result.ok) throw new Error(result.message);
  return result.value;
}

describe('the order book', () => {
  it('turns the sides round: sells arrive as bids', () => {
    const book = bookOf(
      [
        ['101', '1'],
        ['102', '2'],
      ],
      [
        ['100', '3'],
        ['99', '4'],
      ],
    );
    expect(book.bids).toEqual([
      ['100', '3'],
      ['99', '4'],
    ]);
    expect(book.asks).toEqual([
      ['101', '1'],
      ['102', '2'],
    ]);
  });

  it('believes the prices and not the names where the two disagree', () => {
    const book = bookOf(
      [
        ['100', '3'],
        ['99', '4'],
      ],
      [
        ['101', '1'],
        ['102', '2'],
      ],
    );
    expect(book.bids[0]).toEqual(['100', '3']);
    expect(book.asks[0]).toEqual(['101', '1']);
  });

  it('goes by the names where one side is empty', () => {
    expect(bookOf([['101', '1']], [])).toMatchObject({ bids: [], asks: [['101', '1']] });
    expect(bookOf([], [['100', '1']])).toMatchObject({ bids: [['100', '1']], asks: [] });
  });

  it('sorts levels that come in another order', () => {
    const book = bookOf(
      [
        ['103', '1'],
        ['101', '1'],
        ['102', '1'],
      ],
      [
        ['98', '1'],
        ['100', '1'],
      ],
    );
    expect(book.asks.map(([price]) => price)).toEqual(['101', '102', '103']);
    expect(book.bids.map(([price]) => price)).toEqual(['100', '98']);
  });

  it('drops the best levels of both sides until they do not cross', () => {
    const book = bookOf(
      [
        ['100', '1'],
        ['101', '1'],
        ['102', '1'],
      ],
      [
        ['101', '1'],
        ['100', '1'],
        ['99', '1'],
      ],
    );
    expect(book.bids.map(([price]) => price)).toEqual(['100', '99']);
    expect(book.asks.map(([price]) => price)).toEqual(['101', '102']);
  });

  it('compares prices that are equal as floats', () => {
    const book = bookOf(
      [
        ['0.12345678901234567892', '1'],
        ['0.12345678901234567893', '1'],
      ],
      [['0.12345678901234567891', '1']],
    );
    expect(book.asks[0]?.[0]).toBe('0.12345678901234567892');
    expect(book.bids[0]?.[0]).toBe('0.12345678901234567891');
  });

  it('drops levels with nothing in them and keeps numbers exact', () => {
    const book = bookOf(
      [
        ['101.0', '0E-10'],
        [102, '2.50'],
      ],
      [],
    );
    expect(book.asks).toEqual([['102', '2.5']]);
  });

  it('takes the time in seconds, in milliseconds, as text, or not at all', () => {
    for (const lastUpdate of [1_700_000_000, 1_700_000_000_000, '1700000000'])
      expect(bookOf([], [], lastUpdate).updatedAtMs).toBe(1_700_000_000_000);
    expect(bookOf([], [], null).updatedAtMs).toBeNull();
  });

  it('refuses levels that are no pairs of decimals', () => {
    expect(() => bookOf([['101', 'many']], [])).toThrow('orderBook.bids: expected [price, amount] pairs');
  });
});
