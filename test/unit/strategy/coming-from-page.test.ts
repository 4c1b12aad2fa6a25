import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadStrategy } from '../../../src/plugins/load-strategy.ts';
import { runOnBooks, runStrategy } from '#testing';
import grid from '../../../strategies/grid.ts';
import { folderOfThisTest } from '../../support/temporary-folder.ts';

const page = readFileSync('docs/coming-from.md', 'utf8');
const [strategy = '', tested = '', onBooks = ''] = [...page.matchAll(/```ts\n([\s\S]*?)```/g)].map(
  (match) => match[1] ?? '',
);

test('the test on books of the page holds', async () => {
  const shown = onBooks.replace(/\s+/g, ' ');
  expect(shown).toContain(
    '[100, 99.5, 99, 99.5, 100.5].map((price) => ({ bid: price - 0.01, ask: price + 0.01 }))',
  );
  const books = [100, 99.5, 99, 99.5, 100.5].map((price) => ({ bid: price - 0.01, ask: price + 0.01 }));
  const sides = (await runOnBooks(grid, { books })).fills.map(({ side }) => `'${side}'`);
  expect(shown).toContain(`toEqual([${sides.join(', ')}])`);
});

test('the strategy of the page does what its test says', async () => {
  const folder = folderOfThisTest();
  writeFileSync(join(folder, 'cross.ts'), strategy);
  const { definition } = await loadStrategy(join(folder, 'cross.ts'));
  const params = { fast: 2, slow: 3 };
  const { fills } = runStrategy(definition, { params, bars: [100, 100, 100, 110, 120, 120] });
  expect(fills).toMatchObject([{ side: 'buy', price: 110 }]);
  // The line breaks of the formatter are ignored.
  const shown = tested.replace(/\s+/g, ' ').replaceAll(', }', ' }');
  expect(shown).toContain('{ params: { fast: 2, slow: 3 }, bars: [100, 100, 100, 110, 120, 120] }');
  expect(shown).toContain("[{ side: 'buy', price: 110 }]");
  const down = runStrategy(definition, { params, bars: [100, 100, 100, 110, 120, 90, 80, 80] });
  expect(down.fills.map(({ side }) => side)).toEqual(['buy', 'sell']);
});
