import { describe, expect, test } from 'vitest';
import { startSarraf } from '../../support/sarraf-process.ts';

describe('sarraf fuzz', () => {
  test.each([
    ['--hours', 'six'],
    ['--jobs', '1000'],
  ])('refuses %s %s', async (option, value) => {
    const { code, error } = await startSarraf(['fuzz', option, value]).finished;
    expect(code).toBe(2);
    expect(error).toContain(option);
  });
});
