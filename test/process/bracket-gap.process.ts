import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { truthOf, type ExchangeTruth } from '../../src/fuzz/checkers/exchange-truth.ts';
import { FaultPlan } from '../../src/simulator-server/fault-plan.ts';
import { BotLife, createEmbeddedWorld } from '../support/embedded-bot.ts';
import { folderOfThisTest } from '../support/temporary-folder.ts';

const MARKET = 'BTCUSDT';
const HALF_AN_HOUR_MS = 1_800_000;
const REPLY_MS = 200;
/** A value of this many least order values is enough for an exit at any of its prices. */
const CLEARLY_ENOUGH = 2n;

/** Names of the rows in the table of docs/bracket-rules.md, by what came before the gap. */
const ROWS = {
  move: 'an exit that had not filled was moved or resized',
  exit: 'an exit had filled in part',
  entry: 'the entry began to fill',
} as const;

type Cause = keyof typeof ROWS;

interface Gap {
  readonly lastsMs: number;
  readonly cause: Cause;
}

/**
 * Times in which a position worth an order had no sale at the exchange, by its own orders and trades. All
 * trades there are of brackets. The last one does not count, as the run ends in it.
 */
function gapsOf({ orders, fills }: ExchangeTruth, minOrderValue: bigint): readonly Gap[] {
  const sales = orders.filter(({ side }) => side === 'sell');
  const valueAt = (atMs: number): bigint => {
    const past = fills.filter((fill) => fill.atMs <= atMs);
    const held = past.reduce(
      (sum, { side, amount, fee }) => (side === 'buy' ? sum + amount - fee : sum - amount),
      0n,
    );
    const last = past.at(-1);
    return last === undefined ? 0n : (held * last.total) / last.amount;
  };
  const restsAt = (atMs: number): boolean =>
    sales.some(({ openedAtMs, closedAtMs }) => openedAtMs <= atMs && (closedAtMs ?? Infinity) > atMs);
  const causeAt = (atMs: number): Cause => {
    const closed = sales.filter(({ closedAtMs }) => closedAtMs === atMs);
    if (closed.length === 0) return 'entry';
    return closed.some(({ matched }) => matched > 0n) ? 'exit' : 'move';
  };
  const times = [
    ...orders.flatMap(({ openedAtMs, closedAtMs }) => [openedAtMs, closedAtMs ?? openedAtMs]),
    ...fills.map(({ atMs }) => atMs),
  ].toSorted((left, right) => left - right);
  const gaps: Gap[] = [];
  let since: number | null = null;
  for (const atMs of new Set(times)) {
    const isBare = valueAt(atMs) >= CLEARLY_ENOUGH * minOrderValue && !restsAt(atMs);
    if (isBare) since ??= atMs;
    else if (since !== null) {
      gaps.push({ lastsMs: atMs - since, cause: causeAt(since) });
      since = null;
    }
  }
  return gaps;
}

/** Reads the figures of the page: how many gaps of a kind there were, and the longest in ms. */
function statedOf(page: string, cause: Cause): { readonly count: number; readonly longestMs: number } {
  const row = new RegExp(String.raw`^\| ${ROWS[cause]} +\| +(\d+) +\| +([\d.]+) s +\|$`, 'm').exec(page);
  return { count: Number(row?.[1]), longestMs: Math.round(Number(row?.[2]) * 1_000) };
}

test('a quiet bot leaves its positions without an exit no longer than docs/bracket-rules.md states', async () => {
  const folder = folderOfThisTest();
  const world = createEmbeddedWorld({
    seed: 3,
    config: {
      strategies: [{ plugin: resolve('test/support/plugins/always-in.ts'), market: MARKET }],
      'embedded.exchange': { trading: { recordVersions: true } },
    },
  });
  const { exchange, faulty } = world.venue.simulation;
  faulty.plan = new FaultPlan({ seed: 1, rules: [{ kind: 'delay', delayMs: REPLY_MS }] });
  const life = await BotLife.prepare(world, join(folder, 'mirror.sqlite'));
  life.bot.shell.start();
  await life.run(HALF_AN_HOUR_MS);
  await life.drop();

  const rules = [...exchange.markets.values()].find((one) => one.rules.symbol === MARKET)?.rules;
  const gaps = gapsOf(truthOf(exchange, world.userId), rules?.minOrderValue ?? 0n);
  const found = (cause: Cause): readonly number[] =>
    gaps.flatMap((gap) => (gap.cause === cause ? [gap.lastsMs] : []));
  const page = readFileSync('docs/bracket-rules.md', 'utf8');
  for (const cause of ['move', 'exit', 'entry'] as const) {
    const [lasts, stated] = [found(cause), statedOf(page, cause)];
    const longestMs = Math.max(...lasts);
    // Other orders at other times give other counts, but of the same size.
    expect(lasts.length).toBeGreaterThan(stated.count / 2);
    expect(longestMs).toBeLessThanOrEqual(stated.longestMs);
  }
  // One cancel, a look-up of the other leg and one order, each of one reply; where the exchange refuses the
  // pair, the stop of it too.
  expect(new Set(found('move').slice(0, 90))).toEqual(new Set([3 * REPLY_MS]));
  expect(Math.max(...found('move'))).toBe(4 * REPLY_MS);
});
