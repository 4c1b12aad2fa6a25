import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readShadows, type ShadowComparison } from '../../src/daemon/compare-shadow.ts';
import { readConfig } from '../../src/cli/read-config.ts';
import { readShadowNotes, shadowFolder } from '../../src/daemon/shadow-note.ts';
import { closing } from '../../src/domain/closing.ts';
import { MirrorReader } from '../../src/mirror/mirror-reader.ts';
import { runEmbedded } from '../support/embedded-bot.ts';
import { folderOfEachTest } from '../support/temporary-folder.ts';

const START_MS = Date.UTC(2026, 0, 5, 12, 0, 17);
const QUARTER_OF_AN_HOUR_MS = 900_000;

const folder = folderOfEachTest();

/** Runs two strategies for a quarter of an hour in virtual time. */
async function run(name: string, shadow: object | null, lengthMs = QUARTER_OF_AN_HOUR_MS) {
  const data = join(folder, name);
  const params = { fast: 3, slow: 8 };
  const strategies = [
    { plugin: 'ma-cross', market: 'BTCIRT', params, ...(shadow === null ? {} : { shadow }) },
    { plugin: 'market-maker', market: 'BTCIRT' },
  ];
  const overrides = { 'embedded.seed': 5, 'data.folder': data, strategies };
  return { ...(await runEmbedded(overrides, { startMs: START_MS, lengthMs })), data };
}

/** Returns all that the bot did at the exchange. */
function tradingOf(data: string): unknown {
  using mirror = closing(new MirrorReader(join(data, 'embedded.sqlite')));
  const all = { strategy: null, market: null, last: 100_000 };
  const orders = mirror.orders({ ...all, state: 'all' });
  // Every mirror has a mark of its own in the ids.
  return {
    orders: orders.map(({ key: _key, clientOrderId: _id, ...order }) => order),
    fills: mirror.fills(all).length,
  };
}

describe('a shadow', () => {
  test('trades on paper on what the bot reads, and changes nothing that the bot does or sends', async () => {
    const alone = await run('alone', null);
    const { data, lines, summary } = await run('beside', { name: 'quick', params: { fast: 2, slow: 4 } });
    expect(summary.endpoints).toEqual(alone.summary.endpoints);
    expect(tradingOf(data)).toEqual(tradingOf(alone.data));
    expect(existsSync(join(alone.data, 'shadows'))).toBe(false);
    expect(lines.filter((line) => line.includes('quick'))).toEqual([
      expect.stringContaining('quick decides beside ma-cross on the same market data'),
    ]);
    const note = readShadowNotes(data).get('quick');
    expect(note).toMatchObject({ of: 'ma-cross', profits: { shadow: '0' } });
    using live = closing(new MirrorReader(join(data, 'embedded.sqlite')));
    using own = closing(new MirrorReader(join(shadowFolder(data, 'quick'), 'embedded.sqlite')));
    const [compared] = readShadows(data, live);
    const { shadow, onlyShadow, same, live: ofLive, isPromoted } = compared as ShadowComparison;
    expect(isPromoted).toBe(false);
    expect(shadow.setup).toMatchObject({ file: ofLive.setup['file'], fast: '2', slow: '4' });
    expect(shadow.fills).toBeGreaterThan(0);
    expect(shadow.profit).not.toBeNull();
    expect(onlyShadow + same).toBe(shadow.orders);
    expect(shadow.orders).toBeGreaterThan(ofLive.orders);
    // Both know the same closed bars.
    const of = { market: 'BTCIRT', timeframe: '1m', last: 1_000 } as const;
    const bars = own.markets.candles(of);
    expect(bars.length).toBeGreaterThan(20);
    expect(live.markets.candles(of)).toEqual(expect.arrayContaining([...bars]));
  });

  test('with the same code and params decides as the strategy does', async () => {
    const { data } = await run('same', {});
    using live = closing(new MirrorReader(join(data, 'embedded.sqlite')));
    const [found] = readShadows(data, live);
    const compared = found as ShadowComparison;
    expect(compared.same).toBeGreaterThan(0);
    expect([compared.onlyLive, compared.onlyShadow]).toEqual([0, 0]);
  });

  test.each([
    [{ plugin: 'nothing' }, 'expected one of the strategies in'],
    [{ params: { fast: 0 } }, 'fast'],
    [{ params: { timeframe: '5m' } }, 'candles BTCIRT 5m'],
  ])('that cannot run is reported, and the bot trades without it: %o', async (shadow, reason) => {
    const { lines, summary } = await run('beside', shadow, 60_000);
    const line = lines.find((text) => text.includes('the shadow ma-cross-2 does not run'));
    expect(line).toContain('the bot goes on without it');
    expect(lines.join('\n')).toContain(reason);
    expect(summary.strategies.map(({ strategy }) => strategy)).toEqual(['ma-cross', 'market-maker']);
  });

  test('is not made of a strategy with a universe', () => {
    const universe = { quote: 'rls', rankBy: 'volume24h', take: 2 };
    const strategies = [{ plugin: 'ma-cross', universe, shadow: {} }];
    expect(() => readConfig(null, [['strategies', JSON.stringify(strategies)]])).toThrow(
      'expected a shadow of a strategy with market, was one with universe',
    );
  });

  test('needs a name that no other strategy has', () => {
    const strategies = [{ plugin: 'ma-cross', market: 'BTCIRT', shadow: { name: 'ma-cross' } }];
    expect(() => readConfig(null, [['strategies', JSON.stringify(strategies)]])).toThrow(
      'expected a name that no other strategy has, strategies[0] is ma-cross too',
    );
  });
});
