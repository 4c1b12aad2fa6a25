import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createRunners } from '../../../src/daemon/create-runners.ts';

const setup = { market: 'BTCIRT', span: '1m' } as const;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sarraf-runners-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(name: string, fields = ''): void {
  const fallback = `params: z.strictObject({}),\n  subscribe: ({ market }) => [book(market)],\n  init: () => null,`;
  const text = `import { z } from 'zod';\nimport { book, candles } from '#sdk';\nexport default {\n  name: '${name}',\n  ${fallback}\n  ${fields}\n};\n`;
  writeFileSync(join(folder, `${name}.mjs`), text);
}

describe('setting strategies up', () => {
  test.each([
    ['whose subscribe throws', "subscribe: () => { throw new Error('boom'); },", ':8: boom'],
    ['whose init throws', "init: () => { throw new Error('boom'); },", ':8: boom'],
    ['whose subscriptions are none', 'subscribe: () => 5,', ': subscribe: '],
    ['of another market', "subscribe: () => [book('ETHIRT')],", 'BTCIRT, was "ETHIRT"'],
    ['whose indicator is none', 'indicators: () => ({ fast: 5 }),', ': expected an indicator such as sma(20)'],
    ['with too long a name', "name: 'a-name-of-many-letters',", ': expected a strategy name'],
  ])('tells of one %s, and lets the others run', async (_, fields, message) => {
    write('good');
    write('odd', fields);
    const { runners, problems } = await createRunners(folder, setup);
    expect(runners.map(({ name }) => name)).toEqual(['good']);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(join(folder, 'odd.mjs'));
    expect(problems[0]).toContain(message);
  });

  test('refuses to begin without any strategy, and says why of each file', async () => {
    write('odd', 'subscribe: () => 5,');
    writeFileSync(join(folder, 'other.mjs'), 'export default 1;');
    await expect(createRunners(folder, setup)).rejects.toMatchObject({
      code: 'INVALID_STRATEGY',
      message: expect.stringMatching(/was none\n.*other\.mjs: expected a strategy.*\n.*odd\.mjs: subscribe/) as string,
    });
  });
});
