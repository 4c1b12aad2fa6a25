import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BudgetLedger } from '../../../src/budget/ledger.ts';
import { Bot } from '../../../src/daemon/bot.ts';
import type { Clock } from '../../../src/daemon/clock.ts';
import { RateGate } from '../../../src/daemon/rate-gate.ts';
import { formatAmount } from '../../../src/domain/market.ts';
import type { Amount } from '../../../src/domain/money.ts';
import { ExchangeClient } from '../../../src/exchange/client.ts';
import { Mirror } from '../../../src/mirror/mirror.ts';
import type { FaultRule } from '../../../src/simulator/faults/fault-rule.ts';
import { FaultPlan } from '../../../src/simulator/faults/fault-plan.ts';
import { SyntheticFlow } from '../../../src/simulator/flow/synthetic-flow.ts';
import { InProcessVenue } from '../../../src/simulator/in-process-venue.ts';
import { readExchangeConfig } from '../../../src/simulator/settings/exchange-config.ts';
import { createSimulation } from '../../../src/simulator/simulation.ts';
import type { StrategyDefinition } from '../../../src/strategy/definition.ts';
import { StrategyRunner } from '../../../src/strategy/runner.ts';

const START_MS = Date.UTC(2026, 0, 5, 12);
const BOT = 1;
const MARKET = 'BTCIRT';

/** Virtual time with several sleepers at once: the one that is due first wakes first. */
function createQueueClock(): Clock {
  let nowMs = START_MS;
  let order = 0;
  const sleepers: { readonly dueMs: number; readonly order: number; readonly wake: () => void }[] = [];
  const wakeFirst = (): void => {
    sleepers.sort((left, right) => left.dueMs - right.dueMs || left.order - right.order);
    const first = sleepers.shift();
    if (first === undefined) return;
    nowMs = Math.max(nowMs, first.dueMs);
    first.wake();
  };
  return {
    now: () => nowMs,
    sleepUntil: (timeMs) =>
      new Promise((wake) => {
        sleepers.push({ dueMs: Math.max(timeMs, nowMs), order: (order += 1), wake });
        // By then everybody who is awake has gone to sleep.
        setImmediate(wakeFirst);
      }),
  };
}

export interface FaultyRun {
  readonly unfinished: number;
  /** Orders of the bot that the exchange still has open. */
  readonly open: number;
  /** One text an order and one a fill, sorted: as the exchange has them, and as the mirror does. */
  readonly exchangeOrders: readonly string[];
  readonly mirrorOrders: readonly string[];
  readonly exchangeFills: readonly string[];
  readonly mirrorFills: readonly string[];
  /** Refusals by the exchange's own limits. */
  readonly limited: number;
  readonly notices: readonly string[];
  readonly requests: number;
}

/** A bot with a strategy, among synthetic traders, for some time of the market, while requests go wrong; then it stops, faults and all. */
export async function runWithFaults(options: {
  readonly rules: readonly FaultRule[];
  readonly strategies: readonly StrategyDefinition[];
  readonly forMs: number;
  readonly seed?: number;
  readonly clockSkewMs?: number;
}): Promise<FaultyRun> {
  const clock = createQueueClock();
  const seed = options.seed ?? 1;
  const lags = options.rules.some(({ kind }) => kind === 'lagging-lists');
  const simulation = createSimulation({
    config: readExchangeConfig({
      users: [{ username: 'bot', id: BOT, tokens: ['bot-token'], balances: { rls: '100000000000', btc: '2' } }],
      ...(lags ? { faults: { rules: [{ kind: 'lagging-lists', probability: 0 }] } } : {}),
    }),
    startMs: START_MS,
    seed,
  });
  const { exchange, faulty, door } = simulation;
  const flow = new SyntheticFlow({ exchange, seed, startMs: START_MS });
  const venue = new InProcessVenue({
    door: faulty,
    now: () => clock.now(),
    sleep: (durationMs) => clock.sleepUntil(clock.now() + durationMs),
    latencyMs: 50,
    world: {
      advance(timeMs) {
        flow.advance(timeMs);
        exchange.advance(timeMs);
      },
    },
  });
  const market = [...exchange.markets.values()].find(({ rules }) => rules.symbol === MARKET)!.rules;
  const folder = mkdtempSync(join(tmpdir(), 'sarraf-faults-'));
  const mirror = Mirror.replace(folder, 'mirror.sqlite', { writesAtOnce: 10_000 });
  const notices: string[] = [];
  const client = new ExchangeClient({
    transport: venue,
    credentials: { kind: 'token', token: 'bot-token' },
    nowMs: () => clock.now(),
  });
  const gate = new RateGate({ ledger: new BudgetLedger(client.budgets.values()), clock, budgets: client.budgets });
  const bot = new Bot({
    client,
    clock,
    gate,
    mirror,
    listener: { onOrder() {}, onFill() {}, onNotice: (message) => notices.push(message) },
    markets: new Map([[MARKET as string, market]]),
    runners: options.strategies.map((definition) => new StrategyRunner(definition, { market: MARKET, span: '1m' })),
    run: 'test',
  });
  await bot.start();
  faulty.plan = new FaultPlan({ seed, rules: options.rules, clockSkewMs: options.clockSkewMs });
  const endMs = clock.now() + options.forMs;
  while (clock.now() < endMs) await bot.step();
  const unfinished = await bot.stop();
  // Whatever was still on its way arrives.
  await clock.sleepUntil(clock.now() + 300_000);
  venue.faulty.door.exchange.advance(clock.now());
  const trader = exchange.trading.trader(BOT);
  const orders = [...trader.orders.values()];
  const ids = new Map(orders.map(({ id, clientOrderId }) => [id, clientOrderId]));
  faulty.plan = new FaultPlan();
  const trades = [];
  for await (const trade of client.iterateTrades({})) trades.push(trade);
  const result: FaultyRun = {
    unfinished,
    open: orders.filter(({ isOpen }) => isOpen).length,
    exchangeOrders: orders
      .map(
        ({ clientOrderId, status, matched }) => `${clientOrderId} ${status} ${formatAmount(market, matched as Amount)}`,
      )
      .toSorted(),
    mirrorOrders: mirror.orders
      .all()
      .filter(({ stage }) => stage !== 'refused')
      .map(({ clientOrderId, status, matched }) => `${clientOrderId} ${status} ${matched}`)
      .toSorted(),
    exchangeFills: trades
      .map(({ id, orderId, amount, fee }) => `${id} ${ids.get(orderId!)} ${amount} ${fee}`)
      .toSorted(),
    mirrorFills: mirror.orders
      .trades()
      .map(({ venueId, clientOrderId, amount, fee }) => `${venueId} ${clientOrderId} ${amount} ${fee}`)
      .toSorted(),
    limited: door.log.values().filter(({ status }) => status === 403 || status === 429).length,
    notices,
    requests: door.log.count,
  };
  mirror.close();
  rmSync(folder, { recursive: true });
  return result;
}
