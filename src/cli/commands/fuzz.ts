import { countText } from '../../domain/money.ts';
import { availableParallelism } from 'node:os';
import { Command } from 'commander';
import { runSuite, type SeedOutcome, type SuiteResult } from '../../fuzz/run-suite.ts';
import { loadVenuePackage, withoutWire } from '../../venues/load-venue.ts';
import { venueProblems } from '../../venues/venue-contract.ts';
import { failed, wrongInput } from '../command-error.ts';
import { askThenLeave } from '../end-signal.ts';
import { integerOption } from '../option-readers.ts';
import { print } from '../table.ts';

interface Options {
  readonly seeds: number;
  readonly hours: number;
  readonly seed: number;
  readonly jobs: number;
  readonly failFast?: true;
  readonly twice?: true;
  readonly venue?: string;
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
  sarraf fuzz --seeds 300 --fail-fast --json
  sarraf fuzz --seeds 10 --hours 2 --venue ./my-venue.ts`;

const repeatCommand = ({ hours, venue }: Options, { seed, isRepeat }: SeedOutcome): string =>
  `sarraf fuzz --seeds 1 --seed ${seed} --hours ${hours}${isRepeat ? ' --twice' : ''}${venue === undefined ? '' : ` --venue ${venue}`}`;

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
function failureLines(options: Options, outcome: SeedOutcome): readonly string[] {
  return [
    `  repeat it with: ${repeatCommand(options, outcome)}`,
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

/** Checks what a venue says and reads before whole lives depend on it: its faults are named, not found. */
async function checkVenue(venue: string): Promise<void> {
  const { definition, wire } = await loadVenuePackage({ name: venue, folder: process.cwd() });
  if (wire === null) throw wrongInput(withoutWire(venue));
  const problems = await venueProblems(definition, wire);
  if (problems.length === 0) return;
  throw failed(
    [`expected a venue that keeps its contract, ${definition.name} does not:`, ...problems].join('\n  '),
  );
}

async function run(options: Options): Promise<void> {
  const { json, seeds, hours, seed, jobs, failFast, twice, venue } = options;
  if (venue !== undefined) await checkVenue(venue);
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
    ...(venue === undefined ? {} : { venue: { name: venue, folder: process.cwd() } }),
    signal: stopped.signal,
    onSeed: (outcome) => {
      ran.add(outcome.seed);
      print({ json }, { kind: 'seed', repeat: repeatCommand(options, outcome), ...outcome }, () => [
        seedLine(outcome, { done: ran.size, all: seeds }),
        ...(outcome.violations.length > 0 ? failureLines(options, outcome) : []),
      ]);
    },
  });
  removeListener();
  const { counts, missing, failedSeeds, tookMs } = result;
  const value = { kind: 'suite', seeds: ran.size, hours, counts, missing, failedSeeds, tookMs };
  print({ json }, value, () => suiteLines(result, ran.size));
  if (stopped.signal.aborted) throw failed(`stopped after ${ran.size} of ${seeds} seeds`);
  if (failedSeeds.length > 0)
    throw failed(`expected every seed to hold, ${failedSeeds.length} of ${ran.size} failed`);
  if (venue === undefined && seeds >= GATED_SEEDS && missing.length > 0)
    throw failed(
      `expected a suite of ${seeds} seeds to meet everything once, it never met: ${missing.join(', ')}`,
    );
}

export function fuzzCommand(): Command {
  return new Command('fuzz')
    .description(
      'Runs the whole bot in virtual time against a faulty exchange, with crashes, and checks its promises.',
    )
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
    .option(
      '--venue <file>',
      'a venue to test, such as ./my-venue.ts: its interface over the faulty exchange (docs/venues.md)',
    )
    .option('--json', 'prints JSON lines: one for each seed, and one for the suite')
    .addHelpText('after', EXAMPLES)
    .action(run);
}
