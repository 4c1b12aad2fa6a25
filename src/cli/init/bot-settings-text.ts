import type { BotWishes } from './bot-wishes.ts';
import { STARTING_POINTS } from './starting-points.ts';

/** The `bot.yaml` of a new bot, with a word on what somebody will want to change first. */
export function botSettingsText(wishes: BotWishes): string {
  const parts = [HEAD, MODES[wishes.mode](wishes.baseUrl), strategies(wishes), risk(wishes), alerts(wishes)];
  return [...parts, TAIL].join('\n');
}

const HEAD = `# yaml-language-server: $schema=./node_modules/sarraf/config/bot.schema.json
# The bot of this folder: "npm start" runs it, "npm run doctor" checks it. Every key has a default, and the
# page docs/reference/configuration.md of sarraf lists all of them. A value such as \${SARRAF_TOKEN} comes from
# the environment, or from the file .env beside this one.
`;

/** The way from play to real money is in each of them, so that nobody has to look for it. */
const MODES: Readonly<Record<BotWishes['mode'], (baseUrl: string | null) => string>> = {
  embedded:
    () => `# embedded: an exchange in this process, without any money. Later paper: the prices of a real exchange, and
# orders that stay here. Then live: real orders with real money.
mode: embedded

# First part of every order id. Bots that share an account need different ones.
instance: bot

embedded:
  # The same seed makes the same market.
  seed: 1
  # Ten times real time, so that a candle of a minute takes six seconds.
  speed: 10
  balances: { rls: '100000000000', usdt: '100000' }

# For paper and live.
# exchange:
#   baseUrl: https://exchange.example
#   credentials: { token: '\${SARRAF_TOKEN}' }
`,
  paper: (
    baseUrl,
  ) => `# paper: the prices of a real exchange, and orders that stay in this process. Later live: real orders with
# real money.
mode: paper

# First part of every order id. Bots that share an account need different ones.
instance: paper

exchange:
  baseUrl: ${baseUrl}
  # For live.
  # credentials: { token: '\${SARRAF_TOKEN}' }

paper:
  balances: { rls: '5000000000', usdt: '5000' }
  # Percent, by quote currency: those of your account.
  fees:
    rls: { maker: '0.20', taker: '0.25' }
    usdt: { maker: '0.10', taker: '0.13' }
`,
  live: (
    baseUrl,
  ) => `# REAL MONEY. Run it as paper first: set mode to paper, and nothing is sent but what reads prices.
mode: live

# First part of every order id. Bots that share an account need different ones.
instance: live

exchange:
  baseUrl: ${baseUrl}
  # Or key and privateKey, or username and password. Give it the right to read and to trade, never to withdraw.
  credentials: { token: '\${SARRAF_TOKEN}' }
`,
};

function strategies({ mode, market, start, name }: BotWishes): string {
  const isPlay = mode === 'embedded';
  const { params } = STARTING_POINTS[start];
  return `strategies:
  - plugin: ./strategies/${name}.ts
    market: ${market}
    timeframe: ${isPlay ? '1m' : '1h'}
    # What is not said has the default in its file.
    params: ${isPlay ? params.play : params.earnest}
    # The most that it spends, by quote currency; the whole balance without it.
    ${mode === 'live' ? "capital: { rls: '500000000', usdt: '500' }" : "# capital: { rls: '500000000', usdt: '500' }"}
`;
}

function risk({ mode }: BotWishes): string {
  if (mode !== 'live')
    return `# Checks run before every order. These stop new risk for the rest of a bad day.
risk:
  maxDailyLoss: { rls: '1000000000', usdt: '1000' }
`;
  return `# Only you know how much may be at risk. These limits are small on purpose.
risk:
  maxOrderValue: { rls: '50000000', usdt: '50' }
  maxTotalExposure: { rls: '500000000', usdt: '500' }
  maxDailyLoss: { rls: '20000000', usdt: '20' }
  maxDrawdown: { rls: '50000000', usdt: '50' }
  maxOrdersPerMinute: 10
`;
}

const alerts = ({ language }: BotWishes): string => `# Of alerts, and of the page at first: en or fa.
language: ${language}

# Who is told when something happens: docs/alerts.md of sarraf. Tokens go into .env.
# alerts:
#   channels:
#     - { kind: telegram, token: '\${TELEGRAM_TOKEN}', chat: 123456789, commandsFrom: [123456789] }
#     - { kind: bale, token: '\${BALE_TOKEN}', chat: 123456789 }

# The page of the bot, at http://127.0.0.1:8420 on this machine alone. Without a port that is written here, the
# bot goes on without a page where 8420 is taken. null serves none.
# dashboard: { port: 8421 }
`;

const TAIL = `data:
  # What the bot remembers. Give every bot a folder of its own.
  folder: ./data

drain:
  # keep-exits: at the end orders that only reduce a position stay, such as stops. Or cancel, or keep.
  openOrders: keep-exits

# "npx sarraf watchdog --config bot.yaml", in a terminal or container of its own, says when the bot is silent.
watchdog:
  silentAfter: 60s
  # In the mode live it then cancels what is no exit, if you want that.
  # cancelEntriesAfter: 5m

# Shows over HTTP whether it is well: /healthz, /readyz and /metrics, on this machine alone.
# health: { port: 7080 }
`;
