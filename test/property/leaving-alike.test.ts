import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineStrategy } from '../../src/strategy/definition.ts';
import type { StrategyContext } from '../../src/strategy/context.ts';
import { onBarsAndBooks, type MinutePrices } from '../support/on-bars-and-books.ts';

/** Ways in which a strategy leaves its position. */
const WAYS: Readonly<Record<string, (ctx: StrategyContext) => void>> = {
  exit: (ctx) => ctx.exit({ reason: 'the averages crossed' }),
  'exit of a market': (ctx) => ctx.exit(ctx.market),
  sell: (ctx) => ctx.sell({ amount: ctx.exact.position }),
  target: (ctx) => ctx.target({ position: 0 }),
  targets: (ctx) => ctx.targets({ [ctx.market]: 0 }),
  'cancelAll and sell': (ctx) => {
    ctx.cancelAll();
    ctx.sell({ amount: ctx.exact.position });
  },
};

/** Ways in which it enters, with or without exits at the exchange. */
const GUARDS: Readonly<Record<string, (ctx: StrategyContext, close: number) => void>> = {
  bracket: (ctx, close) =>
    ctx.bracket({
      entry: { amount: 1 },
      stopLoss: { price: close * 0.8 },
      takeProfit: { price: close * 1.2 },
    }),
  'a stop of its own': (ctx) => ctx.buy({ amount: 1 }),
};

const LAST_BAR = 37;

/** A strategy that holds for three minutes and is out for two, again and again, with its stop far away. */
const crossing = (guard: string, way: string) =>
  defineStrategy({
    name: 'crossing',
    params: z.strictObject({}),
    state: z.strictObject({ bars: z.int().default(0) }),
    data: ({ market }) => ({ bars: market.candles('1m') }),
    on: {
      bars(ctx, { close }) {
        ctx.setState({ bars: ctx.state.bars + 1 });
        // Intents at the last bars would still be under way at the end of the run.
        if (ctx.state.bars > LAST_BAR) return;
        const isHeld = ctx.isTradable(ctx.position, close);
        if (ctx.state.bars % 5 >= 3) {
          if (isHeld) WAYS[way]?.(ctx);
        } else if (!isHeld) GUARDS[guard]?.(ctx, close);
        else if (guard !== 'bracket' && ctx.orders.length === 0)
          ctx.sell({ amount: ctx.exact.position, stopPrice: close * 0.8 });
      },
    },
  });

const MINUTES: readonly MinutePrices[] = Array.from({ length: 40 }, (_, minute) => {
  const first = 100 + ((minute * 7) % 10) / 10;
  const last = 100 + (((minute + 1) * 7) % 10) / 10;
  return [first, first, first, last, last, last];
});

test.each(Object.keys(GUARDS).flatMap((guard) => Object.keys(WAYS).map((way) => [guard, way] as const)))(
  'a cross that is protected by %s leaves by %s, without a refusal, on bars and on polled books',
  async (guard, way) => {
    const { onBars, onBooks } = await onBarsAndBooks(crossing(guard, way), MINUTES);
    for (const run of [onBars, onBooks]) {
      expect(run.refusals).toEqual([]);
      const sold = run.orders.filter(
        ({ side, execution, state }) => `${side} ${execution} ${state}` === 'sell market filled',
      );
      expect(sold.length).toBeGreaterThanOrEqual(6);
    }
  },
);
