import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import { describe, expect, test } from 'vitest';
import { studyTemplate } from '../../../../src/cli/commands/study.ts';
import { readStudyFile, readWrittenStudy } from '../../../../src/study/study-settings.ts';
import { folderOfEachTest } from '../../../support/temporary-folder.ts';

const folder = folderOfEachTest();

function write(text: string): string {
  const file = join(folder, 'study.yaml');
  writeFileSync(file, text);
  return file;
}

const LEAST = { strategy: 'ma-cross', markets: 'BTCUSDT', balances: { usdt: 10_000 } };
const template = studyTemplate({ schema: 'study.schema.json', catalogue: 'data/example' });

describe('a study file', () => {
  test('says the least with a strategy, a market and money', () => {
    const { settings } = readWrittenStudy(LEAST);
    expect(settings).toMatchObject({
      markets: ['BTCUSDT'],
      timeframe: '1h',
      objectives: [{ metric: 'sharpe', direction: 'maximize' }],
      sampler: { kind: 'tpe', seed: 1, generation: 12 },
      budget: { trials: 100 },
    });
  });

  test('takes nsga2 for several objectives, and long generations where nothing is learned', () => {
    const several = readWrittenStudy({ ...LEAST, objectives: ['calmar', 'maxDrawdown'] }).settings;
    expect(several.sampler).toMatchObject({ kind: 'nsga2', generation: 12 });
    expect(several.objectives[1]).toEqual({ metric: 'maxDrawdown', direction: 'minimize' });
    const { sampler } = readWrittenStudy({ ...LEAST, sampler: { kind: 'sobol' } }).settings;
    expect(sampler.generation).toBe(1_000);
  });

  test('counts paths from its folder, and leaves the name of a bundled strategy', () => {
    const text =
      'strategy: mine.ts\nmarkets: BTCUSDT\nbalances: { usdt: 1 }\ncsv: { BTCUSDT: bars/hours.csv }\nsignals: alerts.csv\n';
    const { settings, written } = readStudyFile(write(text));
    expect(settings.strategy).toBe(join(folder, 'mine.ts'));
    expect(settings.csv).toEqual({ BTCUSDT: join(folder, 'bars/hours.csv') });
    expect(settings.signals).toBe(join(folder, 'alerts.csv'));
    expect(readWrittenStudy(LEAST).settings.strategy).toBe('ma-cross');
    expect(readWrittenStudy(written, '/elsewhere').settings).toEqual(settings);
  });

  test('tells all problems at once, with their lines', () => {
    const text = `strategy: ma-cross
markets: [BTCUSDT, FOO]
balances: { usdt: 10000 }
holdout: 20
objectives: [sharp]
constraints: [{ metric: trades }]
space: {}
budget: { trails: 5 }
`;
    const problems = [
      /:2:20: markets\[1\]: expected a market/,
      /:4:10: holdout: expected a percentage with its sign, such as 20%/,
      /:5:14: objectives\[0\]: expected one of .*sharpe.*found "sharp": did you mean sharpe\?/,
      /:6:15: constraints\[0\]: expected least, most or both, found neither/,
      /:7:8: space: expected at least one parameter to search, found none/,
      /:8:11: budget\.trails: unknown key, did you mean trials\?/,
    ];
    const file = write(text);
    const lines = messageOf(() => readStudyFile(file)).split('\n');
    expect(lines).toHaveLength(problems.length);
    for (const [index, problem] of problems.entries()) expect(lines[index]).toMatch(problem);
  });

  test.each([
    [{ csv: 'a.csv', catalogue: 'data' }, 'catalogue: expected csv or catalogue, found both'],
    [{ from: '2024-02-01', to: '2024-01-01' }, 'to: expected a range that begins before it ends'],
    [{ objectives: ['sharpe', 'sharpe'] }, 'objectives: expected every objective once, found sharpe twice'],
    [
      { objectives: ['sharpe', 'calmar'], sampler: { kind: 'tpe' } },
      'sampler.kind: expected one objective for tpe',
    ],
    [{ fee: 0.1 }, 'fee: expected a percentage with its sign, such as 0.1%'],
    [
      { rules: { slippageBps: 1, slippageRange: 1 } },
      'rules: expected slippageBps or slippageRange, found both',
    ],
    [{ constraints: [{ metric: 'trades', least: 5, most: 1 }] }, 'constraints[0]: expected least below most'],
    [{ fidelity: 'books' }, 'fidelity: '],
  ])('refuses %j', (more, message) => {
    expect(messageOf(() => readWrittenStudy({ ...LEAST, ...more }))).toContain(message);
  });

  test('that is not there is said with its name', () => {
    expect(() => readStudyFile('nowhere.yaml')).toThrow('nowhere.yaml:1:1: expected a file, found none');
  });
});

describe('the schema for editors', () => {
  const schema = JSON.parse(readFileSync('config/study.schema.json', 'utf8')) as object;
  const isValid = new Ajv2020({ strict: false }).compile(schema);

  test('takes the file that "sarraf study new" writes, as the reader does', () => {
    expect(isValid(parse(template))).toBe(true);
    const { settings } = readStudyFile(write(template));
    expect(settings.catalogue).toBe(resolve(folder, 'data/example'));
  });

  test('refuses an unknown key and a wrong kind of parameter', () => {
    expect(isValid({ ...LEAST, trials: 5 })).toBe(false);
    expect(isValid({ ...LEAST, space: { fast: { kind: 'whole', min: 1, max: 2 } } })).toBe(false);
  });
});

function messageOf(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  throw new Error('expected a refusal, was none');
}
