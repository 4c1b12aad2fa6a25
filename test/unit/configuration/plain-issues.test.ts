import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { plainIssues } from '../../../src/configuration/load-yaml.ts';

const size = z.union([z.enum(['small', 'large']), z.strictObject({ width: z.number().min(1) })]);
const sizes = z.union([size, z.array(size)]);

function said(schema: z.ZodType, value: unknown): readonly string[] {
  const { error } = schema.safeParse(value);
  return (error?.issues ?? [])
    .flatMap(plainIssues)
    .map(({ path, message }) => `${path.join('.')}: ${message}`);
}

describe('what is wrong with a value that may have several forms', () => {
  test('is what is wrong with the form that it has', () => {
    expect(said(size, { width: 0 })).toEqual(['width: Too small: expected number to be >=1']);
    expect(said(sizes, ['small', { width: 0 }])).toEqual(['1.width: Too small: expected number to be >=1']);
  });

  test('is what each form expects where it has none of them', () => {
    const form = z.union([
      z.string({ error: 'expected a name' }),
      z.boolean({ error: 'expected yes or no' }),
    ]);
    expect(said(form, 5)).toEqual([': expected a name; or expected yes or no']);
  });

  test('is what the schema says of it where it says something', () => {
    const own = z.union([z.number().max(5), z.literal('all')], { error: 'expected at most 5, or all' });
    expect(said(own, true)).toEqual([': expected at most 5, or all']);
  });
});
