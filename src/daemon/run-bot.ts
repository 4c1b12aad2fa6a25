import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ownMarketsOf, placeText } from '../strategy/strategy-port.ts';
import { countText, groupedText, moneyText, formatUnits } from '../domain/money.ts';
import { messageOf, SarrafError, invalidOptions } from '../domain/errors.ts';
import type { EngineNotice } from '../engine/engine-event.ts';
import { MirrorReader } from '../mirror/mirror-reader.ts';
import type { MirrorStore } from '../mirror/mirror-store.ts';
import type { VenueProfile } from '../venues/port.ts';
import type { Venue } from '../venues/venue.ts';
import { neededBudgets } from '../budget/trading-begins.ts';
import { Sidecars, type Sidecar, type CreateSidecar } from './sidecar.ts';
import { ClockWatch, watchedTransport, CrashWatch } from './run/clock-watch.ts';
import { createBot, type CreatedBot } from './run/create-bot.ts';
import { openMirror, drain, runUntil } from './run/run-loop.ts';
import { HealthService } from './health/health-service.ts';
import { LedgerWatch } from './health-source.ts';
import { Shadows } from './run/shadows.ts';
import { ledgerFolder } from '../budget/ledger-file.ts';
import { noteBot } from './known-bots.ts';
import { alertsState, RunRecord, type RunBeginning } from './run-record.ts';
import { leftLines } from './left-text.ts';
import { loadInstances, refuseWithout, runNoteOf } from './load-instances.ts';
import { acquireProcessLocks, type ProcessLocks } from './process-locks.ts';
import { makeRoomForPaperAccount } from './paper-account-file.ts';
import { closeVenue, ledgerOf, MODES, openVenue, otherVenueAges } from './modes.ts';
import { Operator } from './run/operator.ts';
import { beginRecording, createRecording, endRecording } from './run-recording.ts';
import type { Recording } from './run/recording.ts';
import { checkedCaller } from './account-check.ts';
import type { ReplayFile } from '../venues/replay-file.ts';
import { StrategyThreads } from './strategy-threads.ts';
import {
  createLogScreen,
  createScreen,
  notify,
  type Screen,
  summarize,
  summaryLines,
  type Summary,
  banner,
} from './run/screen.ts';
import { accountIdentity, ledgerSubjects } from '../venues/client-credentials.ts';
import type { BotConfig } from './create-bot-config.ts';
import { profitText } from '../portfolio/profit.ts';
import { mirrorName } from '../mirror/mirror-path.ts';
import { secondText } from '../domain/time-text.ts';
import { decimalsOf } from '../exchange/market-names.ts';

interface RunOptions {
  readonly config: BotConfig;
  readonly bundledStrategies: string;
  /** Duration of the run by the system clock, in ms; null: until stopped. */
  readonly forMs: number | null;
  readonly json: boolean;
  readonly write: (line: string) => void;
  /** Command that runs sarraf here, for the suggestion at the end; the default is `sarraf`. */
  readonly program?: string;
  /** Ends the run: orders are canceled and the summary is printed. */
  readonly signal: AbortSignal;
  /** Called once when the reader of the log on standard output is gone. */
  readonly onOutputGone?: () => void;
  /**
   * Start and length of an embedded market of synthetic traders, in ms of its own time, so that a run can be
   * repeated. If left out, the system clock decides.
   */
  readonly marketTime?: { readonly startMs: number; readonly lengthMs: number };
  /** True to begin a new paper account; the previous one is moved aside. */
  readonly isNewAccount?: boolean;
  /** Reads the configuration as it is now, to load a strategy anew. Throws if it has mistakes. */
  readonly readAgain?: () => BotConfig;
  /** Sidecars of the bot, such as its page; the default is none. */
  readonly sidecars?: readonly CreateSidecar[];
}

/** Message shown if the exchange sent no balances after the last order had ended. */
const OLD_BALANCES =
  'the exchange did not send the balances again after the last order ended: those that the bot shows are older and may count money as held that is free; the next start reads them';

function offer(program = 'sarraf'): string {
  return `Nothing was recorded; "${program} run --record" keeps what it sees, for backtests.`;
}

/**
 * Runs the bot until its time is over, its recording has ended or it is stopped; then cancels its orders and
 * sums up. Throws if it cannot begin or continue. Each function below opens what it needs and says how it is
 * closed: all is closed in the reverse order, whatever ends the run.
 */
export async function runBot(options: RunOptions): Promise<Summary> {
  try {
    return await runInFolder(options);
  } catch (error) {
    throw firstError(error);
  }
}

/** Returns the error that ended the run, without those of closing after it. */
function firstError(error: unknown): unknown {
  return error instanceof SuppressedError ? firstError(error.suppressed) : error;
}

/** Runs the bot while it holds the locks of its data folder and account. */
async function runInFolder(options: RunOptions): Promise<Summary> {
  const { config } = options;
  using locks = acquireProcessLocks(config, accountIdentity(config.exchange.credentials));
  const profile = await MODES[config.mode].profile(config);
  using record = new RunRecord(config.data.folder, beginningOf(options, profile));
  try {
    return await runInProcess(options, { locks, record, profile });
  } catch (thrown) {
    const error = firstError(thrown);
    // A stop before the exchange has answered was requested.
    const isWanted = error instanceof SarrafError && error.code === 'ABORTED';
    record.failure = isWanted ? null : messageOf(error);
    throw error;
  }
}

/** Returns the facts of a configured run's beginning, for readers of its folder. */
function beginningOf({ config, bundledStrategies }: RunOptions, profile: VenueProfile): RunBeginning {
  const { mode, instance, strategies, exchange } = config;
  const folders = [...config.strategiesFolders, bundledStrategies];
  const ledger = ledgerOf(config);
  return {
    mode,
    instance,
    alerts: alertsState(config),
    strategies: strategies.map((strategy) => runNoteOf(strategy, folders)),
    ...(ledger === null
      ? {}
      : { ledger, subjects: Object.values(ledgerSubjects(exchange)), needed: [...neededBudgets(profile)] }),
  };
}

/** Parts of a run that are made before its exchange is opened. */
interface Run {
  readonly options: RunOptions;
  readonly screen: Screen;
  readonly replay: ReplayFile | null;
  readonly recording: Recording | null;
  readonly health: HealthService;
  readonly sidecars: Sidecars;
  readonly locks: ProcessLocks;
}

/** Runs the bot with its log, recording, health report and sidecars. */
async function runInProcess(
  options: RunOptions,
  {
    locks,
    record,
    profile,
  }: { readonly locks: ProcessLocks; readonly record: RunRecord; readonly profile: VenueProfile },
): Promise<Summary> {
  const { config } = options;
  checkFolder(config, profile);
  const screen = screenFor(options);
  const replay = await replayOf(config);
  if (config.mode !== 'embedded') for (const line of banner(config)) screen.log('begin', line);
  makeRoomForAccount(options, screen);
  noteRun(config, { record, screen });
  await using opened = new AsyncDisposableStack();
  const recording = opened.adopt(await createRecording(config, screen), async (it) => it?.close());
  const health = opened.adopt(new HealthService(config, profile), async (it) => it.end());
  const sidecars = opened.adopt(new Sidecars(sidecarsFor(options, screen)), async (it) => it.end());
  await sidecars.check();
  const address = await health.begin();
  if (address !== null) {
    locks.data.noteHealth(address);
    screen.log('health', `health at ${address}`, { address });
  }
  return await runAtExchange({ options, screen, replay, recording, health, sidecars, locks }, record);
}

/** Runs the bot with its exchange, its strategies' threads, and a watch over crashes of this process. */
async function runAtExchange(run: Run, record: RunRecord): Promise<Summary> {
  const { options, screen, replay, recording, health } = run;
  const { config } = options;
  const clock = new ClockWatch();
  const watched = watchedTransport(
    clock,
    (message) => {
      screen.log('notice', message);
      record.setClockAhead(clock.aheadMs);
    },
    Date.now,
  );
  await using opened = new AsyncDisposableStack();
  const opening = await openVenue(config, replay, {
    signal: options.signal,
    onWait(message, level) {
      if (level === undefined) screen.log('notice', message);
      else notify(screen, { level, message });
    },
    onTrouble: (message) => notify(screen, { level: 'error', message }),
    // An exchange in this process has the bot's own time, which runs faster than the machine's.
    wrap: (inner, nowMs) => {
      const transport = config.mode === 'embedded' ? inner : watched(inner, nowMs);
      return recording?.wrap(transport, nowMs) ?? transport;
    },
    ...(options.marketTime === undefined ? {} : { startMs: options.marketTime.startMs }),
  });
  const venue = opened.adopt(opening, async (it) => {
    health.waitFor('it has ended');
    await closeVenue(it);
  });
  health.waitFor('its strategies are loading, and the account is being checked');
  const threads = opened.adopt(
    new StrategyThreads({
      limits: config.isolation,
      onPrint: (strategy, line) => screen.log('print', `${strategy} printed: ${line}`, { strategy, line }),
    }),
    async (it) => it.dispose(),
  );
  const crashes = opened.adopt(new CrashWatch((notice) => screen.show([notice], venue.time.now())), (it) => {
    it.end();
    it.throwIfCrashed();
  });
  crashes.begin();
  const signal = AbortSignal.any([options.signal, crashes.signal]);
  return await trade({ ...run, options: { ...options, signal } }, { venue, threads, record });
}

/** Runs the bot with its strategies and its mirror. */
async function trade(
  run: Run,
  {
    venue,
    threads,
    record,
  }: { readonly venue: Venue; readonly threads: StrategyThreads; readonly record: RunRecord },
): Promise<Summary> {
  const { options, screen, replay, recording } = run;
  const { config } = options;
  const folders = [...config.strategiesFolders, options.bundledStrategies];
  const mirrorPath = join(config.data.folder, mirrorName(config.mode));
  const shadows = new Shadows({ config, folders, threads, record, mirrorPath, venue, screen, replay });
  const { instances, configured, lost } = await loadInstances({
    strategies: shadows.strategies,
    folders,
    knownMarkets: new Set(venue.markets.map(({ symbol }) => symbol)),
    venues: otherVenueAges(config),
    threads,
  });
  await shadows.load();
  await using opened = new AsyncDisposableStack();
  const onRelief = (message: string): void =>
    notify(screen, { level: 'error', message, atMs: venue.time.now() });
  const mirror = opened.adopt(openMirror(config, venue, onRelief), (it) => it.close());
  // An exchange in this process is for experiments: the run begins with the strategies that can run.
  if (config.mode !== 'embedded') refuseWithout(lost, { hadMarket: marketsBefore(mirror) });
  let counted: ((notices: readonly EngineNotice[]) => void) | null = null;
  const show: Screen['show'] = (notices, atMs) => {
    screen.show(notices, atMs);
    counted?.(notices);
  };
  const caller = await checkedCaller(venue, mirror, {
    log: (message) => screen.log('notice', message),
    locks: run.locks,
  });
  const ledger = new LedgerWatch(venue);
  const bot = createBot({
    config,
    venue: { ...venue, caller },
    instances,
    lost,
    mirror,
    screen: { ...screen, show },
    budgets: () => ledger.snapshot().budgets,
    onAnswer: (call, answer, atMs, askedAtMs) => {
      recording?.apply(call, answer, atMs, askedAtMs);
      shadows.apply(call, answer, askedAtMs);
    },
    ...(recording === null ? {} : { onEvent: (event) => recording.applyEvent(event) }),
  });
  opened.defer(async () => shadows.end());
  threads.onEnd = () => {
    bot.shell.poll();
    shadows.poll();
  };
  if (recording !== null) {
    // Code and params as they run: a promotion may have exchanged them with those of a shadow.
    const running = { ...config, strategies: shadows.strategies };
    await beginRecording(recording, { bot, venue, config: running, screen, mirror });
  }
  const operator = new Operator({
    bot,
    config,
    venue,
    mirror,
    ledger,
    reload: async (strategy) =>
      shadows.reload(strategy, { configured, readAgain: options.readAgain ?? null }),
    promote: async (command) => shadows.promote(command),
    onError: (error) => screen.log('notice', messageOf(error)),
    onWait: (message) => screen.log('notice', message),
  });
  counted = (notices) => operator.count(notices);
  await live(bot, { run, venue, operator, shadows });
  return await sumUp(bot, run);
}

/** Throws `DATA_UNUSABLE` if the folder has the data of another venue, before that is asked anything. */
function checkFolder({ data, mode }: BotConfig, { name }: VenueProfile): void {
  const path = join(data.folder, mirrorName(mode));
  if (mode === 'embedded' || !existsSync(path)) return;
  using reader = openedOrNull(path);
  reader?.checkVenue(name);
}

/** Opens a mirror for reading; null for one that cannot be read: its store says why in its own words. */
function openedOrNull(path: string): MirrorReader | null {
  try {
    return new MirrorReader(path);
  } catch {
    return null;
  }
}

function makeRoomForAccount({ config, isNewAccount = false }: RunOptions, screen: Screen): void {
  const { mode, data } = config;
  if (mode !== 'paper') {
    if (!isNewAccount) return;
    throw invalidOptions(`expected --new-account with the mode paper, was ${mode}`);
  }
  const folder = makeRoomForPaperAccount(data.folder, { isWanted: isNewAccount, nowMs: Date.now() });
  if (folder !== null)
    screen.log('notice', `A new paper account begins; what was there before is in ${folder}.`);
}

/**
 * Reports an error of the run record, and notes a bot with an external exchange beside the ledger that it
 * shares. A run trades without them.
 */
function noteRun(
  config: BotConfig,
  { record, screen }: { readonly record: RunRecord; readonly screen: Screen },
): void {
  try {
    if (record.fault !== null) throw new Error(record.fault);
    if (config.mode === 'embedded') return;
    noteBot(config.exchange.ledgerFolder ?? ledgerFolder(), {
      dataFolder: config.data.folder,
      dashboard: null,
      atMs: Date.now(),
    });
  } catch (error) {
    screen.log('notice', `other programs do not see this run: ${messageOf(error)}`);
  }
}

function sidecarsFor({ sidecars = [], config }: RunOptions, screen: Screen): readonly Sidecar[] {
  return sidecars.map((create) =>
    create(config, {
      log: (...line) => screen.log(...line),
      notify: (level, message) => notify(screen, { level, message }),
    }),
  );
}

/** Reports what the run did and what it left, and returns the summary. */
async function sumUp(bot: CreatedBot, { options, screen, recording, replay }: Run): Promise<Summary> {
  const { config } = options;
  const summary = summarize(bot.engine, bot.counts);
  if (options.json || config.mode !== 'embedded') {
    screen.log('summary', 'end', { ...summary });
    for (const line of leftLines(summary.left)) screen.log('left', line);
  } else summaryLines(summary).forEach(options.write);
  if (recording !== null) await endRecording(recording, { ...options, screen });
  else if (!options.json && config.mode === 'embedded' && replay === null)
    options.write(offer(options.program));
  return summary;
}

/** Returns a test for markets that an earlier run traded, by its mirror. */
function marketsBefore(mirror: MirrorStore): (market: string) => boolean {
  return (market) => mirror.load().markets.some(({ symbol }) => symbol === market);
}

/** Creates the screen: lines for people if the exchange is in this process, else the log. */
function screenFor({ config, json, write, onOutputGone }: RunOptions): Screen {
  if (config.mode !== 'embedded') {
    return createLogScreen(config, { json, ...(onOutputGone === undefined ? {} : { onOutputGone }) });
  }
  return createScreen({ json, write, wallMs: () => performance.now() });
}

function logBegin(
  screen: Screen,
  of: {
    readonly venue: Venue;
    readonly replay: ReplayFile | null;
    readonly bot: CreatedBot;
    readonly config: BotConfig;
  },
): void {
  const { venue, replay, bot, config } = of;
  const strategies = bot.engine.instances.map(({ name }) => name);
  const markets = [...new Set(bot.engine.instances.map(({ runner }) => placeText(runner)))];
  const source =
    replay === null
      ? 'synthetic traders'
      : `${countText(replay.rows.length, `recorded ${replay.timeframe === null ? 'trade' : 'candle'}`)} of ${replay.path}`;
  const where =
    config.mode === 'embedded'
      ? `the embedded exchange, ${markets.join(' and ')}, ${source}`
      : markets.join(' and ');
  const { speed } = config.embedded;
  const pace =
    config.mode !== 'embedded' || speed === 1 || speed === 'max'
      ? ''
      : `, ${speed} times as fast as the clock`;
  const text = `${secondText(venue.time.now())} ${strategies.join(' and ')} on ${where}${pace}. Ctrl-C ends it.`;
  screen.log('begin', text, { markets, strategies, data: config.data.folder });
}

/**
 * Runs a bot from the first step to the last. Whatever ends the run, its orders are not left behind if it can
 * be avoided.
 */
async function live(
  bot: CreatedBot,
  of: { readonly run: Run; readonly venue: Venue; readonly operator: Operator; readonly shadows: Shadows },
): Promise<void> {
  const { run, venue, operator, shadows } = of;
  const { options, screen, health } = run;
  const { config } = options;
  const { shell } = bot;
  const onStatus = (): void => screen.log('status', statusLine(bot, venue));
  using opened = new DisposableStack();
  opened.defer(() => operator.end());
  // The mirror closes with the bot: it must not be read any more.
  opened.defer(() => health.waitFor('it is ending'));
  await health.show(operator.source());
  if (config.mode === 'embedded' && config.log.file !== null)
    screen.log(
      'notice',
      `log.file (${config.log.file}) is for the modes paper and live: nothing is written to it`,
    );
  logBegin(screen, { venue, replay: run.replay, bot, config });
  shell.start();
  opened.defer(() => shell.close());
  operator.begin();
  opened.defer(() => bot.paces.end());
  bot.paces.begin();
  opened.defer(() => bot.data.end());
  bot.data.begin();
  shadows.begin(bot);
  run.sidecars.onTrading();
  await runUntil(bot, {
    venue,
    signal: options.signal,
    forMs: options.forMs,
    deadlineMs: venue.time.now() + (options.marketTime?.lengthMs ?? Number.POSITIVE_INFINITY),
    isOver: () => venue.isOver(),
    onStatus,
  });
  const onCancels = (): void => operator.checkCancels();
  const { areBalancesOld } = await drain(bot, { config, venue, onStatus, onCancels });
  if (areBalancesOld) notify(screen, { level: 'warning', message: OLD_BALANCES, atMs: venue.time.now() });
}

function statusLine({ engine, counts }: CreatedBot, venue: Venue): string {
  const made = engine.instances.map((instance) => {
    const made = profitText(instance.ledger, (symbol) => engine.markets.priceOf(symbol));
    const profit =
      made.profit === null ? '-' : `${moneyText(made.profit, decimalsOf(made.currency))} ${made.currency}`;
    return `${instance.name} ${countText(instance.fills, 'fill')}, profit ${profit}`;
  });
  const prices = [...new Set(engine.instances.flatMap(({ runner }) => ownMarketsOf(runner)))].map(
    (market) => {
      const price = engine.markets.priceOf(market);
      return `${market} ${price === null ? '-' : groupedText(formatUnits(price))}`;
    },
  );
  const { liveOrders, phase } = engine.status();
  const state = phase === 'trading' ? '' : ` ${phase.toUpperCase()},`;
  return `${secondText(venue.time.now())} --${state} ${prices.join(', ')}, ${liveOrders} open, ${countText(counts.total, 'request')}; ${made.join('; ')}`;
}

/** Returns the recording to replay; null if none is configured. Its importer is loaded only then. */
async function replayOf({ embedded }: BotConfig): Promise<ReplayFile | null> {
  if (embedded.replay === null) return null;
  const { readReplayFile } = await import('../venues/replay-file.ts');
  return readReplayFile(embedded.replay);
}
