import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { z } from 'zod';

const NOTEBOOK = z.object({
  nbformat: z.literal(4),
  cells: z.array(
    z.discriminatedUnion('cell_type', [
      z.object({ cell_type: z.literal('markdown'), source: z.array(z.string()) }),
      // Output of a notebook may hold personal data, and differs with every run.
      z.object({
        cell_type: z.literal('code'),
        source: z.array(z.string()),
        execution_count: z.null(),
        outputs: z.array(z.never()),
      }),
    ]),
  ),
});

test('notebooks are kept without what they printed', () => {
  const paths = globSync('docs/research/*.ipynb');
  expect(paths).toHaveLength(3);
  for (const path of paths) {
    const { success, error } = NOTEBOOK.safeParse(JSON.parse(readFileSync(path, 'utf8')));
    expect({ path, success, error }).toEqual({ path, success: true, error: undefined });
  }
});
