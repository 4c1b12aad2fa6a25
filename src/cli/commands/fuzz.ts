import { countText } from '../../domain/money.ts';
import { availableParallelism } from 'node:os';
import { Command } from 'commander';
import { runSuite, type SeedOutcome, type SuiteResult } from '../../fuzz/run-suite.ts';
import { failed } from '../command-error.ts';
import type { VenuePlace } from '../../venues/client-credentials.ts';
import { askThenLeave } from '../end-signal.ts';
import { integerOption } from '../option-readers.ts';
import { print } from '../table.ts';

export interface FuzzOptions {
  readonly seeds: number;
  readonly hours: number;
  readonly seed: number;
  readonly jobs: number;
  readonly failFast?: true;
  readonly twice?: true;
  readonly json?: true;
}

const MOST_SEEDS = 100_000;
const MOST_HOURS = 24 * 30;
const LARGEST_SEED = 2 ** 31 - 1;
const MOST_JOBS = 64;

/** Seeds from which a suite must have met all that is counted; a smaller one lists what it has not met. */
const GATED_SEEDS = 20;

const HASH_SHOWN = 12;

const EXAMPLES = `
Examples:
  sarraf fuzz --seeds 50 --hours 6
  sarraf fuzz --seeds 1 --seed 17 --hours 6
  sarraf fuzz --seeds 300 --fail-fast --json`;

const repeatCommand = ({ hours }: FuzzOptions, { seed, isRepeat }: SeedOutcome, venue?: VenuePlace): string =>
  `sarraf ${venue === undefined ? 'fuzz' : `venue test ${venue.name}`} --seeds 1 --seed ${seed} --hours ${hours}${isRepeat ? ' --twice' : ''}`;

function seedLine(
  outcome: SeedOutcome,
  { done, all }: { readonly done: number; readonly all: number },
): string {
  const { seed, isRepeat, violations, tookMs, requests, counts, journalHash } = outcome;
  return [
    `seed ${seed}${isRepeat ? ' again' : ''}`,
    violations.length === 0 ? 'ok' : 'FAILED',
    `${(tookMs / 1_000).toFixed(1)} s`,
    `${requests} requests`,
    `${counts['orders'] ?? 0} orders`,
    `${counts['fills'] ?? 0} fills`,
    `${counts['crashes'] ?? 0} crashes`,
    `journal ${journalHash.slice(0, HASH_SHOWN)}`,
    `${done} of ${all}`,
  ].join('  ');
}

/** Returns the facts of a failed seed, first the command that repeats it. */
function failureLines(repeat: string, outcome: SeedOutcome): readonly string[] {
  return [
    `  repeat it with: ${repeat}`,
    ...outcome.violations.map(({ check, message }) => `  ${check}: ${message}`),
    ...(outcome.events.length === 0
      ? []
      : ['  the last events:', ...outcome.events.map((line) => `    ${line}`)]),
  ];
}

function suiteLines({ counts, missing, failedSeeds, tookMs }: SuiteResult, seeds: number): readonly string[] {
  return [
    '',
    ...Object.entries(counts).map(([what, times]) => `${String(times).padStart(9)}  ${what}`),
    '',
    ...(missing.length === 0 ? [] : [`never met: ${missing.join(', ')}`]),
    `${countText(seeds, 'seed')} in ${(tookMs / 1_000).toFixed(1)} s, ${failedSeeds.length} failed${failedSeeds.length === 0 ? '' : `: ${failedSeeds.join(', ')}`}`,
  ];
}

/** Runs seeds and prints each. `venue`: see `SeedOptions`. Throws a `CommandError` if one fails. */
export async function fuzz(options: FuzzOptions, venue?: VenuePlace): Promise<SuiteResult> {
  const { json, seeds, hours, seed, jobs, failFast, twice } = options;
  const stopped = new AbortController();
  const removeListener = askThenLeave(() => stopped.abort());
  const ran = new Set<number>();
  const result = await runSuite({
    firstSeed: seed,
    seeds,
    hours,
    jobs,
    failFast: failFast === true,
    twice: twice === true,
    ...(venue === undefined ? {} : { venue }),
    signal: stopped.signal,
    onSeed: (outcome) => {
      ran.add(outcome.seed);
      print({ json }, { kind: 'seed', repeat: repeatCommand(options, outcome, venue), ...outcome }, () => [
        seedLine(outcome, { done: ran.size, all: seeds }),
        ...(outcome.violations.length > 0
          ? failureLines(repeatCommand(options, outcome, venue), outcome)
          : []),
      ]);
    },
  });
  removeListener();
  const { counts, failedSeeds, tookMs } = result;
  // A venue need not have all that the built-in exchange has.
  const missing = venue === undefined ? result.missing : [];
  const value = { kind: 'suite', seeds: ran.size, hours, counts, missing, failedSeeds, tookMs };
  print({ json }, value, () => suiteLines({ ...result, missing }, ran.size));
  if (stopped.signal.aborted) throw failed(`stopped after ${ran.size} of ${seeds} seeds`);
  if (failedSeeds.length > 0)
    throw failed(`expected every seed to hold, ${failedSeeds.length} of ${ran.size} failed`);
  if (seeds >= GATED_SEEDS && missing.length > 0)
    throw failed(
      `expected a suite of ${seeds} seeds to meet everything once, it never met: ${missing.join(', ')}`,
    );
  return result;
}

/** Adds the options of a suite of seeds to a command. */
export const withSuiteOptions = (command: Command): Command =>
  command
    .option('--seeds <count>', 'how many seeds', integerOption(1, MOST_SEEDS), 50)
    .option('--hours <count>', 'virtual hours of each', integerOption(1, MOST_HOURS), 6)
    .option('--seed <number>', 'the first seed; the others follow it', integerOption(0, LARGEST_SEED), 1)
    .option(
      '--jobs <count>',
      'seeds at once',
      integerOption(1, MOST_JOBS),
      Math.min(MOST_JOBS, availableParallelism()),
    )
    .option('--fail-fast', 'begins no further seed once one has failed')
    .option('--twice', 'runs every seed twice, not every twentieth, and compares the journals')
    .option('--json', 'prints JSON lines: one for each seed, and one for the suite');

export const fuzzCommand = (): Command =>
  withSuiteOptions(
    new Command('fuzz').description(
      'Runs the whole bot in virtual time against a faulty exchange, with crashes, and checks its promises.',
    ),
  )
    .addHelpText('after', EXAMPLES)
    .action(async (options: FuzzOptions) => void (await fuzz(options)));
