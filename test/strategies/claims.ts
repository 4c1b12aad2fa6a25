import { expect } from 'vitest';
import { runStrategy, type ScriptedRun, type ScriptOptions } from '#testing';

type Strategy = Parameters<typeof runStrategy>[0];

/** Checks what every strategy must keep in any market: nothing refused, and no more sold than held. */
export function expectSound(run: ScriptedRun, held = 0): void {
  expect(run.refusals).toEqual([]);
  let position = held;
  for (const { side, amount, fee } of run.fills) {
    position += side === 'buy' ? amount - fee : -amount;
    expect(position).toBeGreaterThan(-1e-9);
  }
}

/** Checks that a bot that is killed after any bar and restarted does the same as one that lives on. */
export function expectSameAfterRestarts(strategy: Strategy, options: ScriptOptions): void {
  const whole = runStrategy(strategy, options);
  expect(whole.orders.length).toBeGreaterThan(0);
  for (let bars = 1; bars < options.bars.length; bars += 1)
    expect(runStrategy(strategy, { ...options, restartAfter: [bars] }), `after ${bars} bars`).toEqual(whole);
}
