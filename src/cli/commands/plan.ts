import { Command, Option } from 'commander';
import { SarrafError } from '../../domain/errors.ts';
import { planPolls } from '../../scheduler/plan-polls.ts';
import { SPANS, type Span } from '../../strategy/subscriptions.ts';
import { wrongInput } from '../command-error.ts';
import { ownStrategies } from '../own-strategies.ts';
import { planLines } from '../plan-lines.ts';

interface Options {
  readonly strategies: string;
  readonly market: readonly string[];
  readonly span: Span;
  readonly json?: true;
}

const EXAMPLES = `
Examples:
  sarraf plan
  sarraf plan --strategies strategies/market-maker.ts --market BTCIRT ETHIRT USDTIRT
  sarraf plan --span 15m --json

Exit codes: 0 it fits, 2 it does not or an option is wrong.`;

/** Mistakes of the one who calls: they are said in a line and end with the code for wrong input. */
const INPUT_ERRORS: ReadonlySet<string> = new Set(['INVALID_OPTIONS', 'INVALID_STRATEGY', 'INVALID_MARKET']);

async function plan(options: Options): Promise<void> {
  // Loaded only now: the other commands need no strategies.
  const { strategiesPlanInput } = await import('../strategies-plan-input.ts');
  try {
    const { strategies: path, market: markets, span } = options;
    const { input, problems } = await strategiesPlanInput({ path, markets, span });
    const made = planPolls(input);
    if (options.json === true) console.log(JSON.stringify({ ...made, strategyProblems: problems }));
    else console.log(planLines(made).join('\n'));
    for (const problem of problems) console.error(problem);
    if (made.problems.length > 0) throw wrongInput(['It does not fit:', ...made.problems].join('\n  '));
  } catch (error) {
    throw error instanceof SarrafError && INPUT_ERRORS.has(error.code) ? wrongInput(error.message) : error;
  }
}

/** `sarraf plan`: how often everything would be asked for, and how old it can get. */
export function planCommand(): Command {
  return new Command('plan')
    .description('Shows how often everything would be asked for, how old it can get, and whether it fits the limits.')
    .option('--strategies <path>', 'folder of strategies, or one file', ownStrategies())
    .option('--market <symbols...>', 'markets that each strategy trades in', ['BTCIRT'])
    .addOption(new Option('--span <length>', 'length of candles').choices(Object.keys(SPANS)).default('1m'))
    .option('--json', 'prints one JSON object')
    .addHelpText('after', EXAMPLES)
    .action(async (options: Options) => plan(options));
}
