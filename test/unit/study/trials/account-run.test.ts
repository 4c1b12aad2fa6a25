import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { readWrittenStudy } from '../../../../src/study/study-settings.ts';
import { prepareStudy } from '../../../../src/study/prepare-study.ts';
import { trialSetupOf } from '../../../../src/study/study-session.ts';
import type { AccountReport, AccountLeg } from '../../../../src/study/trial-runner.ts';
import { TrialBench } from '../../../../src/study/trials/trial-bench.ts';
import { folderOfAllTests } from '../../../support/temporary-folder.ts';

/** A strategy that trades as its parameters say, once, at the first candle after they change. */
const TOLD = `import { z } from 'zod';
import { defineStrategy, search } from '#sdk';
export default defineStrategy({
  name: 'told',
  params: z.strictObject({
    leg: search(z.int().default(0), { min: 0, max: 9 }),
    buy: z.number().default(0),
    rest: z.number().default(0),
    stop: z.number().default(0),
    throws: z.boolean().default(false),
  }),
  state: z.strictObject({ leg: z.int().default(0), legs: z.int().default(0) }),
  data: ({ market, timeframe }) => ({ bars: market.candles(timeframe) }),
  on: {
    bars({ params, state, setState, position, buy, sell }, { close }) {
      if (state.leg === params.leg) return;
      setState({ leg: params.leg, legs: state.legs + 1 });
      if (params.throws) throw new RangeError('expected calm, found leg ' + params.leg + ' after ' + state.legs);
      if (params.buy > 0) buy({ amount: params.buy });
      if (params.rest > 0) buy({ amount: 1, price: params.rest });
      if (params.stop > 0) sell({ amount: position, stopPrice: params.stop });
    },
  },
});
`;

const HOUR_MS = 3_600_000;
const START_MS = Date.UTC(2024, 0, 20);
const at = (hour: number): number => START_MS + hour * HOUR_MS;

/** Makes candles at 100 with two dips: to 85 in hour 145, and to 70 in hour 175. */
function candles(): string {
  const lows: Readonly<Record<number, number>> = { 145: 85, 175: 70 };
  const rows = Array.from({ length: 200 }, (_, hour) =>
    [at(hour), 100, 100, lows[hour] ?? 100, 100, 1_000].join(','),
  );
  return ['time,open,high,low,close,volume', ...rows, ''].join('\n');
}

const folder = folderOfAllTests();
let bench: TrialBench;
beforeAll(async () => {
  const [strategy, csv] = [join(folder, 'told.ts'), join(folder, 'hours.csv')];
  writeFileSync(strategy, TOLD);
  writeFileSync(csv, candles());
  const study = { strategy, markets: 'BTCUSDT', csv, balances: { usdt: 10_000 }, fee: '0%' };
  const setup = trialSetupOf(await prepareStudy(readWrittenStudy(study)));
  bench = new TrialBench(setup);
});

async function account(
  legs: readonly [AccountLeg, ...AccountLeg[]],
): Promise<Extract<AccountReport, { kind: 'ran' }>> {
  const stretches = legs.map(({ fromMs }, index) => ({ fromMs, toMs: legs[index + 1]?.fromMs ?? at(190) }));
  const report = await bench.account({ legs, toMs: at(190), stretches });
  if (report.kind === 'failed') throw new Error(report.reason);
  return report;
}

const buys = { fromMs: at(120), params: { leg: 1, buy: 10, rest: 90 } };
const waits = { fromMs: at(140), params: { leg: 2 } };
const protects = { fromMs: at(160), params: { leg: 3, stop: 80 } };
const leaves = { fromMs: at(170), params: { leg: 4 } };

describe('one account of several params', () => {
  test('is what a hand works out: money and coins carry over, a way out stays, and an entry ends', async () => {
    const report = await account([buys, waits, protects, leaves]);
    // 10 coins bought at 100 are sold by the stop at 80, which the third leg left. The first leg's limit at
    // 90 would have bought in hour 145, had it not been canceled.
    expect([report.initialEquity, report.finalEquity]).toEqual(['10000', '9800']);
    expect(report.metrics).toMatchObject({ profit: -200, trades: 1, orders: 3, fills: 2, fees: 0 });
    expect(report.failures).toEqual([]);
    expect(
      report.stretches.map(({ beganExposed, metrics }) => [
        beganExposed,
        metrics['initialEquity'],
        metrics['finalEquity'],
        metrics['trades'],
        metrics['openTrades'],
        metrics['orders'],
        metrics['fills'],
        metrics['refused'],
      ]),
    ).toEqual([
      [false, 10_000, 10_000, 0, 1, 2, 1, null],
      [true, 10_000, 10_000, 0, 1, 0, 0, null],
      [true, 10_000, 10_000, 0, 1, 1, 0, null],
      [true, 10_000, 9_800, 1, 0, 0, 1, null],
    ]);
    expect(report.daily.firstDay).toBe(Math.floor(at(120) / (24 * HOUR_MS)));
  });

  test('keeps the entry while its own leg lasts', async () => {
    const { finalEquity, metrics } = await account([buys, { ...waits, fromMs: at(150) }]);
    // The coin that the limit bought at 90 is worth 100.
    expect([finalEquity, metrics['fills']]).toEqual(['10010', 2]);
  });

  test('of one leg is the trial that begins there', async () => {
    const stretch = { fromMs: at(120), toMs: at(190) };
    const [report, trial] = [await account([buys]), await bench.run(buys.params, stretch)];
    expect(trial).toEqual({ kind: 'ran', metrics: report.metrics, daily: report.daily });
    expect(report.stretches[0]?.metrics).toEqual({ ...report.metrics, intents: null, refused: null });
  });

  test('of the same params in every leg is the one of one leg', async () => {
    const same = [130, 150, 180].map((hour) => ({ ...buys, fromMs: at(hour) }));
    const { stretches: _many, ...many } = await account([{ ...buys, params: { leg: 1, buy: 10 } }, ...same]);
    const { stretches: _one, ...one } = await account([{ ...buys, params: { leg: 1, buy: 10 } }]);
    expect(many).toEqual(one);
  });

  test('hands the state of the strategy on, and one that stopped begins again with the next leg', async () => {
    const throws = { fromMs: at(150), params: { leg: 3, throws: true } };
    const { failures, finalEquity } = await account([buys, waits, throws, leaves]);
    expect(failures).toEqual([expect.stringContaining('expected calm, found leg 3 after 2')]);
    expect(finalEquity).toBe('10000');
  });

  test('tells what its params are refused for', async () => {
    const report = await bench.account({
      legs: [{ fromMs: at(120), params: { leg: 'one' } }],
      toMs: at(190),
      stretches: [],
    });
    expect(report).toMatchObject({ kind: 'failed', failure: 'refused' });
  });
});
