import { priceUnits, type Market } from '../domain/market.ts';
import type { MarketSymbol } from '../domain/market-symbol.ts';
import { parseUnits, UNITS_PER_ONE, type Price } from '../domain/money.ts';
import { InProcessVenue } from '../simulator/in-process-venue.ts';
import { readExchangeConfig, type ExchangeConfigInput } from '../simulator/settings/exchange-config.ts';
import { createSimulation, type Simulation } from '../simulator/simulation.ts';
import type { World } from '../simulator/world.ts';
import type { Span } from '../strategy/subscriptions.ts';
import type { Clock } from './clock.ts';

/** The token that the bot trades with. */
export const BOT_TOKEN = 'embedded-bot-token';

const BOT_USER = 1;

/** What the bot's user owns at the beginning, and the same worth of the coin that it trades. */
const BALANCES = { rls: '100000000000', usdt: '100000' } as const;

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

/** An exchange with one user, who owns the quote currencies, and as much again of the source currency of `market`. */
export function simulate(
  config: ExchangeConfigInput,
  setup: EmbeddedSetup & { readonly market: MarketSymbol },
): Simulation {
  const startMs = setup.clock.now();
  const users = [{ username: 'bot', id: BOT_USER, tokens: [BOT_TOKEN], balances: { ...BALANCES } }];
  const simulation = createSimulation({ config: readExchangeConfig({ ...config, users }), startMs, seed: setup.seed });
  const { accounts, markets } = simulation.exchange;
  const state = markets.get(setup.market);
  if (state === undefined) return simulation;
  const { src, dst } = state.rules;
  const price = priceUnits(state.grid, state.lastPrice as Price);
  const units = (parseUnits(BALANCES[dst]) * UNITS_PER_ONE) / price;
  accounts.post(accounts.ensure(BOT_USER, src), 'outside', { units, description: 'Deposit', timeMs: startMs });
  return simulation;
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
