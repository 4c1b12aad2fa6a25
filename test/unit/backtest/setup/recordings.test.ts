import { expect, test } from 'vitest';
import { runPollBacktest, type PollRequest } from '../../../../src/backtest/poll-backtest.ts';
import { catalogueRecordings, packedRecordings } from '../../../../src/backtest/recordings.ts';
import { accountOverrides, strategiesOverride } from '../../../../src/backtest/run-setup.ts';
import { openCatalogue } from '../../../../src/daemon/open-catalogue.ts';
import { readBotConfig } from '../../../../src/daemon/read-bot-config.ts';
import { present } from '../../../../src/domain/errors.ts';
import { parseMarket } from '../../../../src/exchange/market-names.ts';
import { packMarket } from '../../../../src/recording/pack-market.ts';

const market = parseMarket('BTCUSDT').symbol;
const catalogue = openCatalogue('data/example');
const noonMs = Date.UTC(2026, 0, 5, 12);

function configOf(strategy: string): PollRequest['config'] {
  const reading = readBotConfig(null, {
    environment: {},
    workingFolder: process.cwd(),
    isOffline: true,
    overrides: [
      strategiesOverride({ strategy, markets: [market], timeframe: '1m' }),
      ...accountOverrides({ balances: { usdt: '10000' } }),
    ],
  });
  if (!reading.ok) throw new TypeError(reading.problems.join());
  return reading.config;
}

test.each([
  ['market-maker', noonMs, noonMs + 300_000],
  ['ma-cross', noonMs + 600_000, noonMs + 1_200_000],
])('%s does the same on packed recordings as on the catalogue', async (strategy, fromMs, toMs) => {
  const packed = present(await packMarket(catalogue, { market, toMs: noonMs + 1_800_000 }), 'recordings');
  const [one, other] = await Promise.all(
    [catalogueRecordings(catalogue), packedRecordings([packed])].map(async (recordings) => {
      const request = {
        config: configOf(strategy),
        recordings,
        fromMs,
        toMs,
        steps: {},
        currency: null,
        rules: {},
      };
      const { run } = await runPollBacktest(request);
      const { timing: _timing, ...rest } = run;
      return rest;
    }),
  );
  expect(other).toEqual(one);
  expect(one?.requests).toBeGreaterThan(100);
});
