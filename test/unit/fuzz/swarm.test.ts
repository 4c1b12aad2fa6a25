import { describe, expect, test } from 'vitest';
import { budgetTable } from '../../../src/exchange/client-options.ts';
import { drawSwarm, SECOND_HAND } from '../../../src/fuzz/swarm.ts';
import { FAULT_KINDS } from '../../../src/simulator-server/fault-plan.ts';
import { Dice } from '../../../src/fuzz/dice.ts';
import { EXCHANGE_EVENTS } from '../../../src/fuzz/exchange-events.ts';
import { BOT_USER, FuzzWorld } from '../../../src/fuzz/world.ts';

const SEEDS = Array.from({ length: 100 }, (_, index) => index + 1);
const swarms = SEEDS.map((seed) => drawSwarm(seed, 6));
const kindsOf = (swarm: (typeof swarms)[number]) =>
  new Set(swarm.episodes.flatMap(({ rules }) => rules.map(({ kind }) => kind)));

describe('the swarm', () => {
  test('is the same for the same seed, and another for the next', () => {
    expect(drawSwarm(7, 6)).toEqual(drawSwarm(7, 6));
    expect(drawSwarm(8, 6)).not.toEqual(drawSwarm(7, 6));
  });

  test('gives no seed every kind of fault, and every kind to some seeds and not to others', () => {
    for (const kind of FAULT_KINDS) {
      const seeds = swarms.filter((swarm) => kindsOf(swarm).has(kind)).length;
      expect.soft(seeds, kind).toBeGreaterThan(10);
      expect.soft(seeds, kind).toBeLessThan(90);
    }
    expect(Math.max(...swarms.map((swarm) => kindsOf(swarm).size))).toBeLessThan(FAULT_KINDS.length);
  });

  test('has quiet phases between the episodes, which do not overlap and end with the run', () => {
    for (const { episodes, runMs } of swarms) {
      for (const [index, { fromMs, toMs }] of episodes.entries()) {
        expect(fromMs).toBeGreaterThan(episodes[index - 1]?.toMs ?? 0);
        expect(toMs).toBeLessThanOrEqual(runMs);
      }
    }
  });

  test('has the exchange stand still for a second to ten minutes', () => {
    const lengthsMs = swarms.flatMap(({ stalls }) => stalls.map(({ forMs }) => forMs));
    expect(Math.min(...lengthsMs)).toBeGreaterThanOrEqual(1_000);
    expect(Math.min(...lengthsMs)).toBeLessThan(5_000);
    expect(Math.max(...lengthsMs)).toBeLessThanOrEqual(600_000);
    expect(Math.max(...lengthsMs)).toBeGreaterThan(300_000);
  });

  test('has a slow disk in some seeds, and a machine that is too busy at times', () => {
    const slow = swarms.flatMap(({ slowMachine }) => slowMachine ?? []);
    expect(slow.length).toBeGreaterThan(10);
    expect(slow.length).toBeLessThan(40);
    expect(Math.max(...slow.map(({ commitMs: [, mostMs] }) => mostMs))).toBeGreaterThan(60);
    for (const { starved } of slow) {
      for (const [index, { fromMs, toMs }] of starved.entries()) {
        expect(fromMs).toBeGreaterThan(starved[index - 1]?.toMs ?? 0);
        expect(toMs).toBeGreaterThanOrEqual(fromMs);
      }
    }
  });

  test('has the exchange lower limits in some seeds, below what they are', () => {
    const spells = swarms.map(({ crowding }) => crowding).filter(({ length }) => length > 0);
    expect(spells.length).toBeGreaterThan(20);
    expect(spells.length).toBeLessThan(60);
    for (const { fromMs, toMs, limit, budget } of spells.flat()) {
      expect(toMs).toBeGreaterThan(fromMs);
      expect(limit).toBeGreaterThanOrEqual(2);
      expect(limit).toBeLessThan(budgetTable({}, 0).get(budget)?.limit ?? 0);
    }
  });

  test('resumes after every halt', () => {
    const controls = swarms.flatMap((swarm) => swarm.controls);
    const count = (kind: string): number => controls.filter((control) => control.kind === kind).length;
    expect(count('halt')).toBeGreaterThan(10);
    expect(count('resume')).toBe(count('halt'));
  });

  test('crashes, stops, steps the clock and disturbs in some seeds and not in others', () => {
    const facts = [
      (swarm: (typeof swarms)[number]) => swarm.crashesAtMs.length > 0,
      (swarm: (typeof swarms)[number]) => Object.values(swarm.crashes).some((probability) => probability > 0),
      (swarm: (typeof swarms)[number]) => swarm.stopsAtMs.length > 0,
      (swarm: (typeof swarms)[number]) => swarm.clockSteps.length > 0,
      (swarm: (typeof swarms)[number]) => swarm.stalls.length > 0,
      (swarm: (typeof swarms)[number]) => swarm.logsIn,
      (swarm: (typeof swarms)[number]) =>
        swarm.disturbances.some(({ disturbance }) => disturbance.name === 'deposit'),
    ];
    for (const fact of facts) {
      const seeds = swarms.filter(fact).length;
      expect(seeds).toBeGreaterThan(10);
      expect(seeds).toBeLessThan(90);
    }
  });
});

const START_MS = Date.UTC(2026, 0, 5, 12);
const createWorld = (seed = 1): FuzzWorld =>
  new FuzzWorld({ seed, startMs: START_MS, clockSkewMs: 250, tested: null });

/** Returns everything of the world that a disturbance can change, as text. */
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

/** Places an order of the bot, far from the market. */
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
      for (const currency of world.exchange.accounts.houseCurrencies())
        expect(world.exchange.accounts.imbalanceOf(currency)).toBe(0n);
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
