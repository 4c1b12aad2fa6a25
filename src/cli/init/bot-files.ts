import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { invariant, present } from '../../domain/errors.ts';
import { MODES } from '../../daemon/modes.ts';
import { parseMarket } from '../../exchange/market-names.ts';
import { ownFile } from '../../plugins/own-files.ts';
import { type BotRequest, STARTING_POINTS, type StartingPoint, type CheckedText } from './bot-request.ts';
import type { TestedVersions } from './write-bot-folder.ts';
import type { Readable, Writable } from 'node:stream';
import type * as Clack from '@clack/prompts';
import type { Language } from '../../language/locale.ts';

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
    ['.vscode/launch.json', filled('launch.json')],
    ['README.md', filled(`README.${language}.md`)],
    ['Dockerfile', filled('Dockerfile')],
    ['compose.yaml', filled('compose.yaml')],
    // npm packs no files of these names.
    ...['.dockerignore', '.env.example', '.gitignore', '.npmrc'].map(
      (path) => [path, filled(path.slice(1))] as const,
    ),
  ]);
}

/** Fills in a template: `{{name}}` is a text; lines from `{{#paper live}}` to `{{/}}` are of those modes. */
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

/** Question about the language, in both languages since none is chosen yet. */
export const LANGUAGE_QUESTION = 'Language? / زبان؟';
export const LANGUAGE_NAMES: Readonly<Record<Language, string>> = { en: 'English', fa: 'فارسی' };

const ENGLISH = {
  intro: 'A new trading bot',
  folder: 'In which folder?',
  mode: 'On which exchange?',
  address: 'The address of the exchange?',
  market: 'Which market?',
  otherMarket: 'Which market? Such as BTCIRT or ETHUSDT',
  start: 'Which strategy do you begin with?',
  name: 'What is your strategy called?',
  ended: 'Ended: nothing was written.',
  packing: 'packing sarraf from its checkout, which takes some seconds …',
  made: (files: number, folder: string) => `${files} files are in ${folder}`,
  next: 'What comes next:',
};

/** Texts of "sarraf init" at a terminal. */
export type InitTexts = typeof ENGLISH;

const PERSIAN: InitTexts = {
  intro: 'یک ربات معامله‌گر تازه',
  folder: 'در کدام پوشه؟',
  mode: 'روی کدام صرافی؟',
  address: 'نشانی صرافی؟',
  market: 'کدام بازار؟',
  otherMarket: 'کدام بازار؟ مانند BTCIRT یا ETHUSDT',
  start: 'با کدام استراتژی شروع می‌کنید؟',
  name: 'نام استراتژی شما؟',
  ended: 'پایان: چیزی نوشته نشد.',
  packing: 'sarraf از روی کد خودش بسته‌بندی می‌شود؛ چند ثانیه طول می‌کشد …',
  made: (files, folder) => `${files.toLocaleString('fa-IR')} فایل در ${folder} نوشته شد`,
  next: 'گام بعدی:',
};

export const INIT_TEXTS: Readonly<Record<Language, InitTexts>> = { en: ENGLISH, fa: PERSIAN };

/** Terminal for the questions; the process's own if left out. */
export interface Terminal {
  readonly input?: Readable;
  readonly output?: Writable;
}

/** A possible answer to a question. */
interface Choice<Value extends string> {
  readonly value: Value;
  readonly label: string;
  readonly hint?: string;
}

/** Error when a person pressed Ctrl-C at a question. */
export class QuestionsEnded extends Error {}

/** Asks questions at a terminal. Each throws `QuestionsEnded` if the person ends it. */
export class Questions {
  private readonly clack: typeof Clack;
  private readonly terminal: Terminal;

  private constructor(clack: typeof Clack, terminal: Terminal) {
    this.clack = clack;
    this.terminal = terminal;
  }

  /** Creates the questions; their library is loaded here, since nothing else uses it. */
  static async open(terminal: Terminal): Promise<Questions> {
    return new Questions(await import('@clack/prompts'), terminal);
  }

  title(text: string): void {
    this.clack.intro(text, this.terminal);
  }

  async pick<Value extends string>(message: string, choices: readonly Choice<Value>[]): Promise<Value> {
    const options = choices.map((choice) => ({ ...choice }));
    const answer = await this.clack.select<string>({ message, options, ...this.terminal });
    if (this.clack.isCancel(answer)) throw new QuestionsEnded();
    return present(
      choices.find(({ value }) => value === answer),
      'one of the choices',
    ).value;
  }

  /** Asks for a text until one passes a check; the problem with any other is shown. */
  async write<Value>(
    message: string,
    check: (text: string) => CheckedText<Value>,
    usual?: string,
  ): Promise<Value> {
    const checkAnswer = (typed: string | undefined): CheckedText<Value> =>
      check(typed === undefined || typed === '' ? (usual ?? '') : typed);
    const answer = await this.clack.text({
      message,
      ...(usual === undefined ? {} : { placeholder: usual, defaultValue: usual }),
      validate: (typed) => {
        const checked = checkAnswer(typed);
        return 'problem' in checked ? checked.problem : undefined;
      },
      ...this.terminal,
    });
    if (this.clack.isCancel(answer)) throw new QuestionsEnded();
    const checked = checkAnswer(answer);
    if ('problem' in checked) throw new QuestionsEnded();
    return checked.value;
  }
}
