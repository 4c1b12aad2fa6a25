import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startSarraf } from '../support/sarraf-process.ts';
import { folderOfAllTests } from '../support/temporary-folder.ts';

const folder = folderOfAllTests();

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

/** Source of a strategy that finds how many bars are still to come, in arrays that `getsHold` reaches. */
const seeing = (getsHold: string): string => `import { z } from 'zod';
import { defineStrategy } from '#sdk';
const arrays: Float64Array[] = [];
${getsHold}
export default defineStrategy({
  name: 'seeing',
  params: z.strictObject({}),
  data: ({ market, timeframe }) => ({ bars: market.candles(timeframe) }),
  on: {
    bars({ position, buy, sell }, { openTimeMs }) {
      const times = arrays.find((each) => each.includes(openTimeMs)) ?? [];
      const left = times.filter((time) => time > openTimeMs).length;
      if (left % 7 === 3 && position === 0) buy({ amount: 0.01 });
      else if (left % 7 === 0 && position > 0) sell({ amount: position });
    },
  },
});
`;

const WHEN_MADE = `globalThis.Float64Array = new Proxy(Float64Array, {
  construct(target, args, made) {
    const array = Reflect.construct(target, args, made) as Float64Array;
    arrays.push(array);
    return array;
  },
});`;

const WHEN_CUT = `const { subarray } = Float64Array.prototype;
Float64Array.prototype.subarray = function (...range) {
  arrays.push(this);
  return subarray.apply(this, range);
};`;

const ON_EXAMPLE = '--market BTCUSDT --catalogue data/example --cash 10000 --no-save --json'.split(' ');
const ON_BOOKS = '--fidelity poll --from 2026-01-05T12:00Z --to 2026-01-05T12:20Z --timeframe 1m'.split(' ');

/** Source of a strategy that trades by the clock alone. */
const BY_THE_CLOCK = `
import { z } from 'zod';
import { defineStrategy } from '#sdk';
let seen = 0;
export default defineStrategy({
  name: 'by-the-clock',
  params: z.strictObject({}),
  data: ({ market }) => ({ price: market.ticker() }),
  on: {
    price({ position, buy, sell }) {
      seen += 1;
      if (seen % 40 !== 1) return;
      if (position === 0) buy({ amount: 0.01 });
      else sell({ amount: position });
    },
  },
});
`;

describe('--check-lookahead', () => {
  test.each([
    ['as they are made', WHEN_MADE, ['--timeframe', '5m']],
    ['as they are cut', WHEN_CUT, ['--timeframe', '5m']],
    ['on books', WHEN_MADE, ON_BOOKS],
  ])('finds a strategy that gets hold of the arrays of the run %s', async (_, getsHold, of) => {
    const file = join(folder, 'seeing.ts');
    writeFileSync(file, seeing(getsHold));
    const { code, error } = await startSarraf(['backtest', file, ...ON_EXAMPLE, ...of, '--check-lookahead'])
      .finished;
    expect({ code, error }).toEqual({ code: 1, error: expect.stringMatching(/look-ahead:|run twice:/) });
  });

  test('finds nothing where the inside of candles is walked on finer ones', async () => {
    const of = ['--timeframe', '5m', '--detail', '1m', '--check-lookahead'];
    const { code, error } = await startSarraf(['backtest', 'mean-reversion', ...ON_EXAMPLE, ...of]).finished;
    expect({ code, error }).toEqual({ code: 0, error: '' });
  });

  test('finds nothing in a run of the whole bot that goes by the clock', async () => {
    const file = join(folder, 'by-the-clock.ts');
    writeFileSync(file, BY_THE_CLOCK);
    const of = [...ON_EXAMPLE, ...ON_BOOKS, '--check-lookahead'];
    const { code, error } = await startSarraf(['backtest', file, ...of]).finished;
    expect({ code, error }).toMatchObject({ code: 0 });
  });

  test('says what a run ended with that did not answer', async () => {
    const file = join(folder, 'ending.ts');
    const once = "if (process.argv[1]?.includes('run-apart')) { console.error('no more'); process.exit(7); }";
    writeFileSync(file, strategyThat(once));
    const { code, error } = await startSarraf(['backtest', file, ...ON_EXAMPLE, '--check-lookahead'])
      .finished;
    expect({ code, error }).toEqual({
      code: 1,
      error: expect.stringContaining('expected a run, its process ended with 7: no more'),
    });
  });
});
