import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { invariant } from '../../domain/errors.ts';
import { MODES } from '../../daemon/modes.ts';
import { parseMarket } from '../../exchange/market-names.ts';
import { ownFile } from '../../plugins/own-files.ts';
import { type BotRequest, STARTING_POINTS, type StartingPoint } from './bot-request.ts';
import type { TestedVersions } from './write-bot-folder.ts';

/** Parts of a new bot from the sarraf package that creates it. */
interface ShippedParts {
  /** Version, address or file in the new folder that npm installs as sarraf. */
  readonly sarraf: string;
  /** Versions that sarraf is tested with. */
  readonly versions: TestedVersions;
  /** Returns the code of a strategy that ships, by the name of its file. */
  readonly strategy: (file: string) => string;
}

/** Returns all files of a new bot's folder by path: the templates of `config/new-bot`, filled in. */
export function botFiles(request: BotRequest, shipped: ShippedParts): ReadonlyMap<string, string> {
  const { folder, start, name, mode, language, market, baseUrl } = request;
  const { file, name: ownName, params, script, claim }: StartingPoint = STARTING_POINTS[start];
  const filled = (template: string): string =>
    fill(template, {
      is: new Set([mode, ...(shipped.sarraf.startsWith('file:') ? ['vendor'] : [])]),
      texts: {
        folder: basename(folder),
        packageName: packageNameOf(folder, ['sarraf', ...Object.keys(shipped.versions.tools)]),
        name,
        market,
        baseUrl: baseUrl ?? '',
        language,
        about: MODES[mode].texts[language].readme,
        backtest: backtestArguments(request),
        params: mode === 'embedded' ? params.play : params.earnest,
        script,
        title: claim.title,
        expects: claim.expects,
      },
    });
  const strategy = file === null ? filled('strategy.ts') : shipped.strategy(file);
  return new Map([
    ['package.json', withVersions(filled('package.json'), shipped)],
    ['bot.yaml', filled('bot.yaml')],
    [
      `strategies/${name}.ts`,
      strategy.replace(`name: '${ownName}'`, `name: '${name}'`).replace(`from '#sdk'`, `from 'sarraf/sdk'`),
    ],
    [`test/${name}.test.ts`, filled('strategy.test.ts')],
    ['tsconfig.json', filled('tsconfig.json')],
    ['README.md', filled(`README.${language}.md`)],
    ['Dockerfile', filled('Dockerfile')],
    ['compose.yaml', filled('compose.yaml')],
    // npm packs no files of these names.
    ...['.dockerignore', '.env.example', '.gitignore', '.npmrc'].map(
      (path) => [path, filled(path.slice(1))] as const,
    ),
  ]);
}

/**
 * Fills in a template: `{{name}}` becomes a text, and lines between `{{#paper live}}` and `{{/}}` stay in
 * those modes only.
 */
function fill(
  template: string,
  { is, texts }: { readonly is: ReadonlySet<string>; readonly texts: Readonly<Record<string, string>> },
): string {
  return readFileSync(ownFile(join('config/new-bot', `${template}.template`)), 'utf8')
    .replaceAll(/^\{\{#([\w ]+)\}\}\n(.*?)^\{\{\/\}\}\n/gms, (_, cases: string, lines: string) =>
      cases.split(' ').some((one) => is.has(one)) ? lines : '',
    )
    .replaceAll(/\{\{([^}]*)\}\}/g, (_, name: string) => {
      const text = texts[name];
      invariant(text !== undefined, () => `expected a text for {{${name}}} of the template ${template}`);
      return text;
    });
}

function withVersions(text: string, { sarraf, versions }: ShippedParts): string {
  const { zod, ...tools } = versions.tools;
  const parts = {
    ...(JSON.parse(text) as Readonly<Record<string, unknown>>),
    dependencies: { sarraf, zod },
    // Node is one of the tools, so that a machine with an older one can run the bot.
    devDependencies: tools,
    overrides: versions.overrides,
  };
  return `${JSON.stringify(parts, null, 2)}\n`;
}

/** Markets of the recording that ships with sarraf. */
const RECORDED: ReadonlySet<string> = new Set(['BTCIRT', 'BTCUSDT', 'USDTIRT']);
/** Starting money of a backtest on that recording, by quote currency. */
const CASH = { rls: '10000000000', usdt: '10000' } as const;

/** Returns what is typed after "sarraf" for a backtest of a new bot's strategy that needs no download. */
function backtestArguments({ name, market }: Pick<BotRequest, 'name' | 'market'>): string {
  const recorded = RECORDED.has(market) ? market : 'BTCUSDT';
  const { quote } = parseMarket(recorded);
  const cash = quote === 'rls' ? CASH.rls : CASH.usdt;
  const data = `--market ${recorded} --timeframe 5m --catalogue node_modules/sarraf/data/example`;
  return `backtest strategies/${name}.ts ${data} --cash ${cash} --fee 0.1%`;
}

/** Name used if nothing is left of the folder's name, as with one in Persian. */
const USUAL = 'trading-bot';
/** Longest name of a package, in characters; npm allows 214. */
const LONGEST = 100;

/**
 * Returns a name that npm and Docker accept, made of the folder's: "My Bot" becomes "my-bot". `used`: names
 * of its dependencies, since npm refuses a package that depends on its own name.
 */
export function packageNameOf(folder: string, used: readonly string[]): string {
  const letters = basename(folder)
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, LONGEST)
    .replaceAll(/^-+|-+$/g, '');
  const name = letters === '' ? USUAL : letters;
  return used.includes(name) || name === 'node-modules' ? `${name}-bot` : name;
}
