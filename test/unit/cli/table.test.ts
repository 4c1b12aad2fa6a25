import { expect, test } from 'vitest';
import { tableLines } from '../../../src/cli/table.ts';

test('a cell that others wrote moves no cursor, turns no line, and takes one line', () => {
  const rows = [
    ['grid', 'on.book: \u001B[2J\u202E\u2067it\nforged  row\r\u009B31m'],
    ['سفارش', 'well'],
  ];
  expect(tableLines([{ title: 'strategy' }, { title: 'why' }], rows)).toEqual([
    'strategy  why',
    'grid      on.book: ?[2J??it forged  row??31m',
    'سفارش     well',
  ]);
});
