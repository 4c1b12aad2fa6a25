import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isoText } from '../../src/domain/time-text.ts';
import type { Timeframe } from '../../src/domain/candle.ts';
import { MirrorReader } from '../../src/mirror/mirror-reader.ts';
import { BotLife, createEmbeddedWorld, type EmbeddedWorld } from '../support/embedded-bot.ts';
import { folderOfThisTest } from '../support/temporary-folder.ts';

const MINUTE_MS = 60_000;
/** Step of bitcoin amounts. */
const STEP = 1e-6;

/** Opening time of the newest bar that the bot has, and true if it equals the bar of the exchange. */
function newest({ venue }: EmbeddedWorld, path: string, timeframe: Timeframe): readonly [string, boolean] {
  const reader = new MirrorReader(path);
  const [bar] = reader.markets.candles({ market: 'BTCUSDT', timeframe, last: 1 });
  reader.close();
  if (bar === undefined) throw new Error(`expected a bar of ${timeframe}`);
  const market = venue.simulation.exchange.marketOf('btc', 'usdt');
  const there = market?.candles.bars(timeframe).find(({ openTimeMs }) => openTimeMs === bar.openTimeMs);
  // Volumes of the exchange are whole steps.
  const steps = Math.round(Number(bar.volume) / STEP);
  return [isoText(bar.openTimeMs), there !== undefined && Math.round(there.volume) === steps];
}

const strategy = (name: string, timeframe: Timeframe) => ({
  name,
  plugin: 'ma-cross',
  market: 'BTCUSDT',
  timeframe,
  params: { fast: 2, slow: 3 },
});

// Worked out by hand. Tehran's clock went back from 24:00 of 2022-09-21 to 23:00, at 19:30 UTC. So the bar of
// 4 h that began at 15:30 UTC, and the day that began at 19:30 UTC of the 20th, both ended at 20:30 UTC: they
// were an hour longer than 4 h and a day.
test.each([
  ['Asia/Tehran', '19:32', '2022-09-21T11:30:00Z', '2022-09-19T19:30:00Z'],
  ['Asia/Tehran', '20:32', '2022-09-21T15:30:00Z', '2022-09-20T19:30:00Z'],
  ['UTC', '19:32', '2022-09-21T12:00:00Z', '2022-09-20T00:00:00Z'],
  ['UTC', '20:32', '2022-09-21T16:00:00Z', '2022-09-20T00:00:00Z'],
])('a bot has the bars of %s at %s UTC once their own end has passed', async (zone, clock, hours, day) => {
  const path = join(folderOfThisTest(), 'mirror.sqlite');
  const world = createEmbeddedWorld({
    seed: 5,
    startMs: Date.parse(`2022-09-21T${clock}:00Z`) - 5 * MINUTE_MS,
    config: {
      'embedded.exchange.candles.zone': zone,
      strategies: [strategy('hours', '4h'), strategy('days', '1d')],
    },
  });
  const life = await BotLife.prepare(world, path);
  life.bot.shell.start();
  await life.run(5 * MINUTE_MS);
  life.mirror.flush();
  expect(newest(world, path, '4h')).toEqual([hours, true]);
  expect(newest(world, path, '1d')).toEqual([day, true]);
  await life.drain();
  life.mirror.close();
});

// How far the exchange's clock is ahead of the bot's, in ms.
test.each([-60_000, -1_500, 8_000])(
  'a bar is kept once it has ended by the clock of the exchange, which differs by %i ms',
  async (clockSkewMs) => {
    const folder = folderOfThisTest();
    const path = join(folder, 'mirror.sqlite');
    const world = createEmbeddedWorld({
      seed: 5,
      config: {
        'embedded.exchange.faults.clockSkewMs': clockSkewMs,
        strategies: [strategy('minutes', '1m')],
      },
    });
    const life = await BotLife.prepare(world, path);
    life.bot.shell.start();
    const reader = new MirrorReader(path);
    const kept = () => {
      life.mirror.flush();
      return reader.markets.candles({ market: 'BTCUSDT', timeframe: '1m', last: 7 });
    };
    const sinceEndMs: number[] = [];
    await life.run(2 * MINUTE_MS);
    for (let step = 0; step < 120; step += 1) {
      await life.run(1_250);
      const [newest] = kept().slice(-1);
      sinceEndMs.push(world.time.now() + clockSkewMs - (newest?.openTimeMs ?? Number.NaN) - MINUTE_MS);
    }
    expect(Math.min(...sinceEndMs)).toBeGreaterThanOrEqual(0);
    // The next bar has come: as late as the bot's clock is, or after one more request.
    expect(Math.max(...sinceEndMs)).toBeLessThan(MINUTE_MS + 10_000);
    const market = world.venue.simulation.exchange.marketOf('btc', 'usdt');
    const theirs = new Map(market?.candles.bars('1m').map((bar) => [bar.openTimeMs, Math.round(bar.volume)]));
    const bars = kept();
    reader.close();
    expect(bars).toHaveLength(7);
    for (const { openTimeMs, volume } of bars)
      expect([openTimeMs, Math.round(Number(volume) / STEP)]).toEqual([openTimeMs, theirs.get(openTimeMs)]);
    await life.drain();
    life.mirror.close();
  },
);
