import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startSarraf } from '../support/sarraf-process.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sarraf-backtest-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const strategyThat = (does: string): string => `import { z } from 'zod';
import { defineStrategy } from '#sdk';
export default defineStrategy({
  name: 'failing',
  params: z.strictObject({}),
  state: z.strictObject({ bars: z.int().default(0) }),
  data: ({ market }) => ({ bars: market.candles('1h') }),
  on: { bars({ state, setState }) {
    ${does}
    setState({ bars: state.bars + 1 });
  } },
});
`;

test.each([
  ['rejects', "if (state.bars === 5) void Promise.reject(new Error('lost'));", 'lost'],
  ['throws-late', "if (state.bars === 5) setImmediate(() => { throw new Error('late'); });", 'late'],
])('a strategy that fails by what nobody catches is named: %s', async (name, does, message) => {
  const file = join(folder, `${name}.ts`);
  writeFileSync(file, strategyThat(does));
  const account = ['--market', 'BTCUSDT', '--cash', '10000', '--fee', '0.1%'];
  const places = ['--catalogue', 'data/example', '--data', folder];
  const { code, error } = await startSarraf(['backtest', file, ...account, ...places]).finished;
  expect(code).toBe(1);
  expect(error).toContain(
    `INVALID_STRATEGY: ${file}:9: threw outside of its handlers, where nothing catches it: ${message}`,
  );
});
