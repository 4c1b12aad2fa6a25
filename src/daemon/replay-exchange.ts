import type { Market } from '../domain/market.ts';
import { SarrafError } from '../domain/errors.ts';
import { parseMarket, type MarketSymbol } from '../domain/market-symbol.ts';
import { ReplayFlow } from '../simulator/flow/replay-flow.ts';
import { seedReplay } from '../simulator/flow/seed-replay.ts';
import type { Simulation } from '../simulator/simulation.ts';
import { SPANS, type Span } from '../strategy/subscriptions.ts';
import { createVenue, simulate, type EmbeddedExchange, type EmbeddedSetup } from './embedded-exchange.ts';
import type { ReplayFile } from './replay-file.ts';

/** Rows of a replay that serve as the past, so that strategies have candles to begin with: this many candles, or this share of trades. */
const WARM_UP_CANDLES = 200;
const WARM_UP_SHARE = 0.2;

/** Where a replay begins: the rows before serve as the past. */
export function replayStart(file: ReplayFile): { readonly warmUpRows: number; readonly startMs: number } {
  const { rows } = file;
  const wanted = file.kind === 'candles' ? WARM_UP_CANDLES : Math.floor(rows.length * WARM_UP_SHARE);
  const warmUpRows = Math.min(wanted, Math.floor(rows.length / 2));
  const first = rows[warmUpRows];
  if (first === undefined) throw new SarrafError('INVALID_FILE', `expected at least one row in ${file.path}, was none`);
  return { warmUpRows, startMs: first.kind === 'candle' ? first.openTimeMs : first.timeMs };
}

/** An exchange with one market that repeats what was recorded. */
export function createReplayExchange(setup: EmbeddedSetup & { readonly file: ReplayFile }): EmbeddedExchange {
  const { clock, seed, file } = setup;
  const { symbol } = parseMarket(file.market.symbol);
  const { warmUpRows } = replayStart(file);
  const simulation = simulate({ markets: [{ ...file.market }] }, { clock, seed, market: symbol });
  const { exchange } = simulation;
  seedReplay({ exchange, market: symbol, rows: file.rows.slice(0, warmUpRows) });
  const flow = new ReplayFlow({ exchange, market: symbol, rows: file.rows.slice(warmUpRows).values(), seed });
  return {
    simulation,
    market: ruleOf(simulation, symbol),
    span: file.kind === 'candles' ? spanOf(file.lengthMs) : '1m',
    isOver: () => flow.isDone,
    venue: createVenue(simulation, { flow, clock }),
  };
}

function ruleOf(simulation: Simulation, symbol: MarketSymbol): Market {
  const state = simulation.exchange.markets.get(symbol);
  if (state === undefined) throw new SarrafError('INVALID_MARKET', `expected the market ${symbol}, was none`);
  return state.rules;
}

/** The longest candle of the exchange that is not longer than the recorded ones, at least a minute. */
function spanOf(lengthMs: number): Span {
  let best: Span = '1m';
  for (const [span, resolution] of Object.entries(SPANS) as [Span, string][]) {
    const minutes = resolution.endsWith('D')
      ? Number(resolution.slice(0, -1) === '' ? '1' : resolution.slice(0, -1)) * 1_440
      : Number(resolution);
    if (minutes * 60_000 <= lengthMs) best = span;
  }
  return best;
}
