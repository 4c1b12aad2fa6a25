import { SarrafError } from '../domain/errors.ts';
import { parseMarket } from '../domain/market-symbol.ts';
import { SyntheticFlow } from '../simulator/flow/synthetic-flow.ts';
import { createVenue, simulate, type EmbeddedExchange, type EmbeddedSetup } from './embedded-exchange.ts';

/** An exchange of synthetic traders. Throws `INVALID_MARKET` for a market that it does not have. */
export function createSyntheticExchange(setup: EmbeddedSetup & { readonly market: string }): EmbeddedExchange {
  const { clock, seed } = setup;
  const symbol = parseMarket(setup.market).symbol;
  const simulation = simulate({}, { clock, seed, market: symbol });
  const market = simulation.exchange.markets.get(symbol)?.rules;
  if (market === undefined) {
    const known = [...simulation.exchange.markets.keys()].join(', ');
    throw new SarrafError('INVALID_MARKET', `expected one of the embedded markets ${known}, was ${symbol}`);
  }
  const flow = new SyntheticFlow({ exchange: simulation.exchange, seed, startMs: clock.now() });
  return { simulation, market, span: '1m', isOver: () => false, venue: createVenue(simulation, { flow, clock }) };
}
