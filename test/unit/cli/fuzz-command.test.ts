import { expect, test } from 'vitest';
import { sarrafHere } from '../../support/sarraf-here.ts';

test.each([
  ['--hours', 'six'],
  ['--jobs', '1000'],
])('sarraf fuzz refuses %s %s', async (option, value) => {
  const { code, error } = await sarrafHere(['fuzz', option, value]);
  expect(code).toBe(2);
  expect(error).toContain(option);
});
