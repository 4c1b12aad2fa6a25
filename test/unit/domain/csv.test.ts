import fc from 'fast-check';
import { expect, test } from 'vitest';
import { csvLine, CsvScanner } from '../../../src/domain/csv.ts';

/** Text of characters that are special in CSV, without blanks at its ends, which CSV drops. */
const cell = fc
  .string({ unit: fc.constantFrom('a', 'é', ',', ';', '"', '\n', '\r\n', ' ') })
  .map((text) => text.trim());

/** Returns the rows of a text that arrives in pieces of this length. */
function rowsOf(text: string, pieceLength = text.length): string[][] {
  const scanner = new CsvScanner('rows.csv', ',');
  const starts = Array.from(
    { length: Math.ceil(text.length / pieceLength) },
    (_, index) => index * pieceLength,
  );
  const rows = starts.flatMap((start) => scanner.rowsOf(text.slice(start, start + pieceLength)));
  return [...rows, ...scanner.end()].map(({ fields }) => [...fields]);
}

test('what is written is read again, whatever the pieces of the text are', () => {
  const table = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { minLength: 1 });
  fc.assert(
    fc.property(table, fc.integer({ min: 1, max: 9 }), (rows, pieceLength) => {
      expect(rowsOf(rows.map(csvLine).join(''), pieceLength)).toEqual(rows);
    }),
  );
});

test('lines may end in three ways, blanks do not count, and empty lines are left out', () => {
  expect(rowsOf('\uFEFFa, b \r\n\r\n"c" ,"d ""e"""\rf,g')).toEqual([
    ['a', 'b'],
    ['c', 'd "e"'],
    ['f', 'g'],
  ]);
  const scanner = new CsvScanner('rows.csv', ';');
  expect(scanner.rowsOf('a;b\n\n"c\nd";e\n').map(({ line }) => line)).toEqual([1, 4]);
});

test.each([
  [
    'a quote amid a field',
    'a,b\n1,2"3\n',
    'found a quote near line 2 that has no partner, or is amid a field',
  ],
  ['a text behind a quote', 'a,"b"c\n', 'found a quote near line 1'],
  ['a quote without a partner', 'a,b\n1,"2\n3,4\n', 'found a quote near line 2'],
  ['a row that is too long', `a,b\n${'1'.repeat(100_001)}\n`, 'found a row that is too long near line 2'],
])('%s is refused', (_, text, found) => {
  expect(() => rowsOf(text)).toThrow(`expected a file that is whole at rows.csv, ${found}`);
});
