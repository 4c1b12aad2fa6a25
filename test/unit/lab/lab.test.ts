import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { checkJob, commandsOf, createForms } from '../../../src/lab/lab-forms.ts';
import { formFieldsOf, writtenOf } from '../../../src/lab/form-fields.ts';
import { jobBody, LAB_ENDPOINTS, type LabEndpoint } from '../../../src/lab/lab-schema.ts';
import { LabStore } from '../../../src/lab/lab-store.ts';
import { ENGLISH_LAB_TEXTS } from '../../../src/dashboard/page/texts/english-lab.ts';
import { EXAMPLE_RUN, LabHere } from '../../support/lab-here.ts';
import { folderOfAllTests, folderOfThisTest } from '../../support/temporary-folder.ts';

const folder = folderOfAllTests();
let lab: LabHere;

beforeAll(async () => {
  lab = new LabHere(folder);
  writeFileSync(join(folder, 'imports', 'hours.csv'), 'time,open,high,low,close,volume\n');
  lab.write('own.ts', '');
  await lab.listen();
});

afterAll(async () => lab.close());

const codeOf = (answer: { readonly status: number; readonly json: unknown }) => [
  answer.status,
  (answer.json as { readonly error: { readonly code: string; readonly field?: string } }).error.code,
];

describe('the lab', () => {
  test.each<[LabEndpoint, string]>([
    ['desk', '/desk'],
    ['params', '/params?strategy=ma-cross'],
    ['data', '/data'],
    ['studies', '/studies'],
    ['jobs', '/jobs'],
    ['compare', '/compare?runs='],
  ])('answers %s as it is declared', async (name, path) => {
    const { status, json } = await lab.here.api(path);
    expect({ status, json }).toMatchObject({ status: 200 });
    const shape = z.fromJSONSchema(z.toJSONSchema(LAB_ENDPOINTS[name].reply, { io: 'output' }));
    expect(shape.safeParse(json).error).toBeUndefined();
  });

  test('lists own strategies first, then bundled ones, and files to import', async () => {
    const { json } = await lab.here.api('/desk');
    expect(json['strategies'].slice(0, 2)).toEqual([
      { id: 'own.ts', isOwn: true },
      { id: 'breakout', isOwn: false },
    ]);
    expect(json).toMatchObject({ files: ['hours.csv'], hasExchange: false, jobsAtOnce: 1 });
  });

  test('makes the form of params of their schema', async () => {
    const { json } = await lab.here.api('/params?strategy=ma-cross');
    expect(
      json['fields'].map(({ path, kind, usual }: Record<string, unknown>) => [path, kind, usual]),
    ).toEqual([
      ['fast', 'whole', '2'],
      ['slow', 'whole', '4'],
      ['share', 'number', '0.1'],
      ['timeframe', 'choice', ''],
    ]);
  });

  test('says what is wrong with a file that is no strategy', async () => {
    writeFileSync(join(lab.strategies, 'broken.ts'), 'export default 7;');
    const { json } = await lab.here.api('/params?strategy=broken.ts');
    expect(json).toEqual({ fields: [], problem: expect.stringMatching(/broken\.ts.*expected/) });
  });

  test('shows how far the data reaches', async () => {
    const { json } = await lab.here.api('/data');
    expect(json['recordings']).toContainEqual(
      expect.objectContaining({ market: 'BTCUSDT', folder: 'candles-5m', gaps: 0, rows: expect.any(Number) }),
    );
  });
});

describe('who may use the lab', () => {
  const body = { kind: 'verify' };

  test('needs a token, and the role operate to run anything', async () => {
    expect(codeOf(await lab.here.api('/desk', undefined, {}))).toEqual([401, 'no-token']);
    const { read } = lab.here;
    expect((await lab.here.api('/desk', undefined, lab.here.bearer(read))).status).toBe(200);
    expect(codeOf(await lab.here.api('/jobs', body, lab.here.bearer(read)))).toEqual([403, 'not-allowed']);
    expect(codeOf(await lab.here.api('/jobs/1/cancel', {}, lab.here.bearer(read)))).toEqual([
      403,
      'not-allowed',
    ]);
  });

  test('is refused from another page, and without the token of the page', async () => {
    const { 'x-csrf-token': _token, ...withoutToken } = await lab.here.signIn();
    expect(codeOf(await lab.here.api('/jobs', body, withoutToken))).toEqual([403, 'wrong-origin']);
    const fromElsewhere = { ...(await lab.here.signIn()), origin: 'https://evil.example' };
    expect(codeOf(await lab.here.api('/jobs', body, fromElsewhere))).toEqual([403, 'wrong-origin']);
  });
});

describe('a request', () => {
  const run = { kind: 'backtest', strategy: 'ma-cross', typed: EXAMPLE_RUN };

  test.each([
    ['a strategy outside the folder', { ...run, strategy: '../secret.ts' }, 'strategy'],
    ['a path as a strategy', { ...run, strategy: '/etc/passwd' }, 'strategy'],
    ['a setting that names a file', { ...run, typed: { ...EXAMPLE_RUN, csv: '/etc/passwd' } }, 'csv'],
    ['a folder of recordings', { ...run, typed: { ...EXAMPLE_RUN, catalogue: '/' } }, 'catalogue'],
    ['a timeframe that does not exist', { ...run, typed: { ...EXAMPLE_RUN, timeframe: '7m' } }, 'timeframe'],
    ['a param that the strategy lacks', { ...run, params: { quick: '3' } }, 'quick'],
    ['a fee without its sign', { ...run, typed: { ...EXAMPLE_RUN, fee: '0.1' } }, 'fee'],
    ['a file elsewhere', { kind: 'import', typed: { market: 'BTCUSDT', file: '../x.csv' } }, 'file'],
    ['a walk-forward without windows', { ...run, kind: 'walk-forward' }, 'validation.walkForward.train'],
    ['a hold-out without a confirmation', { kind: 'holdout', study: 'study' }, 'isConfirmed'],
    ['a study by a path', { kind: 'holdout', study: '../x', isConfirmed: true }, 'study'],
  ])('refuses %s and names the field', async (_, body, field) => {
    const { status, json } = await lab.here.api('/jobs', body);
    expect({ status, ...json['error'] }).toMatchObject({ status: 400, code: 'invalid-request', field });
  });

  test('to import is refused where the catalogue is outside of the data folder', async () => {
    const elsewhere = new LabHere(folderOfThisTest(), { catalogue: '/' });
    await elsewhere.listen();
    const { json } = await elsewhere.here.api('/jobs', {
      kind: 'import',
      typed: { market: 'BTCUSDT', file: 'x.csv' },
    });
    expect(json['error'].messageFacts.code).toBe('lab-other-catalogue');
    await elsewhere.close();
  });

  test('to download is refused without an exchange', async () => {
    const typed = { market: 'BTCUSDT', from: '2024-01-01' };
    const { json } = await lab.here.api('/jobs', { kind: 'download', typed });
    expect(json['error'].messageFacts.code).toBe('lab-no-exchange');
  });
});

describe('forms', () => {
  test('have a text for every field', () => {
    const fields = Object.values(createForms()).flat();
    expect(fields.length).toBeGreaterThan(60);
    const texts = Object.keys(ENGLISH_LAB_TEXTS);
    expect(fields.map(({ path }) => `lab.field.${path}`).filter((key) => !texts.includes(key))).toEqual([]);
  });

  test('write what is typed as a file has it', () => {
    const schema = z.strictObject({
      markets: z.array(z.string()),
      balances: z.record(z.string(), z.string()),
      rules: z.strictObject({ volumeShare: z.union([z.number(), z.literal('all')]).optional() }).prefault({}),
      isFast: z.boolean().default(false),
      rest: z.record(z.string(), z.number()),
    });
    const typed = {
      markets: 'BTCUSDT, ETHUSDT',
      balances: 'USDT=100، btc=0.1',
      'rules.volumeShare': '12.5',
      isFast: 'true',
      rest: '{"a":1}',
    };
    expect(writtenOf(typed, formFieldsOf(schema))).toEqual({
      markets: ['BTCUSDT', 'ETHUSDT'],
      balances: { usdt: '100', btc: '0.1' },
      rules: { volumeShare: 12.5 },
      isFast: true,
      rest: { a: 1 },
    });
    expect(writtenOf({ 'rules.volumeShare': 'all', rest: ' ' }, formFieldsOf(schema))).toEqual({
      rules: { volumeShare: 'all' },
    });
  });

  test('of a study become a file of it and two commands', () => {
    const request = jobBody.parse({
      kind: 'walk-forward',
      typed: {
        ...EXAMPLE_RUN,
        holdout: '20%',
        objectives: 'sharpe',
        'budget.trials': '4',
        'validation.walkForward.train': '1d',
        'validation.walkForward.test': '8h',
      },
      params: {},
    });
    const strategy = { plugin: 'ma-cross', params: [] };
    const settings = checkJob(request, { strategy, catalogue: '/data/catalogue', hasExchange: false });
    expect(settings).toEqual({
      strategy: 'ma-cross',
      catalogue: '/data/catalogue',
      markets: ['BTCUSDT'],
      timeframe: '5m',
      balances: { usdt: '10000' },
      fee: '0.1%',
      holdout: '20%',
      objectives: ['sharpe'],
      budget: { trials: 4 },
      validation: { walkForward: { train: '1d', test: '8h' } },
      params: {},
    });
    const places = {
      dataFolder: '/data',
      catalogue: '/data/catalogue',
      file: '/data/lab/7.yaml',
      language: 'fa' as const,
      workers: 2,
      exchange: [],
    };
    const commands = commandsOf({ id: 7, request, settings }, places);
    expect(commands.map((command) => command.join(' '))).toEqual([
      'study walk-forward /data/lab/7.yaml --name lab-7 --data /data --workers 2',
      'study report lab-7 --data /data --language fa',
    ]);
  });
});

describe('stored jobs', () => {
  test('are bounded: the oldest that have ended are dropped', () => {
    const store = new LabStore(folderOfThisTest(), () => 1);
    const request = jobBody.parse({ kind: 'verify' });
    const first = store.add(request, 'ali').id;
    store.end(first, { state: 'done', output: '', report: null, run: null });
    const dropped = Array.from({ length: 500 }, () => store.add(request, 'ali').dropped).flat();
    expect(dropped).toEqual([first]);
    expect(store.get(first)).toBeNull();
    store.close();
  });
});
