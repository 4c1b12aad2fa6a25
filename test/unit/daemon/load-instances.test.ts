import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loadInstances, refuseWithout, strategyFilesAt } from '../../../src/daemon/load-instances.ts';
import { configWith } from '../../support/embedded-bot.ts';
import { engineView } from '../strategy/engine-view.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sarraf-instances-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Loads the strategies of a configuration, and starts each of them. */
async function load(strategies: readonly object[], folders: readonly string[] = [folder]) {
  const config = configWith({ strategies });
  const knownMarkets = new Set(['BTCIRT', 'BTCUSDT']);
  const { instances, problems, lost } = await loadInstances({
    strategies: config.strategies,
    folders,
    knownMarkets,
  });
  for (const { runner } of instances) runner.handle({ kind: 'start', isRestart: false }, engineView());
  return {
    instances: instances.map((instance) => ({ ...instance, name: instance.runner.name })),
    problems,
    lost,
  };
}

const write = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};

const plugin = (
  name: string,
  data = `({ bars: market.candles(params.timeframe ?? timeframe) })`,
) => `import { z } from 'zod';
import { defineStrategy } from '#sdk';
export default defineStrategy({
  name: '${name}',
  params: z.strictObject({ timeframe: z.string().optional(), share: z.number().positive().default(1) }),
  data: ({ market, params, timeframe }) => ${data},
  on: {},
});
`;

const ON = { market: 'BTCIRT' };

describe('loading the instances of a bot', () => {
  test('sets each strategy up in its market, with its candle length, its capital and what becomes of its errors', async () => {
    write('trend.ts', plugin('trend'));
    const { instances, problems } = await load([
      { plugin: 'trend', ...ON, timeframe: '1h' },
      {
        plugin: 'trend',
        name: 'slow-one',
        market: 'btc-usdt',
        params: { timeframe: '1d' },
        onError: 'cancel',
        capital: { usdt: '12.5' },
      },
    ]);
    expect(problems).toEqual([]);
    expect(instances).toMatchObject([
      {
        runner: { name: 'trend', market: 'BTCIRT', subscriptions: [{ timeframe: '1h' }] },
        onError: 'stop',
        capital: {},
      },
      {
        runner: { name: 'slow-one', market: 'BTCUSDT', subscriptions: [{ timeframe: '1d' }] },
        onError: 'cancel',
      },
    ]);
    expect(instances[1]?.capital).toEqual({ usdt: 125_000_000_000n });
  });

  test('calls a strategy by its own name where the configuration gives none', async () => {
    write('some-file.ts', plugin('trend'));
    expect((await load([{ plugin: 'some-file', ...ON }])).instances).toMatchObject([{ name: 'trend' }]);
  });

  test('says file, line and handler of an error at run time', async () => {
    const file = write(
      'null.ts',
      plugin('null').replace(
        'on: {}',
        `on: { bars: () => undefined, start({ data }) {
    interface Best { readonly price: number }
    const best: Best = { price: data.bars.close };
  } }`,
      ),
    );
    const [instance] = (await load([{ plugin: 'null', ...ON }])).instances;
    expect(instance?.runner.failure).toBe(
      `on.start: Cannot read properties of null (reading 'close') (${file}:9)`,
    );
    expect(instance?.runner.fault).toMatchObject({
      handler: 'on.start',
      file,
      line: 9,
      stack: expect.stringContaining('null.ts:9'),
    });
  });

  test('looks for a name in the folders in their order, and takes a path as it is', async () => {
    const other = join(folder, 'other');
    mkdirSync(other);
    write('trend.ts', plugin('first'));
    write('other/trend.js', plugin('second'));
    write('other/more.ts', plugin('third'));
    const strategies = [
      { plugin: 'trend', ...ON },
      { plugin: 'more', ...ON },
      { plugin: join(other, 'trend.js'), name: 'by-path', ...ON },
    ];
    expect((await load(strategies, [folder, other])).instances.map(({ name }) => name)).toEqual([
      'first',
      'third',
      'by-path',
    ]);
  });

  test('reports each mistake with its file and, where known, its line, and runs the others', async () => {
    const syntax = write('syntax.ts', `import { z } from 'zod';\n\nexport default {{ name: z };\n`);
    const throws = write('throws.ts', plugin('throws', `{\n  throw new RangeError('no');\n}`));
    const wrong = write('wrong.ts', `export default 5;\n`);
    const good = write('good.ts', plugin('good'));
    const { instances, problems } = await load([
      { plugin: 'syntax', ...ON },
      { plugin: 'throws', ...ON },
      { plugin: 'wrong', ...ON },
      { plugin: 'good', name: 'odd', ...ON, params: { share: -1, speed: 2 } },
      { plugin: 'good', name: 'lost', market: 'ETHIRT' },
      { plugin: 'absent', ...ON },
      { plugin: join(folder, 'absent.ts'), name: 'gone', ...ON },
      { plugin: 'good', ...ON },
    ]);
    expect(instances.map(({ name }) => name)).toEqual(['good']);
    expect(problems).toEqual([
      expect.stringMatching(`^${syntax}:3: SyntaxError: `),
      `${throws}:7: no`,
      `${wrong}: expected a strategy made by defineStrategy as the default export, was number`,
      '--set strategies: strategies[3].params.share: expected more than 0, was -1',
      '--set strategies: strategies[3].params.speed: expected the name of a parameter (timeframe, share), was speed',
      expect.stringMatching(`^${good}: market of lost: .*BTCIRT`),
      `--set strategies: strategies[5].plugin: expected one of the strategies in ${folder} (good, syntax, throws, wrong), was absent`,
      `--set strategies: strategies[6].plugin: expected the file of a strategy at ${join(folder, 'absent.ts')}, was none`,
    ]);
  });

  test('refuses to begin without a single strategy, and says why there is none', async () => {
    await expect(load([{ plugin: 'absent', ...ON }])).rejects.toMatchObject({
      code: 'INVALID_STRATEGY',
      message: `--set strategies: strategies[0].plugin: expected one of the strategies in ${folder} (none), was absent`,
    });
  });

  test('trades without a strategy only where it is optional, or its market is gone from the exchange', async () => {
    write('good.ts', plugin('good'));
    const { lost } = await load([
      { plugin: 'good', ...ON },
      { plugin: 'absent', ...ON, optional: true },
      { plugin: 'good', name: 'gone', market: 'ETHIRT' },
      { plugin: 'good', name: 'odd', ...ON, params: { share: -1, speed: 2 } },
    ]);
    expect(lost.map(({ name, isOptional, quote }) => [name, isOptional, quote])).toEqual([
      ['absent', true, 'rls'],
      ['gone', false, 'rls'],
      ['odd', false, 'rls'],
    ]);
    const [absent, gone, odd] = lost;
    expect(() => refuseWithout([absent!], { hadMarket: () => false })).not.toThrow();
    expect(() =>
      refuseWithout([absent!, gone!], { hadMarket: (market) => market === 'ETHIRT' }),
    ).not.toThrow();
    expect(() => refuseWithout([gone!], { hadMarket: () => false })).toThrow(/gone can not\n.*ETHIRT/);
    expect(() => refuseWithout([absent!, odd!], { hadMarket: () => true })).toThrow(
      /^expected every strategy to be able to run, odd can not\n {2}.*params\.share: .*\n {2}.*params\.speed: .*\n {2}correct it, or set "optional: true"/,
    );
  });

  test('runs no two strategies under one name, since their orders could not be distinguished', async () => {
    write('one.ts', plugin('trend'));
    const two = write('two.ts', plugin('trend'));
    const { instances, problems } = await load([
      { plugin: 'one', ...ON },
      { plugin: 'two', ...ON },
    ]);
    expect(instances).toHaveLength(1);
    expect(problems).toEqual([
      `${two}: expected a name of its own, another strategy is called trend: give it one in the configuration`,
    ]);
  });

  test('takes a folder for no strategy', async () => {
    mkdirSync(join(folder, 'inner.ts'));
    write('inner.ts/a.ts', plugin('a'));
    await expect(load([{ plugin: join(folder, 'inner.ts'), ...ON }])).rejects.toThrow(
      `expected the file of a strategy at ${join(folder, 'inner.ts')}, was none`,
    );
  });
});

describe('the strategy files at a path', () => {
  test('are those of a folder by name, or the one file', () => {
    for (const name of ['b.ts', 'a.mjs', 'types.d.ts', 'notes.md']) write(name, '');
    // A strategy's test file may lie beside it, and is not taken for a strategy.
    write('b.test.ts', '');
    expect(strategyFilesAt(folder)).toEqual([join(folder, 'a.mjs'), join(folder, 'b.ts')]);
    expect(strategyFilesAt(join(folder, 'b.ts'))).toEqual([join(folder, 'b.ts')]);
  });

  test('are refused where there is nothing', () => {
    expect(() => strategyFilesAt(join(folder, 'absent'))).toThrow(
      `expected a folder of strategies or one file at ${join(folder, 'absent')}, was nothing`,
    );
  });
});
