import { Command } from 'commander';
import { checkParity, type ParityReport } from '../../backtest/check-parity.ts';
import { replaySession, type SessionReplay } from '../../backtest/replay-session.ts';
import type { DecisionMoment } from '../../daemon/answers-apart.ts';
import { CAUSE_RULES, CAUSES, type Difference } from '../../backtest/difference.ts';
import { failed, asCommand, wrongInput } from '../command-error.ts';
import { integerOption } from '../option-readers.ts';
import { ownStrategies } from '../../plugins/own-files.ts';
import { print, tableLines } from '../table.ts';
import { countText } from '../../domain/money.ts';
import { readTehranTime } from '../../domain/zone-time.ts';
import { isoText } from '../../domain/time-text.ts';
import { english } from '../../language/sentence.ts';

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

/** Returns the sentence about what a session has after the part that is run again; none if it has nothing. */
function goesOn({ endedBy, isRunning }: Pick<ParityReport, 'endedBy' | 'isRunning'>): readonly string[] {
  if (endedBy === 'reload') return ['A strategy was loaded anew then: what came after that is left out.'];
  if (endedBy === 'promote')
    return ['Code and params were exchanged with a shadow then: what came after that is left out.'];
  return isRunning ? ['The bot still runs: what came after that is left out.'] : [];
}

function linesOf(report: ParityReport, first: number): readonly string[] {
  const { differences, session, again, decisions, decisionsOnSameInputs, decidedAgain, unsent } = report;
  const count = (what: Difference['what'], cause: Difference['cause']): string =>
    String(differences.filter((one) => one.what === what && one.cause === cause).length);
  const right = { align: 'right' } as const;
  const kinds = ['signals', 'intents', 'orders', 'fills', 'books', 'bars'] as const;
  return [
    `${isoText(report.beganMs)} to ${isoText(report.endMs)}`,
    ...goesOn(report),
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

/** Creates a command about the recorded session of a data folder. */
function sessionCommand(name: string, description: string, examples: string): Command {
  return new Command(name)
    .description(description)
    .requiredOption('--session <folder>', 'data folder of a run with --record')
    .option(
      '--first <count>',
      'how many differences to list, the first ones first',
      integerOption(0, 10_000),
      10,
    )
    .option('--json', 'prints all of it as JSON')
    .addHelpText('after', examples);
}

export function parityCommand(): Command {
  const description = 'Runs a recorded session again as a backtest, and shows what differs and why.';
  return sessionCommand('parity', description, EXAMPLES).action(asCommand(parity));
}

const REPLAY_EXAMPLES = `
Runs the code of the strategies again on what the bot received, event by event, and sends nothing. It
stops at the moment of an order or at the first decision from a time on, and shows what the bot knew
and decided. Above it stands where the code decides otherwise than it did in the session.
With --inspect it waits for a debugger, such as chrome://inspect, and stops there in the file of the
strategy, at the first line of its handler.
Exit codes: 0 all was decided as in the session, 1 something differs, 2 an option or the folder is wrong.

Examples:
  sarraf replay --session data
  sarraf replay --session data --until bot-ma-cross-yq3z-1
  sarraf replay --session data --until i12
  sarraf replay --session data --until 2026-04-02T11:00:00Z --inspect`;

interface ReplayCommandOptions extends Pick<Options, 'session' | 'first' | 'json'> {
  readonly until?: string;
  readonly inspect?: true;
}

/** Texts for a moment that is not there; `end`: the time of the last event. */
const MISSING: Readonly<
  Record<NonNullable<SessionReplay['missing']>, (until: string, end: string) => string>
> = {
  unknown: (until, end) =>
    `expected a time, an intent, or an order of the session up to ${end}, was ${until}: "sarraf orders --state all" lists them`,
  unreached: (until, end) =>
    `expected a moment up to ${end}, where the events of the session end, was ${until}`,
  otherwise: (until, end) =>
    `expected a decision at ${until}, the code makes none up to ${end}: leave out --until, and see where it differs`,
};

async function replay({ session, until, inspect, first, json }: ReplayCommandOptions): Promise<void> {
  if (inspect === true) await waitForDebugger();
  const report = await replaySession({
    folder: session,
    bundledStrategies: ownStrategies(),
    until: until === undefined ? null : untilOf(until),
    stops: inspect === true,
  });
  if (report.missing !== null) {
    const problem = MISSING[report.missing](until ?? '', isoText(report.endMs));
    throw wrongInput([problem, ...goesOn(report)].join('. '));
  }
  print({ json }, report, () => replayLines(report, first));
  if (report.differences.length > 0)
    throw failed(
      `${countText(report.differences.length, 'decision')} of the code differ, with the params of the session`,
    );
}

/** Returns a time in ms, or the name of an order. */
function untilOf(text: string): number | string {
  const read = readTehranTime(text);
  return read.ok ? read.atMs : text;
}

/** Opens an inspector at a free port of this machine, and waits until a debugger is there. */
async function waitForDebugger(): Promise<void> {
  const { open, waitForDebugger: wait } = await import('node:inspector');
  // Prints its address on the standard error.
  open(0, '127.0.0.1');
  wait();
}

function replayLines(report: SessionReplay, first: number): readonly string[] {
  const { beganMs, endMs, events, decisions, differences, moment } = report;
  const differing = firstLines(differences, first);
  return [
    `${isoText(beganMs)} to ${isoText(endMs)}, ${countText(events, 'event')}, ${countText(decisions, 'decision')}.`,
    ...goesOn(report),
    ...(differing.length === 0
      ? ['With the params of the session, the code decides what it decided then.']
      : differing),
    ...(moment === null ? [] : momentLines(moment)),
  ];
}

function momentLines(moment: DecisionMoment): readonly string[] {
  const { atMs, event, call, phase, books, bars, held, open, locks, rules, intents, orders, log } = moment;
  return [
    '',
    `${isoText(atMs)}: ${event}${call === null ? '' : ` to ${call}`}, ${phase}`,
    ...books.map(({ market, bid, ask }) => `  book ${market}: bid ${bid ?? '-'}, ask ${ask ?? '-'}`),
    ...bars.map(
      ({ series, openTimeMs, open: first, high, low, close }) =>
        `  bar ${series} of ${isoText(openTimeMs)}: ${first}, ${high}, ${low}, ${close}`,
    ),
    ...held.map(({ strategy, asset, amount }) => `  ${strategy} held ${amount} ${asset}`),
    ...open.map((order) => `  open ${orderLine(order)}, ${order.state}`),
    ...locks.map((text) => `  lock: ${english(text)}`),
    ...rules.map(({ market, outcome }) => `  rules ${market}: ${english(outcome)}`),
    ...log.map(({ strategy, text }) => `  ${strategy} logged: ${text}`),
    ...intents.map(
      ({ id, strategy, kind, status, reason }) =>
        `  ${strategy} wanted ${kind} (${id}): ${status}${reason === null ? '' : `, ${english(reason)}`}`,
    ),
    ...orders.map((order) => `  order ${orderLine(order)}`),
  ];
}

const orderLine = ({
  key,
  side,
  amount,
  market,
  price,
  stopPrice,
}: DecisionMoment['orders'][number]): string =>
  `${key}: ${side} ${amount} ${market}${price === null ? '' : ` at ${price}`}${stopPrice === null ? '' : ` from ${stopPrice}`}`;

export function replayCommand(): Command {
  const description = 'Runs a recorded session again to a moment: what the bot knew and decided there.';
  return sessionCommand('replay', description, REPLAY_EXAMPLES)
    .option(
      '--until <moment>',
      'an order by its key or id, an intent by its id, or a time: the first decision from then on',
    )
    .option('--inspect', 'waits for a debugger, and stops it there in the strategy')
    .action(asCommand(replay));
}
