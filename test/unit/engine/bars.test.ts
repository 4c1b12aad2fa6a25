import { expect, test } from 'vitest';
import { writeUnits } from '../../../src/domain/stored-json.ts';
import { z } from 'zod';
import { BarFeed } from '../../../src/backtest/bar-queue.ts';
import { BarFillSimulator } from '../../../src/venues/bar-fill-simulator.ts';
import { candleAt } from '../../../src/domain/candle-columns.ts';
import { parseUnits, unitsOf } from '../../../src/domain/money.ts';
import type { WalletReading } from '../../../src/venues/port.ts';
import type { EngineOutput, EngineEvent } from '../../../src/engine/engine-event.ts';
import { DEFAULT_ENGINE_TIMES, type ErrorPolicy } from '../../../src/engine/engine-settings.ts';
import { Engine } from '../../../src/engine/engine.ts';
import { EMPTY_MIRROR_STATE } from '../../../src/engine/mirror-change.ts';
import { isFinal } from '../../../src/records/order.ts';
import { createRiskLimits } from '../../../src/engine/risk-limits.ts';
import { defineStrategy, type StrategyDefinition } from '../../../src/strategy/definition.ts';
import { FROM_MS, RIAL, TETHER, walkOf } from '../backtest/candle-run.ts';
import { deepRuns } from '../../support/deep-runs.ts';
import { runnerOn } from '../../support/runner-on.ts';

const BARS = deepRuns(600, 300);
const HOUR_MS = 3_600_000;
const MARKETS = [TETHER, RIAL];

/** Returns a number below `most` that looks random but is always the same for a text. */
function pick(of: string, most: number): number {
  let hash = 2_166_136_261;
  for (const letter of of) hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 16_777_619);
  return ((hash ^ (hash >>> 15)) >>> 0) % most;
}

/** Makes a strategy that places orders and throws now and then, and logs all that it receives and sees. */
function nosy(name: string, of: { readonly lines: string[]; readonly throws: boolean }): StrategyDefinition {
  const { lines } = of;
  return defineStrategy({
    name,
    state: z.strictObject({ seen: z.int().default(0) }),
    data: ({ market, markets, timer }) => ({
      bars: [
        ...MARKETS.map(({ symbol }) => markets.of(symbol).candles('1h', { history: 2 })),
        market.candles('4h'),
      ],
      six: timer('0 */6 * * *'),
    }),
    on: {
      start: (ctx) => void lines.push(`${name} start ${ctx.nowMs}`),
      six: (ctx, { dueMs }) => {
        lines.push(`${name} timer ${dueMs} ${ctx.nowMs}`);
        if (pick(`${name} timer ${dueMs}`, 4) === 0) ctx.cancelAll();
      },
      fill: (ctx, { clientOrderId, amount }) => {
        lines.push(`${name} fill ${clientOrderId} ${amount} ${ctx.nowMs}`);
      },
      order: (ctx, { clientOrderId, status }) => {
        lines.push(`${name} order ${clientOrderId} ${status} ${ctx.nowMs}`);
      },
      reject: (ctx, { code }) => void lines.push(`${name} reject ${code} ${ctx.nowMs}`),
      bars: (ctx, bar) => {
        const { market, timeframe, openTimeMs, close, seenAtMs } = bar;
        const own = ctx.orders.map(({ clientOrderId, state }) => `${clientOrderId} ${state}`);
        const { seen } = ctx.state;
        const there = ctx.markets.of(market);
        lines.push(
          `${name} ${market} ${timeframe} ${openTimeMs} ${close} ${seenAtMs} at ${ctx.nowMs}: ${seen}, ${ctx.equity}, ${there.ages.candles}, ${own.join('; ')}`,
        );
        const what = pick(`${name} ${market} ${timeframe} ${openTimeMs}`, 40);
        if (of.throws && what === 0) throw new Error('does not like it');
        const wish = { amount: '0.001', price: close };
        if (what === 1) there.buy(wish);
        if (what === 1) there.sell(wish);
        if (what === 2) there.buy({ amount: 0.002 });
        if (what === 3) there.target({ position: 0.01 });
        if (what === 4) there.quotes([{ side: 'buy', ...wish }]);
        if (what === 5) ctx.cancelAll(market);
        if (what === 6) there.sell({ amount: 1000 });
        ctx.setState({ seen: seen + 1 });
      },
    },
  });
}

/**
 * Runs an engine over the bars of two markets, and returns its events and requests as lines. Without a
 * journal the engine takes its short route.
 */
function life(isJournaled: boolean): readonly string[] {
  const lines: string[] = [];
  const instance = (name: string, onError: ErrorPolicy, market: string) => ({
    runner: runnerOn(nosy(name, { lines, throws: onError !== 'cancel' || name === 'third' }), market, '1h'),
    onError,
    pauseMs: 5 * HOUR_MS,
    limits: createRiskLimits(),
    capital: {},
  });
  const rates = { maker: 1_000, taker: 2_000 };
  const venue = new BarFillSimulator({
    markets: MARKETS,
    fees: { rls: rates, usdt: rates },
    balances: { usdt: parseUnits('50000'), rls: parseUnits('50000000000'), btc: parseUnits('1') },
  });
  const engine = new Engine(
    {
      ...DEFAULT_ENGINE_TIMES,
      instance: 'bars',
      venue: venue.profile,
      markets: MARKETS,
      instances: [
        instance('first', 'pause', 'BTCUSDT'),
        instance('second', 'cancel', 'BTCIRT'),
        instance('third', 'stop', 'BTCUSDT'),
      ],
      feeds: [],
      reconciliation: null,
      isRestartable: false,
      isJournaled,
    },
    { ...EMPTY_MIRROR_STATE, epoch: 'bars' },
    FROM_MS,
  );
  const wake = { atMs: Number.POSITIVE_INFINITY };
  const news = (atMs: number): EngineEvent[] => {
    const { orders, trades, walletsChanged } = venue.drain();
    if (orders.length === 0 && trades.length === 0 && !walletsChanged) return [];
    const answer = venue.answer({ kind: 'wallets' }, atMs);
    if (answer.outcome !== 'value') throw new Error('expected wallets');
    return [{ kind: 'account', atMs, orders, trades, wallets: answer.value as readonly WalletReading[] }];
  };
  const take = ({ changes, requests, notices, wakeAtMs }: EngineOutput, atMs: number): EngineEvent[] => {
    wake.atMs = wakeAtMs;
    for (const change of changes) {
      // The states of an order between plan and end are written only where there is a journal.
      if (change.kind === 'order' && (change.order.state === 'planned' || isFinal(change.order)))
        lines.push(`entered ${change.order.key} ${change.order.state} at ${atMs}`);
      if (change.kind === 'fill') lines.push(`entered fill ${change.fill.tradeId} at ${atMs}`);
    }
    for (const notice of notices) if (notice.kind === 'notice') lines.push(`said ${notice.message}`);
    const answers = requests.map(({ id, call }): EngineEvent => {
      lines.push(`asked ${JSON.stringify(call, writeUnits)} at ${atMs}`);
      return { kind: 'answer', atMs, requestId: id, sentAtMs: atMs, answer: venue.answer(call, atMs) };
    });
    return answers.length === 0 ? [] : [...answers, ...news(atMs)];
  };
  const follow = (events: EngineEvent[]): void => {
    for (let next = events.shift(); next !== undefined; next = events.shift())
      events.push(...take(engine.step(next), next.atMs));
  };
  const step = (event: EngineEvent): void => follow([event]);
  const tapes = [
    walkOf(TETHER, { bars: BARS, seed: 3, price: 100_000 }),
    walkOf(RIAL, { bars: BARS, seed: 8, price: 9_000_000_000 }),
  ];
  const queues = tapes.map((columns) => ({
    columns,
    feeds: [new BarFeed(columns, '1h'), new BarFeed(columns, '4h')],
  }));
  const closed = { index: -1 };
  for (const { columns } of queues) {
    engine.markets.followBars(columns.market, {
      get closedMs() {
        return FROM_MS + (closed.index + 1) * HOUR_MS;
      },
      get nextClosedMs() {
        return FROM_MS + (closed.index + 2) * HOUR_MS;
      },
      get close() {
        return closed.index === -1 ? null : unitsOf(candleAt(columns, closed.index).close);
      },
    });
  }
  const wallets = venue.answer({ kind: 'wallets' }, FROM_MS);
  if (wallets.outcome !== 'value') throw new Error('expected wallets');
  step({
    kind: 'account',
    atMs: FROM_MS,
    orders: [],
    trades: [],
    wallets: wallets.value as readonly WalletReading[],
  });
  for (let index = 0; index < BARS; index += 1) {
    const atMs = FROM_MS + (index + 1) * HOUR_MS;
    while (wake.atMs < atMs) step({ kind: 'tick', atMs: wake.atMs });
    for (const [place, { columns }] of queues.entries()) venue.onCandle(place, columns, index);
    closed.index = index;
    for (const event of news(atMs)) step(event);
    if (index === BARS / 3)
      step({ kind: 'control', atMs, command: { kind: 'halt', reason: 'test', wholeAccount: false } });
    if (index === BARS / 2) step({ kind: 'control', atMs, command: { kind: 'resume' } });
    for (const { feeds } of queues) {
      for (const bar of feeds.flatMap((feed) => feed.closedBy(index)))
        follow(take(engine.stepBar(bar, atMs, engine.listenersTo(bar.market, bar.timeframe)), atMs));
    }
    lines.push(`wakes at ${wake.atMs}`);
  }
  return lines;
}

const SHORT = life(false);

test('a bar that goes straight to its strategies is seen and answered as one that waits for its turn', () => {
  expect(SHORT).toEqual(life(true));
  const counts = (what: RegExp): number => SHORT.filter((line) => what.test(line)).length;
  expect(counts(/^first BTC\w+ 1h /)).toBeGreaterThan(BARS);
  expect(counts(/^second BTC\w+ 1h /)).toBe(2 * BARS);
  expect(counts(/^third BTC/)).toBeLessThan(BARS);
  for (const what of [
    / pauses for /,
    /third is stopped/,
    / timer /,
    / reject closed/,
    / fill /,
    /"kind":"place"/,
    /"cancel"/,
  ]) {
    expect(counts(what), String(what)).toBeGreaterThan(0);
  }
});

test('strategies are started in their own order', () => {
  const started = SHORT.filter((line) => line.includes(' start '));
  expect(started.map((line) => line.split(' ')[0])).toEqual(['first', 'second', 'third']);
});
