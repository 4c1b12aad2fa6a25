import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test, describe } from 'vitest';
import { present } from '../../../../src/domain/errors.ts';
import { engineVersion, codeHash, signBundle, writeBundle } from '../../../../src/study/code-bundle.ts';
import { readWrittenStudy } from '../../../../src/study/study-settings.ts';
import { writeCandleFile } from '../../../../src/recording/column-file.ts';
import { checksumOf, FileCache, writeTrialFiles } from '../../../../src/study/file-cache.ts';
import {
  readOffer,
  writeOffer,
  type StudyOffer,
  settingsOfTrials,
  sourceKey,
  writtenOfTrials,
  batchKey,
  taskKey,
} from '../../../../src/study/remote/offered-study.ts';
import { acceptOffer, type WorkerMeans } from '../../../../src/study/study-worker.ts';
import { prepareStudy } from '../../../../src/study/prepare-study.ts';
import { trialSetupOf } from '../../../../src/study/study-session.ts';
import { TrialBench } from '../../../../src/study/trials/trial-bench.ts';
import { writeAlerts, writeFollower, type Alert } from '../follower.ts';
import { generatedCandles, writeCandles } from '../generated-candles.ts';
import type { RunRange } from '../../../../src/study/objectives.ts';
import type { Params } from '../../../../src/search/params-of-point.ts';
import { folderOfEachTest } from '../../../support/temporary-folder.ts';

const SECRET = 'a secret of some length';
const CANDLES = writeCandleFile(generatedCandles({ count: 120 }));

const folder = folderOfEachTest();
let means: WorkerMeans;
let strategy: string;
beforeEach(() => {
  for (const name of ['coordinator', 'worker']) mkdirSync(join(folder, name));
  strategy = join(folder, 'coordinator', 'ma-cross.ts');
  copyFileSync('strategies/ma-cross.ts', strategy);
  const cache = new FileCache(join(folder, 'cache'));
  cache.write(checksumOf(CANDLES), CANDLES);
  means = {
    folders: [join(folder, 'worker')],
    codeFolder: join(folder, 'code'),
    cache,
    sources: [],
    secret: null,
    log: () => undefined,
    signal: new AbortController().signal,
  };
});

function offerOf(more: Partial<StudyOffer> = {}): StudyOffer {
  const { settings, written } = readWrittenStudy({
    strategy,
    markets: 'BTCUSDT',
    balances: { usdt: '10000' },
  });
  const data = [{ sha256: checksumOf(CANDLES), bytes: CANDLES.length }];
  const code = codeHash(strategy);
  const whole = {
    engine: engineVersion(),
    code,
    data: [checksumOf(CANDLES)],
    settings: settingsOfTrials(settings, null),
  };
  const text = writeOffer({
    engine: engineVersion(),
    source: sourceKey(whole),
    written: writtenOfTrials(written, { strategy, endMs: null }),
    code,
    data,
    signals: null,
    address: 'http://127.0.0.1:1',
    token: '',
    bundle: null,
  });
  const offer = readOffer(text);
  if (offer === null) throw new TypeError('expected an offer');
  return { ...offer, ...more };
}

const here = (): void => copyFileSync(strategy, join(folder, 'worker', 'ma-cross.ts'));

test('a study whose code is here fits, with the candles of the coordinator', async () => {
  here();
  const { setup, strategyFile } = await acceptOffer(offerOf(), means);
  expect(strategyFile).toBe(join(folder, 'worker', 'ma-cross.ts'));
  expect(setup).toMatchObject({ fidelity: 'candles', candles: [{ length: 120 }], toMs: null });
  expect(JSON.stringify(setup.overrides)).not.toContain('coordinator');
});

test('a study on recorded books is computed as its coordinator would compute it', async () => {
  const noonMs = Date.UTC(2026, 0, 5, 12);
  const study = await prepareStudy(
    readWrittenStudy({
      strategy,
      markets: 'BTCUSDT',
      timeframe: '1m',
      fidelity: 'poll',
      catalogue: 'data/example',
      to: noonMs + 600_000,
      holdout: '30%',
      balances: { usdt: 10_000 },
      rules: { latency: '30ms' },
    }),
  );
  const { settings, written, data } = study;
  const { markets: files } = writeTrialFiles(data.trials);
  for (const file of files) means.cache.write(checksumOf(file), file);
  const end = { strategy, endMs: data.range.splitMs };
  const source = sourceKey({
    engine: engineVersion(),
    code: codeHash(strategy),
    data: files.map(checksumOf),
    settings: settingsOfTrials(settings, end.endMs),
  });
  here();
  const offered = offerOf({
    source,
    written: writtenOfTrials(written, end),
    data: files.map((file) => ({ sha256: checksumOf(file), bytes: file.length })),
  });
  const { setup } = await acceptOffer(offered, means);
  expect(setup).toMatchObject({ fidelity: 'poll', toMs: data.range.splitMs });
  const [local, there] = [trialSetupOf(study), setup].map((one) =>
    new TrialBench(one).run({ fast: 2, slow: 4 }),
  );
  const report = await local;
  expect(report).toMatchObject({ kind: 'ran' });
  expect(await there).toEqual(report);
});

test('a study with signals comes with those of its trials alone, and is another one without them', async () => {
  const follower = writeFollower(join(folder, 'worker'));
  const csv = writeCandles(join(folder, 'hours.csv'), { count: 200 });
  const startMs = Date.UTC(2024, 0, 20);
  const alerts = [5, 50, 99, 100, 150].map((hour): Alert => [startMs + hour * 3_600_000, 'buy']);
  const signals = writeAlerts(join(folder, 'alerts.jsonl'), alerts);
  const asked = { strategy: follower, markets: 'BTCUSDT', csv, signals, holdout: '50%' };
  const study = await prepareStudy(readWrittenStudy({ ...asked, balances: { usdt: 10_000 } }));
  const { settings, written, data } = study;
  const files = writeTrialFiles(data.trials);
  const [bars, told] = [present(files.markets[0], 'bars'), present(files.signals, 'signals')];
  for (const file of [bars, told]) means.cache.write(checksumOf(file), file);
  const [servedBars, servedSignals] = [bars, told].map((file) => ({
    sha256: checksumOf(file),
    bytes: file.length,
  }));
  const source = sourceKey({
    engine: engineVersion(),
    code: codeHash(follower),
    data: [checksumOf(bars), checksumOf(told)],
    settings: settingsOfTrials(settings, null),
  });
  const offered = offerOf({
    source,
    written: writtenOfTrials(written, { strategy: follower, endMs: null }),
    code: codeHash(follower),
    data: [present(servedBars, 'bars')],
    signals: present(servedSignals, 'signals'),
  });
  expect(JSON.stringify(offered)).not.toContain('alerts.jsonl');
  const { setup } = await acceptOffer(offered, means);
  expect(setup.signals.map(({ atMs }) => (atMs - startMs) / 3_600_000)).toEqual([5, 50, 99]);
  const params = { value: 500 };
  const report = await new TrialBench(setup).run(params);
  expect(report).toMatchObject({ kind: 'ran', metrics: { fills: 3 } });
  expect(report).toEqual(await new TrialBench(trialSetupOf(study)).run(params));
  await expect(acceptOffer({ ...offered, signals: null }, means)).rejects.toThrow(/found others/);
});

test('another version of sarraf is refused', async () => {
  here();
  await expect(acceptOffer(offerOf({ engine: '9.9.9' }), means)).rejects.toThrow(
    `expected sarraf 9.9.9, found ${engineVersion()}: install the same version here`,
  );
});

test('a strategy that is not here, and one of other code, are refused', async () => {
  await expect(acceptOffer(offerOf(), means)).rejects.toThrow(
    /^expected strategy ma-cross with SHA-256 \w{12}…, found none in .*: copy it here, or run the study with --send-code$/,
  );
  writeFileSync(join(folder, 'worker', 'ma-cross.ts'), '// another one');
  await expect(acceptOffer(offerOf(), means)).rejects.toThrow(
    /found other code in .*ma-cross\.ts: copy it here/,
  );
});

test('settings that are read otherwise are refused', async () => {
  here();
  await expect(acceptOffer(offerOf({ source: '1'.repeat(64) }), means)).rejects.toThrow(
    /^expected settings that are read alike, found others/,
  );
});

test('code that is sent is taken by those alone who know the secret', async () => {
  const bytes = writeBundle(strategy);
  means.cache.write(checksumOf(bytes), bytes);
  const bundle = { sha256: checksumOf(bytes), bytes: bytes.length, hmac: signBundle(bytes, SECRET) };
  await expect(acceptOffer(offerOf({ bundle }), means)).rejects.toThrow(/and no secret to take it with/);
  await expect(acceptOffer(offerOf({ bundle }), { ...means, secret: `${SECRET}!` })).rejects.toThrow(
    /found another signature$/,
  );
  const { strategyFile } = await acceptOffer(offerOf({ bundle }), { ...means, secret: SECRET });
  expect(codeHash(strategyFile)).toBe(codeHash(strategy));
});

test('an offer of another protocol, and what is none, is not read', () => {
  expect(readOffer(JSON.stringify({ ...offerOf(), protocol: 1 }))).toBeNull();
  expect(readOffer('no JSON')).toBeNull();
});

const WRITTEN = {
  strategy: 'strategies/ma-cross.ts',
  markets: ['BTCUSDT'],
  balances: { usdt: '10000' },
  fee: '0.1%',
};
const keyOf = (more: object, endMs: number | null = null): string =>
  sourceKey({
    engine: '1',
    code: 'c',
    data: ['d'],
    settings: settingsOfTrials(readWrittenStudy({ ...WRITTEN, ...more }).settings, endMs),
  });

describe('the key of what trials have in common', () => {
  test.each([
    [{ budget: { trials: 7 } }],
    [{ sampler: { kind: 'random', seed: 9 } }],
    [{ objectives: ['calmar'], constraints: [{ metric: 'trades', least: 3 }] }],
    [{ csv: 'elsewhere.csv' }],
    [{ params: { fast: 3 } }],
    [{ strategy: '/another/place/ma-cross.ts' }],
    [{ rules: { limitFill: 'through' } }],
  ])('is the same with %j', (more) => {
    expect(keyOf(more)).toBe(keyOf({}));
  });

  test.each([
    [{ fee: '0.2%' }],
    [{ balances: { usdt: '9' } }],
    [{ rules: { slippageBps: 2 } }],
    [{ steps: { price: '0.5' } }],
    [{ timeframe: '5m' }],
    [{ markets: ['BTCUSDT', 'ETHUSDT'] }],
    [{ from: '2024-01-01' }],
    [{ currency: 'rls' }],
    [{ strategy: 'breakout' }],
    [{ fidelity: 'poll' }],
  ])('is another with %j', (more) => {
    expect(keyOf(more)).not.toBe(keyOf({}));
  });

  test('of recordings has the end of the trials and how orders fill among them', () => {
    const poll = { fidelity: 'poll' };
    expect(keyOf({ ...poll, holdout: '20%', to: '2024-02-01' }, 5)).toBe(keyOf({ ...poll, to: 5 }, 5));
    const others = [
      keyOf(poll, 6),
      keyOf({ ...poll, rules: { latency: '80ms' } }, 5),
      keyOf({ ...poll, rules: { queue: 'front' } }, 5),
    ];
    expect(new Set([keyOf(poll, 5), ...others]).size).toBe(4);
    expect(keyOf({ ...poll, rules: { latency: '50ms' } }, 5)).toBe(keyOf(poll, 5));
    expect(keyOf({}, 5)).toBe(keyOf({}, null));
  });

  test('is found again from what is written for workers, whose strategy is elsewhere', () => {
    const { written, settings } = readWrittenStudy({ ...WRITTEN, from: '2024-01-01', budget: { trials: 3 } });
    const sent = JSON.parse(JSON.stringify(writtenOfTrials(written, { ...settings, endMs: null }))) as object;
    const read = readWrittenStudy({ ...sent, strategy: '/worker/ma-cross.ts' });
    expect(settingsOfTrials(read.settings, null)).toEqual(settingsOfTrials(settings, null));
  });
});

const trialKey = (source: string, params: Params, stretch: RunRange | null): string =>
  taskKey(source, { kind: 'trial', params, stretch });

describe('the key of a trial', () => {
  const key = trialKey('s', { fast: 1, slow: 2 }, null);

  test('does not depend on the order of params', () => {
    expect(trialKey('s', { slow: 2, fast: 1 }, null)).toBe(key);
  });

  test('differs by source, params and stretch', () => {
    const others = [
      trialKey('t', { fast: 1, slow: 2 }, null),
      trialKey('s', { fast: 1, slow: 3 }, null),
      trialKey('s', { fast: 1, slow: 2 }, { fromMs: 1, toMs: 2 }),
    ];
    expect(new Set([key, ...others]).size).toBe(4);
  });

  test('makes the id of a job with those beside it', () => {
    expect(batchKey([key])).toBe(batchKey([key]));
    expect(batchKey([key, 'a'])).not.toBe(batchKey([key]));
  });
});
