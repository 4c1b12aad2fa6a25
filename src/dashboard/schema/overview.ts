import { z } from 'zod';
import {
  countField,
  decimalTextField,
  reasonFields,
  sentenceField,
  sideField,
  timeField,
  pageOfItems,
  pageQuery,
  lengthField,
  ITEM_CODECS,
  nameField,
  MOST_ROWS_OF_PAGE,
} from './fields.ts';
import { orderItem, intentItem } from './order.ts';
import { logItem, signalItem } from './log.ts';
import { barItem, seriesItem } from './market.ts';
import { shapeOf } from '../../records/field.ts';
import { BALANCE, INTENT } from '../../records/rows.ts';

export const differenceItem = z.object({
  currency: z.string(),
  expected: decimalTextField,
  found: decimalTextField,
  difference: decimalTextField,
});

export const findingItem = z.object({
  subject: z.string(),
  field: z.string(),
  expected: z.string(),
  found: z.string(),
  sinceMs: timeField,
  isGrave: z.boolean(),
});

/** State of the bot's books compared with the exchange. */
export const booksReply = z.object({
  state: z.enum(['waiting', 'agreed', 'suspected', 'blocked', 'broken']),
  comparedAtMs: timeField.nullable(),
  comparisons: countField,
  sinceMs: timeField.nullable().describe('When the difference was seen first.'),
  brokenAtMs: timeField.nullable(),
  isGone: z.boolean().describe('Whether a comparison after the break found no difference any more.'),
  why: z.string().nullable().describe('What was said of the break.'),
  whyFacts: sentenceField,
  blockedBy: z.string().nullable().describe('What keeps comparisons from saying anything.'),
  blockedByFacts: sentenceField,
  differences: z.array(differenceItem),
  findings: z.array(findingItem),
  transfers: z.array(
    z.object({
      strategy: z.string(),
      currency: z.string(),
      amount: decimalTextField,
      from: z.string(),
      to: z.string(),
      state: z.enum(['sending', 'unknown']),
      sinceMs: timeField,
    }),
  ),
  balances: z.array(
    z.object({
      ...shapeOf(BALANCE, ['currency', 'total', 'held'], ITEM_CODECS),
      expected: decimalTextField.nullable().describe('What the books have.'),
      seenAtMs: timeField,
    }),
  ),
});

export type BooksReply = z.output<typeof booksReply>;

/** Lock: a period without new risk. */
export const lockItem = z.object({
  name: z.string(),
  rule: z.string().nullable().describe('The key of the rule that made it; null for one by hand.'),
  strategy: z.string().nullable().describe('Null stands for all.'),
  market: z.string().nullable().describe('Null stands for all.'),
  ...reasonFields,
  by: z.string().nullable().describe('Who made it by hand, where that is known.'),
  beganAtMs: timeField,
  endsAtMs: timeField.nullable().describe('Null: until it is resumed.'),
  entries: z.enum(['cancel', 'keep']).describe('What becomes of resting orders that add risk.'),
  pauses: z.boolean().describe('Whether its strategy is told nothing while it holds.'),
});

export const waitingLockItem = z.object({
  kind: z.enum(['lock', 'unlock']),
  name: z.string().nullable(),
  strategy: z.string().nullable(),
  market: z.string().nullable(),
});

export const locksReply = z.object({
  locks: z.array(lockItem),
  nextChangeAtMs: timeField.nullable().describe('The next change by the clock that the bot knows.'),
  waiting: z
    .array(waitingLockItem)
    .describe('Commands that no bot has taken yet: the next start takes them.'),
});

export type LockItem = z.output<typeof lockItem>;
export type LocksReply = z.output<typeof locksReply>;

/** Alert that was sent to a person, or is to be sent. */
export const alertItem = z.object({
  id: z.string(),
  rule: z.string(),
  severity: z.enum(['info', 'warning', 'critical']),
  subject: z.string(),
  text: z.string().describe('In the language of the bot.'),
  texts: z.object({ en: z.string(), fa: z.string() }).describe('In each language.'),
  openedAtMs: timeField,
  endedAtMs: timeField.nullable(),
  acknowledgedAtMs: timeField.nullable(),
  acknowledgedBy: z.string().nullable(),
  deliveries: z.array(
    z.object({
      channel: z.string(),
      state: z.enum(['waiting', 'delivered', 'failed']),
      atMs: timeField.nullable(),
    }),
  ),
});

/** Reason alerts are off. */
const alertsOffField = z
  .enum(['not set', 'other speed'])
  .nullable()
  .describe(
    'Why no alerts are watched for: `not set`, the configuration has no `alerts`; `other speed`, its embedded exchange does not run at speed 1. Null where they are.',
  );

export const alertsQuery = pageQuery.extend({ state: z.enum(['open', 'all']).default('all') });
export const alertsReply = pageOfItems(alertItem);

export type AlertItem = z.output<typeof alertItem>;

/** State of the bot, as its folder shows it. */
export const botItem = z.object({
  instance: z.string(),
  venue: z.string().describe('The mode: `live`, `paper` or `embedded`.'),
  isEmbedded: z.boolean().describe('Whether its exchange is in the bot itself: no real money.'),
  state: z
    .enum(['starting', 'running', 'halted', 'draining', 'silent', 'ended'])
    .describe('`silent`: a bot has the folder, and writes nothing. `ended`: no bot runs.'),
  sinceMs: timeField.nullable().describe('Since when it is in that state, where that is known.'),
  reason: z.string().nullable().describe('Why it is halted, or what it waits for.'),
  reasonFacts: sentenceField,
  silentSinceMs: timeField.nullable().describe('When it last wrote, for a bot that is silent or has ended.'),
  lastOrderAtMs: timeField.nullable(),
});

/** Equity of the whole bot in one currency; null if something that it holds has no price. */
export const equityItem = z.object({
  currency: z.string(),
  now: decimalTextField.nullable(),
  day: decimalTextField.nullable().describe('Profit since the day began in Tehran.'),
  total: decimalTextField.nullable().describe('Profit since the bot began.'),
  drawdown: decimalTextField
    .nullable()
    .describe('How far below its highest, as a share of that: "0.05" is 5 %.'),
  asOfMs: timeField.nullable(),
});

/** A strategy's holding of an asset. */
export const positionItem = z.object({
  strategy: z.string(),
  asset: z.string(),
  market: z.string().nullable().describe('The market of the asset and the currency, where the bot has it.'),
  currency: z.string().describe('The currency of value, profit and stop.'),
  amount: decimalTextField.describe('Below zero: owed.'),
  value: decimalTextField.nullable(),
  profit: decimalTextField.nullable().describe('What is not realised yet.'),
  stop: decimalTextField.nullable().describe('The price of its nearest stop order.'),
  isProtected: z.boolean().describe('Whether stop orders cover all of it.'),
});

export const decisionItem = z.object({
  atMs: timeField,
  kind: z.string().describe('The kind of its last intent.'),
  market: z.string().nullable(),
  status: z.enum(['working', 'done', 'refused']),
  reason: z.string().nullable(),
  reasonFacts: sentenceField,
});

export const strategyItem = z.object({
  name: z.string(),
  plugin: z.string().nullable(),
  markets: z.array(z.string()),
  status: z.enum(['running', 'paused', 'paused by hand', 'stopped', 'not running', 'unknown']),
  reason: z.string().nullable(),
  reasonFacts: sentenceField,
  currency: z.string(),
  profit: decimalTextField.nullable(),
  realised: decimalTextField.nullable(),
  open: decimalTextField.nullable().describe('Profit of what is held.'),
  orders: countField,
  fills: countField,
  requests: countField.describe('Requests that its orders have cost.'),
  lastDecision: decisionItem.nullable(),
});

const exposureItem = z.object({
  asset: z.string(),
  amount: decimalTextField,
  currency: z.string(),
  value: decimalTextField.nullable(),
});

/** Rate limit that the exchange has closed. */
export const lockoutItem = z.object({
  budget: z.string(),
  endsAtMs: timeField.nullable().describe('Null while it is not known.'),
  isOnTrial: z.boolean().describe('Whether a request is on its way to see if it is over.'),
});

/** Loss limit that keeps a strategy from adding risk. */
const lossLimitItem = z.object({
  strategy: z.string(),
  ...reasonFields,
  sinceMs: timeField,
});

/** Entry that waits for a person. */
export const approvalItem = z.object({
  ...shapeOf(
    INTENT,
    ['id', 'strategy', 'market', 'kind', 'atMs', 'expiresAtMs', 'bound', 'best', 'value'],
    ITEM_CODECS,
  ),
  amount: decimalTextField.nullable().describe('About what it buys, where that is known in advance.'),
  coin: z.string().nullable().describe('The currency of its amount.'),
  currency: z.string().nullable().describe('The currency of its prices and its value.'),
});

export const unresolvedItem = z.object({
  key: z.string(),
  strategy: z.string(),
  market: z.string(),
  side: sideField,
  sentAtMs: timeField.nullable(),
});

const dataAgeItem = z.object({
  feed: z.string().describe('Such as `book BTCIRT`.'),
  readAtMs: timeField,
});

export const overviewReply = z.object({
  nowMs: timeField.describe('The clock of the server.'),
  botNowMs: timeField
    .nullable()
    .describe(
      'The time of the bot: that of the clock, but of its newest reading on an exchange in another time.',
    ),
  bot: botItem,
  equity: z.array(equityItem),
  exposure: z.array(exposureItem),
  positions: z.array(positionItem),
  strategies: z.array(strategyItem),
  openOrders: countField,
  unresolved: z.array(unresolvedItem).describe('Orders of which nobody knows yet whether they arrived.'),
  waits: z
    .object(reasonFields)
    .nullable()
    .describe('Why every new order waits, by the ledger, and for how long; null where one could leave now.'),
  haltWait: z
    .object(reasonFields)
    .nullable()
    .describe('What the cancels of a halt wait for; null where they do not wait long.'),
  lockouts: z.array(lockoutItem),
  dataAges: z.array(dataAgeItem),
  books: z.enum(['waiting', 'agreed', 'suspected', 'blocked', 'broken']),
  credential: z
    .object({ name: z.string(), nameFacts: sentenceField, sinceMs: timeField, advice: z.string() })
    .nullable()
    .describe('A credential that the exchange refuses.'),
  approvals: z.array(approvalItem).describe('Entries that wait until a person approves them.'),
  lossLimits: z.array(lossLimitItem).describe('Strategies that a limit on losses lets add no risk.'),
  locks: z.array(lockItem),
  alerts: z.array(alertItem).describe('Those that are open.'),
  alertsOff: alertsOffField,
  requestsBecauseOfPage: z.literal(0).describe('Requests to the exchange because somebody looks: none.'),
});

export type BotItem = z.output<typeof botItem>;
export type EquityItem = z.output<typeof equityItem>;
export type PositionItem = z.output<typeof positionItem>;
export type StrategyItem = z.output<typeof strategyItem>;
export type ApprovalItem = z.output<typeof approvalItem>;
export type ExposureItem = z.output<typeof exposureItem>;
export type LockoutItem = z.output<typeof lockoutItem>;
export type OverviewReply = z.output<typeof overviewReply>;

const knownBotItem = z.object({
  name: z.string().describe('Instance, and the end of its folder.'),
  isThis: z.boolean(),
  bot: botItem.nullable().describe('Null where its folder can not be read.'),
  equity: z.array(equityItem),
  openOrders: countField,
  strategies: z.array(z.string()),
  dashboard: z.string().nullable().describe('The address of its own page, where it has one.'),
  problem: z.string().nullable().describe('Why it can not be read.'),
  problemFacts: sentenceField,
});

export const botsReply = z.object({
  asOfMs: timeField,
  bots: z.array(knownBotItem).describe('All of this machine that this user can read, at most 64.'),
  totals: z.array(equityItem).describe('By currency, of bots with real money alone.'),
});

export type KnownBotItem = z.output<typeof knownBotItem>;
export type BotsReply = z.output<typeof botsReply>;

export const strategyReply = z.object({
  strategy: strategyItem,
  state: z.unknown().describe('The state of the strategy itself.'),
  positions: z.array(positionItem),
  openOrders: z.array(orderItem).describe('The newest 100.'),
  intents: z.array(intentItem).describe('The newest 50.'),
  signals: z.array(signalItem).describe('The newest 50 that came to it.'),
  log: z.array(logItem).describe('Its last 50 lines, newest first.'),
  locks: z.array(lockItem),
  profit: z.array(seriesItem),
});

export type StrategyReply = z.output<typeof strategyReply>;

export const rulesQuery = z.object({ market: nameField.optional().describe('A member of its universe.') });

const conditionItem = z.object({
  ...reasonFields,
  depth: countField.describe('How many lists are around it.'),
  isTrue: z.boolean().nullable().describe('Null: not known yet.'),
  left: z.number().nullable(),
  right: z.number().nullable(),
  sinceMs: timeField.nullable().describe('The close of the candle since which it is so.'),
});

const rulesItem = z.object({
  market: z.string(),
  closeTimeMs: timeField.describe('The close of the candle that they were decided by.'),
  isHeld: z.boolean().nullable().describe('Whether the conditions to sell count.'),
  before: z.array(z.object(reasonFields)).describe('What keeps any order away.'),
  outcome: z.object(reasonFields).describe('What is missing.'),
  enter: z.array(conditionItem),
  exit: z.array(conditionItem),
});

export const rulesReply = z.object({
  markets: z.array(z.string()).describe('Members of its universe, to choose from.'),
  problem: z.object(reasonFields).nullable().describe('Why they are not known; null if it has no rules.'),
  rules: rulesItem.nullable(),
});

/** Returns the schema of a part of a moment, which is shown up to a number of rows. */
const rows = <Item extends z.ZodType>(item: Item) => z.array(item).max(MOST_ROWS_OF_PAGE);

/** The step of a recorded run in which something was decided. */
const momentItem = z.object({
  atMs: timeField,
  event: z.string().describe('What the step was for: `tick`, `answer`, `control`, `opens` or `account`.'),
  call: z.string().nullable().describe('The request that it was the answer to, such as `book BTCIRT`.'),
  phase: z.enum(['syncing', 'trading', 'halted', 'draining']),
  books: rows(
    z.object({ market: z.string(), bid: decimalTextField.nullable(), ask: decimalTextField.nullable() }),
  ).describe('The best prices of the last book of each market that the bot had read.'),
  bars: rows(barItem.extend({ series: z.string().describe('Its market and its timeframe.') })).describe(
    'The last closed candle of each series that the bot reads.',
  ),
  held: rows(z.object({ strategy: z.string(), asset: z.string(), amount: decimalTextField })),
  open: rows(orderItem).describe('Orders that were at work or on their way.'),
  locks: rows(z.object(reasonFields)),
  rules: rows(rulesItem).describe('Conditions of the strategies of rules that decided in the step.'),
  intents: rows(intentItem).describe('What was decided, and how the step left it.'),
  orders: rows(orderItem).describe('Orders that the step made.'),
  log: rows(z.object({ strategy: z.string(), text: z.string() })).describe('What strategies logged.'),
});

/** A decision that a replay made otherwise. */
export const changedDecision = z.object({
  atMs: timeField,
  strategy: z.string().nullable(),
  session: z.string().nullable().describe('Null: the run did not decide it.'),
  again: z.string().nullable().describe('Null: the code does not decide it now.'),
  why: z.string(),
});

export const momentReply = z.object({
  state: z
    .enum(['shown', 'working', 'off', 'unknown', 'unreached', 'otherwise', 'unusable'])
    .describe(
      '`shown`: it is there. `working`: it is not made yet, ask again. `off`: no run of the bot was recorded. `unknown`: the recorded run has no such decision. `unreached`: its events end before it. `otherwise`: the code does not decide it any more. `unusable`: the recording can not be replayed.',
    ),
  problem: z.object(reasonFields).nullable().describe('Why it can not be replayed.'),
  fromMs: timeField.nullable().describe('When the recorded run began.'),
  toMs: timeField.nullable().describe('Up to when it was replayed.'),
  differing: countField.describe('Decisions up to there that the code makes otherwise now; at most 1,000.'),
  differences: z.array(changedDecision).max(10).describe('The first ones of them.'),
  moment: momentItem.nullable(),
});

const shadowSide = z.object({
  strategy: z.string(),
  setup: z
    .record(z.string(), z.string())
    .describe('Its params that are set, and as `file` that of its code.'),
  profit: decimalTextField.nullable().describe('Since the comparison began; null if it is not known.'),
  currency: z.string().nullable(),
  orders: countField,
  fills: countField,
});

export const shadowsReply = z.object({
  shadows: z.array(
    z.object({
      name: z.string(),
      isPromoted: z.boolean().describe('Whether each has the code and params of the other.'),
      sinceMs: timeField,
      live: shadowSide,
      shadow: shadowSide,
      ahead: decimalTextField.nullable().describe('Profit of the shadow less that of the strategy.'),
      same: countField.describe('Orders that both placed.'),
      onlyLive: countField,
      onlyShadow: countField,
    }),
  ),
});

export type ShadowsReply = z.output<typeof shadowsReply>;
export type ConditionItem = z.output<typeof conditionItem>;
export type RulesItem = z.output<typeof rulesItem>;
export type RulesReply = z.output<typeof rulesReply>;
export type MomentReply = z.output<typeof momentReply>;

export const budgetItem = z.object({
  subject: z
    .enum(['address', 'account'])
    .describe('What is counted: the address of this machine, or the account.'),
  budget: z.string(),
  limit: countField.describe('Requests that may count at once.'),
  ownLimit: countField.describe('The same without a limit that the exchange has lowered.'),
  isAssumed: z.boolean().describe('Whether the exchange states no limit, and this one is assumed.'),
  windowMs: lengthField,
  inUse: countField,
  onTheWay: countField,
  reserve: countField.describe('Kept for cancels and for finding unknown orders.'),
  fullForMs: lengthField.describe('How long the window counts as full because nothing is known of it.'),
  lockedForMs: lengthField.nullable().describe('How long a limit reply holds it back.'),
  isOnTrial: z.boolean(),
  stoppedForMs: lengthField.nullable().describe('How long a refused credential holds it back.'),
});

/** Conditions that an order in a market would meet now. */
export const termsReply = z.object({
  market: z.string(),
  free: z
    .object({ base: decimalTextField.nullable(), quote: decimalTextField.nullable() })
    .describe('What no order holds on the account; null before it was read.'),
  balancesSeenAtMs: timeField.nullable(),
  bestBuy: decimalTextField.nullable(),
  bestSell: decimalTextField.nullable(),
  bookSeenAtMs: timeField.nullable(),
  feeShare: decimalTextField.nullable().describe('Of what is received, as of our newest fill there.'),
  budget: budgetItem.nullable().describe('That of placing; null for an exchange in the bot itself.'),
});

export type TermsReply = z.output<typeof termsReply>;

export const budgetsReply = z.object({
  asOfMs: timeField,
  budgets: z.array(budgetItem).describe('Of the shared ledger: none for an exchange in the bot itself.'),
  overTime: z.array(seriesItem).describe('`budget/NAME`: how many requests counted.'),
  lockouts: z.array(lockoutItem),
  strategies: z.array(
    z.object({
      strategy: z.string(),
      requests: countField,
      orders: countField,
      fills: countField,
      requestsPerFill: z.number().nullable(),
    }),
  ),
});

export type BudgetItem = z.output<typeof budgetItem>;
export type BudgetsReply = z.output<typeof budgetsReply>;
