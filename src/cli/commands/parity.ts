import { countText } from '../../domain/money.ts';
import { Command } from 'commander';
import { checkParity, type ParityReport } from '../../backtest/check-parity.ts';
import { CAUSE_RULES, CAUSES, type Difference } from '../../backtest/difference.ts';
import { failed, asCommand } from '../command-error.ts';
import { integerOption } from '../option-readers.ts';
import { ownStrategies } from '../../plugins/own-files.ts';
import { print, tableLines } from '../table.ts';
import { isoText } from '../../domain/time-text.ts';

interface Options {
  readonly session: string;
  readonly first: number;
  readonly json?: true;
}

const EXAMPLES = `
docs/backtest-checks.md says what is compared, and how a difference gets its cause.
Exit codes: 0 no difference has the cause "code", 1 some have, 2 the folder is wrong.

Examples:
  sarraf run --record --for 1h --data data
  sarraf parity --session data`;

const KINDS = ['signal', 'intent', 'order', 'fill', 'money'] as const satisfies readonly Difference['what'][];

async function parity({ session, first, json }: Options): Promise<void> {
  const report = await checkParity({ folder: session, bundledStrategies: ownStrategies() });
  const ofCode = report.differences.filter(({ cause }) => cause === 'code').length;
  print({ json }, { ...report, ofCode }, () => linesOf(report, first));
  if (ofCode > 0) throw failed(`${countText(ofCode, 'difference has', 'differences have')} the cause "code"`);
}

function linesOf(report: ParityReport, first: number): readonly string[] {
  const { differences, session, again, decisions, decisionsOnSameInputs, decidedAgain, unsent } = report;
  const count = (what: Difference['what'], cause: Difference['cause']): string =>
    String(differences.filter((one) => one.what === what && one.cause === cause).length);
  const right = { align: 'right' } as const;
  const kinds = ['signals', 'intents', 'orders', 'fills', 'books', 'bars'] as const;
  return [
    `${isoText(report.beganMs)} to ${isoText(report.endMs)}`,
    '',
    ...tableLines(
      ['', ...kinds.map((title) => ({ title, ...right }))],
      [
        ['session', ...kinds.map((kind) => String(session[kind]))],
        ['second run', ...kinds.map((kind) => String(again[kind]))],
      ],
    ),
    '',
    ...tableLines(
      ['differences', ...KINDS.map((title) => ({ title, ...right })), 'what it means'],
      CAUSES.map((cause) => [cause, ...KINDS.map((what) => count(what, cause)), CAUSE_RULES[cause]]),
    ),
    '',
    `${decidedAgain} of ${countText(decisions, 'decision')} of the session were made again from the same events.`,
    `Before ${decisionsOnSameInputs} of ${countText(decisions, 'decision')} of the session the second run had seen the same.`,
    ...(unsent === 0
      ? []
      : [
          `Requests of the session that it never sent, since its machine was too slow or their time was up: ${unsent}.`,
        ]),
    ...firstLines(differences, first),
  ];
}

/** Returns lines for the first differences; later ones follow from them. */
function firstLines(differences: readonly Difference[], first: number): readonly string[] {
  if (differences.length === 0 || first === 0) return [];
  const rows = differences
    .slice(0, first)
    .map(({ atMs, what, cause, strategy, session, again, why }) => [
      isoText(atMs),
      what,
      cause,
      strategy ?? '',
      session ?? '-',
      again ?? '-',
      why,
    ]);
  const titles = ['first differences', 'what', 'cause', 'strategy', 'session', 'second run', 'why'];
  return [
    '',
    ...tableLines(
      titles.map((title) => ({ title })),
      rows,
    ),
  ];
}

export function parityCommand(): Command {
  return new Command('parity')
    .description('Runs a recorded session again as a backtest, and shows what differs and why.')
    .requiredOption('--session <folder>', 'data folder of a run with --record')
    .option(
      '--first <count>',
      'how many differences to list, the first ones first',
      integerOption(0, 10_000),
      10,
    )
    .option('--json', 'prints all of it as JSON')
    .addHelpText('after', EXAMPLES)
    .action(async (options: Options) => asCommand(async () => parity(options)));
}
