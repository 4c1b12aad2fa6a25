import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { ledgerFolder } from '../../budget/ledger-file.ts';
import { readLedgerAt, raiseLimitAt } from '../../budget/ledger-snapshot.ts';
import type { BudgetReport } from '../../budget/ledger-report.ts';
import { budgetTable } from '../../exchange/client-options.ts';
import { failed, wrongInput } from '../command-error.ts';
import { ledgerOfConfig } from '../read-config.ts';
import { print, rowLines } from '../table.ts';
import { lengthText } from '../../domain/time-text.ts';

interface Options {
  readonly ledger?: string;
  readonly config?: string;
  readonly json?: true;
}

interface LedgerPage {
  readonly ledger: string;
  readonly budgets: readonly BudgetReport[];
}

const EXAMPLES = `
Examples:
  sarraf budget
  sarraf budget --config bot.yaml
  sarraf budget --ledger /data/ledger.sqlite --json
  sarraf budget raise orders/list --config bot.yaml`;

const RAISE_HELP = `
Wait until the exchange is no longer crowded. Above its limit it answers with a 429 again, or locks
you out for 1 to 24 hours.
Exit codes: 0 the limit is raised, 1 it was not lowered or the ledger can not be written, 2 an
option or the name is wrong.

Examples:
  sarraf budget raise orders/list
  sarraf budget raise v2/orderbook --config bot.yaml --json`;

const BUDGET_NAMES: ReadonlySet<string> = new Set(budgetTable().keys());

/** Returns the ledgers of this user, one for each base address. */
function ownLedgers(): string[] {
  const folder = ledgerFolder();
  const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.sqlite')) : [];
  if (files.length === 0) throw failed(`expected a ledger in ${folder}, found none: name one with --ledger`);
  return files.toSorted().map((name) => join(folder, name));
}

function stateText(report: BudgetReport): string {
  const words = [];
  if (report.stoppedForMs !== null) words.push(`401: next probe in ${lengthText(report.stoppedForMs)}`);
  if (report.isOnTrial) words.push('locked out, canary on its way');
  if (report.lockedForMs !== null) words.push(`LOCKED OUT for ${lengthText(report.lockedForMs)}`);
  if (report.lowered !== null) {
    const { named, forMs } = report.lowered;
    words.push(`LOWERED by the exchange to ${named}, from ${report.ownLimit} used, for ${lengthText(forMs)}`);
  }
  if (report.fullForMs > 0) words.push(`counts as full for ${lengthText(report.fullForMs)}`);
  return words.length === 0 ? 'ok' : words.join('; ');
}

const budgetLines = (budgets: readonly BudgetReport[]): readonly string[] =>
  rowLines(budgets, {
    budget: ({ budget }) => budget,
    of: ({ subject }) => subject,
    '>in use': ({ inUse }) => String(inUse),
    '>limit': ({ limit }) => String(limit),
    per: ({ windowMs }) => lengthText(windowMs),
    '>reserve': ({ reserve }) => String(reserve),
    stated: ({ assumed }) => (assumed ? 'assumed' : 'yes'),
    state: stateText,
  });

function pathsOf({ ledger, config }: Options): string[] {
  if (ledger !== undefined && config !== undefined)
    throw wrongInput('expected the ledger as --ledger <place> or --config <file>, were both');
  if (config !== undefined) return [ledgerOfConfig(config)];
  if (ledger === undefined) return ownLedgers();
  return [ledger];
}

async function run(options: Options): Promise<void> {
  const paths = pathsOf(options);
  const pages = await Promise.all(
    paths.map(async (ledger): Promise<LedgerPage> => ({ ledger, budgets: await readLedgerAt(ledger) })),
  );
  print(options, { ledgers: pages }, () =>
    pages.flatMap(({ ledger, budgets }) => [ledger, ...budgetLines(budgets)]),
  );
}

interface Raised {
  readonly ledger: string;
  readonly raised: readonly { readonly subject: string; readonly named: number }[];
}

/** Ends the lowering of a limit, no matter which subject it was lowered for. */
async function raise(budget: string, options: Options): Promise<void> {
  if (!BUDGET_NAMES.has(budget))
    throw wrongInput(`expected one of ${[...BUDGET_NAMES].join(', ')} as the budget, was "${budget}"`);
  const results = await Promise.all(
    pathsOf(options).map(async (ledger): Promise<Raised> => ({
      ledger,
      raised: await raiseLimitAt(ledger, budget),
    })),
  );
  const raised = results.flatMap((result) => result.raised);
  const lines = raised.map(
    ({ named, subject }) =>
      `${budget} of ${subject} is no longer lowered to ${named}: running bots use their own limit again`,
  );
  print(options, { budget, ledgers: results }, () => (lines.length === 0 ? null : lines));
  if (raised.length === 0)
    throw failed(
      `expected a limit of ${budget} that the exchange has lowered, found none; see "sarraf budget"`,
    );
}

function raiseCommand(): Command {
  return withPlace(new Command('raise'))
    .description(
      'Raises a limit that the exchange has lowered, before the 24 hours without a limit reply are over.',
    )
    .argument('<budget>', 'the budget, as "sarraf budget" names it')
    .addHelpText('after', RAISE_HELP)
    .action(async (budget: string, _options: Options, command: Command) =>
      raise(budget, command.optsWithGlobals<Options>()),
    );
}

function withPlace(command: Command): Command {
  return command
    .option('--ledger <place>', 'the ledger: its file, or redis://…#KEY (default: all of this user)')
    .option('--config <file>', 'configuration of a bot, whose ledger is used')
    .option('--json', 'prints one JSON object');
}

export function budgetCommand(): Command {
  return withPlace(new Command('budget'))
    .description(
      'Shows the use, reserve, lockouts and lowered limits of every request budget on this machine.',
    )
    .addHelpText('after', EXAMPLES)
    .addCommand(raiseCommand().exitOverride())
    .action(run);
}
