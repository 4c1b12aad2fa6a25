import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineStrategy, type StrategyDefinition } from '../../src/strategy/definition.ts';
import { runStrategy, type ScriptedRun } from '../../src/testing.ts';
import { scenarios } from '../support/scenarios.ts';
import { SCRIPT_START_MS } from '../../src/backtest/scripted-market.ts';

const HOUR_MS = 3_600_000;

/**
 * Acts at each close by a letter: `b`uy one, `s`ell one or two (`d`), rest a `l`imit purchase or a sale with
 * a stop (`x`), enter a `B`racket at the market or at a limit (`L`).
 */
const player = (
  deeds: string,
  wish: { readonly limit?: number; readonly stop?: number } = {},
): StrategyDefinition =>
  defineStrategy({
    name: 'player',
    params: z.strictObject({}),
    state: z.strictObject({ bars: z.int().default(0) }),
    data: ({ market }) => ({ bars: market.candles('1h') }),
    on: {
      bars(ctx) {
        const deed = deeds[ctx.state.bars] ?? '.';
        ctx.setState({ bars: ctx.state.bars + 1 });
        if (deed === 'b') ctx.buy({ amount: 1 });
        if (deed === 's') ctx.sell({ amount: 1 });
        if (deed === 'd') ctx.sell({ amount: 2 });
        if (deed === 'l') ctx.buy({ amount: 1, price: wish.limit ?? 80 });
        if (deed === 'x') ctx.sell({ amount: 1, stopPrice: wish.stop ?? 90 });
        if (deed === 'L')
          ctx.bracket({
            entry: { amount: 1, price: wish.limit ?? 80 },
            stopLoss: { price: wish.stop ?? 90 },
          });
        if (deed === 'B') ctx.bracket({ entry: { amount: 1 }, stopLoss: { price: wish.stop ?? 90 } });
      },
    },
  });

/** Fills as `b1 s3`: at the opens of bars 1 and 3; `+` means within a bar. */
const fillsOf = ({ fills }: ScriptedRun): string =>
  fills
    .map(({ side, timeMs }) => {
      const bar = (timeMs - SCRIPT_START_MS) / HOUR_MS;
      return `${side[0]}${Number.isInteger(bar) ? bar : `${Math.floor(bar)}+`}`;
    })
    .join(' ');

/** Locks as `cooldown of BTCUSDT 3-5 refused 2`; bars count from the beginning. */
const locksOf = ({ locks }: ScriptedRun): string =>
  locks
    .map(({ name, strategy, market, beganAtMs, endedAtMs, refused }) => {
      const scope = [market, strategy].filter((part) => part !== null).join(' ') || 'all';
      const bars = [beganAtMs, endedAtMs].map((atMs) =>
        atMs === null ? '' : Math.ceil(((atMs - SCRIPT_START_MS) / HOUR_MS) * 60) / 60,
      );
      return `${name} of ${scope} ${bars.join('-')} refused ${refused}`;
    })
    .join('; ');

const flat = (bars: number, price = 100): number[] => Array.from({ length: bars }, () => price);

const STOPS = { kind: 'stops', stops: 1, within: '6h', for: '2h' };
const DRAWDOWN = { kind: 'drawdown', percent: 0.5, within: '12h', for: '90m' };

interface Scene {
  readonly bars: readonly number[];
  readonly locks: readonly unknown[];
  readonly wish?: { readonly limit?: number; readonly stop?: number };
}

/** A line with the deeds and the fills, and one with the locks that held. */
scenarios<Scene>((steps, { bars, locks, wish }) => {
  const [line = '', held = ''] = steps.split('\n');
  const [deeds = '', fills = ''] = line.split(/ => ?/);
  const run = runStrategy(player(deeds, wish), { bars, locks });
  expect({ fills: fillsOf(run), held: locksOf(run) }).toEqual({ fills, held });
}, 'locks on bars %s')`
  no rule, no lock
    ${{ bars: flat(7), locks: [] }}
    bsbsb => b1 s2 b3 s4 b5

  a cool-down begins at the end of a position, and its own end is not in it
    ${{ bars: flat(7), locks: [{ kind: 'cooldown', for: '2h' }] }}
    bsbbb => b1 s2 b4 b5
    cooldown of BTCUSDT 2-4 refused 1

  it ends at its millisecond, and not with a bar
    ${{ bars: flat(6), locks: [{ kind: 'cooldown', for: '90m' }] }}
    bsbb => b1 s2 b4
    cooldown of BTCUSDT 2-3.5 refused 1

  a position that is sold in part begins none
    ${{ bars: flat(6), locks: [{ kind: 'cooldown', for: '2h' }] }}
    bbsb => b1 b2 s3 b4

  a way out passes, and more than is held does not
    ${{ bars: flat(8), locks: [{ kind: 'dates', closed: ['1402/10/11 05:50..1402/10/12'] }] }}
    bb.sd => b1 b2 s4
    dates of all ${140 / 60}- refused 1

  a resting purchase is canceled when a lock begins
    ${{ bars: [100, 100, 100, 100, 79, 79], locks: [{ kind: 'cooldown', for: '3h' }] }}
    bls => b1 s3
    cooldown of BTCUSDT 3-6 refused 0

  a resting purchase stays where the rule keeps entries
    ${{ bars: [100, 100, 100, 100, 79, 79], locks: [{ kind: 'cooldown', for: '3h', entries: 'keep' }] }}
    bls => b1 s3 b4+
    cooldown of BTCUSDT 3-6 refused 0

  a stop that rests stays in a lock, and sells in it
    ${{
      bars: [100, 100, 100, 100, 80, 80],
      locks: [{ kind: 'dates', closed: ['2024-01-01 06:00..2024-01-02'] }],
    }}
    bx.... => b1 s4+
    dates of all 2.5- refused 0

  the exit of a bracket whose entry stays is placed in a lock, and sells in it
    ${{
      bars: [100, 100, 97, 97, 80, 80],
      locks: [{ kind: 'dates', closed: ['2024-01-01 05:00..2024-01-02'], entries: 'keep' }],
      wish: { limit: 98 },
    }}
    L..... => b2+ s4+
    dates of all 1.5- refused 0

  a bracket is refused in a lock, and does not enter later
    ${{ bars: flat(7), locks: [{ kind: 'dates', closed: ['2024-01-01 04:30..2024-01-01 06:30'] }] }}
    .B.... =>
    dates of all 1-3 refused 1

  two stop-outs bring a lock, and the count begins anew after it
    ${{
      bars: [100, 100, 90, 100, 100, 90, 100, 100, 100],
      locks: [{ kind: 'stops', stops: 2, within: '6h', for: '2h' }],
      wish: { stop: 95 },
    }}
    BB.BBB... => b1 b2 s2+ s2+ b5 s5+
    stops of BTCUSDT 3-5 refused 1

  a stop that gains is none
    ${{
      bars: [100, 120, 120, 105, 105, 105, 105],
      locks: [{ kind: 'stops', stops: 1, within: '6h', for: '2h' }],
      wish: { stop: 110 },
    }}
    bx.b => b1 s3+ b4

  trades that lose bring a lock
    ${{
      bars: [100, 100, 95, 95, 95, 90, 90, 90, 90],
      locks: [{ kind: 'low-profit', below: 0, trades: 2, within: '12h', for: '2h' }],
    }}
    b.sb.sbb => b1 s3 b4 s6 b8
    low-profit of BTCUSDT 6-8 refused 1

  trades that earn enough bring none
    ${{
      bars: [100, 100, 105, 105, 100, 100, 100],
      locks: [{ kind: 'low-profit', below: -1, trades: 2, within: '12h', for: '2h' }],
    }}
    bsbsb => b1 s2 b3 s4 b5

  equity with an open position that falls by half a percent brings a lock, and once
    ${{
      bars: [100, 100, 60, 50, 50, 50, 50, 50],
      locks: [{ kind: 'drawdown', percent: 0.5, within: '12h', for: '2h' }],
    }}
    b.bbbbs => b1 b3 b6 s7
    drawdown of all 4-6 refused 2

  equity that falls less brings none
    ${{ bars: [100, 100, 60, 56, 56], locks: [{ kind: 'drawdown', percent: 0.5, within: '12h', for: '2h' }] }}
    b.b => b1 b3

  outside of trading hours nothing is bought, and what rests is canceled
    ${{
      bars: [100, 100, 97, 100, 100, 100, 100],
      locks: [{ kind: 'hours', open: ['03:00-05:00', '06:30-24:00'] }],
      wish: { limit: 98 },
    }}
    lbbbbb => b3 b4 b5 b6
    hours of all 1.5-3 refused 1
`;

test.each([
  ['a cool-down', 'bsbbb', flat(7), [{ kind: 'cooldown', for: '2h' }]],
  ['counted stop-outs', 'B.Bb.b', [100, 100, 80, 80, 80, 60, 60], [STOPS]],
  ['the highest of equity', 'b.bbb', [100, 100, 100, 40, 40, 40], [DRAWDOWN]],
])('%s outlasts a restart after each bar', (_, deeds, bars, locks) => {
  const [once, again] = [[], [1, 2, 3, 4]].map((restartAfter) =>
    runStrategy(player(deeds, { stop: 90 }), { bars, locks, restartAfter }),
  );
  expect(fillsOf(again!)).toBe(fillsOf(once!));
  expect(once!.locks.length).toBeGreaterThan(0);
});
