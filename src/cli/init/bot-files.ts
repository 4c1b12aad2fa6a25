import { basename } from 'node:path';
import { botReadme } from './bot-readme.ts';
import { botSettingsText } from './bot-settings-text.ts';
import { backtestArguments } from './backtest-command.ts';
import type { BotWishes } from './bot-wishes.ts';
import type { TestedVersions } from './package-origin.ts';
import { STARTING_POINTS, type StartingPoint, type StartName } from './starting-points.ts';

/** Returns the Dockerfile of a new bot. `hasVendor`: its sarraf package is in the folder. */
const dockerfileText = (hasVendor: boolean): string => `# docker compose up -d --build
FROM node:24-bookworm-slim
ENV NODE_ENV=production
# The ledger of requests goes below it. Containers that send from one address, or for one account, have to share it.
ENV XDG_STATE_HOME=/state
# A bot makes little garbage at a time and lives for months: without it V8 takes hundreds of megabytes.
ENV NODE_OPTIONS=--max-semi-space-size=4
WORKDIR /bot
COPY package.json package-lock.json .npmrc ./
${hasVendor ? 'COPY vendor ./vendor\n' : ''}RUN npm ci --omit=dev && npm cache clean --force
COPY bot.yaml ./
COPY strategies ./strategies
# These two folders are the only places that are written to; the bot runs as the unprivileged user of the image.
RUN ln -s /bot/node_modules/.bin/sarraf /usr/local/bin/sarraf \\
  && mkdir /data /state && chown node:node /data /state
USER node
VOLUME ["/data", "/state"]
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s --retries=3 CMD ["sarraf", "health", "--data", "/data"]
ENTRYPOINT ["node", "node_modules/sarraf/bin/sarraf.js"]
CMD ["run", "--config", "/bot/bot.yaml", "--data", "/data"]
`;

/** The services of a bot's folder, one text each. */
const SERVICES: readonly string[] = [
  `  bot:
    build: .
    # The page has to listen beyond the container, and is published to this machine alone.
    # Both lines go before bot.yaml: without a page, take them and the ports away.
    command:
      - run
      - --config=/bot/bot.yaml
      - --data=/data
      - --set=dashboard.host=0.0.0.0
      - --set=dashboard.insecure=true
    ports: ['127.0.0.1:8420:8420']
    restart: unless-stopped
    # Longer than drain.within of bot.yaml (60 s), so that orders are canceled before the end.
    stop_grace_period: 90s
    init: true
    read_only: true
    tmpfs:
      - /tmp:size=16m,mode=1777
    cap_drop: [ALL]
    security_opt: ['no-new-privileges:true']
    # The variables that bot.yaml names, such as \${SARRAF_TOKEN}.
    env_file: [{ path: .env, required: false }]
    volumes:
      - data:/data
      - ledger:/state
      # A changed file counts from the next restart on, without a build.
      - ./bot.yaml:/bot/bot.yaml:ro
      - ./strategies:/bot/strategies:ro
    mem_limit: 512m
    logging:
      options: { max-size: 50m, max-file: '5' }
`,
  `  # Speaks when the bot can not, and can cancel its entries: docs/operate.md of sarraf, "A watchdog".
  watchdog:
    build: .
    depends_on: [bot]
    command: ['watchdog', '--config', '/bot/bot.yaml', '--data', '/data']
    restart: unless-stopped
    init: true
    read_only: true
    cap_drop: [ALL]
    security_opt: ['no-new-privileges:true']
    env_file: [{ path: .env, required: false }]
    volumes:
      - data:/data
      - ledger:/state
      - ./bot.yaml:/bot/bot.yaml:ro
      - ./strategies:/bot/strategies:ro
    mem_limit: 256m
    # That of the image asks the bot.
    healthcheck: { disable: true }
    logging:
      options: { max-size: 10m, max-file: '3' }
`,
];

/**
 * Returns the compose file to run it for months. The name is set, since Docker may refuse that of the folder.
 */
const composeText = (name: string): string => `name: ${name}

services:
${SERVICES.join('\n')}
volumes:
  data:
  # All bots of this machine share it, since the exchange counts them against the same limits.
  ledger:
    name: sarraf-ledger
`;

/** Paths hidden from Docker. */
const DOCKER_IGNORE = 'node_modules\ndata\n.env\n.git\ntest\n';

/** Parts of a new bot from the sarraf package that creates it. */
interface ShippedParts {
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

/** Name used if nothing is left of the folder's name, as with one in Persian. */
const USUAL = 'trading-bot';
/** npm allows 214. */
const LONGEST = 100;

/**
 * A name that npm and Docker take, after that of the folder: "My Bot" becomes "my-bot". `taken` are those of
 * its dependencies: npm refuses a package that depends on its own name.
 */
export function packageNameOf(folder: string, taken: readonly string[]): string {
  const letters = basename(folder)
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, LONGEST)
    .replaceAll(/^-+|-+$/g, '');
  const name = letters === '' ? USUAL : letters;
  return taken.includes(name) || name === 'node-modules' ? `${name}-bot` : name;
}

const EMPTY = `import { z } from 'zod';
import { defineStrategy } from 'sarraf/sdk';

/** Writes each closed candle to the log, and trades nothing yet. */
export default defineStrategy({
  name: 'my-strategy',
  params: z.strictObject({
    /** Size of one purchase. */
    amount: z.number().positive().default(0.001),
  }),
  data: ({ market, timeframe }) => ({ bars: market.candles(timeframe) }),
  on: {
    bars(ctx, { close }) {
      ctx.log('a candle closed', { close });
      // Orders: ctx.buy({ amount: ctx.params.amount }) and ctx.sell({ amount: ctx.position }).
    },
  },
});
`;

/** The code that a strategy begins with. `shipped` reads the code of one that ships. */
function strategyText(start: StartName, name: string, shipped: (file: string) => string): string {
  const { file, name: ownName }: StartingPoint = STARTING_POINTS[start];
  const text = file === null ? EMPTY : shipped(file);
  return text.replace(`name: '${ownName}'`, `name: '${name}'`).replace(`from '#sdk'`, `from 'sarraf/sdk'`);
}

/** A test of it that passes, by the kit that tests the strategies that ship. */
function strategyTestText(start: StartName, name: string): string {
  const { script, claim } = STARTING_POINTS[start];
  return `import { expect, test } from 'vitest';
import { generateBars, runStrategy, type ScriptOptions } from 'sarraf/testing';
import strategy from '../strategies/${name}.ts';

const script: ScriptOptions = ${script};

test('${claim.title}', () => {
  const { fills } = runStrategy(strategy, script);
  ${claim.expects}
});

test('gets no order refused', () => {
  expect(runStrategy(strategy, script).refusals).toEqual([]);
});

test('goes on after a restart as if there had been none', () => {
  const whole = runStrategy(strategy, script);
  const restartAfter = [Math.floor(script.bars.length / 2)];
  expect(runStrategy(strategy, { ...script, restartAfter })).toEqual(whole);
});
`;
}
