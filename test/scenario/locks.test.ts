import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineStrategy, type StrategyDefinition } from '../../src/strategy/definition.ts';
import { runStrategy, type ScriptedRun } from '../../src/testing.ts';
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

interface Row {
  readonly what: string;
  readonly deeds: string;
  readonly bars: readonly number[];
  readonly locks: readonly unknown[];
  readonly fills: string;
  readonly held: string;
  readonly wish?: { readonly limit?: number; readonly stop?: number };
}

const ROWS: readonly Row[] = [
  {
    what: 'no rule, no lock',
    deeds: 'bsbsb',
    bars: flat(7),
    locks: [],
    fills: 'b1 s2 b3 s4 b5',
    held: '',
  },
  {
    what: 'a cool-down begins at the end of a position, and its own end is not in it',
    deeds: 'bsbbb',
    bars: flat(7),
    locks: [{ kind: 'cooldown', for: '2h' }],
    fills: 'b1 s2 b4 b5',
    held: 'cooldown of BTCUSDT 2-4 refused 1',
  },
  {
    what: 'it ends at its millisecond, and not with a bar',
    deeds: 'bsbb',
    bars: flat(6),
    locks: [{ kind: 'cooldown', for: '90m' }],
    fills: 'b1 s2 b4',
    held: 'cooldown of BTCUSDT 2-3.5 refused 1',
  },
  {
    what: 'a position that is sold in part begins none',
    deeds: 'bbsb',
    bars: flat(6),
    locks: [{ kind: 'cooldown', for: '2h' }],
    fills: 'b1 b2 s3 b4',
    held: '',
  },
  {
    what: 'a way out passes, and more than is held does not',
    deeds: 'bb.sd',
    bars: flat(8),
    locks: [{ kind: 'dates', closed: ['1402/10/11 05:50..1402/10/12'] }],
    fills: 'b1 b2 s4',
    held: `dates of all ${140 / 60}- refused 1`,
  },
  {
    what: 'a resting purchase is canceled when a lock begins',
    deeds: 'bls',
    bars: [100, 100, 100, 100, 79, 79],
    locks: [{ kind: 'cooldown', for: '3h' }],
    fills: 'b1 s3',
    held: 'cooldown of BTCUSDT 3-6 refused 0',
  },
  {
    what: 'a resting purchase stays where the rule keeps entries',
    deeds: 'bls',
    bars: [100, 100, 100, 100, 79, 79],
    locks: [{ kind: 'cooldown', for: '3h', entries: 'keep' }],
    fills: 'b1 s3 b4+',
    held: 'cooldown of BTCUSDT 3-6 refused 0',
  },
  {
    what: 'a stop that rests stays in a lock, and sells in it',
    deeds: 'bx....',
    bars: [100, 100, 100, 100, 80, 80],
    locks: [{ kind: 'dates', closed: ['2024-01-01 06:00..2024-01-02'] }],
    fills: 'b1 s4+',
    held: 'dates of all 2.5- refused 0',
  },
  {
    what: 'the exit of a bracket whose entry stays is placed in a lock, and sells in it',
    deeds: 'L.....',
    wish: { limit: 98 },
    bars: [100, 100, 97, 97, 80, 80],
    locks: [{ kind: 'dates', closed: ['2024-01-01 05:00..2024-01-02'], entries: 'keep' }],
    fills: 'b2+ s4+',
    held: 'dates of all 1.5- refused 0',
  },
  {
    what: 'a bracket is refused in a lock, and does not enter later',
    deeds: '.B....',
    bars: flat(7),
    locks: [{ kind: 'dates', closed: ['2024-01-01 04:30..2024-01-01 06:30'] }],
    fills: '',
    held: 'dates of all 1-3 refused 1',
  },
  {
    what: 'two stop-outs bring a lock, and the count begins anew after it',
    deeds: 'BB.BBB...',
    wish: { stop: 95 },
    bars: [100, 100, 90, 100, 100, 90, 100, 100, 100],
    locks: [{ kind: 'stops', stops: 2, within: '6h', for: '2h' }],
    fills: 'b1 b2 s2+ s2+ b5 s5+',
    held: 'stops of BTCUSDT 3-5 refused 1',
  },
  {
    what: 'a stop that gains is none',
    deeds: 'bx.b',
    wish: { stop: 110 },
    bars: [100, 120, 120, 105, 105, 105, 105],
    locks: [{ kind: 'stops', stops: 1, within: '6h', for: '2h' }],
    fills: 'b1 s3+ b4',
    held: '',
  },
  {
    what: 'trades that lose bring a lock',
    deeds: 'b.sb.sbb',
    bars: [100, 100, 95, 95, 95, 90, 90, 90, 90],
    locks: [{ kind: 'low-profit', below: 0, trades: 2, within: '12h', for: '2h' }],
    fills: 'b1 s3 b4 s6 b8',
    held: 'low-profit of BTCUSDT 6-8 refused 1',
  },
  {
    what: 'trades that earn enough bring none',
    deeds: 'bsbsb',
    bars: [100, 100, 105, 105, 100, 100, 100],
    locks: [{ kind: 'low-profit', below: -1, trades: 2, within: '12h', for: '2h' }],
    fills: 'b1 s2 b3 s4 b5',
    held: '',
  },
  {
    what: 'equity with an open position that falls by half a percent brings a lock, and once',
    deeds: 'b.bbbbs',
    bars: [100, 100, 60, 50, 50, 50, 50, 50],
    locks: [{ kind: 'drawdown', percent: 0.5, within: '12h', for: '2h' }],
    fills: 'b1 b3 b6 s7',
    held: 'drawdown of all 4-6 refused 2',
  },
  {
    what: 'equity that falls less brings none',
    deeds: 'b.b',
    bars: [100, 100, 60, 56, 56],
    locks: [{ kind: 'drawdown', percent: 0.5, within: '12h', for: '2h' }],
    fills: 'b1 b3',
    held: '',
  },
  {
    what: 'outside of trading hours nothing is bought, and what rests is canceled',
    deeds: 'lbbbbb',
    wish: { limit: 98 },
    bars: [100, 100, 97, 100, 100, 100, 100],
    locks: [{ kind: 'hours', open: ['03:00-05:00', '06:30-24:00'] }],
    fills: 'b3 b4 b5 b6',
    held: 'hours of all 1.5-3 refused 1',
  },
];

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

test.each(ROWS)('locks on bars $what', ({ deeds, bars, locks, fills, held, wish }) => {
  const run = runStrategy(player(deeds, wish), { bars, locks });
  expect({ fills: fillsOf(run), held: locksOf(run) }).toEqual({ fills, held });
});
