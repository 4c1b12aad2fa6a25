import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { tableLines } from '../../src/cli/table.ts';
import { Checkout } from './checkout.ts';
import { runFuzz } from './fuzz-run.ts';
import { runSuite } from './suite-run.ts';
import { planted, readMutants, type Mutant } from './mutant.ts';
import { verdictOn, type Verdict } from './verdict.ts';

const PROJECT = join(import.meta.dirname, '..', '..');

const HELP = `Usage: npm run mutants -- [options]

Plants bugs in copies of the bot, one in each, and holds that "sarraf fuzz" finds every one, or the test that the mutant names. The bot without a bug runs on the same seeds and tests first.

  --only WORD    only mutants whose name has this in it; may be given more than once
  --seeds COUNT  seeds that a bug may need (80)
  --seed NUMBER  the first seed (1)
  --hours COUNT  virtual hours of each seed (2)
  --no-control   leaves out the run without a bug
  --json         prints one JSON object
  --help         prints this

Exit codes: 0 every bug is found, 1 one is not, or the bot fails without any, 2 the options are wrong.
`;

interface Row {
  readonly name: string;
  readonly file: string;
  readonly why: string;
  readonly verdict: Verdict;
  readonly tookMs: number;
}

interface Settings {
  /** The bot as it was when the command began, so that nothing changes amid it. */
  readonly original: string;
  readonly firstSeed: number;
  readonly seeds: number;
  readonly hours: number;
  /** Runs of one thread each at once. */
  readonly jobs: number;
}

/** `test`: the test file that finds it; the fuzzer does without one. */
async function judge(
  mutant: Mutant | null,
  settings: Settings,
  test = mutant?.test,
): Promise<{ verdict: Verdict; tookMs: number }> {
  const startMs = performance.now();
  const checkout = new Checkout(settings.original, mutant, test !== undefined);
  const removeAtExit = (): void => checkout.remove();
  process.once('exit', removeAtExit);
  try {
    const { folder } = checkout;
    const verdict =
      test === undefined
        ? verdictOn(await runFuzz({ folder, ...settings }))
        : await runSuite({ folder, file: test });
    return { verdict, tookMs: Math.round(performance.now() - startMs) };
  } finally {
    checkout.remove();
    process.off('exit', removeAtExit);
  }
}

/** The bot without a bug: the first verdict that is not what it should be, or the last. */
async function judgeWithout(tests: readonly (string | undefined)[]): ReturnType<typeof judge> {
  let last = await judge(null, settings, tests[0]);
  for (const test of tests.slice(1)) {
    if (last.verdict.kind !== 'survived') return last;
    last = await judge(null, settings, test);
  }
  return last;
}

/** One mutant a core: a bug is mostly found by the first seeds, which one thread runs in their order. */
async function judgeAll(
  mutants: readonly Mutant[],
  settings: Settings,
  onRow: (row: Row) => void,
): Promise<Row[]> {
  const waiting = [...mutants];
  const rows: Row[] = [];
  const worker = async (): Promise<void> => {
    for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
      const { name, file, why } = mutant;
      const row = { name, file, why, ...(await judge(mutant, { ...settings, jobs: 1 })) };
      rows.push(row);
      onRow(row);
    }
  };
  await Promise.all(Array.from({ length: settings.jobs }, worker));
  return rows.toSorted((left, right) => left.name.localeCompare(right.name));
}

function said(verdict: Verdict): string {
  switch (verdict.kind) {
    case 'found':
      return `found by ${verdict.checks.join(', ')}${verdict.seed === null ? '' : ` at seed ${verdict.seed}`}: ${verdict.message.split('\n', 1)[0]}`;
    case 'survived':
      return 'SURVIVED';
    case 'broken':
      return `BROKEN: ${verdict.reason}`;
  }
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

function table(rows: readonly Row[]): readonly string[] {
  return tableLines(
    [
      { title: 'mutant' },
      { title: 'end' },
      { title: 'seed', align: 'right' },
      { title: 'checkers' },
      { title: 'took' },
    ],
    rows.map(({ name, verdict, tookMs }) =>
      verdict.kind === 'found'
        ? [name, 'found', String(verdict.seed ?? ''), verdict.checks.join(', '), seconds(tookMs)]
        : [name, verdict.kind.toUpperCase(), '', '', seconds(tookMs)],
    ),
  );
}

function countOf(text: string, option: string, least: number): number {
  const count = Number(text);
  if (Number.isSafeInteger(count) && count >= least) return count;
  console.error(`expected a whole number from ${least} for --${option}, was "${text}"`);
  process.exit(2);
}

function readOptions() {
  try {
    return parseArgs({
      allowNegative: true,
      options: {
        only: { type: 'string', multiple: true, default: [] },
        seeds: { type: 'string', default: '80' },
        seed: { type: 'string', default: '1' },
        hours: { type: 'string', default: '2' },
        control: { type: 'boolean', default: true },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(2);
  }
}

const { only, seeds, seed, hours, control, json, help } = readOptions();
if (help) {
  console.log(HELP);
  process.exit(0);
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
const original = new Checkout(PROJECT, null, true);
process.once('exit', () => original.remove());
const settings: Settings = {
  original: original.folder,
  firstSeed: countOf(seed, 'seed', 0),
  seeds: countOf(seeds, 'seeds', 1),
  hours: countOf(hours, 'hours', 1),
  jobs: availableParallelism(),
};
const say = (line: string): void => {
  if (!json) console.log(line);
};
const startMs = performance.now();
const mutants = readMutants(join(import.meta.dirname, 'planted')).filter(
  ({ name }) => only.length === 0 || only.some((word) => name.includes(word)),
);
if (mutants.length === 0) {
  console.error(`expected a part of a mutant's name for --only, was "${only.join('", "')}"`);
  process.exit(2);
}
// All must fit before anything takes time.
for (const mutant of mutants) planted(readFileSync(join(original.folder, mutant.file), 'utf8'), mutant);
const tests = [...new Set(mutants.flatMap(({ test }) => test ?? []))];
/** The fuzzer, and then each test that a mutant names. */
const controls = [...(mutants.every(({ test }) => test !== undefined) ? [] : [undefined]), ...tests];
const unmutated = control ? await judgeWithout(controls) : null;
const isGreen = unmutated === null || unmutated.verdict.kind === 'survived';
if (unmutated !== null) {
  const how = isGreen ? 'every seed holds' : said(unmutated.verdict);
  say(`without a bug: ${how} (${seconds(unmutated.tookMs)})`);
}
const rows = isGreen
  ? await judgeAll(mutants, settings, (row) => say(`${row.name}: ${said(row.verdict)}`))
  : [];
const tookMs = Math.round(performance.now() - startMs);
if (json) {
  const { seeds, hours, firstSeed } = settings;
  console.log(JSON.stringify({ seed: firstSeed, seeds, hours, control: unmutated, mutants: rows, tookMs }));
} else {
  const found = rows.filter(({ verdict }) => verdict.kind === 'found').length;
  console.log(
    ['', ...table(rows), '', `${found} of ${mutants.length} mutants found in ${seconds(tookMs)}`].join('\n'),
  );
}
process.exitCode = isGreen && rows.every(({ verdict }) => verdict.kind === 'found') ? 0 : 1;
