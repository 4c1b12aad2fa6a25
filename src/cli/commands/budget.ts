import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { ledgerFolder } from '../../budget/ledger-file.ts';
import { readLedger, type BudgetReport } from '../../budget/ledger-report.ts';
import { monotonicMs } from '../../budget/process-owner.ts';
import { failed, wrongInput } from '../command-error.ts';
import { ledgerOfConfig } from '../ledger-of-config.ts';
import { tableLines, type Column } from '../table.ts';
import { lengthText } from '../time-text.ts';

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
  sarraf budget --ledger /data/ledger.sqlite --json`;

/** The ledgers of this user, one a base address. */
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
  if (report.fullForMs > 0) words.push(`counts as full for ${lengthText(report.fullForMs)}`);
  return words.length === 0 ? 'ok' : words.join('; ');
}

const COLUMNS: readonly Column[] = [
  { title: 'budget' },
  { title: 'of' },
  { title: 'in use', align: 'right' },
  { title: 'limit', align: 'right' },
  { title: 'per' },
  { title: 'reserve', align: 'right' },
  { title: 'stated' },
  { title: 'state' },
];

function budgetLines(budgets: readonly BudgetReport[]): string[] {
  const rows = budgets.map((report) => [
    report.budget,
    report.subject,
    String(report.inUse),
    String(report.limit),
    lengthText(report.windowMs),
    String(report.reserve),
    report.assumed ? 'assumed' : 'yes',
    stateText(report),
  ]);
  return tableLines(COLUMNS, rows);
}

function pathsOf({ ledger, config }: Options): string[] {
  if (ledger !== undefined && config !== undefined) {
    throw wrongInput('expected the ledger as --ledger <file> or --config <file>, were both');
  }
  if (config !== undefined) return [ledgerOfConfig(config)];
  return ledger === undefined ? ownLedgers() : [ledger];
}

function run(options: Options): void {
  const paths = pathsOf(options);
  const nowMs = monotonicMs();
  const pages = paths.map((ledger): LedgerPage => ({ ledger, budgets: readLedger(ledger, nowMs) }));
  if (options.json === true) {
    console.log(JSON.stringify({ ledgers: pages }));
    return;
  }
  for (const { ledger, budgets } of pages) console.log([ledger, ...budgetLines(budgets)].join('\n'));
}

/** `sarraf budget`: what the ledger of requests has in use, keeps in reserve and is locked out of. */
export function budgetCommand(): Command {
  return new Command('budget')
    .description('Shows the use, reserve and lockouts of every request budget on this machine.')
    .option('--ledger <file>', 'the ledger to read; all those of this user without it')
    .option('--config <file>', 'configuration of a bot, whose ledger is read')
    .option('--json', 'prints one JSON object')
    .addHelpText('after', EXAMPLES)
    .action((options: Options) => run(options));
}
