import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { StudyStore } from '../../src/study/study-store.ts';
import type { StudyResult } from '../../src/study/study-result.ts';
import type { ValidatedStudy } from '../../src/study/validated-study.ts';
import { sarrafHere } from '../support/sarraf-here.ts';
import { inWords } from '../support/sarraf-process.ts';
import { writeCandles } from '../unit/study/generated-candles.ts';
import { folderOfAllTests } from '../support/temporary-folder.ts';

/** Source of a strategy that fails in every way, chosen by its params. */
const NASTY = `import { z } from 'zod';
import { defineStrategy, search } from '#sdk';
export default defineStrategy({
  name: 'nasty',
  params: z
    .strictObject({
      way: search(z.enum(['trades', 'idles', 'throws', 'leaves', 'refused']).default('trades'), {}),
      size: search(z.number().default(0.1), { min: 0.1, max: 0.3, step: 0.1 }),
    })
    .refine(({ way }) => way !== 'refused', 'expected another way'),
  data: ({ market, timeframe }) => ({ bars: market.candles(timeframe) }),
  on: {
    bars({ params, orders, position, isTradable, buy, sell }, { close }) {
      if (params.way === 'throws') throw new RangeError('expected calm, found a storm');
      if (params.way === 'leaves') process.exit(3);
      if (params.way !== 'trades' || orders.length > 0) return;
      console.log('a line that must not come between others');
      if (isTradable(position, close)) sell({ amount: position });
      else buy({ equityShare: params.size });
    },
  },
});
`;

const folder = folderOfAllTests();
let csv: string;
let nasty: string;
beforeAll(() => {
  csv = writeCandles(join(folder, 'hours.csv'), { count: 700 });
  nasty = join(folder, 'nasty.ts');
  writeFileSync(nasty, NASTY);
});

const dataAt = (name: string): string => join(folder, name);
const market = () => ['--csv', csv, '--market', 'BTCUSDT', '--cash', '10000', '--fee', '0.1%'];

type Printed = ValidatedStudy & { readonly end: string; readonly ranNow: number };

/** Runs a study, and returns the JSON that it printed. */
async function study(args: readonly string[]): Promise<Printed> {
  const { code, out, error } = await sarrafHere(['study', ...args, '--json']);
  expect({ code, error }).toEqual({ code: 0, error: '' });
  return JSON.parse(out) as Printed;
}

/** Everything that a study has stored, but for times. */
function contentOf({ file }: StudyResult): string {
  const store = StudyStore.openToRead(file);
  try {
    return JSON.stringify([store.head()?.identity, [...store.rows()]]);
  } finally {
    store.close();
  }
}

/** Runs the same study in a data folder of its own. */
const run = (data: string, workers: number, ...more: string[]) =>
  study([
    'run',
    'strategies/ma-cross.ts',
    ...market(),
    '--resolution',
    '1h',
    '--sampler',
    'tpe',
    '--seed',
    '7',
    '--trials',
    '20',
    '--workers',
    String(workers),
    '--data',
    dataAt(data),
    ...more,
  ]);

describe('a study of ma-cross', () => {
  let whole: Printed;

  test('is the same to the byte with one thread and with three', async () => {
    const one = await run('one', 1);
    whole = one;
    expect(one).toMatchObject({ end: 'complete', ranNow: 20, counts: { done: 20 } });
    expect(one.trials).toHaveLength(20);
    // 29 days give no yearly figure, but trials are compared by one all the same.
    expect([one.best?.values.length, one.best?.metrics?.['sharpe']]).toEqual([1, null]);
    const three = await run('three', 3);
    expect(three.hash).toBe(one.hash);
    expect(contentOf(three)).toBe(contentOf(one));
    expect(three.trials).toEqual(one.trials);
    expect(one.validation?.basis).toMatchObject({ trial: one.best?.number, days: 30, ofData: 20 });
    expect(three.validation).toEqual(one.validation);
    const shown = await study(['show', one.study, '--data', dataAt('one')]);
    expect(shown.validation).toEqual(one.validation);
  });

  test('goes on where it was, and its trials are run once', async () => {
    const some = await run('grown', 2, '--trials', '9');
    expect(some.counts.done).toBe(9);
    const all = await study(['resume', some.study, '--trials', '20', '--data', dataAt('grown')]);
    expect([all.ranNow, all.hash]).toEqual([11, whole.hash]);
    const again = await run('grown', 3);
    expect([again.ranNow, again.hash]).toEqual([0, whole.hash]);
  });

  test('says how much was tried on its data, in other studies too, and keeps another seed apart', async () => {
    await run('counted', 1, '--trials', '3');
    const other = await run('counted', 1, '--trials', '2', '--seed', '8');
    expect(other.trialsOnData).toEqual({ trials: 5, studies: 2, opened: 0, inHoldout: 0 });
    expect(other.notes[0]).toMatch(/^5 trials on this data in 2 studies: /);
    // Its trials still count without its file, and the other range shares a month with it.
    rmSync(other.file);
    const shorter = await run('counted', 1, '--trials', '1', '--to', '2024-02-10');
    expect(shorter.trialsOnData).toMatchObject({ trials: 6, studies: 3 });
  });

  test('is listed and shown for people', async () => {
    await run('shown', 1, '--trials', '2', '--name', 'crosses');
    const at = ['--data', dataAt('shown')];
    const { out: listed } = await sarrafHere(['study', 'status', ...at]);
    expect(listed).toMatch(/^crosses +2 of 2 +\d+ +\d+ +sharpe +n\/a +none$/m);
    const { code, out } = await sarrafHere(['study', 'show', 'crosses', ...at]);
    expect(code).toBe(0);
    expect(out).toMatch(/^crosses: 2 of 2 trials by tpe, seed 7$/m);
    expect(out).toMatch(/^trial +sharpe +totalReturn +maxDrawdown +trades +fast +slow$/m);
    expect(out).toMatch(/^luck: .*(luck|too little to tell) \(trial \d\)$/m);
    expect(out).toMatch(/^not tested:\n {2}hold-out \(there is none\)\n {2}walk-forward /m);
    expect(out).toMatch(/^stable: not tested, expected at least 5 trials within a quarter .* found \d$/m);
    expect(out).toMatch(/^reality check, p value +[01]\.\d{3}\n.*: White, /m);
    expect(out).toMatch(/^probability of overfitting +not tested: expected at least 80 returns .* was 30$/m);
    expect(out).toMatch(/^No hold-out: the trials saw all of the data/m);
  });
});

/** Runs the study of a file on recorded books. */
const poll = (workers: number) =>
  study([
    'run',
    join(folder, 'maker.yaml'),
    '--trials',
    '4',
    '--workers',
    String(workers),
    '--data',
    dataAt(`poll-${workers}`),
  ]);

test('a study on recorded books is the same to the byte with one thread and with three, and bounds requests', async () => {
  writeFileSync(
    join(folder, 'maker.yaml'),
    `strategy: market-maker
markets: BTCUSDT
catalogue: ${process.cwd()}/data/example
fidelity: poll
to: 2026-01-05T12:08Z
balances: { usdt: 10000 }
fee: 0.02%
space: { spreadBps: { kind: decimal, min: 1, max: 12, step: 0.5 } }
objectives: [requestsPerFill]
constraints: [{ metric: requestsPerFill, most: 15 }]
`,
  );
  const [one, three] = [await poll(1), await poll(3)];
  expect(one.best?.metrics?.['requestsPerFill']).toBe(one.best?.values[0]);
  expect(one.counts).toMatchObject({ done: 4, failed: {} });
  expect(three.hash).toBe(one.hash);
  expect(contentOf(three)).toBe(contentOf(one));
  expect(one.validation?.verdict.notTested.map(({ fact }) => fact)).not.toContain('untested.books');
});

describe('a trial that goes wrong', () => {
  test('is a failed trial with its reason, and the others are not touched', async () => {
    const args = ['run', nasty, ...market(), '--param', 'size=0.1', '--sampler', 'grid'];
    const { code, out } = await sarrafHere(['study', ...args, '--json', '--data', dataAt('nasty')]);
    expect(code).toBe(0);
    const { trials, counts, best } = JSON.parse(out) as Printed;
    expect(counts.failed).toEqual({ stopped: 1, died: 1, refused: 1, 'no trade': 1 });
    expect(best?.params['way']).toBe('trades');
    const reasons = new Map(trials.map(({ params, reason }) => [params['way'], reason]));
    expect(reasons.get('throws')).toMatch(/expected calm, found a storm \(.*nasty\.ts:\d+\)/);
    expect(reasons.get('leaves')).toMatch(/^its thread ended 2 times: .*3/);
    expect(reasons.get('refused')).toMatch(/expected another way/);
    expect(reasons.get('idles')).toBe('expected a value of sharpe, found none: nothing was traded');
    expect(reasons.get('trades')).toBeNull();
  });

  test('fails the command where no trial has values', async () => {
    const args = ['run', nasty, ...market(), '--param', 'way=idles', '--trials', '1'];
    const { code, error } = await sarrafHere(['study', ...args, '--json', '--data', dataAt('idle')]);
    expect([code, inWords(error)]).toEqual([
      1,
      'no trial has values: "sarraf study show" lists why each failed\n',
    ]);
  });
});

const atHeld = () => ['--data', dataAt('held')];

test('a hold-out is seen by no trial, opened once, and recorded for ever', async () => {
  const file = join(folder, 'held.yaml');
  writeFileSync(
    file,
    `strategy: ma-cross
markets: BTCUSDT
csv: hours.csv
balances: { usdt: 10000 }
fee: 0.1%
holdout: 30%
objectives: [totalReturn]
budget: { trials: 8 }
`,
  );
  const before = await study(['run', file, ...atHeld(), '--workers', '1']);
  const { range } = before;
  expect(Math.round(((range.toMs - range.splitMs) / (range.toMs - range.fromMs)) * 100)).toBe(30);
  expect(before.notes).toContain('The hold-out is closed: no trial has seen it.');
  // A file that ends where the hold-out begins gives the same trials.
  const cut = writeCandles(join(folder, 'cut.csv'), { count: 490 });
  const alone = await study([
    'run',
    'ma-cross',
    '--csv',
    cut,
    '--market',
    'BTCUSDT',
    '--cash',
    '10000',
    '--fee',
    '0.1%',
    '--objective',
    'totalReturn',
    '--trials',
    '8',
    '--workers',
    '1',
    '--data',
    dataAt('cut'),
  ]);
  expect(alone.trials).toEqual(before.trials);

  const open = async (...more: string[]) =>
    sarrafHere(['study', 'open-holdout', 'held', ...atHeld(), ...more]);
  const first = JSON.parse((await open('--json')).out) as Record<string, unknown>;
  expect(first).toMatchObject({ isFirst: true, trial: before.best?.number, afterTrials: 8 });
  const second = JSON.parse((await open('--json')).out) as Record<string, unknown>;
  expect(second).toEqual({ ...first, isFirst: false });
  expect((await open()).out).toMatch(/The hold-out was opened on \d{4}-.* UTC, after 8 trials\./);
  const other = before.best?.number === 0 ? 1 : 0;
  const again = await open('--trial', String(other));
  expect([again.code, again.error]).toEqual([
    2,
    `expected trial ${before.best?.number}, found it was opened with trial ${before.best?.number}, and is opened once\n`,
  ]);
  const more = await study(['resume', 'held', '--trials', '10', '--workers', '1', ...atHeld()]);
  expect(more.notes[1]).toMatch(/^The hold-out was opened on .* UTC\. 2 trials came after it\.$/);
  expect(more.hash).not.toBe(before.hash);
});

describe('what is wrong is said in one line, with exit code 2, and nothing is lost:', () => {
  const noFile = ['--market', 'BTCUSDT', '--cash', '10000'];

  test.each([
    ['no market', ['ma-cross', '--cash', '1'], /^expected --market or --universe with --cash/],
    [
      'no strategy',
      ['nothing.ts', ...noFile],
      /^strategy: expected the file of a strategy at .*nothing\.ts, was none$/,
    ],
    [
      'an objective that is not there',
      ['ma-cross', ...noFile, '--objective', 'luck'],
      /option '--objective <metric>' argument 'luck' is invalid.* expected one of .*sharpe.*, found "luck"/,
    ],
    [
      'a direction that is none',
      ['ma-cross', ...noFile, '--objective', 'sharpe:up'],
      /expected one of maximize, minimize, found "up"/,
    ],
    [
      'a bound that is none',
      ['ma-cross', ...noFile, '--least', 'trades'],
      /expected metric=value, such as trades=30/,
    ],
    [
      'a hold-out without its sign',
      ['ma-cross', ...noFile, '--holdout', '20'],
      /'--holdout <percent>' argument '20' is invalid\. expected a percentage/,
    ],
    [
      'two timeframes',
      ['ma-cross', ...noFile, '--timeframe', '1h', '--resolution', '5m'],
      /^expected --timeframe or --resolution, found 1h and 5m$/,
    ],
    ['a file of a study that is not there', ['gone.yaml'], /^gone\.yaml:1:1: expected a file, found none$/],
    [
      'short options beside a file',
      ['gone.yaml', '--fee', '0.1%'],
      /^expected what --fee says in gone\.yaml, found it beside the file$/,
    ],
  ])('%s', async (_, args, message) => {
    const { code, error } = await sarrafHere(['study', 'run', ...args, '--data', dataAt('bad')]);
    expect(error.trimEnd().split('\n')).toHaveLength(1);
    expect(error.trimEnd()).toMatch(message);
    expect(code).toBe(2);
  });

  test('a range that is too short', async () => {
    const short = writeCandles(join(folder, 'short.csv'), { count: 60 });
    const message = await refused(['ma-cross', '--csv', short, '--market', 'BTCUSDT', '--cash', '1000']);
    expect(message).toMatch(
      /^expected at least 100 candles of BTCUSDT for the trials, found 60 from .*: give a longer range$/,
    );
  });

  test('a strategy without params to search', async () => {
    const plain = join(folder, 'plain.ts');
    const source = NASTY.replace(/ {2}params: z[\s\S]*?expected another way'\),\n/, '');
    writeFileSync(plain, source.replaceAll('params.', '').replace('params, ', ''));
    const message = await refused([plain, ...market()]);
    expect(message).toMatch(/^expected a strategy with params to search, found one without/);
  });

  test('a param that is fixed and none is left', async () => {
    const message = await refused([nasty, ...market(), '--param', 'way=trades', '--param', 'size=0.1']);
    expect(message).toMatch(/^expected a param to search, found every one that the strategy declares fixed/);
  });

  test('a study file of other data, of other code and of other settings', async () => {
    const at = ['--data', dataAt('differs'), '--name', 'mine', '--trials', '1', '--workers', '1'];
    const own = join(folder, 'own');
    mkdirSync(own);
    const strategy = join(own, 'nasty.ts');
    const bars = writeCandles(join(own, 'hours.csv'), { count: 300 });
    writeFileSync(strategy, NASTY);
    const run = async (...more: string[]) =>
      sarrafHere([
        'study',
        'run',
        strategy,
        '--csv',
        bars,
        '--market',
        'BTCUSDT',
        '--cash',
        '10000',
        ...at,
        ...more,
      ]);
    expect((await run('--json')).error).toBe('');
    const shown = JSON.parse(
      (await sarrafHere(['study', 'show', 'mine', '--data', dataAt('differs'), '--json'])).out,
    ) as Printed;
    const before = contentOf(shown);
    const differs = async (what: RegExp, ...more: string[]) => {
      const { code, error } = await run(...more);
      expect([code, error.trimEnd().split('\n').length]).toEqual([2, 1]);
      expect(error).toMatch(/^expected the study that .*mine\.sqlite was begun with, found another one \(/);
      expect(error).toMatch(what);
    };
    await differs(/\(sampler: .*"seed":1\}, now .*"seed":2\}\)/, '--seed', '2');
    writeCandles(bars, { count: 301 });
    await differs(/\(data of BTCUSDT: 300 candles .*, now 301 candles/);
    writeCandles(bars, { count: 300 });
    writeFileSync(strategy, `${NASTY}// changed\n`);
    await differs(/\(the strategy's code has changed\)/);
    expect(contentOf(shown)).toBe(before);
  });

  test('a study that is not there, and a file that is there already', async () => {
    const { code, error } = await sarrafHere(['study', 'show', 'nobody', '--data', dataAt('bad')]);
    expect([code, error]).toEqual([
      2,
      expect.stringMatching(/^expected a study called nobody in .*, found none: /),
    ]);
    const file = join(folder, 'new.yaml');
    expect((await sarrafHere(['study', 'new', file])).code).toBe(0);
    const written = readFileSync(file);
    expect((await sarrafHere(['study', 'new', file])).code).toBe(2);
    expect(readFileSync(file)).toEqual(written);
  });

  test.each([
    ['of a study that is not there', ['nobody'], /^expected a study called nobody in .*, found none: /],
    ['without a draw', ['nobody', '--draws', '0'], /--draws.*expected .*1/],
    ['of a file that is not there', ['gone.yaml'], /^expected a study called gone in .*, found none: /],
  ])('stress %s', async (_, args, message) => {
    const { code, error } = await sarrafHere(['study', 'stress', ...args, '--data', dataAt('bad')]);
    expect([code, error.trimEnd().split('\n').length]).toEqual([2, 1]);
    expect(error).toMatch(message);
  });

  test('and none of them has left a study', () => {
    expect(existsSync(join(dataAt('bad'), 'studies'))).toBe(false);
  });
});

async function refused(args: readonly string[]): Promise<string> {
  const { code, error } = await sarrafHere(['study', 'run', ...args, '--data', dataAt('bad')]);
  expect(code).toBe(2);
  return error.trimEnd();
}
