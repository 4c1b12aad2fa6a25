import type { Market } from '../domain/market.ts';
import { InProcessVenue } from '../simulator/in-process-venue.ts';
import { readExchangeConfig, type ExchangeConfigInput } from '../simulator/settings/exchange-config.ts';
import { createSimulation, type Simulation } from '../simulator/simulation.ts';
import type { World } from '../simulator/world.ts';
import type { Span } from '../strategy/subscriptions.ts';
import type { Clock } from './clock.ts';

/** The token that the bot trades with. */
export const BOT_TOKEN = 'embedded-bot-token';

/** What the bot's user owns at the beginning: enough to quote both sides of any of the markets. */
const BALANCES = { rls: '100000000000', usdt: '100000' } as const;
const SOURCE_BALANCE = '5';

/** An exchange in this process, with its market at work. */
export interface EmbeddedExchange {
  readonly simulation: Simulation;
  readonly venue: InProcessVenue;
  readonly market: Market;
  /** The candle length that the market's data suggests. */
  readonly span: Span;
  /** Whether the market has nothing more to show: the end of a replay. */
  isOver(): boolean;
}

/** What is given besides the market's data. The clock is made by the caller, for it starts where the data does. */
export interface EmbeddedSetup {
  readonly clock: Clock;
  readonly seed: number;
}

/** An exchange with one user, who owns the quote currencies and some of `currency`. */
export function simulate(
  config: ExchangeConfigInput,
  setup: EmbeddedSetup & { readonly currency: string },
): Simulation {
  return createSimulation({
    config: readExchangeConfig({
      ...config,
      users: [
        { username: 'bot', id: 1, tokens: [BOT_TOKEN], balances: { ...BALANCES, [setup.currency]: SOURCE_BALANCE } },
      ],
    }),
    startMs: setup.clock.now(),
    seed: setup.seed,
  });
}

/** The way to an exchange whose market moves on before each request. */
export function createVenue(
  simulation: Simulation,
  of: { readonly flow: World; readonly clock: Clock },
): InProcessVenue {
  const { clock, flow } = of;
  return new InProcessVenue({
    door: simulation.faulty,
    now: () => clock.now(),
    sleep: (durationMs) => clock.sleepUntil(clock.now() + durationMs),
    world: {
      advance: (timeMs) => {
        flow.advance(timeMs);
        simulation.exchange.advance(timeMs);
      },
    },
  });
}
