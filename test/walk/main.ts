import { execFile } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync, readdirSync } from 'node:fs';
import { join, dirname } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { tableLines } from '../../src/cli/table.ts';
import { filesRun } from './coverage.ts';
import { WAYS, type Way } from './ways.ts';
import { importsOf } from '../support/layering.ts';
import { parseAst } from 'rolldown/parseAst';

/** The fields of a declared type, a record or a zod object, and its file. */
interface Shape {
  readonly file: string;
  readonly fields: ReadonlySet<string>;
}

/** Fields that show of which record a shape is: it has all of the first list, and one of the second. */
const KNOWN_BY = {
  order: [
    ['side', 'amount'],
    ['price', 'filled', 'matched'],
  ],
  fill: [
    ['price', 'amount'],
    ['fee', 'total', 'tradeId'],
  ],
  candle: [['open', 'high', 'low', 'close'], []],
  balance: [['currency'], ['total', 'balance', 'held']],
  lock: [['untilMs', 'reason', 'name'], []],
  book: [[], ['bids asks', 'buys sells']],
};

type Node = { readonly type?: string } & Readonly<Record<string, unknown>>;

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null;

const nameOf = (member: unknown): string[] => {
  const key = isNode(member) ? member['key'] : null;
  const name = isNode(key) ? (key['name'] ?? key['value']) : null;
  return typeof name === 'string' ? [name] : [];
};

/** True for `price: field('money')`, as `src/records/` declares fields. */
function isFieldOfRecord(property: unknown): boolean {
  const value = isNode(property) ? property['value'] : null;
  const callee = isNode(value) ? value['callee'] : null;
  return isNode(callee) && (callee['name'] === 'field' || callee['name'] === 'optional');
}

/** Members of a node that declares fields; null for any other node. */
function membersOf(node: Node): readonly unknown[] | null {
  const inside = (key: string): Node => (isNode(node[key]) ? node[key] : {});
  switch (node.type ?? '') {
    case 'TSInterfaceDeclaration':
      return inside('body')['body'] as readonly unknown[];
    case 'TSTypeLiteral':
      return node['members'] as readonly unknown[];
    case 'ObjectExpression': {
      const properties = node['properties'] as readonly unknown[];
      return properties.some(isFieldOfRecord) ? properties : null;
    }
    case 'CallExpression': {
      const property = inside('callee')['property'];
      const called = isNode(property) ? String(property['name']) : '';
      const [first] = node['arguments'] as readonly unknown[];
      const isObject = /^(object|strictObject|looseObject)$/.test(called);
      return isObject && isNode(first) && first.type === 'ObjectExpression'
        ? (first['properties'] as readonly unknown[])
        : null;
    }
    default:
      return null;
  }
}

function shapesOf(file: string): readonly Shape[] {
  const shapes: Shape[] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const item of value) visit(item);
    else if (isNode(value)) {
      const members = membersOf(value);
      if (members !== null) shapes.push({ file, fields: new Set(members.flatMap(nameOf)) });
      for (const key of Object.keys(value)) visit(value[key]);
    }
  };
  visit(parseAst(readFileSync(file, 'utf8'), { lang: file.endsWith('x') ? 'tsx' : 'ts' }).body);
  return shapes;
}

/** Tests a shape for words of a text: for `bids asks`, true if it has both. */
const areIn = (fields: ReadonlySet<string>) => (words: string) =>
  words.split(' ').every((word) => fields.has(word));

/** Files that declare each record, once per declaration. Those of simulators are not counted (ADR 4). */
function shapesOfRecords(): Lines {
  const files = readdirSync('src', { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !/^src\/(?:[\w-]+\/)?simulator(?:-server)?\//.test(file));
  const shapes = files.flatMap(shapesOf);
  return Object.fromEntries(
    Object.entries<readonly (readonly string[])[]>(KNOWN_BY).map(([name, [all = [], some = []]]) => {
      const declaring = shapes
        .filter(({ fields }) => all.every(areIn(fields)) && (some.length === 0 || some.some(areIn(fields))))
        .map(({ file }) => file);
      return [`shapes of ${name}`, { figures: { shapes: declaring.length }, files: declaring }];
    }),
  );
}

const filesBelow = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(?:tsx?|m?js)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));

const linesIn = (files: readonly string[]): number =>
  files.reduce((sum, file) => sum + readFileSync(file, 'utf8').split('\n').length - 1, 0);

/** Splits `src/room/folder/file.ts`: its room, and true if it is in a private folder of the room. */
function placeOf(file: string): { readonly room: string; readonly isPrivate: boolean } {
  const [, room = '', ...rest] = file.split('/');
  return { room, isPrivate: rest.length > 1 };
}

const targetsOf = (file: string): readonly string[] =>
  importsOf(readFileSync(file, 'utf8'))
    .filter((target) => target.startsWith('.'))
    .map((target) => join(dirname(file), target));

/** Sizes of the code, and how many imports reach into the private folders of other rooms. */
function houseFigures(): Lines {
  const src = filesBelow('src');
  const tests = filesBelow('test');
  const inside = src.flatMap((file) =>
    targetsOf(file)
      .filter((target) => target.startsWith('src/'))
      .filter((target) => placeOf(target).isPrivate && placeOf(target).room !== placeOf(file).room)
      .map((target) => `${file} ${target}`),
  );
  const ofEngine = targetsOf('src/engine/engine.ts');
  return {
    src: { figures: { lines: linesIn(src), files: src.length }, files: src },
    test: { figures: { lines: linesIn(tests), files: tests.length }, files: tests },
    "imports from other rooms' folders": { figures: { imports: inside.length }, files: inside },
    'imports of engine.ts': { figures: { imports: ofEngine.length }, files: ofEngine },
  };
}

/** Files that each recipe of a page names, in its order. Throws if one of them does not exist. */
export function recipesIn(page: string): Lines {
  const recipes = page.split(/^### /m).slice(1);
  return Object.fromEntries(
    recipes.map((recipe) => {
      const lost = recipe.match(PATH)?.find((file) => !existsSync(file));
      if (lost !== undefined) throw new Error(`expected recipes that name files, found ${lost}: correct it`);
      const files = [...new Set([...recipe.matchAll(/^\d+\. `([^`]+)`/gm)].map(([, file = '']) => file))];
      return [`recipe: ${recipe.split('\n')[0]}`, { figures: { files: files.length }, files }];
    }),
  );
}

const PATH = /\b(?:config|docs|src|test)\/[\w./-]+\.\w+/g;

const HELP = `Usage: npm run -s walk -- [options]

Counts how long the way of an order, an alert and a command is: the files of src that run for it, and their functions;
of a command also the modules that it loads; of one that only reads these alone, and their lines.
Then the declarations of each record, the files of each recipe in CONTRIBUTING.md, and the size of the house.
No figure may be above test/walk/ceilings.json.

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

/** A named measurement: its figures, and the files that they count. */
interface Line {
  readonly figures: Readonly<Record<string, number>>;
  readonly files: readonly string[];
}

type Lines = Readonly<Record<string, Line>>;
type Figures = Record<string, Record<string, number>>;

const linesLoaded = (modules: Iterable<string>): number =>
  linesIn([...modules].map((module) => join('src', module)));

function lineOf({ functions, modules, isReading }: Way): Line {
  const counts = [...filesRun(functions)].toSorted(([one], [other]) => (one < other ? -1 : 1));
  const files = counts.map(([file, count]) => `${file} ${count}`);
  const loaded = modules === null ? {} : { modules: modules.size };
  if (isReading === true && modules !== null)
    return { figures: { ...loaded, lines: linesLoaded(modules) }, files };
  return { figures: { ...loaded, files: counts.length, functions: functions.size }, files };
}

/** Runs one group of code paths in its own process: what ran in this one before could hide functions. */
async function linesOfWays(name: keyof typeof WAYS): Promise<Lines> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [...process.execArgv, import.meta.filename, '--way', name],
    { maxBuffer: 100_000_000 },
  );
  return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '') as Lines;
}

/** Returns all measurements, by name. */
export async function measure(): Promise<Lines> {
  const lines: Record<string, Line> = {};
  for (const name of Object.keys(WAYS) as (keyof typeof WAYS)[])
    Object.assign(lines, await linesOfWays(name));
  const recipes = recipesIn(readFileSync('CONTRIBUTING.md', 'utf8'));
  return { ...lines, ...shapesOfRecords(), ...recipes, ...houseFigures() };
}

const readCeilings = (): Figures => JSON.parse(readFileSync(CEILINGS, 'utf8')) as Figures;

/** Describes each figure above its ceiling, or without a ceiling. */
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
    for (const [unit, figure] of Object.entries(figures))
      after[name][unit] = Math.min(figure, before[name]?.[unit] ?? figure);
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
