import { STARTING_POINTS, type StartingPoint, type StartName } from './starting-points.ts';

const EMPTY = `import { z } from 'zod';
import { defineStrategy } from 'sarraf/sdk';

/** Writes each closed candle to the log, and trades nothing yet. */
export default defineStrategy({
  name: 'my-strategy',
  params: z.strictObject({
    /** Size of one purchase. */
    amount: z.number().positive().default(0.001),
  }),
  data: ({ market, timeframe }) => ({ bars: market.candles(timeframe) }),
  on: {
    bars(ctx, { close }) {
      ctx.log('a candle closed', { close });
      // Orders: ctx.buy({ amount: ctx.params.amount }) and ctx.sell({ amount: ctx.position }).
    },
  },
});
`;

/** The code that a strategy begins with. `shipped` reads the code of one that ships. */
export function strategyText(start: StartName, name: string, shipped: (file: string) => string): string {
  const { file, name: ownName }: StartingPoint = STARTING_POINTS[start];
  const text = file === null ? EMPTY : shipped(file);
  return text.replace(`name: '${ownName}'`, `name: '${name}'`).replace(`from '#sdk'`, `from 'sarraf/sdk'`);
}

/** A test of it that passes, by the kit that tests the strategies that ship. */
export function strategyTestText(start: StartName, name: string): string {
  const { script, claim } = STARTING_POINTS[start];
  return `import { expect, test } from 'vitest';
import { generateBars, runStrategy, type ScriptOptions } from 'sarraf/testing';
import strategy from '../strategies/${name}.ts';

const script: ScriptOptions = ${script};

test('${claim.title}', () => {
  const { fills } = runStrategy(strategy, script);
  ${claim.expects}
});

test('gets no order refused', () => {
  expect(runStrategy(strategy, script).refusals).toEqual([]);
});

test('goes on after a restart as if there had been none', () => {
  const whole = runStrategy(strategy, script);
  const restartAfter = [Math.floor(script.bars.length / 2)];
  expect(runStrategy(strategy, { ...script, restartAfter })).toEqual(whole);
});
`;
}
