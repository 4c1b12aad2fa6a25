import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { tableLines } from '../../src/cli/table.ts';
import { filesRun } from './coverage.ts';
import { houseFigures } from './house.ts';
import { shapesOfRecords } from './shapes.ts';
import { WAYS, type Way } from './ways.ts';

const HELP = `Usage: npm run -s walk -- [options]

Counts how long the way of an order, an alert and a command is: the files of src that run for it, and their functions.
Then the declarations of each record, and the size of the house. No figure may be above test/walk/ceilings.json.

Options:
  --list NAME   prints the files of one line
  --lower       writes every figure that is below its ceiling as the new ceiling
  --json        prints one JSON object
  --help        prints this

Example: npm run -s walk -- --list "intent to request"

Exit codes: 0 no figure is above its ceiling, 1 one is, 2 the options are wrong.
`;

const CEILINGS = join(import.meta.dirname, 'ceilings.json');

const UNITS = ['modules', 'files', 'functions', 'shapes', 'lines', 'imports'];

/** What is known by one name: what is counted, and in which files. */
interface Line {
  readonly figures: Readonly<Record<string, number>>;
  readonly files: readonly string[];
}

type Lines = Readonly<Record<string, Line>>;
type Figures = Record<string, Record<string, number>>;

function lineOf({ functions, modules }: Way): Line {
  const counts = [...filesRun(functions)].toSorted(([one], [other]) => (one < other ? -1 : 1));
  const figures = { files: counts.length, functions: functions.size };
  return {
    figures: modules === null ? figures : { modules: modules.size, ...figures },
    files: counts.map(([file, count]) => `${file} ${count}`),
  };
}

/** Runs some ways in a process of their own, so that nothing that ran before them is left out. */
async function linesOfWays(name: keyof typeof WAYS): Promise<Lines> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [...process.execArgv, import.meta.filename, '--way', name],
    { maxBuffer: 100_000_000 },
  );
  return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') as Lines;
}

/** Everything that is counted, by name. */
export async function measure(): Promise<Lines> {
  const lines: Record<string, Line> = {};
  for (const name of Object.keys(WAYS) as (keyof typeof WAYS)[]) {
    Object.assign(lines, await linesOfWays(name));
  }
  for (const [name, files] of Object.entries(shapesOfRecords())) {
    lines[`shapes of ${name}`] = { figures: { shapes: files.length }, files };
  }
  return { ...lines, ...houseFigures() };
}

const readCeilings = (): Figures => JSON.parse(readFileSync(CEILINGS, 'utf8')) as Figures;

/** What is above its ceiling, as sentences; also where there is no ceiling. */
export function aboveCeilings(lines: Lines, ceilings: Figures = readCeilings()): readonly string[] {
  return Object.entries(lines).flatMap(([name, { figures }]) =>
    Object.entries(figures).flatMap(([unit, figure]) => {
      const ceiling = ceilings[name]?.[unit];
      if (ceiling !== undefined && figure <= ceiling) return [];
      return [`${name}: expected at most ${ceiling ?? 'a ceiling of'} ${unit}, was ${figure}`];
    }),
  );
}

function lower(lines: Lines): void {
  const before = readCeilings();
  const after: Figures = {};
  for (const [name, { figures }] of Object.entries(lines)) {
    after[name] = {};
    for (const [unit, figure] of Object.entries(figures)) {
      after[name][unit] = Math.min(figure, before[name]?.[unit] ?? figure);
    }
  }
  writeFileSync(CEILINGS, `${JSON.stringify(after, null, 2)}\n`);
}

function readOptions() {
  try {
    return parseArgs({
      options: {
        list: { type: 'string' },
        lower: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
        way: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(2);
  }
}

async function run(): Promise<number> {
  const { list, lower: isLowered, json, way, help } = readOptions();
  if (help) {
    console.log(HELP);
    return 0;
  }
  if (way !== undefined) {
    const ways = await WAYS[way as keyof typeof WAYS]();
    console.log(
      JSON.stringify(Object.fromEntries(Object.entries(ways).map(([name, of]) => [name, lineOf(of)]))),
    );
    return 0;
  }
  const lines = await measure();
  if (list !== undefined) {
    const line = lines[list];
    if (line === undefined) {
      console.error(`expected one of "${Object.keys(lines).join('", "')}" for --list, was "${list}"`);
      return 2;
    }
    console.log(line.files.join('\n'));
    return 0;
  }
  if (isLowered) lower(lines);
  const above = aboveCeilings(lines);
  if (json) {
    const figures = Object.fromEntries(Object.entries(lines).map(([name, line]) => [name, line.figures]));
    console.log(JSON.stringify({ figures, above }));
  } else {
    const rows = Object.entries(lines).map(([name, { figures }]) => [
      name,
      ...UNITS.map((unit) => String(figures[unit] ?? '')),
    ]);
    const columns = UNITS.map((title) => ({ title, align: 'right' as const }));
    console.log(tableLines([{ title: 'way' }, ...columns], rows).join('\n'));
    for (const sentence of above) console.error(sentence);
  }
  return above.length === 0 ? 0 : 1;
}

if (import.meta.main) process.exit(await run());
