import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { moduleFactory, loadStrategy } from '../../../src/plugins/load-strategy.ts';
import { folderOfAllTests } from '../../support/temporary-folder.ts';

const folder = folderOfAllTests();

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

describe('a module that is made anew', () => {
  test('has variables of its own, and so have the files that it imports', async () => {
    file(
      'count.ts',
      'export let count: number = 0;\nexport function more(): number { return (count += 1); }\n',
    );
    const path = file(
      'counting.ts',
      `import { count, more } from './count.ts';
       let own = 0;
       export const next = (): readonly number[] => [(own += 1), more(), count];`,
    );
    const factory = await moduleFactory(path);
    const results = [];
    for (let run = 0; run < 3; run += 1) {
      const { next } = (await factory.create()) as { next: () => readonly number[] };
      results.push(next(), next());
    }
    expect(results).toEqual([
      [1, 1, 1],
      [2, 2, 2],
      [1, 1, 1],
      [2, 2, 2],
      [1, 1, 1],
      [2, 2, 2],
    ]);
  });

  test('imports packages and modules of Node once, by every form of import', async () => {
    const path = file(
      'forms.ts',
      `import { join as joined } from 'node:path';
       import * as paths from 'node:path';
       import posix from 'node:path';
       export { basename } from 'node:path';
       export * from 'node:url';
       const late = await import('node:os');
       export const all = [joined('a', 'b'), paths.join('a', 'b'), posix.join('a', 'b'), typeof late.tmpdir];
       export const where = import.meta.filename;
       export default class {}`,
    );
    const made = await (await moduleFactory(path)).create();
    expect(made).toMatchObject({ all: ['a/b', 'a/b', 'a/b', 'function'], where: path });
    expect(Object.keys(made)).toEqual(
      expect.arrayContaining(['all', 'basename', 'default', 'fileURLToPath', 'where']),
    );
  });

  test('names the line of its source where it fails', async () => {
    const path = file(
      'failing.ts',
      `type Long = {
         readonly words: string;
       };
       const { words }: Long = JSON.parse('null');
       export default words;`,
    );
    for (let load = 0; load < 2; load += 1)
      await expect(loadStrategy(path)).rejects.toMatchObject({
        code: 'INVALID_STRATEGY',
        message: expect.stringContaining(`${path}:4: TypeError: `),
      });
  });
});

test('a strategy that counts at the top of its file counts from the beginning in each load', async () => {
  const path = file(
    'strategy.ts',
    `import { z } from 'zod';
     import { defineStrategy } from '#sdk';
     let loads = 0;
     loads += 1;
     export default defineStrategy({
       name: \`counted-\${loads}\`,
       params: z.strictObject({}),
       data: ({ market, timeframe }) => ({ bars: market.candles(timeframe) }),
       on: { bars() { throw new Error('here'); } },
     });`,
  );
  for (let load = 0; load < 3; load += 1) {
    const { definition, lineOf } = await loadStrategy(path);
    expect(definition.name).toBe('counted-1');
    const handler = (definition.on as { bars: () => void }).bars;
    const error = (() => {
      try {
        return handler();
      } catch (caught) {
        return caught;
      }
    })();
    expect(lineOf(error)).toBe(9);
  }
});
