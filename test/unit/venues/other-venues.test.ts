import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { otherMarketOf, otherMarketText } from '../../../src/domain/market-symbol.ts';
import { readBotConfig } from '../../../src/daemon/read-bot-config.ts';
import { createBotConfig, botConfig } from '../../../src/daemon/create-bot-config.ts';
import { marketsOf, requiredMarkets } from '../../../src/engine/strategy-instance.ts';
import type { DataSetup } from '../../../src/strategy/data/data.ts';
import { defineStrategy } from '../../../src/strategy/sdk.ts';
import { loadOtherVenues } from '../../../src/venues/other-venues.ts';
import { runnerOn } from '../../support/runner-on.ts';
import { sarrafHere } from '../../support/sarraf-here.ts';
import { folderOfEachTest } from '../../support/temporary-folder.ts';

const folder = folderOfEachTest();

type Setup = DataSetup<unknown>;

/** Returns a strategy that reads one book of another venue. */
const reading = (data: (setup: Setup) => ReturnType<ReturnType<Setup['venue']>['book']>) =>
  defineStrategy({ name: 'reader', data: (setup) => ({ world: data(setup) }), on: {} });

const ofWorld = reading(({ venue }) => venue('world').book('BTCUSDT'));

/** Returns the problems of a configuration, without their places. */
function problemsOf(text: string): readonly string[] {
  const read = readBotConfig('/bots/bot.yaml', {
    environment: {},
    workingFolder: '/work',
    readFile: () => ({ text, isOpenToAll: false }),
  });
  return read.ok ? [] : read.problems.map((line) => line.replace(/^bot\.yaml:\d+:\d+: /, ''));
}

const PAPER = 'mode: paper\npaper: { baseUrl: https://exchange.example }\nvenues:\n  world: ';

describe('a market of another venue', () => {
  test('has a text of its own, with the symbol as that venue writes it', () => {
    const text = otherMarketText({ venue: 'world', symbol: 'btc_usdt.P' });
    expect(text).toBe('world:btc_usdt.P');
    expect(otherMarketOf(text)).toEqual({ venue: 'world', symbol: 'btc_usdt.P' });
    for (const own of ['BTCIRT', 'World:BTC', 'world:', 'world:a:b', 'world:../x', ':BTC'])
      expect(otherMarketOf(own)).toBeNull();
  });

  test.each(['BTC/USDT', '', '../../etc', '.hidden', 'B'.repeat(41)])('is no symbol such as %j', (symbol) => {
    const strategy = reading(({ venue }) => venue('world').book(symbol));
    expect(() => runnerOn(strategy, 'BTCIRT', '1h')).toThrow('expected a symbol of at most 40 letters');
  });

  test('is none that the bot could trade in', () => {
    const { market, subscriptions } = runnerOn(ofWorld, 'BTCIRT', '1h');
    expect(subscriptions).toEqual([
      { kind: 'book', market: 'world:BTCUSDT', everyMs: 2_000, maxAgeMs: 30_000 },
    ]);
    expect(marketsOf({ market, subscriptions })).toEqual(['BTCIRT']);
    expect(requiredMarkets({ market, subscriptions })).toEqual(['BTCIRT']);
    const asMarket = reading(({ markets }) => markets.of('world:BTCUSDT').book());
    expect(() => runnerOn(asMarket, 'BTCIRT', '1h')).toThrow('expected a market such as "BTCIRT"');
  });
});

describe('a strategy that reads another venue', () => {
  test('names one of the configuration', () => {
    expect(() => runnerOn(ofWorld, 'BTCIRT', '1h', { venues: { binance: null } })).toThrow(
      'venue("world"): expected one of the venues of the configuration (binance): add it to venues, with its venue and baseUrl',
    );
    expect(() => runnerOn(ofWorld, 'BTCIRT', '1h', { venues: {} })).toThrow('(it has none)');
  });

  test('accepts no older data than the configuration allows', () => {
    const ages = [null, 5_000, 1_000].map(
      (world) => runnerOn(ofWorld, 'BTCIRT', '1h', { venues: { world } }).subscriptions[0],
    );
    expect(ages).toMatchObject([
      { everyMs: 2_000, maxAgeMs: 30_000 },
      { everyMs: 2_000, maxAgeMs: 5_000 },
      { everyMs: 1_000, maxAgeMs: 1_000 },
    ]);
  });

  test('is refused by a backtest on candles, with the remedy', () => {
    expect(() => runnerOn(ofWorld, 'BTCIRT', '1h', { hasBooks: false })).toThrow(
      'venue("world"): expected a backtest on recorded books, since candles have no prices of another venue: record both with "sarraf run --record", then run it with --fidelity poll',
    );
  });
});

describe('venues of a configuration', () => {
  test.each([
    ['{ baseUrl: https://world.example, venue: ./tiny.ts, maxAge: 10s, limits: {} }', []],
    ['{ baseUrl: http://127.0.0.1:7070 }', []],
    ['{ venue: ./tiny.ts }', ['venues.world.baseUrl: expected an address such as https://exchange.example']],
    [
      '{ baseUrl: http://world.example }',
      ['venues.world.baseUrl: expected an https address, as prices can be read and changed on the way'],
    ],
    [
      '{ baseUrl: https://world.example, credentials: { token: abc } }',
      ['venues.world.credentials: unknown key'],
    ],
    [
      '{ baseUrl: https://world.example, limits: { v2/orderbok: { limit: 5, window: 1m } } }',
      ['venues.world.limits.v2/orderbok: unknown key, did you mean v2/orderbook?'],
    ],
    ['{ baseUrl: https://world.example, maxAge: 3x }', ['venues.world.maxAge: expected a length of time']],
  ])('are checked: %s', (world, starts) => {
    const problems = problemsOf(`${PAPER}${world}`);
    expect(problems).toHaveLength(starts.length);
    starts.forEach((start, index) => expect(problems[index]).toContain(start));
  });

  test('have names of their own form, and a market of now', () => {
    const wrongName = problemsOf(`${PAPER.replace('world', 'The World')}{ baseUrl: https://world.example }`);
    expect(wrongName.join()).toContain('expected a name of at most 20 lower-case letters');
    const inVirtualTime = 'embedded: { speed: 10 }\nvenues: { world: { baseUrl: https://world.example } }';
    expect(problemsOf(inVirtualTime).join()).toContain('expected embedded.speed 1 and no replay');
  });

  test('have their limits and costs in the plan, apart from those of the own exchange', async () => {
    const strategies = [
      { plugin: resolve('strategies/market-maker.ts'), market: 'BTCUSDT', params: { world: WORLD } },
    ];
    const venues = {
      world: { baseUrl: 'https://world.example', venue: resolve('config/venues/tiny.ts'), maxAge: '8s' },
    };
    const { code, out, error } = await sarrafHere([
      'plan',
      '--set',
      'mode="paper"',
      '--set',
      'paper.baseUrl="https://exchange.example"',
      '--set',
      `venues=${JSON.stringify(venues)}`,
      '--set',
      `strategies=${JSON.stringify(strategies)}`,
    ]);
    expect({ code, error }).toEqual({ code: 0, error: '' });
    expect(out).toMatch(/^ {2}book world:BTCUSDT +2 s +2 s +3\.5 s +8 s +market-maker$/m);
    expect(out).toMatch(/^ {2}world:markets +30 +58 +28$/m);
    expect(out).toMatch(/^ {2}v2\/orderbook +30 +58 +28$/m);
    expect(out).toMatch(/^ {2}book BTCUSDT /m);
  });

  test('that cannot be loaded are named by their setting', async () => {
    const read = botConfig.parse({
      venues: { world: { baseUrl: 'https://world.example', venue: './nothing.ts' } },
    });
    const { venues } = createBotConfig(read, { folder, workingFolder: folder, exchange: null });
    await expect(loadOtherVenues(venues)).rejects.toThrow('venues.world.venue "./nothing.ts": expected');
  });

  test('of the example are read', () => {
    const text = readFileSync(join('config', 'world.yaml'), 'utf8');
    const environment = { EXCHANGE_URL: 'https://exchange.example', WORLD_URL: 'https://world.example' };
    const readFile = () => ({ text, isOpenToAll: false });
    const read = readBotConfig('/bots/bot.yaml', { environment, workingFolder: '/work', readFile });
    expect(read).toMatchObject({
      ok: true,
      config: {
        venues: { world: { baseUrl: 'https://world.example', maxAgeMs: 10_000, credentials: null } },
      },
    });
  });
});

const WORLD = { venue: 'world', symbol: 'BTCUSDT' };
