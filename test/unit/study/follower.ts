import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLLOWER = `import { z } from 'zod';
import { defineStrategy, search } from '#sdk';
export default defineStrategy({
  name: 'follower',
  params: z.strictObject({
    value: search(z.number().default(1000), { min: 500, max: 2000, step: 500 }),
  }),
  data: ({ market, timeframe, signal }) => ({
    bars: market.candles(timeframe),
    alert: signal(z.enum(['buy', 'sell'])),
  }),
  on: {
    alert(ctx, { payload }) {
      if (payload === 'buy') ctx.buy({ value: ctx.params.value });
      else if (ctx.position > 0) ctx.sell({ amount: ctx.position });
    },
  },
});
`;

/** Writes a strategy that follows signals, and buys for the money in its parameter; returns the file. */
export function writeFollower(folder: string): string {
  const path = join(folder, 'follower.ts');
  writeFileSync(path, FOLLOWER);
  return path;
}

/** A signal: its time in ms, and its side. */
export type Alert = readonly [atMs: number, side: string];

/** Writes a file of signals as JSON lines. */
export function writeAlerts(path: string, alerts: readonly Alert[]): string {
  const lines = alerts.map(([time, payload]) => JSON.stringify({ time, name: 'alert', payload }));
  writeFileSync(path, [...lines, ''].join('\n'));
  return path;
}
