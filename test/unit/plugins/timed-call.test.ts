import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { timedCall } from '../../../src/plugins/timed-call.ts';
import { StrategyRunner } from '../../../src/strategy/runner.ts';
import { book, buy, defineStrategy } from '../../../src/strategy/sdk.ts';
import { bookEvent, engineView } from '../strategy/engine-view.ts';

const looping = defineStrategy({
  name: 'looping',
  params: z.strictObject({ where: z.enum(['onBook', 'subscribe', 'init', 'nowhere']) }),
  subscribe({ market, params }) {
    while (params.where === 'subscribe');
    return [book(market)];
  },
  init({ params }) {
    while (params.where === 'init');
    return { looks: 0 };
  },
  onBook({ market, params, state }) {
    for (;;) {
      try {
        if (params.where !== 'onBook') {
          return { state: { looks: state.looks + 1 }, intents: [buy(market, { amount: '1' })] };
        }
      } catch {
        // It does not even let go when it is told to.
      }
    }
  },
});

const start = (where: string, limitMs = 50): StrategyRunner =>
  new StrategyRunner(looping, { market: 'BTCIRT', span: '1h', params: { where }, call: timedCall(limitMs) });

describe('a timed call', () => {
  test('answers what the work answers, of the same classes', () => {
    const error = new RangeError('no');
    const call = timedCall(60_000);
    expect(call(() => [1])).toBeInstanceOf(Array);
    expect(() =>
      call(() => {
        throw error;
      }),
    ).toThrow(error);
    expect(() =>
      call(() => {
        // oxlint-disable-next-line typescript/only-throw-error
        throw null;
      }),
    ).toThrow();
  });

  test('ends a handler that never stops looping, and the next strategy goes on', () => {
    const [endless, sound] = [start('onBook'), start('nowhere', 60_000)];
    expect(endless.handle(bookEvent('1', '2'), engineView())).toEqual([]);
    expect(endless.failure).toBe('onBook: expected an answer within 50 ms, was still at work');
    expect(endless.stateJson()).toBe('{"looks":0}');
    expect(sound.handle(bookEvent('1', '2'), engineView())).toEqual([buy('BTCIRT', { amount: '1' })]);
    expect([sound.failure, sound.stateJson()]).toEqual([null, '{"looks":1}']);
  });

  test.each(['subscribe', 'init'])('ends a setup that never stops looping in %s', (where) => {
    expect(() => start(where)).toThrow(
      expect.objectContaining({
        code: 'INVALID_STRATEGY',
        message: 'expected an answer within 50 ms, was still at work',
      }),
    );
  });

  test('leaves an outer call its work and its time', () => {
    const call = timedCall(60_000);
    expect(call(() => [call(() => 'inner'), 'outer'])).toEqual(['inner', 'outer']);
    expect(() =>
      timedCall(60_000)(() =>
        timedCall(20)(() => {
          for (;;);
        }),
      ),
    ).toThrow('within 20 ms');
  });

  test.each([0, -1, 1.5, Number.NaN])('is not made for a limit of %d ms', (limitMs) => {
    expect(() => timedCall(limitMs)).toThrow('expected a time limit of whole milliseconds');
  });
});
