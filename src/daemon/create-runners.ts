import { SarrafError } from '../domain/errors.ts';
import { lineIn } from '../plugins/line-in-stack.ts';
import { formatPluginProblem, loadStrategies } from '../plugins/load-strategies.ts';
import { StrategyRunner } from '../strategy/runner.ts';
import type { Span } from '../strategy/subscriptions.ts';

/** Strategies that can run in a market, and a line for each file that can not. */
export interface CreatedRunners {
  readonly runners: readonly StrategyRunner[];
  readonly problems: readonly string[];
}

/** Strategies of the package that live by tags, timers and targets, which this bot does not know. */
const LEFT_OUT: ReadonlySet<string> = new Set(['grid', 'rebalance', 'dca']);

/**
 * Loads the strategies at a path and sets each up for a market. One with a mistake is told with its file and line, and the others are there all
 * the same.
 * @throws SarrafError `INVALID_STRATEGY` when none is left, `INVALID_OPTIONS` when there is nothing at the path.
 */
export async function createRunners(
  path: string,
  setup: { readonly market: string; readonly span: Span },
): Promise<CreatedRunners> {
  const loaded = await loadStrategies(path);
  const problems = loaded.problems.map(formatPluginProblem);
  const runners: StrategyRunner[] = [];
  for (const { file, definition } of loaded.strategies) {
    if (LEFT_OUT.has(definition.name)) continue;
    try {
      const runner = new StrategyRunner(definition, setup);
      const foreign = runner.subscriptions.flatMap((wanted) =>
        wanted.kind === 'timer' || wanted.market === setup.market ? [] : [wanted.market],
      )[0];
      if (foreign === undefined) runners.push(runner);
      else {
        const message = `expected subscriptions to the market of this run, ${setup.market}, was "${foreign}"`;
        problems.push(formatPluginProblem({ file, line: null, message }));
      }
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      problems.push(formatPluginProblem({ file, line: lineIn(error, file), message }));
    }
  }
  if (runners.length > 0) return { runners, problems };
  throw new SarrafError('INVALID_STRATEGY', [`expected a strategy in ${path}, was none`, ...problems].join('\n  '));
}
