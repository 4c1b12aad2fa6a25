import { parseMarket } from '../exchange/market-names.ts';
import { statSync } from 'node:fs';
import { ZERO } from '../domain/decimal-text.ts';
import { minuteText } from '../domain/time-text.ts';
import {
  messageOf,
  present,
  SarrafError,
  invalidStrategy,
  invalidOptions,
  didYouMean,
} from '../domain/errors.ts';
import {
  addUnits,
  formatUnits,
  NO_UNITS,
  numberOfUnits,
  parseUnits,
  subtractUnits,
  type Units,
} from '../domain/money.ts';
import { lockReason, reaches } from '../engine/lock.ts';
import { readRecord } from '../engine/stored-records.ts';
import { readFigures } from '../engine/strategy-instance-record.ts';
import { MARKET_NAMES } from '../exchange/market-names.ts';
import { sentence, sentenceFacts, type Sentence } from '../language/sentence.ts';
import { mirrorPathOf } from '../mirror/mirror-path.ts';
import { MirrorReader } from '../mirror/mirror-reader.ts';
import { locksNow, pauseOf, strategyStatus, whyNoOrders } from '../mirror/strategy-status.ts';
import { hasWriter } from '../mirror/unusable.ts';
import { loadStrategy } from '../plugins/load-strategy.ts';
import { valueOfAll } from '../portfolio/holding.ts';
import { baseMoved, type FillRecord } from '../records/fill.ts';
import type { MarketVersionRecord } from '../engine/mirror-change.ts';
import type { StrategyDefinition } from '../strategy/definition.ts';
import {
  lastBarLines,
  needsMoney,
  readRules,
  ruleSetOf,
  type ReadRules,
  type RuleSet,
  shortLines,
} from '../strategy/explain-rules.ts';
import { fieldsOf } from '../strategy/fields.ts';
import { isAwaited, readMoment, watchRules, type RuleMoment } from '../strategy/rules.ts';
import { StrategyRunner } from '../strategy/runner.ts';
import type { ClosedCandle, EngineView } from '../strategy/strategy-event.ts';
import {
  answerHere,
  marketsRunBy,
  RULES,
  type BotRules,
  type Period,
  type RuleAnswer,
  type RuleQuestion,
} from './answers-apart.ts';
import { readRun } from './run-record.ts';
import { storedBars } from './run/reload-strategy.ts';

/** Calls a function with the mirror of the question's folder. */
type ReadMirror = <Result>(work: (reader: MirrorReader) => Result) => Result;

/**
 * Computes the rules of a bot's strategy again, from the stored bars of its mirror: no request is sent, and
 * the bot does not wait. Throws `INVALID_OPTIONS` for a wrong name, `INVALID_STRATEGY` for a strategy that
 * has no rules, and `DATA_UNUSABLE` if there is no mirror or no closed bar.
 */
export async function readBotRules(question: RuleQuestion, read: ReadMirror): Promise<BotRules> {
  const started = startedStrategy(question);
  const { definition } = await loadStrategy(started.file);
  return read((reader) => {
    const markets = marketsRunBy(reader.stored(), started);
    const market = question.market ?? (markets.length === 1 ? markets[0] : undefined);
    if (market === undefined || !markets.includes(market))
      throw invalidOptions(
        `expected a market of ${started.name} (${markets.join(', ') || 'its universe has none yet'}), was ${market ?? 'none'}`,
        { details: { markets } },
      );
    return { markets, ...rulesAt(reader, { ...started, market }, definition, question.atMs) };
  });
}

/** Returns a strategy as it was started last, by the record of its run. */
function startedStrategy({ dataFolder, strategy }: RuleQuestion) {
  const { note, pulse } = readRun(dataFolder);
  const all = note?.strategies ?? [];
  const named = all.filter(({ name }) => strategy === null || name === strategy);
  const [only] = named;
  if (all.length === 0)
    throw invalidOptions(
      `expected the folder of a bot that has run, found none at ${dataFolder}: start the bot, name its folder with --data, or give the options of a backtest, such as --cash 10000`,
    );
  if (only === undefined || named.length > 1) {
    const names = all.map(({ name }) => name);
    throw invalidOptions(
      `expected one of the strategies that ran last with ${dataFolder} (${names.join(', ')}), was ${strategy === null ? 'no name' : `${strategy}${didYouMean(strategy, names)}`}`,
    );
  }
  const { name, market, start } = only;
  const stat = start === undefined ? undefined : statSync(start.file, { throwIfNoEntry: false });
  if (start === undefined || stat === undefined)
    throw invalidOptions(
      `expected the file of ${name}, was ${start?.file ?? 'none in run.json'}: ask where the bot runs, after this version has started it`,
    );
  return { name, market, ...start, isChanged: stat.mtimeMs > (pulse?.sinceMs ?? Infinity) };
}

/** Maximum number of bars of each series that are read, the newest: for the present, and for other times. */
const MOST_BARS_NOW = 5_000;
const MOST_BARS = 100_000;

type StartedStrategy = ReturnType<typeof startedStrategy> & { readonly market: string };

function rulesAt(
  reader: MirrorReader,
  strategy: StartedStrategy,
  definition: StrategyDefinition,
  atMs: number | null,
): Omit<BotRules, 'markets'> {
  const { name, market, timeframe, params } = strategy;
  const setup = { market, marketNames: MARKET_NAMES, timeframe, params };
  const rules = ruleSetOf(definition, setup);
  const { main } = rules;
  const candles = candlesOf(reader, rules, atMs);
  const last = candles.findLast((one) => isOf(one, main));
  if (last === undefined) {
    const [first] = storedBars(reader, { ...main, last: MOST_BARS });
    throw new SarrafError(
      first === undefined ? 'DATA_UNUSABLE' : 'INVALID_OPTIONS',
      `expected a closed bar of ${main.market} (${main.timeframe}), found none ${first === undefined || atMs === null ? 'stored yet' : `before ${minuteText(atMs)} UTC: the first one that is stored closed at ${minuteText(first.closeTimeMs)} UTC`}`,
    );
  }
  const stored = new StoredHolding(reader, { strategy: name, market, last, isNow: atMs === null });
  const { position, held } = stored;
  const open =
    atMs === null ? reader.orders({ state: 'open', strategy: name, market, last: MOST_ORDERS }) : [];
  const orders = open.map(({ exit, price, stopPrice }) => ({
    exit,
    price: numberOfUnits(stopPrice ?? price ?? NO_UNITS),
    stopPrice: null,
  }));
  const found: ReadRules[] = [];
  const [enter, exit] = [new TruePeriods(), new TruePeriods()];
  const heldBefore = new HeldByFills(rules.needsPosition ? stored.fills() : [], stored.rules);
  const onBar = (moment: RuleMoment): void => {
    // The runner has compiled the rules for itself.
    const { bar, ctx, reading, rules: ofRunner } = moment;
    const isHeld = position === null ? null : ctx.isTradable(ctx.position, bar.close);
    if (bar.closeTimeMs < last.closeTimeMs) readMoment(moment, heldBefore.at(bar.closeTimeMs));
    else found.push(readRules(moment, { isHeld, held, orders }));
    enter.add(bar, reading.read(ofRunner.enter));
    if (ofRunner.exit !== null) exit.add(bar, reading.read(ofRunner.exit));
  };
  const runner = new StrategyRunner(watchRules(definition, onBar, { trades: false }), { name, ...setup });
  for (const candle of candles) runner.handle({ kind: 'candle', candle }, stored.view(candle.closeTimeMs));
  if (runner.failure !== null) throw invalidStrategy(runner.failure);
  const read = present(found[0], 'the rules at the last bar');
  const before = [
    ...lastBarLines(last, atMs),
    ...(atMs === null ? reasonsNow(reader, { strategy, isHeld: read.isHeld === true }) : []),
    ...(read.isHeld === null ? [sentence('rules-holding-unknown')] : []),
    ...(atMs !== null && read.isHeld !== true && needsMoney(rules) ? [sentence('rules-money-unknown')] : []),
    ...shortLines(rules, (data) => candles.filter((one) => isOf(one, seriesOf(rules.data[data]))).length),
    ...refusedAt(reader, { strategy: name, last, isNow: atMs === null }),
  ];
  const periods = { knownSinceMs: enter.knownSinceMs, enter: enter.newest, exit: exit.newest };
  return { strategy: name, ...read, before, periods };
}

/** Maximum number of periods of one condition in an answer: the newest. */
const MOST_PERIODS = 2_000;

/** Collects the periods in which a condition is true, bar by bar. */
class TruePeriods {
  /** Close of the first bar at which its value was known; null before. */
  knownSinceMs: number | null = null;
  private readonly all: Period[] = [];

  get newest(): readonly Period[] {
    return this.all.slice(-MOST_PERIODS);
  }

  /** Adds a bar with the value at its close, which lasts until the next bar closes. */
  add({ openTimeMs, closeTimeMs }: RuleMoment['bar'], value: number): void {
    if (!Number.isNaN(value)) this.knownSinceMs ??= closeTimeMs;
    if (value !== 1) return;
    const untilMs = 2 * closeTimeMs - openTimeMs;
    const last = this.all.at(-1);
    if (last !== undefined && last[1] >= closeTimeMs) last[1] = untilMs;
    else this.all.push([closeTimeMs, untilMs]);
  }
}

type Series = Pick<ClosedCandle, 'market' | 'timeframe'>;

const isOf = (one: Series, { market, timeframe }: Series): boolean =>
  one.market === market && one.timeframe === timeframe;

const seriesOf = (data: unknown): Series => fieldsOf(data)['from'] as Series;

/** Returns the stored bars of rules in the order in which they closed, the longer ones first. */
function candlesOf(reader: MirrorReader, { data }: RuleSet, atMs: number | null): readonly ClosedCandle[] {
  const all = Object.values(data).map(seriesOf);
  const series = all.filter((one, index) => all.findIndex((other) => isOf(one, other)) === index);
  const candles = series.flatMap(({ market, timeframe }) => {
    const last = atMs === null ? MOST_BARS_NOW : MOST_BARS;
    return storedBars(reader, { market, timeframe, last });
  });
  return candles
    .filter(({ closeTimeMs }) => atMs === null || closeTimeMs <= atMs)
    .toSorted((one, other) => one.closeTimeMs - other.closeTimeMs || one.openTimeMs - other.openTimeMs);
}

/** Maximum number of fills that a position is counted from. */
const MOST_FILLS = 100_000;

interface HoldingOf {
  readonly strategy: string;
  readonly market: string;
  /** The bar whose holding is read. */
  readonly last: ClosedCandle;
  readonly isNow: boolean;
}

/**
 * Holding of a strategy as its bot stored it: now, or at the close of an earlier bar by its fills. The money
 * is that of now; what orders of other strategies reserve is not subtracted.
 */
class StoredHolding {
  /** Position in the base currency; null if it is not known, as coins came or left without a stored fill. */
  readonly position: Units | null;
  /** State of the rules with it; undefined: as at the start. */
  readonly held: unknown;
  private readonly equity: Units | null = null;
  private readonly free: number = Number.NaN;
  readonly rules: MarketVersionRecord | null;
  /** Reads the fills that it is counted from, oldest first. */
  readonly fills: () => readonly FillRecord[];

  constructor(reader: MirrorReader, { strategy, market, last, isNow }: HoldingOf) {
    const { base, quote } = MARKET_NAMES.parseMarket(market);
    const row = reader.strategies().find(({ name }) => name === strategy);
    const figures = row === undefined ? null : readFigures(row, MARKET_NAMES);
    const held = figures?.ledger.held(base) ?? NO_UNITS;
    this.rules = reader.markets.versions().find(({ symbol }) => symbol === market) ?? null;
    this.fills = () => reader.fills({ strategy, market, last: MOST_FILLS });
    if (!isNow) {
      const fills = this.fills();
      const given = figures?.ledger.inventoryOf(base) ?? NO_UNITS;
      const isCounted = addUnits(given, positionOf(fills)) === held;
      const then = fills.filter(({ atMs }) => atMs <= last.closeTimeMs);
      this.position = isCounted ? addUnits(given, positionOf(then)) : null;
      this.held = new HeldByFills(then, this.rules).at(last.closeTimeMs);
      return;
    }
    this.position = held;
    // A strategy that runs in each member of a universe has a state for each.
    const state = fieldsOf(figures?.state);
    this.held = (Object.hasOwn(state, market) ? state[market] : figures?.state) ?? undefined;
    const balance = reader.balances().find(({ currency }) => currency === quote);
    const ofAccount = balance?.total ?? NO_UNITS;
    const capital = figures?.capital ?? new Map<string, bigint>();
    const moved = figures?.ledger.held(quote) ?? NO_UNITS;
    const own = capital.size === 0 ? ofAccount : addUnits((capital.get(quote) ?? NO_UNITS) as Units, moved);
    const free = subtractUnits(ofAccount, balance?.held ?? NO_UNITS);
    this.free = numberOfUnits(free < own ? free : own);
    const priceOf = (of: string): Units | null =>
      of === market ? parseUnits(last.close) : (figures?.ledger.priceOf(of) ?? null);
    const coins = [...(figures?.ledger.state.holdings ?? [])].filter(([asset]) => asset !== quote);
    const parts = [
      { asset: quote, amount: own },
      ...coins.map(([asset, one]) => ({ asset, amount: one.held })),
    ];
    this.equity = valueOfAll(quote, parts, { marketNames: MARKET_NAMES, priceOf });
  }

  /** Returns a view of the engine that shows it: rules that are only read need no orders or books. */
  view(nowMs: number): EngineView {
    const { position, equity, free, rules } = this;
    const text = formatUnits(position ?? NO_UNITS);
    return {
      nowMs,
      position: () => text,
      positionNumber: () => Number(text),
      inventory: () => ZERO,
      free: () => ({}),
      freeNumber: () => free,
      orders: () => [],
      book: () => null,
      stats: () => null,
      margin: () => null,
      rules: () => rules,
      locks: () => [],
      universe: () => null,
      equity: () => (equity === null ? null : formatUnits(equity)),
      ageMs: () => null,
      accountAgeMs: () => null,
    };
  }
}

const positionOf = (fills: readonly FillRecord[]): Units =>
  fills.reduce((sum, fill) => addUnits(sum, movedBy(fill)), NO_UNITS);

/** Returns the coins that a fill brought, after a fee in them. */
const movedBy = (fill: FillRecord): Units => baseMoved(fill, parseMarket(fill.market).base);

/** State of rules by the fills of their strategy, oldest first: it begins anew once nothing is held. */
class HeldByFills {
  private readonly fills: readonly FillRecord[];
  private readonly step: Units;
  private next = 0;
  private position = NO_UNITS;
  private state: { readonly sinceMs: number | null; readonly bought: number; readonly paid: number } = FLAT;

  constructor(fills: readonly FillRecord[], rules: MarketVersionRecord | null) {
    this.fills = fills;
    this.step = parseUnits(rules?.amountStep ?? '0');
  }

  /** Returns the state at a time, in ms; no earlier one can be read afterwards. */
  at(timeMs: number): unknown {
    for (; (this.fills[this.next]?.atMs ?? Infinity) <= timeMs; this.next += 1)
      this.add(present(this.fills[this.next], 'the next fill'));
    return this.state;
  }

  private add(fill: FillRecord): void {
    const { side, atMs, amount, total } = fill;
    this.position = addUnits(this.position, movedBy(fill));
    if (side === 'buy') {
      const { sinceMs, bought, paid } = this.state;
      this.state = {
        sinceMs: sinceMs ?? atMs,
        bought: bought + numberOfUnits(amount),
        paid: paid + numberOfUnits(total),
      };
    } else if (this.position < this.step || this.position <= 0n) this.state = FLAT;
  }
}

const FLAT = { sinceMs: null, bought: 0, paid: 0 } as const;

/** Returns why a strategy places no order now, whatever its conditions are. */
function reasonsNow(
  reader: MirrorReader,
  { strategy, isHeld }: { readonly strategy: StartedStrategy; readonly isHeld: boolean },
): readonly Sentence[] {
  const { name, market, isChanged } = strategy;
  const reasons: Sentence[] = [];
  const stored = reader.stored();
  const locks = locksNow(stored, Date.now());
  const halt = readRecord(stored, 'control')?.halted ?? null;
  const record = reader.strategies().find((one) => one.name === name);
  const isRunning = hasWriter(reader.path);
  if (isRunning === false) reasons.push(sentence('rules-no-bot'));
  if (halt !== null) reasons.push(sentence('bot-halted', { reason: halt.reason }));
  const noOrders = isRunning === false ? null : whyNoOrders(stored);
  if (noOrders !== null) reasons.push(noOrders);
  if (record !== undefined) {
    const { status, reason } = strategyStatus(record, true, { pause: pauseOf(locks, name) });
    if (status !== 'running') reasons.push(sentence('rules-paused', { reason: reason ?? status }));
  }
  for (const lock of isHeld ? [] : locks.locks)
    if (lock.pauses !== true && reaches(lock, name, market)) reasons.push(lockReason(lock));
  const open = reader.orders({ state: 'open', strategy: name, market, last: MOST_ORDERS });
  const waitsFor = isHeld ? open.filter(isAwaited) : open;
  if (waitsFor.length > 0) reasons.push(sentence('rules-orders-open', { count: waitsFor.length }));
  if (isChanged) reasons.push(sentence('rules-file-changed'));
  return reasons;
}

/** Maximum number of open orders that are counted; a strategy of rules has a few. */
const MOST_ORDERS = 1_000;

/** Returns why the order of a bar was refused, or bought nothing; none if it did. */
function refusedAt(
  reader: MirrorReader,
  { strategy, last, isNow }: Omit<HoldingOf, 'market'>,
): readonly Sentence[] {
  const { market, openTimeMs, closeTimeMs } = last;
  const untilMs = isNow ? Number.POSITIVE_INFINITY : 2 * closeTimeMs - openTimeMs;
  const refused = reader
    .intents({ strategy, market, status: 'all', last: MOST_BARS })
    .filter(({ atMs }) => atMs >= closeTimeMs && atMs < untilMs)
    .find(
      ({ status, reason }) => status === 'refused' || sentenceFacts(reason)?.code === 'bracket-not-entered',
    );
  return refused === undefined ? [] : [sentence('rules-refused', { reason: refused.reason ?? '' })];
}

async function answerRules(question: RuleQuestion): Promise<RuleAnswer> {
  try {
    const rules = await readBotRules(question, (work) => {
      using reader = new MirrorReader(mirrorPathOf(question.dataFolder));
      return work(reader);
    });
    return { kind: 'rules', rules };
  } catch (error) {
    const { hasHandlers, markets = [] } = error instanceof SarrafError ? error.details : {};
    if (hasHandlers === true) return { kind: 'handlers' };
    return { kind: 'problem', reason: messageOf(error), markets: markets as readonly string[] };
  }
}

answerHere(RULES, answerRules);
