import { describe, expect, test } from 'vitest';
import { barsBetween, firstBarFrom } from '../../../src/domain/candle-columns.ts';
import { runSummary } from '../../../src/backtest/finish-run.ts';
import { runConfigured } from '../../../src/backtest/run-configured.ts';
import { barRulesOf, botConfigOf } from '../../../src/backtest/run-setup.ts';
import { cutCandles } from '../../../src/study/data/study-data.ts';
import { readWrittenStudy } from '../../../src/study/study-settings.ts';
import { prepareStudy, type PreparedStudy } from '../../../src/study/prepare-study.ts';
import { trialSetupOf } from '../../../src/study/study-session.ts';
import { TrialBench } from '../../../src/study/trials/trial-bench.ts';
import { trialMetrics } from '../../../src/study/objectives.ts';
import { withParams } from '../../../src/study/trials/trial-setup.ts';
import { parseMarket } from '../../../src/exchange/market-names.ts';
import { generatedCandles } from './generated-candles.ts';

const WRITTEN = {
  strategy: 'ma-cross',
  universe: { quote: 'rls', rankBy: 'volume24h', take: 1 },
  timeframe: '5m',
  catalogue: 'data/example',
  holdout: '20%',
  balances: { rls: 1_000_000_000 },
  fee: '0.1%',
} as const;

const prepared = async (more: object = {}): Promise<PreparedStudy> =>
  prepareStudy(readWrittenStudy({ ...WRITTEN, ...more }));

describe('a study of a strategy that runs in markets of a rule', () => {
  test('gives its trials every market to choose from, and runs them as sarraf backtest does', async () => {
    const study = await prepared();
    expect(study.identity.data.map(({ market }) => market)).toEqual(['BTCIRT', 'USDTIRT']);
    const setup = trialSetupOf(study);
    const params = { fast: 3, slow: 9 };
    const { run } = await runConfigured({
      fidelity: 'candles',
      config: withParams(botConfigOf(setup.overrides), params),
      timeframe: '5m',
      csv: [],
      catalogue: 'data/example',
      currency: null,
      steps: {},
      rules: barRulesOf({}),
      fromMs: null,
      toMs: study.data.range.splitMs,
    });
    expect(run.members.records.length).toBeGreaterThan(0);
    expect(run.fills.length).toBeGreaterThan(10);
    expect(await new TrialBench(setup).run(params)).toMatchObject({ metrics: trialMetrics(runSummary(run)) });
  });

  test('is another study with another rule', async () => {
    const [one, other] = await Promise.all([
      prepared(),
      prepared({ universe: { ...WRITTEN.universe, rankBy: 'change' } }),
    ]);
    expect(other.identity.id).not.toBe(one.identity.id);
  });

  test('asks for enough of the markets that it needs, and not of mere candidates', () => {
    const long = generatedCandles({ count: 400 });
    const late = { ...generatedCandles({ count: 400 }), market: parseMarket('ETHUSDT').symbol };
    const young = barsBetween(late, firstBarFrom(late, (late.openTimeMs[0] ?? 0) + 380 * 3_600_000));
    const of = { fromMs: null, holdout: 0.2 };
    expect(() => cutCandles([long, young], of)).toThrow(
      'at least 100 candles of ETHUSDT for the trials, found 0',
    );
    const { trials, times, sets } = cutCandles([long, young], { ...of, isNeeded: () => false });
    expect(trials).toMatchObject({ candles: [{ market: 'BTCUSDT' }] });
    expect([times, sets].map(({ length }) => length)).toEqual([1, 2]);
  });

  test.each([
    [{ markets: 'BTCIRT' }, 'universe: expected markets or universe, found both'],
    [{ universe: undefined }, 'markets: expected markets: BTCUSDT, or universe: {'],
    [{ universe: { ...WRITTEN.universe, take: 0 } }, 'universe.take: '],
    [{ universe: { ...WRITTEN.universe, quote: 'eur' } }, 'universe'],
  ])('is refused with %j', async (more, message) => {
    await expect(prepared(more)).rejects.toThrow(message);
  });
});
