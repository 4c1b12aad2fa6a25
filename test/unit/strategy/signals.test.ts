import { expect, test } from 'vitest';
import { z } from 'zod';
import type { StrategyDefinition } from '../../../src/strategy/definition.ts';
import { defineStrategy, type Signal } from '../../../src/strategy/sdk.ts';
import { StrategyRunner } from '../../../src/strategy/runner.ts';
import { engineView } from './engine-view.ts';
import { runnerOn } from '../../support/runner-on.ts';
import { scenarios } from '../../support/scenarios.ts';

const runnerOf = (strategy: StrategyDefinition): StrategyRunner => runnerOn(strategy, 'BTCIRT', '1h');

/** Makes a strategy whose signal is declared with values that the types would refuse. */
const declaring = (data: (signal: (...of: unknown[]) => unknown) => unknown, on = {}): StrategyDefinition =>
  ({
    name: 'listener',
    data: ({ signal }) => data(signal as (...of: unknown[]) => unknown),
    on,
  }) as StrategyDefinition;

test('a signal is declared with its schema, and its handler gets what that makes of the payload', () => {
  const got: Signal<{ readonly side: 'buy' | 'sell'; readonly at: Date }>[] = [];
  const runner = runnerOf(
    defineStrategy({
      name: 'listener',
      data: ({ signal }) => ({
        signal: signal(
          z.object({ side: z.enum(['buy', 'sell']), at: z.string().transform((text) => new Date(text)) }),
          { maxAgeMs: 5_000 },
        ),
      }),
      on: {
        signal(_, told) {
          // @ts-expect-error a field that its schema has not
          void told.payload.price;
          got.push(told);
        },
      },
    }),
  );
  expect(runner.subscriptions).toEqual([{ kind: 'signal', name: 'signal', maxAgeMs: 5_000 }]);
  expect([runner.wants('signal'), runner.wants('timer')]).toEqual([true, false]);
  const payload = { side: 'buy', at: '2026-01-05T12:00:00Z', more: 1 };
  const of = { id: 'a', sentAtMs: 1, seenAtMs: 2, source: 'command' } as const;
  expect(runner.objectionTo({ name: 'signal', payload })).toBeNull();
  runner.handle({ kind: 'signal', name: 'signal', payload, ...of }, engineView());
  expect(got).toEqual([{ ...of, payload: { side: 'buy', at: new Date('2026-01-05T12:00:00Z') } }]);
});

scenarios<StrategyDefinition>((part, strategy) => {
  expect(() => runnerOf(strategy)).toThrow(
    expect.objectContaining({ code: 'INVALID_STRATEGY', message: expect.stringContaining(part) as string }),
  );
}, 'a signal with %s is refused as it is loaded')`
  no schema ${declaring((signal) => ({ alert: signal({}) }))}: data.alert: expected a zod schema
  one of a list ${declaring((signal) => ({ alert: [signal(z.string())] }))}
    data.alert.0: expected a signal by itself
  an age below a second ${declaring((signal) => ({ alert: signal(z.string(), { maxAgeMs: 999 }) }))}
    data.alert.maxAgeMs
  an age above half an hour ${declaring((signal) => ({ alert: signal(z.string(), { maxAgeMs: 1_800_001 }) }))}
    data.alert.maxAgeMs
`;

test.each<readonly [string, z.ZodType, string]>([
  [
    'throws',
    z.string().refine(() => {
      throw new Error('odd\nodd');
    }),
    'payload: its schema threw odd odd',
  ],
  [
    'waits',
    z.string().refine(async () => Promise.resolve(true)),
    'payload: its schema threw Encountered Promise',
  ],
])('a payload whose schema %s is refused', (_, schema, reason) => {
  const runner = runnerOf(declaring((signal) => ({ alert: signal(schema) }), { alert: () => undefined }));
  const objection = runner.objectionTo({ name: 'alert', payload: 'x' });
  expect(objection).toMatchObject({ outcome: 'refused', code: 'invalid' });
  expect(objection?.reason).toContain(reason);
});

test('a signal without a handler is refused, and so is one that is not declared', () => {
  const runner = runnerOf(declaring((signal) => ({ alert: signal(z.string()) })));
  const reason = (name: string) => runner.objectionTo({ name, payload: 'x' })?.reason;
  expect([reason('alert'), reason('other')]).toEqual([
    'the strategy has no handler on.alert',
    'no signal other is declared',
  ]);
});
