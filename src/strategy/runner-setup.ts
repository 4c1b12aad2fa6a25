import type { z } from 'zod';
import { SarrafError } from '../domain/errors.ts';
import { CandleSeries } from './candle-series.ts';
import { checkedSubscriptions } from './check-subscriptions.ts';
import type { IndicatorSpecs, StrategyDefinition } from './definition.ts';
import { deepFreeze, frozenCopy } from './frozen-copy.ts';
import { createIndicator } from './indicators.ts';
import type { CandleSource } from './indicator-specs.ts';
import type { Subscription } from './subscriptions.ts';

const LONGEST_NAME = 12;

/** Indicators of one strategy. */
const MOST_INDICATORS = 100;

/** Parameters as the schema of a strategy makes them, frozen. Throws `INVALID_STRATEGY` that names each that is wrong, or the name of the strategy. */
export function checkedParameters(
  definition: StrategyDefinition,
  name: string,
  given: Readonly<Record<string, unknown>>,
): unknown {
  if (typeof name !== 'string' || !/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name) || name.length > LONGEST_NAME) {
    const message = `expected a strategy name of at most twelve lower-case letters, digits and hyphens, was ${JSON.stringify(name)}`;
    throw new SarrafError('INVALID_STRATEGY', message);
  }
  const params = definition.params.safeParse(frozenCopy(given));
  if (params.success) return deepFreeze(params.data);
  const problems = params.error.issues.map((issue) => `${issue.path.join('.') || 'params'}: ${issue.message}`);
  throw new SarrafError('INVALID_STRATEGY', `parameters of ${name}: ${problems.join('; ')}`, {
    details: { params: params.error.issues.flatMap(paramProblems) },
  });
}

/** A parameter that a strategy refuses, by its place among the parameters. */
export interface ParamProblem {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** A name that there is none of is at its own place, not at that of all parameters. */
function paramProblems(issue: z.core.$ZodIssue): readonly ParamProblem[] {
  const { path, message } = issue;
  if (issue.code !== 'unrecognized_keys') return [{ path, message }];
  return issue.keys.map((key) => ({
    path: [...path, key],
    message: 'expected the name of a parameter, found another',
  }));
}

/** The subscriptions of a strategy, and its candle series with their indicators; `indicators` are the names of all of them. */
export function checkedSetup(options: {
  readonly wanted: unknown;
  readonly specs: unknown;
  readonly knownMarkets: ReadonlySet<string> | undefined;
}): {
  readonly subscriptions: readonly Subscription[];
  readonly series: readonly CandleSeries[];
  readonly indicators: readonly string[];
} {
  const subscriptions = checkedSubscriptions(options.wanted, options.knownMarkets);
  const series = subscriptions.flatMap((wanted) => (wanted.kind === 'candles' ? [new CandleSeries(wanted)] : []));
  const specs = Object.entries(Object(options.specs) as IndicatorSpecs);
  if (specs.length > MOST_INDICATORS) {
    const message = `expected at most ${MOST_INDICATORS} indicators, were ${specs.length}`;
    throw new SarrafError('INVALID_STRATEGY', message);
  }
  for (const [name, spec] of specs) {
    const indicator = createIndicator(spec);
    seriesFor(spec.of, { name, series }).addIndicator(name, indicator);
  }
  return { subscriptions, series, indicators: specs.map(([name]) => name) };
}

/** The first series that an indicator may mean. */
function seriesFor(
  { market, timeframe }: CandleSource,
  of: { readonly name: string; readonly series: readonly CandleSeries[] },
): CandleSeries {
  const found = of.series.find(
    ({ subscription }) =>
      (market === undefined || market === subscription.market) &&
      (timeframe === undefined || timeframe === subscription.timeframe),
  );
  if (found !== undefined) return found;
  const meant = ['candles', market, timeframe].filter((part) => part !== undefined).join(' ');
  throw new SarrafError(
    'INVALID_STRATEGY',
    `expected a subscription to ${meant} for the indicator ${of.name}, was none of them`,
  );
}
