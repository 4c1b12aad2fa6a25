import { describe } from 'vitest';
import { NOW_MS } from './client-over.ts';
import { tradingSuite } from './venue/trading-suite.ts';
import { TypedTrading } from './venue/typed-trading.ts';
import { TestClock } from './venue/venue.ts';
import { createWorld } from './world.ts';

describe('the typed adapter', () => {
  tradingSuite(async () => {
    const clock = new TestClock(NOW_MS);
    const exchange = createWorld();
    return {
      clock,
      alice: new TypedTrading(exchange, 1, clock),
      bob: new TypedTrading(exchange, 2, clock),
      close: async () => undefined,
    };
  });
});
