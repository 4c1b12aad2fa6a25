import { z } from 'zod';
import { SarrafError } from '../domain/errors.ts';
import type { CandleSeries } from './data/candle-series.ts';
import type { CheckedData, DataEntry } from './checks/check-data.ts';
import type { CandleData } from './data/data.ts';
import { type StrategyDefinition, isStrategyName, strategyNameProblem, whatIsWrong } from './definition.ts';
import { routeOfSubscription } from './subscriptions.ts';
import { deepFreeze, fieldsOf, frozenCopy } from './fields.ts';
import { createIndicator } from './indicators/indicators.ts';
import type { IndicatorSpecs, Indicator } from './indicators/declare-indicator.ts';
import type { MarketNames } from '../domain/market-symbol.ts';
import type { MemberCandles } from './universe/member-data.ts';
import type { MemberFeed, MemberSet } from './universe/member-set.ts';
import { perMember } from './universe/per-member.ts';
import { checkedUniverse, type UniverseWish } from './universe-rules.ts';

const NO_PARAMS = z.strictObject({});

const MOST_INDICATORS = 100;

/**
 * Returns the strategy as it runs: as its author wrote it, or once for each member of a universe. Throws
 * `INVALID_STRATEGY` if a part of the strategy or of the universe is invalid.
 */
export function definitionFor(
  written: StrategyDefinition,
  of: {
    readonly universe: UniverseWish | null;
    readonly marketNames: MarketNames;
    /** Markets of the exchange; undefined: a universe may exclude any name. */
    readonly listedMarkets: ReadonlySet<string> | undefined;
  },
): StrategyDefinition {
  const wrong = whatIsWrong(written);
  if (wrong !== null) throw new SarrafError('INVALID_STRATEGY', wrong);
  const { universe, marketNames, listedMarkets: knownMarkets } = of;
  return universe === null
    ? written
    : perMember(written, checkedUniverse(universe, { marketNames, knownMarkets }));
}

/**
 * Returns the parameters as the strategy's schema reads them, frozen. Throws `INVALID_STRATEGY` that names
 * each invalid parameter, or an invalid strategy name.
 */
export function checkedParameters(
  definition: StrategyDefinition,
  name: string,
  given: Readonly<Record<string, unknown>>,
): unknown {
  if (!isStrategyName(name)) throw new SarrafError('INVALID_STRATEGY', strategyNameProblem(name));
  const params = (definition.params ?? NO_PARAMS).safeParse(frozenCopy(given), { reportInput: true });
  if (params.success) return deepFreeze(params.data);
  const names = Object.keys(fieldsOf(fieldsOf(definition.params)['shape']));
  const problems = params.error.issues.flatMap((issue) => paramProblems(issue, names));
  const lines = problems.map(({ path, message }) => `${path.join('.') || 'params'}: ${message}`);
  throw new SarrafError('INVALID_STRATEGY', `parameters of ${name}: ${lines.join('; ')}`, {
    details: { params: problems },
  });
}

/** A parameter that a strategy refuses, with its path among the parameters. */
export interface ParamProblem {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** Returns the problems of an issue. An unknown name gets its own path, not that of all parameters. */
function paramProblems(issue: z.core.$ZodIssue, names: readonly string[]): readonly ParamProblem[] {
  const { path, message } = issue;
  if (issue.code === 'invalid_type' && issue.input === undefined)
    return [
      { path, message: `expected a ${issue.expected}, was none: set it, or give it a default in params` },
    ];
  if (issue.code !== 'unrecognized_keys') return [{ path, message }];
  return issue.keys.map((key) => ({
    path: [...path, key],
    message: `expected the name of a parameter (${names.join(', ') || 'it has none'}), found another`,
  }));
}

/**
 * Creates the indicators of a strategy, by name, and adds each to its candles. Indicators of universe members
 * are created later, when a member is followed.
 */
export function addIndicators(
  specs: unknown,
  { entries, universes }: CheckedData,
): ReadonlyMap<string, Indicator> {
  const named = Object.entries(Object(specs) as IndicatorSpecs);
  if (named.length > MOST_INDICATORS) {
    const message = `expected at most ${MOST_INDICATORS} indicators, were ${named.length}`;
    throw new SarrafError('INVALID_STRATEGY', message);
  }
  const indicators = new Map<string, Indicator>();
  for (const [name, spec] of named) {
    const indicator = createIndicator(spec, (other) => indicators.get(other));
    if (spec.of.kind === 'member-candles') {
      memberFeedFor(name, spec.of, universes).addIndicator(name, spec);
      continue;
    }
    seriesFor(name, spec.of, entries).addIndicator(indicator);
    indicators.set(name, indicator);
  }
  return indicators;
}

/** Finds the feed by the object that `data` returned: two universes may declare candles of one timeframe. */
function memberFeedFor(name: string, of: MemberCandles, universes: readonly MemberSet[]): MemberFeed {
  for (const { feeds } of universes) for (const feed of feeds) if (feed.data === of) return feed;
  throw new SarrafError(
    'INVALID_STRATEGY',
    `indicators.${name}: expected candles of members that data declares, was of others`,
  );
}

function seriesFor(name: string, of: CandleData, entries: readonly DataEntry[]): CandleSeries {
  const route = routeOfSubscription(of.from);
  const series =
    entries.find((entry) => entry.series?.isOf(of.from.market, of.from.timeframe) === true)?.series ?? null;
  if (series !== null) return series;
  throw new SarrafError(
    'INVALID_STRATEGY',
    `indicators.${name}: expected candles that data declares, was of ${route}, which it does not`,
  );
}
