import { expect, test } from 'vitest';
import { aboveCeilings, measure, recipesIn } from '../walk/main.ts';

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

test('a recipe names files that are there, each counted once', () => {
  const recipe = '### Add a word\n\n1. `src/index.ts`: say it.\n2. `src/index.ts`: say it again.\n';
  expect(recipesIn(recipe)).toEqual({
    'recipe: Add a word': { figures: { files: 1 }, files: ['src/index.ts'] },
  });
  expect(() => recipesIn(`${recipe}\n\`npx vitest run test/none.test.ts\``)).toThrow('test/none.test.ts');
});
