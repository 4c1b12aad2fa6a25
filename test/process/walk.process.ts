import { expect, test } from 'vitest';
import { aboveCeilings, measure } from '../walk/main.ts';

test('no way is longer, no record has more shapes, and no room knows more of the others than before', async () => {
  expect(aboveCeilings(await measure())).toEqual([]);
});

test('what is above its ceiling, or has none, is named', () => {
  const lines = { acceptance: { figures: { files: 65, functions: 200 }, files: [] } };
  expect(aboveCeilings(lines, { acceptance: { files: 64, functions: 200 } })).toEqual([
    'acceptance: expected at most 64 files, was 65',
  ]);
  expect(aboveCeilings(lines, {})).toHaveLength(2);
});
