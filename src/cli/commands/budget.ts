import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { ledgerFolder } from '../../budget/ledger-file.ts';
import { readLedger, type BudgetReport } from '../../budget/ledger-report.ts';
import { monotonicMs } from '../../budget/process-owner.ts';
import { failed } from '../command-error.ts';

interface Options {
  readonly ledger?: string;
  readonly json?: true;
}

interface LedgerPage {
  readonly ledger: string;
  readonly budgets: readonly BudgetReport[];
}

const EXAMPLES = `
Examples:
  sarraf budget
  sarraf budget --ledger /data/ledger.sqlite --json`;

/** The ledgers of this user, one a base address. */
function ownLedgers(): string[] {
  const folder = ledgerFolder();
  const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.sqlite')) : [];
  if (files.length === 0) throw failed(`expected a ledger in ${folder}, found none: name one with --ledger`);
  return files.toSorted().map((name) => join(folder, name));
}

/** A length of time for people: the largest unit that leaves a whole number at least 1, rounded up. */
function timeText(lengthMs: number): string {
  const seconds = Math.ceil(lengthMs / 1_000);
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7_200 ? `${Math.ceil(seconds / 60)} min` : `${Math.ceil(seconds / 3_600)} h`;
}

function stateText(report: BudgetReport): string {
  const words = [];
  if (report.stoppedForMs !== null) words.push(`401: next probe in ${timeText(report.stoppedForMs)}`);
  if (report.isOnTrial) words.push('locked out, canary on its way');
  if (report.lockedForMs !== null) words.push(`LOCKED OUT for ${timeText(report.lockedForMs)}`);
  if (report.fullForMs > 0) words.push(`counts as full for ${timeText(report.fullForMs)}`);
  return words.length === 0 ? 'ok' : words.join('; ');
}

function tableLines(budgets: readonly BudgetReport[]): string[] {
  const rows = [
    ['budget', 'of', 'in use', 'limit', 'per', 'reserve', 'stated', 'state'],
    ...budgets.map((report) => [
      report.budget,
      report.subject,
      String(report.inUse),
      String(report.limit),
      timeText(report.windowMs),
      String(report.reserve),
      report.assumed ? 'assumed' : 'yes',
      stateText(report),
    ]),
  ];
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

function run(options: Options): void {
  const paths = options.ledger === undefined ? ownLedgers() : [options.ledger];
  const nowMs = monotonicMs();
  const pages = paths.map((ledger): LedgerPage => ({ ledger, budgets: readLedger(ledger, nowMs) }));
  if (options.json === true) {
    console.log(JSON.stringify({ ledgers: pages }));
    return;
  }
  for (const { ledger, budgets } of pages) console.log([ledger, ...tableLines(budgets)].join('\n'));
}

/** `sarraf budget`: what the ledger of requests has in use, keeps in reserve and is locked out of. */
export function budgetCommand(): Command {
  return new Command('budget')
    .description('Shows the use, reserve and lockouts of every request budget on this machine.')
    .option('--ledger <file>', 'the ledger to read; all those of this user without it')
    .option('--json', 'prints one JSON object')
    .addHelpText('after', EXAMPLES)
    .action((options: Options) => run(options));
}
