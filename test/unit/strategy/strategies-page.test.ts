import { globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import type { ReportData } from '../../../src/page/run-data.ts';
import { LIFE } from '../../../src/strategy/definition.ts';
import { strategyFilesAt } from '../../../src/daemon/load-instances.ts';
import { loadStrategy } from '../../../src/plugins/load-strategy.ts';
import { runStrategy } from '#testing';
import * as sdk from '../../../src/strategy/sdk.ts';
import { FRESHNESS } from '../../../src/strategy/subscriptions.ts';
import { sarrafHere } from '../../support/sarraf-here.ts';
import {
  AUTHORS_PAGE as page,
  STRATEGY_PAGES as PAGES,
  writeExamples,
} from '../../support/strategy-examples.ts';
import { folderOfAllTests, folderOfThisTest } from '../../support/temporary-folder.ts';
import { runnerOn } from '../../support/runner-on.ts';

/** Exports that an author does not call: values, and types with functions of their own. */
const NOT_CALLED = new Set([
  'Decimal',
  'TIMEFRAMES',
  'defineStrategy',
  'defineRules',
  'defineIndicator',
  'size',
  'weights',
]);

/** Members of the context that authors call. */
const OF_CTX =
  'buy sell oco target quotes twap vwap ladder peg dca iceberg bracket protect targets cancel cancelAll replace setState log plot isTradable'.split(
    ' ',
  );

const folder = folderOfAllTests();
beforeAll(() => {
  writeExamples(folder);
});

describe('the page for authors', () => {
  test('shows examples that are strategies', async () => {
    const strategies = await Promise.all(strategyFilesAt(folder).map(loadStrategy));
    const runners = strategies.map(({ definition }) => runnerOn(definition, 'BTCIRT', '1h'));
    expect(runners.map(({ name }) => name)).toEqual([
      'band',
      'drawn',
      'morning',
      'strength',
      'one-percent',
      'even-risk',
      'lender-watch',
      'collateral',
      'early',
      'with-volume',
      'deeper',
      'patient',
      'year',
      'busiest',
      'at-home',
      'follow',
    ]);
  });

  test('names every function of the SDK and every handler', () => {
    const functions = Object.keys(sdk).filter((name) => !NOT_CALLED.has(name));
    expect(functions.length).toBeGreaterThan(20);
    const indicators = globSync('docs/reference/indicators*.md').map((path) => readFileSync(path, 'utf8'));
    const pages = page + indicators.join('');
    const sizes = Object.keys(sdk.size).filter((name) => !PAGES.join('\n').includes(`\`size.${name}(`));
    expect(sizes).toEqual([]);
    const rules = Object.keys(sdk.weights).filter((name) => !PAGES.join('\n').includes(`\`weights.${name}(`));
    expect(rules).toEqual([]);
    expect(functions.filter((name) => !pages.includes(`\`${name}(`))).toEqual([]);
    expect(LIFE.filter((name) => !page.includes(`| \`${name}(ctx`))).toEqual([]);
    expect(OF_CTX.filter((name) => !page.includes(`\`${name}(`))).toEqual([]);
  });

  test('shows a command whose report has what the strategy draws', async () => {
    const [, section = ''] = page.split('\n## Drawing\n');
    const [, command = ''] = /```sh\nsarraf (.*)\n```/.exec(section) ?? [];
    const { code, error } = await sarrafHere([...command.split(' '), '--data', folder]);
    expect({ code, error }).toEqual({ code: 0, error: '' });
    const [run = ''] = readdirSync(join(folder, 'backtests'));
    const html = readFileSync(join(folder, 'backtests', run, 'report.html'), 'utf8');
    const packed = /id="data">([^<]+)</.exec(html)?.[1] ?? '';
    const { plots } = JSON.parse(gunzipSync(Buffer.from(packed, 'base64')).toString()) as ReportData;
    expect(plots.map(({ name, pane }) => [name, pane])).toEqual([
      ['fast', null],
      ['slow', null],
    ]);
    expect(plots[0]?.at.length).toBeGreaterThan(100);
  });

  test.each(Object.entries(FRESHNESS))('says how old %s may be', (kind, { everyMs, maxAgeMs }) => {
    const row = page.split('\n').find((line) => line.startsWith(`| \`market.${kind}(`));
    expect(row?.split('|').map((cell) => cell.trim())).toEqual(
      expect.arrayContaining([`${everyMs / 1_000} s`, `${maxAgeMs / 1_000} s`]),
    );
  });
});

describe('the page of rules', () => {
  test('has recipes that trade', async () => {
    const recipes = folderOfThisTest();
    writeFileSync(join(recipes, 'package.json'), '{ "type": "module" }');
    const blocks = readFileSync('docs/rules.md', 'utf8').matchAll(/```ts\n(import [\s\S]*?)```/g);
    for (const [index, [, code = '']] of [...blocks].entries())
      writeFileSync(join(recipes, `recipe-${index + 10}.ts`), code);
    const strategies = await Promise.all(strategyFilesAt(recipes).map(loadStrategy));
    // Hours of prices that fall and rise again, so that most rules buy and sell.
    const bars = Array.from({ length: 400 }, (_, hour) => {
      const close = 100 + 8 * Math.sin(hour / 9) + 3 * Math.sin(hour / 2);
      return { close, volume: 1_000 + 500 * Math.sin(hour / 5) };
    });
    const quiet = strategies.flatMap(({ definition }) =>
      runStrategy(definition, { bars }).fills.length > 0 ? [] : [definition.name],
    );
    // The first strategy of the page waits for a fall within a long rise.
    expect([strategies.length, quiet]).toEqual([12, ['my-dip']]);
  });
});
