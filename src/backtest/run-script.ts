import { SarrafError } from '../domain/errors.ts';
import { decimalText } from '../domain/decimal-text.ts';
import { formatUnits, parseUnits, type Units } from '../domain/money.ts';
import type { Execution, Side } from '../domain/order.ts';
import { DEFAULT_ENGINE_TIMES } from '../engine/engine-settings.ts';
import { createRiskLimits } from '../execution/risk/risk-limits.ts';
import type { OrderRecord } from '../execution/order-record.ts';
import type { FillRecord } from '../execution/fill-record.ts';
import type { StrategyDefinition } from '../strategy/definition.ts';
import { StrategyRunner } from '../strategy/runner.ts';
import { BarFillSimulator } from '../venues/bars/bar-fill-simulator.ts';
import { CandleRunner } from './candle-runner.ts';
import { scriptedMarket, SCRIPT_START_MS, type MarketScript } from './scripted-market.ts';
import { timeframeMs } from '../domain/timeframe.ts';

export interface ScriptOptions extends MarketScript {
  readonly params?: Readonly<Record<string, unknown>>;
  /** What the account begins with, by lower-case currency; 10,000 of the quote currency without it. */
  readonly balances?: Readonly<Record<string, number>>;
  /** The fee of each trade as a share, such as 0.001; none without it. */
  readonly fee?: number;
  /** Bars at the beginning that are the past: they warm up, and no handler is told of them. */
  readonly past?: number;
}

/** An order that a strategy had. Prices are in the quote currency, amounts in the base currency. */
export interface ScriptedOrder {
  readonly side: Side;
  readonly execution: Execution;
  /** Null for a market order. */
  readonly price: number | null;
  readonly amount: number;
  readonly filled: number;
  /** As it was in the end. */
  readonly state: OrderRecord['state'];
  readonly tag: string | null;
}

/** A trade of an order. */
export interface ScriptedFill {
  readonly side: Side;
  readonly price: number;
  readonly amount: number;
  /** In the currency received. */
  readonly fee: number;
  readonly timeMs: number;
}

/** What a strategy did on a scripted market. */
export interface ScriptedRun {
  /** In the order in which they were planned. */
  readonly orders: readonly ScriptedOrder[];
  readonly fills: readonly ScriptedFill[];
  /** What it wanted and did not get, as sentences with their codes. */
  readonly refusals: readonly string[];
  readonly log: readonly string[];
  /** Its state in the end. */
  readonly state: unknown;
  /** What all is worth in the quote currency at the last close. */
  readonly equity: number;
}

const MILLIONTHS = 1_000_000;

/**
 * Runs a strategy on a scripted market: the real engine, and the fill rules of a backtest on bars. A run is
 * always the same. Throws `INVALID_STRATEGY` with what a handler threw.
 */
export function runStrategy(strategy: StrategyDefinition, options: ScriptOptions): ScriptedRun {
  const { params = {}, fee = 0, past = 0, timeframe = '1h' } = options;
  const { market, columns } = scriptedMarket(options);
  const { balances = { [market.quote]: 10_000 } } = options;
  const rates = { maker: Math.round(fee * MILLIONTHS), taker: Math.round(fee * MILLIONTHS) };
  const venue = new BarFillSimulator({
    markets: [market],
    fees: { rls: rates, usdt: rates },
    balances: Object.fromEntries(
      Object.entries(balances).map(([currency, amount]) => [currency, parseUnits(decimalText(amount))]),
    ),
    rules: { volumeShareMillionths: null },
  });
  const runner = new StrategyRunner(strategy, { market: market.symbol, timeframe, params, hasBooks: false });
  const limits = createRiskLimits();
  const run = new CandleRunner({
    settings: {
      ...DEFAULT_ENGINE_TIMES,
      instance: 'test',
      instances: [{ runner, onError: 'stop', pauseMs: 60_000, limits, capital: {} }],
    },
    markets: [{ market, columns }],
    venue,
    quote: market.quote,
    fromMs: SCRIPT_START_MS + past * timeframeMs(timeframe),
  }).run();
  if (runner.failure !== null) throw new SarrafError('INVALID_STRATEGY', `${runner.name}: ${runner.failure}`);
  return {
    orders: run.orders.map(orderOf),
    fills: run.fills.map(fillOf),
    refusals: run.intents.flatMap(({ refusals }) =>
      refusals.map(({ code, example }) => `${code}: ${example}`),
    ),
    log: (run.logs.get(runner.name) ?? []).map(({ text }) => text),
    state: JSON.parse(runner.stateJson()) as unknown,
    equity: numberOf(run.finalEquity),
  };
}

function orderOf({ side, execution, price, amount, filled, state, tag }: OrderRecord): ScriptedOrder {
  const shown = price === null || execution === 'market' ? null : numberOf(price);
  return { side, execution, price: shown, amount: numberOf(amount), filled: numberOf(filled), state, tag };
}

function fillOf({ side, price, amount, fee, atMs }: FillRecord): ScriptedFill {
  return { side, price: numberOf(price), amount: numberOf(amount), fee: numberOf(fee), timeMs: atMs };
}

function numberOf(units: Units): number {
  return Number(formatUnits(units));
}
