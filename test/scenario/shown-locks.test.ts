import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { loadStrategy } from '../../src/plugins/load-strategy.ts';
import { defineStrategy, type StrategyDefinition } from '../../src/strategy/definition.ts';
import { SCRIPT_START_MS } from '../../src/backtest/scripted-market.ts';
import { runOnBooks, runStrategy, type ScriptedRun } from '../../src/testing.ts';
import { folderOfThisTest } from '../support/temporary-folder.ts';

const MINUTE_MS = 60_000;

/**
 * A strategy that logs the locks it sees at the close of each bar, and then acts by a letter: `b`uys one,
 * `s`ells one, buys with a `B`racket and its stop.
 */
const looking = (deeds: string): StrategyDefinition =>
  defineStrategy({
    name: 'looking',
    params: z.strictObject({}),
    state: z.strictObject({ bars: z.int().default(0) }),
    data: ({ market }) => ({ bars: market.candles('1m') }),
    on: {
      bars(ctx) {
        const deed = deeds[ctx.state.bars] ?? '.';
        ctx.setState({ bars: ctx.state.bars + 1 });
        ctx.log(
          ctx.locks
            .map(({ name, kind, market, strategy, endsAtMs }) => {
              const scope = [market, strategy].filter((part) => part !== null).join('/') || 'all';
              const end = (endsAtMs - SCRIPT_START_MS) / MINUTE_MS;
              return `${name === kind ? name : `${name} (${kind})`} of ${scope} up to ${Math.round(end)}`;
            })
            .join(', ') || '-',
        );
        if (deed === 'b') ctx.buy({ amount: 1 });
        if (deed === 's') ctx.sell({ amount: 1 });
        if (deed === 'B') ctx.bracket({ entry: { amount: 1 }, stopLoss: { percent: 5 } });
      },
    },
  });

interface Row {
  readonly what: string;
  readonly deeds: string;
  readonly bars: readonly number[];
  readonly locks: readonly unknown[];
  /** Locks seen at the closes of the bars, the first at minute 1. */
  readonly seen: readonly string[];
  /** Codes of the refusals, each once. */
  readonly refused: readonly string[];
}

const flat = (bars: number): number[] => Array.from({ length: bars }, () => 100);

const ROWS: readonly Row[] = [
  {
    what: 'none without rules',
    deeds: 'bs.',
    bars: flat(4),
    locks: [],
    seen: ['-', '-', '-', '-'],
    refused: [],
  },
  {
    what: 'one of the market, from the exit to its end between two bars',
    deeds: 'bs..',
    bars: flat(6),
    locks: [{ kind: 'cooldown', for: '90s' }],
    seen: ['-', '-', 'cooldown of BTCUSDT up to 4', '-', '-', '-'],
    refused: [],
  },
  {
    what: 'a calendar from its very beginning',
    deeds: '.bb.b',
    bars: flat(5),
    locks: [{ kind: 'hours', name: 'night', open: ['03:00-03:32', '03:34-24:00'] }],
    seen: ['-', 'night (hours) of all up to 4', 'night (hours) of all up to 4', '-', '-'],
    refused: ['lock night'],
  },
  {
    what: 'of several the one that ends last first, as the refusal names it, and none at its own end',
    deeds: 'bs.b..',
    bars: flat(6),
    locks: [
      { kind: 'cooldown', for: '3m' },
      { kind: 'dates', closed: ['2024-01-01 03:32..2024-01-01 03:36'] },
    ],
    seen: [
      '-',
      'dates of all up to 6',
      'dates of all up to 6, cooldown of BTCUSDT up to 5',
      'dates of all up to 6, cooldown of BTCUSDT up to 5',
      'dates of all up to 6',
      '-',
    ],
    refused: ['lock dates'],
  },
  {
    what: 'stop-outs of the strategy with the reach of their rule',
    deeds: 'B...',
    bars: [100, 100, 90, 90],
    locks: [{ kind: 'stops', stops: 1, within: '1h', for: '30m', reach: 'strategy' }],
    seen: ['-', '-', 'stops of looking up to 33', 'stops of looking up to 33'],
    refused: [],
  },
];

const codesOf = ({ refusals }: ScriptedRun): readonly string[] =>
  refusals.map((refusal) => refusal.split(':')[0] ?? '');

/** Lines of locks without their ends. */
const names = (lines: readonly string[]): readonly string[] => lines.map((line) => line.split(' up to')[0]!);

describe('the locks that a handler sees', () => {
  test.each(ROWS)('$what', ({ deeds, bars, locks, seen, refused }) => {
    const run = runStrategy(looking(deeds), { timeframe: '1m', bars, locks });
    expect({ seen: run.log, refused: codesOf(run) }).toEqual({ seen, refused });
  });

  test('are the same after a restart at each bar', () => {
    const { deeds, bars, locks, seen } = ROWS[3]!;
    const run = runStrategy(looking(deeds), { timeframe: '1m', bars, locks, restartAfter: [1, 2, 3, 4, 5] });
    expect(run.log).toEqual(seen);
  });

  test.each(ROWS.slice(1, 3))('on polled books: $what', async ({ deeds, bars, locks, seen }) => {
    const run = await runOnBooks(looking(deeds), {
      stepMs: MINUTE_MS / 6,
      books: bars.flatMap((price) =>
        Array.from({ length: 6 }, () => ({
          bid: price - 0.01,
          ask: price,
          trades: [{ side: 'buy' as const, price }],
        })),
      ),
      locks,
    });
    // A poll reads a bar some seconds after its close, and never reads the last one.
    expect(names(run.log)).toEqual(names(seen.slice(0, run.log.length)));
    expect(run.log.length).toBeGreaterThan(3);
  });
});

test('the example of docs/locks.md sells before it is locked in, and buys when the lock is over', async () => {
  const [, source = ''] = /```ts\n(.*?)```/s.exec(readFileSync('docs/locks.md', 'utf8')) ?? [];
  const folder = folderOfThisTest();
  const file = join(folder, 'at-home.ts');
  writeFileSync(file, source);
  const { definition } = await loadStrategy(file);
  const { fills, refusals } = runStrategy(definition, {
    bars: flat(10),
    locks: [
      { kind: 'dates', closed: ['2024-01-01 06:30..2024-01-01 10:30'] },
      { kind: 'cooldown', for: '30m' },
    ],
  });
  const hours = fills.map(({ side, timeMs }) => `${side} ${(timeMs - SCRIPT_START_MS) / 3_600_000}`);
  expect({ hours, refusals }).toEqual({ hours: ['buy 1', 'sell 3', 'buy 7'], refusals: [] });
});
