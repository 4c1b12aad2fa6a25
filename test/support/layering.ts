/** A folder of `src/`, or one file of it without its ending, and what it may import beside itself. */
export interface LayerRule {
  readonly folder: string;
  readonly mayImport: readonly string[];
  /** A pure folder touches neither clock, chance, process nor files: no `node:` module. */
  readonly isPure: boolean;
}

/** Bottom up; a pure folder imports only pure folders before it. */
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
/** What is built on the port of venues. */
const ABOVE_VENUES = new Set(['strategy', 'scheduler', 'engine']);
/** The client of the exchange, and how it names its markets, which more may know. */
const EXCHANGE = ['exchange', 'exchange/market-names'];
/** What a study decides by; what runs one is above the backtest. */
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
    // The simulator declares its own records: two that are written apart find the faults of each other.
    mayImport: PURE.slice(0, index).filter((other) => folder !== 'simulator' || other !== 'records'),
    isPure: true,
  })),
  { folder: 'exchange/market-names', mayImport: ['domain'], isPure: true },
  { folder: 'redis', mayImport: ['domain'], isPure: false },
  { folder: 'budget', mayImport: [...PURE, 'redis'], isPure: false },
  { folder: 'exchange', mayImport: [...PURE, 'exchange/market-names'], isPure: false },
  { folder: 'library', mayImport: [...PURE, 'budget', ...EXCHANGE], isPure: false },
  { folder: 'simulator-server', mayImport: [...PURE, ...EXCHANGE, 'configuration'], isPure: false },
  { folder: 'recording', mayImport: [...PURE, ...EXCHANGE], isPure: false },
  { folder: 'mirror', mayImport: [...PURE, 'exchange/market-names'], isPure: false },
  { folder: 'plugins', mayImport: PURE, isPure: false },
  { folder: 'configuration', mayImport: ['domain'], isPure: false },
  { folder: 'virtual', mayImport: [...PURE, 'budget', ...EXCHANGE, 'simulator-server'], isPure: false },
  {
    folder: 'venues',
    // A venue answers the engine, and knows nothing of who asks.
    mayImport: [
      ...PURE.filter((folder) => !ABOVE_VENUES.has(folder)),
      'budget',
      ...EXCHANGE,
      'simulator-server',
      'configuration',
      'virtual',
      'recording',
    ],
    isPure: false,
  },
  { folder: 'daemon', mayImport: [...PURE, ...SHELLS], isPure: false },
  // Numbers about numbers, and what params declare: they know no bot, venue or file.
  { folder: 'statistics', mayImport: ['domain', 'language'], isPure: true },
  { folder: 'search', mayImport: ['domain', 'strategy', 'statistics'], isPure: true },
  // What is worth an alert, and when it is said: it reads neither clock nor file.
  { folder: 'alerts/core', mayImport: PURE, isPure: true },
  {
    folder: 'alerts',
    mayImport: [...PURE, ...SHELLS, 'daemon', 'alerts/core'],
    isPure: false,
  },
  // What browsers run of the pages, and the shapes of what reports carry.
  { folder: 'page', mayImport: ['domain', 'language', 'strategy'], isPure: false },
  { folder: 'backtest', mayImport: [...PURE, ...SHELLS, ...STUDY, 'daemon', 'page'], isPure: false },
  { folder: 'fuzz', mayImport: [...PURE, ...SHELLS, ...STUDY, 'daemon'], isPure: false },
  { folder: 'study', mayImport: [...PURE, ...SHELLS, ...STUDY, 'daemon', 'page', 'backtest'], isPure: false },
  {
    folder: 'query',
    mayImport: [...PURE, ...SHELLS, ...STUDY, 'daemon', 'backtest', 'study'],
    isPure: false,
  },
  // What page and server agree on: the page takes its types alone.
  { folder: 'dashboard/schema', mayImport: ['domain', 'records'], isPure: true },
  {
    folder: 'dashboard/page',
    mayImport: ['domain', 'language', 'page', 'dashboard/schema'],
    isPure: false,
  },
  {
    folder: 'dashboard',
    mayImport: [...PURE, ...SHELLS, ...ALERTS, 'dashboard/schema', 'daemon'],
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
      'fuzz',
    ],
    isPure: false,
  },
];

/**
 * The rule for a file of `src/`, by the longest folder that holds it; none for a file of `src/` itself, which
 * is the package's face.
 */
function ruleFor(path: string): LayerRule | undefined {
  return LAYERS.filter(
    ({ folder }) => path.startsWith(`src/${folder}/`) || path === `src/${folder}.ts`,
  ).toSorted((left, right) => right.folder.length - left.folder.length)[0];
}

const IMPORT = /(?:^|\n)\s*(?:import|export)\b[^;]*?\bfrom\s+'([^']+)'|\bimport\(\s*'([^']+)'\s*\)/g;

/** What a file imports, as written. */
export function importsOf(source: string): string[] {
  return [...source.matchAll(IMPORT)].map((match) => match[1] ?? match[2] ?? '');
}

/**
 * The imports of one file that its folder may not make, as sentences. `path` is from the root of the project,
 * with forward slashes. A strategy imports the SDK and zod only.
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

function isPrivate(path: string): boolean {
  return path.split('/').length > 3;
}

const roomOf = (path: string): string => path.split('/')[1] ?? '';

function resolve(path: string, name: string): string {
  const parts = path.split('/').slice(0, -1);
  for (const part of name.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.') parts.push(part);
  }
  return parts.join('/');
}
