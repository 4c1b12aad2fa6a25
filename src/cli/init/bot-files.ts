import { basename } from 'node:path';
import { botReadme } from './bot-readme.ts';
import { botSettingsText } from './bot-settings-text.ts';
import { backtestArguments } from './backtest-command.ts';
import type { BotWishes } from './bot-wishes.ts';
import { composeText, DOCKER_IGNORE, dockerfileText } from './container-files.ts';
import { packageNameOf } from './package-name.ts';
import type { TestedVersions } from './package-origin.ts';
import { strategyTestText, strategyText } from './strategy-files.ts';

/** Parts of a new bot from the sarraf package that creates it. */
export interface ShippedParts {
  /** Version, address or file of the new folder that npm installs as sarraf. */
  readonly sarraf: string;
  /** Those that sarraf is tested with. */
  readonly versions: TestedVersions;
  /** The code of a strategy that ships, by the name of its file. */
  readonly strategy: (file: string) => string;
}

/** All files of a new bot's folder, by their paths in it. */
export function botFiles(wishes: BotWishes, shipped: ShippedParts): ReadonlyMap<string, string> {
  const { folder, start, name } = wishes;
  const packageName = packageNameOf(folder, ['sarraf', ...Object.keys(shipped.versions.tools)]);
  return new Map([
    ['package.json', packageText(packageName, wishes, shipped)],
    ['bot.yaml', botSettingsText(wishes)],
    [`strategies/${name}.ts`, strategyText(start, name, shipped.strategy)],
    [`test/${name}.test.ts`, strategyTestText(start, name)],
    ['tsconfig.json', TSCONFIG],
    ['README.md', botReadme(wishes, basename(folder))],
    ['Dockerfile', dockerfileText(shipped.sarraf.startsWith('file:'))],
    ['compose.yaml', composeText(packageName)],
    ['.dockerignore', DOCKER_IGNORE],
    ['.env.example', ENVIRONMENT],
    ['.gitignore', GIT_IGNORE],
    ['.npmrc', NPM_SETTINGS],
  ]);
}

function packageText(name: string, wishes: BotWishes, { sarraf, versions }: ShippedParts): string {
  const { zod, ...tools } = versions.tools;
  const parts = {
    name,
    private: true,
    type: 'module',
    scripts: {
      start: 'sarraf run --config bot.yaml',
      test: 'vitest run',
      backtest: `sarraf ${backtestArguments(wishes)}`,
      doctor: 'sarraf doctor --config bot.yaml',
      types: 'tsc',
    },
    dependencies: { sarraf, zod },
    // Node too, so that a machine with an older one runs the bot.
    devDependencies: tools,
    overrides: versions.overrides,
    // What may run code at its installation: npm asks about others.
    allowScripts: { node: true, 'better-sqlite3': false, 'msgpackr-extract': false },
  };
  return `${JSON.stringify(parts, null, 2)}\n`;
}

const TSCONFIG = `{
  "compilerOptions": {
    "target": "es2024",
    "module": "nodenext",
    "types": [],
    "strict": true,
    "noUncheckedIndexedAccess": true,
    "erasableSyntaxOnly": true,
    "verbatimModuleSyntax": true,
    "allowImportingTsExtensions": true,
    "skipLibCheck": true,
    "noEmit": true
  },
  "include": ["strategies", "test"]
}
`;

const ENVIRONMENT = `# Secrets of the bot. Copy this file, so that only you can read it:
#   install -m 600 .env.example .env
# bot.yaml reads \${SARRAF_TOKEN} from .env, or from the environment, which goes before it. Give the token the
# right to read and to trade, never to withdraw.
SARRAF_TOKEN=
# Of the channels that bot.yaml names for alerts.
# TELEGRAM_TOKEN=
# BALE_TOKEN=
`;

const GIT_IGNORE = `node_modules/
# Secrets.
.env
*.key
*.pem
secrets/
# What the bot remembers, and its log.
data/
*.log
`;

const NPM_SETTINGS = `# Node comes with the folder, so a warning that the machine's own is older would only mislead.
loglevel=error
fund=false
`;
