import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { decimal, search } from '../../../../src/strategy/sdk.ts';
import { spaceDeclaredBy, paramsOfPoint, schemaRefusals } from '../../../../src/search/params-of-point.ts';
import { readSpace } from '../../../../src/search/space-declaration.ts';
import grid from '../../../../strategies/grid.ts';

describe('the space that a schema declares', () => {
  test.each([
    ['an integer with both ends', z.int().min(5).max(50), { kind: 'integer', min: 5, max: 50 }],
    ['an integer above zero', z.int().positive().max(9).default(3), { kind: 'integer', min: 1, max: 9 }],
    [
      'whole steps within its ends',
      z.int().min(2).max(50).multipleOf(5),
      { kind: 'integer', min: 5, max: 50, step: 5 },
    ],
    ['a decimal with both ends', z.number().min(0.5).max(4), { kind: 'decimal', min: 0.5, max: 4 }],
    [
      'decimal steps, exactly',
      z.number().gt(0.2).max(1.1).multipleOf(0.1),
      { kind: 'decimal', min: 0.3, max: 1.1, step: 0.1 },
    ],
    ['a boolean', z.boolean().default(true), { kind: 'boolean' }],
    ['an enumeration', z.enum(['fast', 'slow']), { kind: 'choice', values: ['fast', 'slow'] }],
    ['literals', z.literal([1, 5, 15]), { kind: 'choice', values: [1, 5, 15] }],
    ['a union of literals', z.union([z.literal(1), z.literal('a')]), { kind: 'choice', values: [1, 'a'] }],
    [
      'what the author says of the search',
      search(z.int().min(2).default(20), { min: 5, max: 80, step: 5, scale: 'log' }),
      { kind: 'integer', min: 5, max: 80, step: 5, scale: 'log' },
    ],
    [
      'the rest from the schema',
      search(z.number().min(0.5).max(4), { step: '0.5' }).default(2),
      { kind: 'decimal', min: 0.5, max: 4, step: '0.5' },
    ],
    [
      'a range of the SDK’s decimal',
      search(decimal(), { min: 0, max: 1 }),
      { kind: 'decimal', min: 0, max: 1 },
    ],
    ['some values of a number', search(z.int(), { values: [7, 14] }), { kind: 'choice', values: [7, 14] }],
    [
      'an optional one by its search',
      search(z.enum(['1h', '4h']).optional(), {}),
      { kind: 'choice', values: ['1h', '4h'] },
    ],
  ])('has %s', (_, schema, entry) => {
    const declared = spaceDeclaredBy(z.strictObject({ a: schema }));
    expect(declared).toEqual({ a: entry });
    expect(() => readSpace(declared)).not.toThrow();
  });

  test.each([
    ['no largest value', z.int().min(2).default(20)],
    ['an exclusive end without steps', z.number().positive().max(1)],
    ['search(false)', search(z.int().min(5).max(50), false)],
    ['no default, and may be missing', z.enum(['1h', '4h']).optional()],
    ['text', z.string().default('0 9 * * *')],
    ['a list', z.array(z.int()).default([])],
  ])('leaves out what has %s', (_, schema) => {
    expect(spaceDeclaredBy(z.strictObject({ a: schema, b: z.boolean() }))).toEqual({
      b: { kind: 'boolean' },
    });
    expect(() => spaceDeclaredBy(z.strictObject({ a: schema }))).toThrow(
      'expected a param with a range to search, found none: give one z.int().min(5).max(50) or search(z.int(), {',
    );
  });

  test('reaches into objects, and its points come back as objects', () => {
    const schema = z.strictObject({
      name: z.string(),
      exit: z
        .strictObject({ ranges: z.number().min(1).max(3).multipleOf(0.1), late: z.boolean() })
        .prefault({ ranges: 1, late: true }),
    });
    const space = readSpace(spaceDeclaredBy(schema));
    const params = paramsOfPoint(space, { 'exit.ranges': '1.1', 'exit.late': false }, { name: 'x' });
    expect(params).toEqual({ name: 'x', exit: { ranges: 1.1, late: false } });
    expect(schema.safeParse(params).success).toBe(true);
  });

  test('is that of a strategy as it is', () => {
    expect(spaceDeclaredBy(grid.params!)).toEqual({ levels: { kind: 'integer', min: 2, max: 50 } });
  });
});

test('a range that is none is refused where the strategy is written', () => {
  expect(() => search(z.int(), { min: 'low' })).toThrow(
    'search.min: expected a decimal number such as 0.5, found "low"',
  );
  expect(() => spaceDeclaredBy(z.strictObject({ a: z.int().meta({ search: { minimum: 1 } }) }))).toThrow(
    'expected the meta data "search" to come from search(schema, { min, max, … }), found {"minimum":1}',
  );
});

test('a range without an end says which is missing', () => {
  const schema = z.strictObject({ a: search(z.int(), { min: 1 }) });
  expect(() => readSpace(spaceDeclaredBy(schema))).toThrow('a.max: ');
});

test('what the schema refuses of a space is said before any trial', () => {
  const schema = z.strictObject({
    length: z.int().min(2).default(20),
    mode: z.enum(['fast', 'slow']),
    size: z.string(),
  });
  const space = readSpace({
    length: { kind: 'integer', min: 1, max: 30 },
    mode: { kind: 'choice', values: ['fast', 'slwo'] },
    width: { kind: 'boolean' },
  });
  expect(schemaRefusals(space, schema)).toEqual([
    'length: the strategy refuses 1: expected at least 2, was 1',
    'mode: the strategy refuses slwo: expected one of "fast", "slow", was "slwo"',
    'width: expected a param of the strategy (length, mode, size), found none of that name',
  ]);
});
