import { describe, expect, test } from 'vitest';
import type { Units } from '../../../../src/domain/money.ts';
import {
  decimalCell,
  flagCell,
  momentCell,
  numberCell,
  RowFormat,
  textCell,
} from '../../../../src/backtest/result/row-format.ts';
import { written } from './written.ts';

interface Row {
  readonly name: string | null;
  readonly price: string | null;
  readonly change: number | null;
  readonly atMs: number | null;
  readonly isOpen: boolean;
}

type Source = Omit<Row, 'price'> & { readonly price: Units | null };

const ROWS = new RowFormat<Source, Row>({
  name: textCell((source) => source.name),
  price: decimalCell((source) => source.price),
  change: numberCell((source) => source.change),
  atMs: momentCell((source) => source.atMs),
  isOpen: flagCell((source) => source.isOpen),
});

const SOURCES: readonly Source[] = [
  { name: 'plain', price: 15_000_000_000n as Units, change: -0.25, atMs: 1_700_000_000_000, isOpen: true },
  { name: 'a "b", c\\', price: 0n as Units, change: 1e-7, atMs: 0, isOpen: false },
  { name: 'تتر\nline', price: -(10n ** 22n) as Units, change: 1e21, atMs: -1, isOpen: false },
  { name: '\ud800', price: null, change: null, atMs: null, isOpen: true },
  { name: null, price: null, change: 0, atMs: null, isOpen: true },
];

describe('rows', () => {
  test('are the same as objects and in JSON', () => {
    for (const [index, row] of ROWS.rows(SOURCES).entries()) {
      const source = SOURCES[index];
      if (source === undefined) throw new Error('expected a source');
      expect(written((out) => ROWS.writeJson(source, out))).toBe(JSON.stringify(row));
    }
    expect(ROWS.rows(SOURCES)[2]).toEqual({
      name: 'تتر\nline',
      price: '-1000000000000',
      change: 1e21,
      atMs: -1,
      isOpen: false,
    });
  });

  test('are quoted in CSV where a reader would take a cell for more than one', () => {
    const columns = [
      ['name', 'name'],
      ['at', 'atMs'],
      ['price', 'price'],
      ['change', 'change'],
      ['is_open', 'isOpen'],
    ] as const;
    expect(
      written((out) => ROWS.writeCsv(columns, SOURCES, out))
        .split('\n')
        .slice(0, 3),
    ).toEqual([
      'name,at,price,change,is_open',
      'plain,2023-11-14T22:13:20.000Z,1.5,-0.25,true',
      '"a ""b"", c\\",1970-01-01T00:00:00.000Z,0,1e-7,false',
    ]);
    const [, , third, , last] = SOURCES;
    if (third === undefined || last === undefined) throw new Error('expected five sources');
    expect(written((out) => ROWS.writeCsv(columns, [third, last], out))).toBe(
      'name,at,price,change,is_open\n' +
        '"تتر\nline",1969-12-31T23:59:59.999Z,-1000000000000,1e+21,false\n' +
        ',,,0,true\n',
    );
  });
});
