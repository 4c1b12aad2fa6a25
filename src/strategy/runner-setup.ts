import { z } from 'zod';
import { invalidStrategy, didYouMean } from '../domain/errors.ts';
import type { CandleSeries } from './data/candle-series.ts';
import type { CheckedData, DataEntry } from './checks/check-data.ts';
import type { CandleData } from './data/data.ts';
import { type StrategyDefinition, isStrategyName, strategyNameProblem, whatIsWrong } from './definition.ts';
import { routeOfSubscription } from './subscriptions.ts';
import { deepFreeze, fieldsOf, frozenCopy } from './fields.ts';
import { createIndicator, ofIndicator } from './indicators/indicators.ts';
import type { IndicatorSpecs, Indicator } from './indicators/declare-indicator.ts';
import { inputText } from './decimal-input.ts';
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
  if (wrong !== null) throw invalidStrategy(wrong);
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
  if (!isStrategyName(name)) throw invalidStrategy(`name: ${strategyNameProblem(name)}`);
  const params = (definition.params ?? NO_PARAMS).safeParse(frozenCopy(given), {
    reportInput: true,
    error: paramProblem,
  });
  if (params.success) return deepFreeze(params.data);
  const names = Object.keys(fieldsOf(fieldsOf(definition.params)['shape']));
  const problems = params.error.issues.flatMap((issue) => paramProblems(issue, names));
  const lines = problems.map(({ path, message }) => `${path.join('.') || 'params'}: ${message}`);
  throw invalidStrategy(`parameters of ${name}: ${lines.join('; ')}`, {
    details: { params: problems },
  });
}

/** Names of zod's types in messages. */
const TYPES: Readonly<Record<string, string>> = {
  int: 'a whole number',
  string: 'a text',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

/** Returns a message in the place of zod's own about a value of a param; an author's message precedes it. */
export function paramProblem(issue: z.core.$ZodRawIssue): string {
  const { input } = issue;
  const was = input === undefined ? 'none: set it, or give it a default in params' : inputText(input);
  return `expected ${expectedOf(issue)}, was ${was}`;
}

function expectedOf(issue: z.core.$ZodRawIssue): string {
  const { code } = issue;
  if (code === 'invalid_type') return TYPES[issue.expected] ?? `a ${issue.expected}`;
  if (code === 'not_multiple_of') return `a multiple of ${issue.divisor}`;
  if (code === 'invalid_value')
    return `${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map(inputText).join(', ')}`;
  if (code === 'invalid_format')
    return `a text ${issue.pattern === undefined ? `in the form ${issue.format}` : `that matches ${issue.pattern}`}`;
  if (code !== 'too_big' && code !== 'too_small') return 'a value that the schema of the params accepts';
  const [most, least] = issue.inclusive === false ? ['less than', 'more than'] : ['at most', 'at least'];
  const bound = code === 'too_big' ? `${most} ${issue.maximum}` : `${least} ${issue.minimum}`;
  return `${bound}${issue.origin === 'string' ? ' characters' : issue.origin === 'array' ? ' entries' : ''}`;
}

/** A parameter that a strategy refuses, with its path among the parameters. */
export interface ParamProblem {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** Returns the problems of an issue. An unknown name gets its own path, not that of all parameters. */
function paramProblems(issue: z.core.$ZodIssue, names: readonly string[]): readonly ParamProblem[] {
  const { path, message } = issue;
  if (issue.code !== 'unrecognized_keys') return [{ path, message }];
  return issue.keys.map((key) => ({
    path: [...path, key],
    message: `expected the name of a parameter (${names.join(', ') || 'it has none'}), was ${key}${didYouMean(key, names)}`,
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
    throw invalidStrategy(message);
  }
  const indicators = new Map<string, Indicator>();
  for (const [name, spec] of named) {
    const indicator = ofIndicator(name, () => createIndicator(spec, (other) => indicators.get(other)));
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
  throw invalidStrategy(`indicators.${name}: expected candles of members that data declares, was of others`);
}

function seriesFor(name: string, of: CandleData, entries: readonly DataEntry[]): CandleSeries {
  const route = routeOfSubscription(of.from);
  const series =
    entries.find((entry) => entry.series?.isOf(of.from.market, of.from.timeframe) === true)?.series ?? null;
  if (series !== null) return series;
  throw invalidStrategy(
    `indicators.${name}: expected candles that data declares, was of ${route}, which it does not`,
  );
}
