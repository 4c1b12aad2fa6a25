import { LATE_ARRIVAL_MS, reserveOf } from '../budget/admission.ts';
import { SarrafError } from '../domain/errors.ts';
import { parseMarket } from '../domain/market-symbol.ts';
import { budgetTable } from '../exchange/budget-table.ts';
import { lineIn } from '../plugins/line-in-stack.ts';
import { formatPluginProblem, loadStrategies, type LoadedStrategy } from '../plugins/load-strategies.ts';
import { USUAL_REPLY_MS } from '../scheduler/default-ages.ts';
import type { PlanInput } from '../scheduler/plan-input.ts';
import { StrategyRunner } from '../strategy/runner.ts';
import type { Span } from '../strategy/subscriptions.ts';

/** Strategies to plan for: each runs in each of the markets. */
export interface PlannedStrategies {
  readonly path: string;
  readonly markets: readonly string[];
  readonly span: Span;
}

/** Pages of orders and trades that a bot is behind by after a restart: what it had not settled, and what came since. */
const PAGES_BEHIND = 2;

/**
 * What a plan needs to know of the strategies at a path, with the limits that the interface states, and a line for each strategy that can not be set up.
 * @throws SarrafError `INVALID_STRATEGY` when none is left, `INVALID_OPTIONS` when there is nothing at the path, `INVALID_MARKET`.
 */
export async function strategiesPlanInput(
  planned: PlannedStrategies,
): Promise<{ readonly input: PlanInput; readonly problems: readonly string[] }> {
  const loaded = await loadStrategies(planned.path);
  const problems = loaded.problems.map(formatPluginProblem);
  const markets = [...new Set(planned.markets.map((market) => parseMarket(market).symbol))];
  const runners: StrategyRunner[] = [];
  for (const strategy of loaded.strategies) {
    for (const market of markets) {
      const runner = setUp(strategy, { market, span: planned.span });
      if (runner instanceof StrategyRunner) runners.push(runner);
      else problems.push(runner);
    }
  }
  if (runners.length === 0) {
    const found = [`expected a strategy in ${planned.path}, was none`, ...problems].join('\n  ');
    throw new SarrafError('INVALID_STRATEGY', found);
  }
  return { input: inputOf(runners), problems };
}

/** The strategy in a market, or a line that says why it can not be set up there. */
function setUp(
  { file, definition }: LoadedStrategy,
  setup: { readonly market: string; readonly span: Span },
): StrategyRunner | string {
  try {
    return new StrategyRunner(definition, setup);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return formatPluginProblem({ file, line: lineIn(error, file), message });
  }
}

function inputOf(runners: readonly StrategyRunner[]): PlanInput {
  return {
    subscriptions: runners.flatMap(({ name, subscriptions }) =>
      subscriptions.map((subscription) => ({ strategy: name, subscription })),
    ),
    traded: runners.map(({ name, market }) => ({ strategy: name, market })),
    budgets: [...budgetTable().values()].map(({ name, limit, windowMs }) => {
      const reserve = reserveOf({ name, limit, windowMs });
      return { name, limit, windowMs, reserve };
    }),
    usesAccount: true,
    replyMs: USUAL_REPLY_MS,
    restart: { orderPages: PAGES_BEHIND, tradePages: PAGES_BEHIND, lateArrivalMs: LATE_ARRIVAL_MS },
  };
}
