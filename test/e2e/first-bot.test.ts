import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { BudgetLedger } from '../../src/budget/ledger.ts';
import { Bot } from '../../src/daemon/bot.ts';
import { createVirtualClock } from '../../src/daemon/clock.ts';
import { BOT_TOKEN } from '../../src/daemon/embedded-exchange.ts';
import { RateGate } from '../../src/daemon/rate-gate.ts';
import { createSyntheticExchange } from '../../src/daemon/synthetic-exchange.ts';
import { formatUnits } from '../../src/domain/money.ts';
import { formatAmount } from '../../src/domain/market.ts';
import { ExchangeClient } from '../../src/exchange/client.ts';
import { Mirror } from '../../src/mirror/mirror.ts';
import { makerSide, takerSide } from '../../src/simulator/core/trading/trade.ts';
import { StrategyRunner } from '../../src/strategy/runner.ts';
import maCross from '../../strategies/ma-cross.ts';
import marketMaker from '../../strategies/market-maker.ts';
import { LIMITS } from '../contract/limits-table.ts';

const MINUTE_MS = 60_000;

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sarraf-e2e-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** The most of `times`, which rise, in any window, both its ends included. */
function mostWithin(times: readonly number[], windowMs: number): number {
  let first = 0;
  let most = 0;
  for (const [index, time] of times.entries()) {
    while ((times[first] ?? time) < time - windowMs) first += 1;
    most = Math.max(most, index - first + 1);
  }
  return most;
}

/** Runs the whole bot on the embedded exchange for a while of virtual time, and stops it. */
async function runBot(options: { readonly seed: number; readonly minutes: number }) {
  const clock = createVirtualClock(Date.UTC(2026, 0, 5, 12));
  const embedded = createSyntheticExchange({ clock, seed: options.seed, market: 'BTCUSDT' });
  const { market, simulation, span, venue } = embedded;
  const client = new ExchangeClient({
    transport: venue,
    credentials: { kind: 'token', token: BOT_TOKEN },
    nowMs: () => clock.now(),
  });
  const mirror = Mirror.replace(folder, 'mirror.sqlite', { writesAtOnce: 1_000 });
  const notices: string[] = [];
  const bot = new Bot({
    client,
    clock,
    gate: new RateGate({ ledger: new BudgetLedger(client.budgets.values()), clock, budgets: client.budgets }),
    mirror,
    listener: { onOrder: () => {}, onFill: () => {}, onNotice: (message) => notices.push(message) },
    markets: new Map([[market.symbol as string, market]]),
    runners: [maCross, marketMaker].map(
      (definition) => new StrategyRunner(definition, { market: market.symbol, span }),
    ),
    run: 'e2e',
  });
  const endMs = clock.now() + options.minutes * MINUTE_MS;
  await bot.start();
  while (clock.now() < endMs) await bot.step();
  const unfinished = await bot.stop();
  return { bot, exchange: simulation.exchange, log: simulation.door.log, market, mirror, notices, unfinished };
}

/** All that a short run wrote down. */
const journal = async (): Promise<unknown> => {
  const { mirror } = await runBot({ seed: 3, minutes: 10 });
  const rows = [mirror.orders.all(), mirror.orders.trades(), mirror.market.balances()];
  mirror.close();
  return rows;
};

describe('the first bot', () => {
  test('trades by both strategies, keeps to every limit, and leaves books that agree with the exchange', async () => {
    const { bot, exchange, log, market, mirror, notices, unfinished } = await runBot({ seed: 7, minutes: 30 });
    const trader = exchange.trading.trader(1);

    const fills = new Map(bot.seats.map(({ runner, account }) => [runner.name, account.fills]));
    expect(fills.get('ma-cross')).toBeGreaterThan(0);
    expect(fills.get('market-maker')).toBeGreaterThan(10);
    expect(notices.filter((notice) => notice.includes('stopped'))).toEqual([]);

    const requests = log.values();
    expect(requests).toHaveLength(log.count);
    expect(requests.filter(({ status }) => status !== 200)).toEqual([]);
    for (const { endpoints, limit, windowMs } of LIMITS) {
      const times = requests.filter(({ endpoint }) => endpoints.includes(endpoint ?? '')).map(({ timeMs }) => timeMs);
      expect(mostWithin(times, windowMs), endpoints.join(' ')).toBeLessThanOrEqual(limit);
    }

    expect([unfinished, trader.open.size]).toEqual([0, 0]);
    const accepted = mirror.orders.all().filter(({ venueId }) => venueId !== null);
    expect(
      accepted
        .map(({ venueId, clientOrderId, side, amount, matched, status }) => ({
          id: venueId,
          clientOrderId,
          side,
          amount,
          matched,
          status,
        }))
        .toSorted((left, right) => Number(left.id) - Number(right.id)),
    ).toEqual(
      trader.orders.values().map((order) => ({
        id: order.id,
        clientOrderId: order.clientOrderId,
        side: order.side,
        amount: formatAmount(market, order.amount as never),
        matched: formatAmount(market, order.matched as never),
        status: order.status,
      })),
    );

    const sides = trader.trades
      .values()
      .flatMap((trade) => [takerSide(trade), makerSide(trade)])
      .filter(({ order }) => order.trader === trader);
    expect(mirror.orders.trades()).toHaveLength(sides.length);
    expect(
      mirror.orders
        .trades()
        .map(({ venueId, clientOrderId, total, fee }) => [venueId, clientOrderId, total, fee].join(' '))
        .toSorted(),
    ).toEqual(
      sides
        .map(({ trade, order, total, fee }) =>
          [trade.id, order.clientOrderId, formatUnits(total), formatUnits(fee)].join(' '),
        )
        .toSorted(),
    );

    expect(mirror.market.balances()).toEqual(
      exchange.accounts
        .walletsOf(1)
        .map(({ currency, total, held }) => ({ currency, total: formatUnits(total), held: formatUnits(held) }))
        .toSorted((left, right) => (left.currency < right.currency ? -1 : 1)),
    );
    mirror.close();
  });

  test('does the same again with the same seed', async () => {
    const first = await journal();
    expect(await journal()).toEqual(first);
  });
});
