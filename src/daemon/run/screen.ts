import { pino, type Logger } from 'pino';
import type { StrategyFigures } from '../../mirror/strategy-status.ts';
import { parseMarket, decimalsOf } from '../../exchange/market-names.ts';
import { groupedText, moneyText, harmless, countText, formatUnits, type Units } from '../../domain/money.ts';
import type { EngineNotice } from '../../engine/engine-event.ts';
import { feeCurrencyOf, type FillRecord } from '../../records/fill.ts';
import type { OrderRecord, OrderState } from '../../records/order.ts';
import { createLogger } from './create-logger.ts';
import { secretsOf } from '../../venues/client-credentials.ts';
import type { BotConfig } from '../create-bot-config.ts';
import { secondText } from '../../domain/time-text.ts';
import { english } from '../../language/sentence.ts';
import { ownMarketsOf } from '../../strategy/strategy-port.ts';
import type { Engine } from '../../engine/engine.ts';
import { profitText } from '../../portfolio/profit.ts';
import type { StrategyInstance } from '../../engine/strategy-instance.ts';
import { leftLines, leftText, type LeftText } from '../left-text.ts';
import type { EndpointUsage, RequestCounts } from '../request-counts.ts';
import { tradedPlace } from '../strategy-settings.ts';
import { join } from 'node:path';
import { mirrorName } from '../../mirror/mirror-path.ts';
import { formatDuration } from '../duration-text.ts';
import { ledgerOf, MODES } from '../modes.ts';

/** Output for lines: one line for people, or one JSON object per line for programs. */
export interface Screen {
  log(kind: string, text: string, data?: Readonly<Record<string, unknown>>): void;
  show(notices: readonly EngineNotice[], atMs: number): void;
}

/** Shows a problem of the run itself, at the system's time if no other is given. */
export function notify(
  screen: Pick<Screen, 'show'>,
  {
    level,
    message,
    atMs = Date.now(),
  }: { readonly level: 'warning' | 'error'; readonly message: string; readonly atMs?: number },
): void {
  screen.show([{ kind: 'notice', level, message, subject: null }], atMs);
}

/**
 * Maximum number of lines a second about single orders and fills, and as many of warnings and errors, which
 * must not be lost among them. A market run at full speed has thousands; the rest is counted.
 */
const MAX_LINES_PER_SECOND = 25;

interface ScreenOptions {
  readonly json: boolean;
  readonly write: (line: string) => void;
  /** Returns the time of the system clock in ms, for the limit of lines. */
  readonly wallMs: () => number;
}

export function createScreen(options: ScreenOptions): Screen {
  const { json, write, wallMs } = options;
  const logger = pino(
    { base: null, messageKey: 'message' },
    { write: (line: string) => write(line.trimEnd()) },
  );
  const put: Put = (kind, text, data) => {
    if (json) logger.info({ event: kind, ...data }, text);
    else write(harmless(text));
  };
  const putNews = boundLines(put, { wallMs, what: 'orders and fills' });
  const putTrouble = boundLines(put, { wallMs, what: 'warnings and errors' });
  const show = (notice: EngineNotice, atMs: number): void => {
    if (notice.kind === 'order') {
      const { order } = notice;
      if (SILENT.has(order.state)) return;
      const { key, venueId, state, venueStatus, strategy } = order;
      putNews('order', `${secondText(atMs)} ${strategy.padEnd(12)} ${orderText(order)}`, {
        marketTimeMs: atMs,
        order: key,
        venueId,
        state,
        status: venueStatus,
        strategy,
      });
    } else if (notice.kind === 'fill') {
      const { fill } = notice;
      if (fill.orderKey === null) return;
      putNews('fill', `${secondText(atMs)} ${(fill.strategy ?? '').padEnd(12)} ${fillText(fill)}`, {
        marketTimeMs: fill.atMs,
        order: fill.orderKey,
        tradeId: fill.tradeId,
        side: fill.side,
        price: formatUnits(fill.price),
        amount: formatUnits(fill.amount),
        total: formatUnits(fill.total),
        fee: formatUnits(fill.fee),
        feeCurrency: fill.feeCurrency,
      });
    } else {
      const { level, message, subject } = notice;
      const putNotice = level === 'info' ? putNews : putTrouble;
      putNotice(
        'notice',
        `${secondText(atMs)} ${level === 'info' ? '' : `${level.toUpperCase()}: `}${message}`,
        {
          marketTimeMs: atMs,
          level,
          subject,
          ...notice.details,
          ...(notice.stack === undefined ? {} : { stack: notice.stack }),
        },
      );
    }
  };
  const repeats = new Repeats(wallMs, (count, { message }) =>
    put('repeated', `         … ${countText(count, 'time')} more: ${message}`, { count, of: message }),
  );
  return {
    log(kind, text, data = {}) {
      repeats.write();
      put(kind, text, data);
    },
    show(notices, atMs) {
      for (const notice of notices) if (repeats.isNew(notice)) show(notice, atMs);
    },
  };
}

type Notice = Extract<EngineNotice, { kind: 'notice' }>;

/**
 * Longest time in ms for which repeats are only counted: a bot that is in trouble must not look as if it were
 * over.
 */
const REPEATS_COUNTED_MS = 60_000;

/** Counts notices that say what the one before them said. */
class Repeats {
  private readonly wallMs: () => number;
  private readonly onRepeats: (count: number, of: Notice) => void;
  private last: Notice | null = null;
  private count = 0;
  private writtenAtMs = 0;

  /**
   * The number of repeats goes to `onRepeats` before another line, and else once a minute. `wallMs` returns
   * the time of a clock in ms.
   */
  constructor(wallMs: () => number, onRepeats: (count: number, of: Notice) => void) {
    this.wallMs = wallMs;
    this.onRepeats = onRepeats;
  }

  /** Returns true if a notice is to be written, false if it is counted as a repeat. */
  isNew(notice: EngineNotice): boolean {
    const now = notice.kind === 'notice' ? notice : null;
    const { last } = this;
    const isSame =
      now !== null &&
      last?.message === now.message &&
      last.level === now.level &&
      last.subject === now.subject;
    if (isSame) this.count += 1;
    if (!isSame || this.wallMs() - this.writtenAtMs >= REPEATS_COUNTED_MS) this.write();
    this.last = now;
    return !isSame;
  }

  /** Writes the number of repeats so far, if there are any. */
  write(): void {
    if (this.last !== null && this.count > 0) this.onRepeats(this.count, this.last);
    this.count = 0;
    this.writtenAtMs = this.wallMs();
  }
}

type Put = (kind: string, text: string, data: Readonly<Record<string, unknown>>) => void;

/** Writes a limited number of lines a second; the next line says how many were left out. */
function boundLines(put: Put, of: { readonly wallMs: () => number; readonly what: string }): Put {
  let secondMs = Number.NEGATIVE_INFINITY;
  let lines = 0;
  let left = 0;
  return (kind, text, data) => {
    const nowMs = of.wallMs();
    if (nowMs - secondMs >= 1_000) {
      if (left > 0) put('more', `         … and ${left} more ${of.what}`, { count: left });
      secondMs = nowMs;
      lines = 0;
      left = 0;
    }
    lines += 1;
    if (lines <= MAX_LINES_PER_SECOND) put(kind, text, data);
    else left += 1;
  };
}

/**
 * Creates the log of a bot with an external exchange: JSON lines, pretty on a terminal, without the secrets
 * of the configuration.
 */
export function createLogScreen(
  config: BotConfig,
  { json, onOutputGone }: { readonly json: boolean; readonly onOutputGone?: () => void },
): Screen {
  const { level, pretty, file } = config.log;
  const logger = createLogger({
    level,
    pretty: json ? false : pretty,
    file,
    secrets: secretsOf(config.exchange.credentials),
    base: { instance: config.instance },
    ...(onOutputGone === undefined ? {} : { onOutputGone }),
  });
  const repeats = new Repeats(
    () => performance.now(),
    (count, { level: of, message }) =>
      logger[LEVELS[of]](
        { event: 'repeated', count, of: message },
        `${countText(count, 'time')} more: ${message}`,
      ),
  );
  return {
    log(kind, text, data = {}) {
      repeats.write();
      logger.info({ event: kind, ...data }, text);
    },
    show(notices) {
      for (const notice of notices) if (repeats.isNew(notice)) logNotice(logger, notice);
    },
  };
}

/** States that are not logged: intermediate steps, which the journal has. */
const SILENT: ReadonlySet<OrderRecord['state']> = new Set(['planned', 'sending', 'cancelling', 'settling']);

function orderText(order: OrderRecord): string {
  const { venueId, side, amount, market, execution, price, stopPrice, state, reason } = order;
  const at = execution === 'market' || price === null ? 'at the market' : `at ${priceText(price)}`;
  const stop = stopPrice === null ? '' : ` once ${priceText(stopPrice)} is reached`;
  const word = state === 'rejected' ? `rejected: ${english(reason)}` : state;
  return `order ${String(venueId ?? '-').padStart(6)}  ${side} ${formatUnits(amount)} ${market} ${at}${stop}  ${word}`;
}

function fillText(fill: FillRecord): string {
  const { venueOrderId, side, amount, market, price, fee } = fill;
  const currency = feeCurrencyOf(fill, parseMarket(market));
  return `FILL  ${String(venueOrderId).padStart(6)}  ${side} ${formatUnits(amount)} ${market} at ${priceText(price)}, fee ${moneyText(formatUnits(fee), decimalsOf(currency))} ${currency}`;
}

const priceText = (price: Units): string => groupedText(formatUnits(price));

const LEVELS = { info: 'info', warning: 'warn', error: 'error' } as const;

/** Log level by order state; a state that a person may have to act on is a warning. */
const ORDER_LEVELS = {
  planned: 'debug',
  sending: 'debug',
  unknown: 'warn',
  open: 'info',
  cancelling: 'debug',
  settling: 'debug',
  filled: 'info',
  cancelled: 'info',
  rejected: 'warn',
} as const satisfies Record<OrderState, string>;

/**
 * Writes a notice of the engine as a line: a sentence for people, and its parts with decimals as texts for
 * programs.
 */
export function logNotice(logger: Logger, notice: EngineNotice): void {
  switch (notice.kind) {
    case 'notice':
      logger[LEVELS[notice.level]](
        { ...(notice.subject === null ? {} : { subject: notice.subject }), ...notice.details },
        notice.message,
      );
      if (notice.stack !== undefined)
        logger.debug({ subject: notice.subject, stack: notice.stack }, 'where it failed');
      return;
    case 'order':
      logger[ORDER_LEVELS[notice.order.state]](orderFields(notice.order), orderSentence(notice.order));
      return;
    case 'fill':
      logger.info(fillFields(notice.fill), fillSentence(notice.fill));
  }
}

function orderFields(order: OrderRecord): Record<string, unknown> {
  return {
    event: 'order',
    order: order.key,
    intent: order.intentId,
    strategy: order.strategy,
    market: order.market,
    side: order.side,
    execution: order.execution,
    state: order.state,
    amount: formatUnits(order.amount),
    price: order.price === null ? null : formatUnits(order.price),
    stopPrice: order.stopPrice === null ? null : formatUnits(order.stopPrice),
    matched: formatUnits(order.matched),
    filled: formatUnits(order.filled),
    fee: formatUnits(order.fee),
    venueId: order.venueId,
    reason: english(order.reason),
    ...(order.tag === null ? {} : { tag: order.tag }),
    ...(order.exit === null ? {} : { exit: order.exit }),
  };
}

function orderSentence(order: OrderRecord): string {
  const price = order.price === null ? '' : ` at ${formatUnits(order.price)}`;
  const stop = order.stopPrice === null ? '' : `, stop ${formatUnits(order.stopPrice)}`;
  const reason = order.reason === null ? '' : ` (${english(order.reason)})`;
  const what = `${order.market} ${order.side} ${formatUnits(order.amount)}${price}${stop}`;
  return `${what} is ${order.state}${reason}`;
}

function fillFields(fill: FillRecord): Record<string, unknown> {
  return {
    event: 'fill',
    order: fill.orderKey,
    strategy: fill.strategy,
    market: fill.market,
    side: fill.side,
    trade: fill.tradeId,
    amount: formatUnits(fill.amount),
    price: formatUnits(fill.price),
    total: formatUnits(fill.total),
    fee: formatUnits(fill.fee),
    feeCurrency: fill.feeCurrency,
    atMs: fill.atMs,
  };
}

function fillSentence(fill: FillRecord): string {
  const owner = fill.orderKey === null ? ', not ours' : '';
  const verb = fill.side === 'buy' ? 'bought' : 'sold';
  return `${fill.market} ${verb} ${formatUnits(fill.amount)} at ${formatUnits(fill.price)}${owner}`;
}

/**
 * Actions and profit of one strategy. Decimals are texts; money is in `currency`, and null while something
 * the strategy holds has no price.
 */
export interface StrategySummary extends StrategyFigures {
  readonly strategy: string;
  /** Market of the strategy; null if it runs in each member of a universe. */
  readonly market: string | null;
  /** Position in the coin of its own market, over all markets; null if it has no market of its own. */
  readonly position: string | null;
  readonly failure: string | null;
}

export interface Summary {
  readonly strategies: readonly StrategySummary[];
  readonly endpoints: readonly EndpointUsage[];
  /** Number of orders that should be closed and are not known to be. */
  readonly openOrders: number;
  /** Orders and positions that stay at the exchange: open orders, and unprotected positions. */
  readonly left: LeftText;
}

export function summarize(engine: Engine, counts: RequestCounts): Summary {
  return {
    strategies: engine.instances.map((instance) => summarizeInstance(engine, instance)),
    endpoints: counts.usage(),
    openOrders: engine.isDrained() ? 0 : engine.status().liveOrders,
    left: leftText(engine.leftBehind()),
  };
}

function summarizeInstance(engine: Engine, instance: StrategyInstance): StrategySummary {
  const { name, runner, fills, requests, orders, fees } = instance;
  const [market = null] = ownMarketsOf(runner);
  const made = profitText(instance.ledger, (symbol) => engine.markets.priceOf(symbol));
  return {
    strategy: name,
    market,
    orders,
    fills,
    requests,
    fees: Object.fromEntries([...fees].map(([currency, units]) => [currency, formatUnits(units)])),
    position: market === null ? null : formatUnits(instance.held(parseMarket(market).base)),
    ...made,
    failure: instance.status === 'running' ? null : english(instance.reason),
  };
}

export function summaryLines(summary: Summary): readonly string[] {
  const lines = ['', 'strategy      orders   fills   profit (fees, position)'];
  for (const one of summary.strategies) {
    const { currency } = one;
    const fees = Object.entries(one.fees)
      .filter(([, fee]) => fee !== '0')
      .map(([name, fee]) => `${moneyText(fee, decimalsOf(name))} ${name}`)
      .join(' and ');
    const profit =
      one.profit === null
        ? `unknown: no price of ${one.unvalued.join(', ')}`
        : `${moneyText(one.profit, decimalsOf(currency))} ${currency}`;
    const own = one.market === null ? null : parseMarket(one.market).base;
    const others = Object.entries(one.positions)
      .filter(([asset, held]) => asset !== own && held !== '0')
      .map(([asset, held]) => `${held} ${asset}`);
    const held = [...(one.position === null ? [] : [one.position]), ...others].join(', ');
    const stopped = one.failure === null ? '' : `  STOPPED: ${one.failure}`;
    lines.push(
      `${one.strategy.padEnd(12)} ${String(one.orders).padStart(7)} ${String(one.fills).padStart(7)}   ${profit} (fees ${fees === '' ? '0' : fees}, position ${held === '' ? '0' : held})${stopped}`,
    );
  }
  lines.push('', 'endpoint              requests   most in a window / limit');
  for (const { endpoint, requests, most, limit, windowMs } of summary.endpoints) {
    lines.push(
      `${endpoint.padEnd(20)} ${String(requests).padStart(9)}   ${most} / ${limit} in ${windowMs / 1_000} s`,
    );
  }
  lines.push(
    '',
    ...(summary.openOrders === 0
      ? []
      : [`${countText(summary.openOrders, 'ORDER IS', 'ORDERS ARE')} NOT KNOWN TO BE CLOSED.`]),
    ...leftLines(summary.left),
    // A complete drain left these orders on purpose.
    ...(summary.openOrders === 0 && summary.left.orders.length > 0
      ? ['Orders stay open by the rule of drain.openOrders; its value "cancel" leaves no order open.']
      : []),
  );
  return lines;
}

const ENDINGS = {
  'keep-exits': 'cancels its open orders, except those that only reduce a position',
  cancel: 'cancels its open orders',
  keep: 'keeps its open orders',
} as const;

/** Returns a run's first lines: where its orders go, and whose money it is. */
export function banner(config: BotConfig): readonly string[] {
  const { instance, data, drain } = config;
  const names = config.strategies.map((strategy) => `${strategy.name} (${tradedPlace(strategy)})`).join(', ');
  return [
    ...MODES[config.mode].banner(config, ledgerOf(config) ?? 'none'),
    `Instance ${instance}: ${names}. Mirror: ${join(data.folder, mirrorName(config.mode))}.`,
    `Ctrl-C or SIGTERM ends the run: it ${ENDINGS[drain.openOrders]}, within ${formatDuration(drain.withinMs)}. A second one ends it at once.`,
  ];
}
