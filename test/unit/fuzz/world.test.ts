import { describe, expect, test } from 'vitest';
import { Dice } from '../../../src/fuzz/dice.ts';
import { EXCHANGE_EVENTS } from '../../../src/fuzz/exchange-events.ts';
import { SECOND_HAND } from '../../../src/fuzz/swarm.ts';
import { BOT_USER, FuzzWorld } from '../../../src/fuzz/world.ts';

const START_MS = Date.UTC(2026, 0, 5, 12);
const createWorld = (seed = 1): FuzzWorld => new FuzzWorld({ seed, startMs: START_MS, clockSkewMs: 250 });

/** Everything of the world that a disturbance can change, as text. */
function stateOf({ exchange, bot, markets }: FuzzWorld): string {
  const { mayTrade, lacksClientIdLookup, fees } = bot;
  return JSON.stringify({
    mayTrade,
    lacksClientIdLookup,
    fees,
    newForMs: exchange.trading.settings.newForMs,
    wallets: exchange.accounts.walletsOf(BOT_USER).map(({ currency, total }) => [currency, String(total)]),
    orders: bot.orders.values().map(({ id, status }) => [id, status]),
    markets: markets.map(({ rules, isClosed, lastPrice }) => [rules.version, isClosed, lastPrice]),
  });
}

/** The bot's own order, far from the market. */
function placeFar(world: FuzzWorld): void {
  const market = world.markets[0]!;
  world.exchange.trading.place(
    BOT_USER,
    {
      market: market.rules.symbol,
      side: 'buy',
      execution: 'limit',
      mode: 'default',
      amount: 1_000,
      price: Math.round(market.lastPrice * 0.9),
      stopPrice: null,
      stopLimitPrice: null,
      clientOrderId: 'bot-1',
      pro: true,
    },
    world.advance(),
  );
}

describe('the world of the fuzzer', () => {
  test.each([...SECOND_HAND, ...EXCHANGE_EVENTS])(
    '$name changes something, and the books stay balanced',
    ({ act }) => {
      const world = createWorld();
      placeFar(world);
      const before = stateOf(world);
      const dice = new Dice(5);
      const states = new Set<string>();
      for (let count = 0; count < 10; count += 1) {
        act(world, dice, world.advance());
        states.add(stateOf(world));
      }
      states.delete(before);
      expect(states.size).toBeGreaterThan(0);
      for (const currency of world.exchange.accounts.houseCurrencies()) {
        expect(world.exchange.accounts.imbalanceOf(currency)).toBe(0n);
      }
    },
  );

  test('opens a halted market again', async () => {
    const world = createWorld();
    EXCHANGE_EVENTS.find(({ name }) => name === 'halt')!.act(world, new Dice(1), world.advance());
    expect(world.markets.filter(({ isClosed }) => isClosed)).toHaveLength(1);
    await world.time.run(START_MS + 31 * 60_000);
    expect(world.markets.filter(({ isClosed }) => isClosed)).toEqual([]);
  });

  test('lets a shock move a price by a share that wakes stops', () => {
    const shock = EXCHANGE_EVENTS.find(({ name }) => name === 'shock')!;
    const moves = Array.from({ length: 20 }, (_, seed) => {
      const world = createWorld();
      const timeMs = world.advance();
      const before = world.markets.map(({ lastPrice }) => lastPrice);
      shock.act(world, new Dice(seed), timeMs);
      return Math.max(
        ...world.markets.map(({ lastPrice }, index) => Math.abs(lastPrice / before[index]! - 1)),
      );
    });
    expect(Math.max(...moves)).toBeGreaterThan(0.005);
  });

  test('holds prices still while nobody else trades', async () => {
    const world = createWorld();
    world.setTrading(false);
    const before = world.markets.map(({ lastPrice }) => lastPrice);
    await world.time.run(START_MS + 600_000);
    world.advance();
    expect(world.markets.map(({ lastPrice }) => lastPrice)).toEqual(before);
    world.setTrading(true);
    await world.time.run(START_MS + 660_000);
    world.advance();
    expect(world.markets.map(({ lastPrice }) => lastPrice)).not.toEqual(before);
  });
});
