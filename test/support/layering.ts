/** A rule for a folder of `src/`, or for one file without its extension: what it may import beside itself. */
export interface LayerRule {
  readonly folder: string;
  readonly mayImport: readonly string[];
  /** True if it uses no clock, randomness, process or files, so no `node:` module. */
  readonly isPure: boolean;
}

/** Pure folders, bottom up: each imports only pure folders that come before it. */
const PURE = [
  'domain',
  'language',
  'records',
  'venues/port',
  'portfolio',
  'strategy',
  'scheduler',
  'engine',
  'simulator',
];
/** Folders that are built on the port of venues. */
const ABOVE_VENUES = new Set(['strategy', 'scheduler', 'engine']);
/** The exchange client and its names of markets; the names may be imported by more folders. */
const EXCHANGE = ['exchange', 'exchange/market-names'];
/** Folders that decide what a study tries next; the code that runs a study is above the backtest. */
const STUDY = ['statistics', 'search'];
const ALERTS = ['alerts', 'alerts/core'];
const SHELLS = [
  'redis',
  'budget',
  ...EXCHANGE,
  'simulator-server',
  'mirror',
  'recording',
  'plugins',
  'configuration',
  'virtual',
  'venues',
];

export const LAYERS: readonly LayerRule[] = [
  ...PURE.map((folder, index) => ({
    folder,
    // The simulator declares its own records: two declarations written apart find each other's mistakes.
    mayImport: PURE.slice(0, index).filter((other) => folder !== 'simulator' || other !== 'records'),
    isPure: true,
  })),
  { folder: 'exchange/market-names', mayImport: ['domain'], isPure: true },
  { folder: 'redis', mayImport: ['domain'], isPure: false },
  { folder: 'budget', mayImport: [...PURE, 'redis'], isPure: false },
  { folder: 'exchange', mayImport: [...PURE, 'exchange/market-names'], isPure: false },
  { folder: 'library', mayImport: [...PURE, 'budget', ...EXCHANGE], isPure: false },
  { folder: 'simulator-server', mayImport: [...PURE, ...EXCHANGE, 'configuration'], isPure: false },
  // The simulator of an exchange shares no declaration with the client of that exchange, nor with the bot.
  { folder: 'binance-spot/simulator', mayImport: ['domain', 'simulator'], isPure: true },
  { folder: 'binance-spot', mayImport: ['domain', 'simulator', 'binance-spot/simulator'], isPure: false },
  { folder: 'recording', mayImport: [...PURE, ...EXCHANGE], isPure: false },
  { folder: 'mirror', mayImport: [...PURE, 'exchange/market-names'], isPure: false },
  { folder: 'plugins', mayImport: PURE, isPure: false },
  { folder: 'configuration', mayImport: ['domain'], isPure: false },
  { folder: 'virtual', mayImport: [...PURE, 'budget', ...EXCHANGE, 'simulator-server'], isPure: false },
  {
    folder: 'venues',
    // A venue answers the engine, and knows nothing of its caller.
    mayImport: [
      ...PURE.filter((folder) => !ABOVE_VENUES.has(folder)),
      'budget',
      ...EXCHANGE,
      'simulator-server',
      'configuration',
      'virtual',
      'recording',
      'plugins',
    ],
    isPure: false,
  },
  { folder: 'daemon', mayImport: [...PURE, ...SHELLS], isPure: false },
  // Statistics on numbers, and the search space of params: no bot, venue or file.
  { folder: 'statistics', mayImport: ['domain', 'language'], isPure: true },
  { folder: 'search', mayImport: ['domain', 'strategy', 'statistics'], isPure: true },
  // Decides which alerts are sent and when: it reads neither clock nor file.
  { folder: 'alerts/core', mayImport: PURE, isPure: true },
  {
    folder: 'alerts',
    mayImport: [...PURE, ...SHELLS, 'daemon', 'alerts/core'],
    isPure: false,
  },
  // Code of the pages in browsers, and the shapes of the data in reports.
  { folder: 'page', mayImport: ['domain', 'language', 'strategy'], isPure: false },
  { folder: 'backtest', mayImport: [...PURE, ...SHELLS, ...STUDY, 'daemon', 'page'], isPure: false },
  { folder: 'fuzz', mayImport: [...PURE, ...SHELLS, ...STUDY, 'daemon'], isPure: false },
  { folder: 'study', mayImport: [...PURE, ...SHELLS, ...STUDY, 'daemon', 'page', 'backtest'], isPure: false },
  {
    folder: 'query',
    mayImport: [...PURE, ...SHELLS, ...STUDY, 'daemon', 'backtest', 'study'],
    isPure: false,
  },
  // Types that page and server share: the page imports only types of it.
  { folder: 'dashboard/schema', mayImport: ['domain', 'records'], isPure: true },
  {
    folder: 'dashboard/page',
    mayImport: ['domain', 'language', 'page', 'dashboard/schema', 'lab/lab-schema'],
    isPure: false,
  },
  {
    folder: 'dashboard',
    mayImport: [...PURE, ...SHELLS, ...ALERTS, 'dashboard/schema', 'daemon'],
    isPure: false,
  },
  // Shapes of the lab's API, of which the page imports only types.
  { folder: 'lab/lab-schema', mayImport: [], isPure: true },
  {
    folder: 'lab',
    mayImport: [...PURE, ...SHELLS, ...STUDY, 'daemon', 'backtest', 'study', 'dashboard', 'lab/lab-schema'],
    isPure: false,
  },
  {
    folder: 'cli',
    mayImport: [
      ...PURE,
      ...SHELLS,
      ...STUDY,
      ...ALERTS,
      'study',
      'backtest',
      'query',
      'daemon',
      'dashboard',
      'dashboard/schema',
      'lab',
      'fuzz',
      'binance-spot',
    ],
    isPure: false,
  },
];

/**
 * The rule for a file of `src/`, by the longest folder that holds it; undefined for a file directly in
 * `src/`, which belongs to the package's public interface.
 */
function ruleFor(path: string): LayerRule | undefined {
  return LAYERS.filter(
    ({ folder }) => path.startsWith(`src/${folder}/`) || path === `src/${folder}.ts`,
  ).toSorted((left, right) => right.folder.length - left.folder.length)[0];
}

const IMPORT = /(?:^|\n)\s*(?:import|export)\b[^;]*?\bfrom\s+'([^']+)'|\bimport\(\s*'([^']+)'\s*\)/g;

/** Paths that a file imports, as they are written. */
export const importsOf = (source: string): string[] =>
  [...source.matchAll(IMPORT)].map((match) => match[1] ?? match[2] ?? '');

/**
 * Returns a sentence for each import that the file's folder may not make. `path` is from the root of the
 * project, with forward slashes. A strategy may import only the SDK and zod.
 */
export function wrongImports(path: string, source: string): string[] {
  const imports = importsOf(source);
  if (path.startsWith('strategies/')) {
    return imports
      .filter((name) => name !== '#sdk' && name !== 'zod')
      .map((name) => `${path}: a strategy may import #sdk and zod only, was ${name}`);
  }
  const rule = ruleFor(path);
  if (rule === undefined) return [];
  return imports.flatMap((name) => {
    if (name.startsWith('node:'))
      return rule.isPure ? [`${path}: ${rule.folder} is pure, but imports ${name}`] : [];
    if (!name.startsWith('.')) return [];
    const target = resolve(path, name);
    if (isPrivate(target) && roomOf(target) !== roomOf(path))
      return [`${path}: expected a file directly in src/${roomOf(target)}, its door, was ${target}`];
    const other = ruleFor(target);
    if (other === undefined || other.folder === rule.folder || rule.mayImport.includes(other.folder))
      return [];
    return [`${path}: ${rule.folder} may not import ${other.folder} (${target})`];
  });
}

const isPrivate = (path: string): boolean => path.split('/').length > 3;

const roomOf = (path: string): string => path.split('/')[1] ?? '';

function resolve(path: string, name: string): string {
  const parts = path.split('/').slice(0, -1);
  for (const part of name.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.') parts.push(part);
  }
  return parts.join('/');
}
