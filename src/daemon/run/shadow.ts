import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { BudgetLedger } from '../../budget/ledger.ts';
import { MemoryLockouts } from '../../budget/lockouts.ts';
import { listText, messageOf } from '../../domain/errors.ts';
import type { StrategyInstanceSettings } from '../../engine/engine-settings.ts';
import { MirrorReader } from '../../mirror/mirror-reader.ts';
import { mirrorName } from '../../mirror/mirror-path.ts';
import { profitText } from '../../portfolio/profit.ts';
import type { PlannedFeed } from '../../scheduler/feed.ts';
import { planPolls } from '../../scheduler/plan-polls.ts';
import { MARKET_CALLS } from '../../venues/port.ts';
import { venueOnPaper } from '../../venues/paper-venue.ts';
import { limiterOfShared, type SharedAnswers } from '../../venues/shared-answers.ts';
import type { Venue } from '../../venues/venue.ts';
import { createVirtualLimiter } from '../../virtual/virtual-executor.ts';
import type { Cancel } from '../../virtual/virtual-time.ts';
import type { BotConfig, ConfiguredShadow } from '../create-bot-config.ts';
import { planInputOf } from '../create-plan.ts';
import { runNoteOf } from '../load-instances.ts';
import { makeRoomForPaperAccount, PaperAccountFile } from '../paper-account-file.ts';
import { RunRecord } from '../run-record.ts';
import { shadowFolder, writeShadowNote } from '../shadow-note.ts';
import { closeVenue } from '../modes.ts';
import { createBot, type CreatedBot } from './create-bot.ts';
import { storedBars } from './reload-strategy.ts';
import { openMirror } from './run-loop.ts';
import { notify, type Screen } from './screen.ts';

/** Interval at which a shadow checks whether it can begin, in ms. */
const POLL_INTERVAL_MS = 1_000;

/** Number of checks after which a shadow that cannot begin is reported. */
const MOST_SILENT_CHECKS = 60;

/** Maximum number of bars of a series that it takes over from the mirror. */
const MOST_BARS = 10_000;

interface ShadowOptions {
  readonly config: BotConfig;
  readonly shadow: ConfiguredShadow;
  readonly instance: StrategyInstanceSettings;
  readonly live: CreatedBot;
  readonly venue: Venue;
  readonly answers: SharedAnswers;
  readonly screen: Screen;
  /** Folders searched for plugins by name, in this order. */
  readonly folders: readonly string[];
}

/**
 * Second version of a strategy beside the bot: an engine of its own, which decides on the market data that
 * the bot reads, with orders at an exchange in this process. It sends no request. Whatever happens to it, the
 * bot goes on.
 */
export class Shadow {
  readonly name: string;
  readonly of: string;
  private readonly options: ShadowOptions;
  private readonly opened = new AsyncDisposableStack();
  private bot: CreatedBot | null = null;
  private record: RunRecord | null = null;
  private cancel: Cancel | null = null;
  private hasEnded = false;
  private checks = 0;

  constructor(options: ShadowOptions) {
    this.options = options;
    this.name = options.shadow.strategy.name;
    this.of = options.shadow.of;
  }

  /** Begins once the bot trades and has read a book of each market. */
  begin(): void {
    const { venue } = this.options;
    if (this.hasEnded) return;
    try {
      if (this.open()) return;
    } catch (error) {
      this.fail(error);
      return;
    }
    this.checks += 1;
    if (this.checks === MOST_SILENT_CHECKS)
      this.report('warning', 'has not begun yet: the bot does not trade, or has read no book of its market');
    this.cancel = venue.time.at(venue.time.now() + POLL_INTERVAL_MS, () => this.begin());
  }

  /** Runs a step, as after the end of its thread. */
  poll(): void {
    this.bot?.shell.poll();
  }

  /** Starts its strategy again, whose runner has been given other code or params. */
  restart(): void {
    this.bot?.shell.control({ kind: 'reload', strategy: this.name });
  }

  /** Stores the file and parameters with which it goes on, as a record of a run does. */
  setStart(...start: Parameters<RunRecord['setStart']>): void {
    this.record?.setStart(...start);
  }

  /** Stores from when on it is compared with the strategy, and what both had earned until then. */
  note(): void {
    const { config, live, venue } = this.options;
    writeShadowNote(shadowFolder(config.data.folder, this.name), {
      of: this.of,
      sinceMs: venue.time.now(),
      profits: {
        live: profitIn(live, this.of),
        shadow: this.bot === null ? null : profitIn(this.bot, this.name),
      },
    });
  }

  /** Ends it. Its orders on paper stay for the next start. Never rejects: the bot must not end of it. */
  async end(): Promise<void> {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.cancel?.();
    this.bot = null;
    try {
      await this.opened.disposeAsync();
    } catch (error) {
      this.report('error', `did not end in order: ${messageOf(error)}`);
    }
  }

  /** Ends it because of an error, and reports that. */
  fail(error: unknown): void {
    if (this.hasEnded) return;
    this.report('error', `does not run, the bot goes on without it: ${messageOf(error)}`);
    void this.end();
  }

  private open(): boolean {
    const { config, shadow, instance, live, venue, answers, screen } = this.options;
    if (live.engine.status().phase === 'syncing') return false;
    const plan = planPolls(planInputOf([instance.runner], venue.budgets.values(), venue.profile));
    const missing = unserved(plan.feeds, live.plan.feeds);
    if (missing.length > 0)
      throw new Error(
        `expected it to need no other data than the bot reads, it also needs ${listText(missing)}`,
      );
    const symbols = new Set(plan.feeds.flatMap(({ market }) => market ?? []));
    const markets = venue.markets.filter(({ symbol }) => symbols.has(symbol));
    const books = new Map(markets.map(({ symbol }) => [symbol, answers.book(symbol)] as const));
    const known = [...books].flatMap(([symbol, book]) => (book === null ? [] : [[symbol, book] as const]));
    if (known.length < books.size) return false;
    this.giveBars();
    const folder = shadowFolder(config.data.folder, this.name);
    mkdirSync(folder, { recursive: true });
    const own: BotConfig = {
      ...config,
      mode: config.mode === 'live' ? 'paper' : config.mode,
      data: { ...config.data, folder },
      strategies: [shadow.strategy],
      shadows: [],
    };
    const nowMs = venue.time.now();
    if (!venue.isNew) makeRoomForPaperAccount(folder, { isWanted: false, nowMs });
    const { mode, instance: prefix } = own;
    const note = runNoteOf(shadow.strategy, this.options.folders);
    this.record = this.opened.use(
      new RunRecord(folder, { mode, instance: prefix, alerts: 'not set', strategies: [note] }),
    );
    const store = venue.isNew ? null : new PaperAccountFile(folder);
    const reader = answers.callerLike(venue.caller, (error) => this.fail(error));
    this.opened.defer(reader.end);
    const budgets = [...venue.budgets.values()];
    const onPaper = this.opened.adopt(
      venueOnPaper(
        { ...venue, caller: reader, isNew: store?.isNew ?? true, ledgerFile: null, close: async () => {} },
        {
          config,
          markets,
          books: new Map(known),
          store,
          origin: { baseUrl: 'the bot', balances: shadow.balances },
          limiter: limiterOfShared(
            createVirtualLimiter({
              time: venue.time,
              nowMs: venue.limiterMs,
              budgets,
              ledger: new BudgetLedger(budgets),
              lockouts: new MemoryLockouts(),
            }),
          ),
        },
      ),
      async (it) => closeVenue(it),
    );
    const log = this.ownScreen();
    const mirror = this.opened.adopt(
      openMirror(own, onPaper, (message) => log.log('notice', message)),
      (it) => it.close(),
    );
    this.bot = createBot({ config: own, venue: onPaper, instances: [instance], mirror, screen: log });
    const { shell } = this.bot;
    this.opened.defer(() => shell.close());
    shell.failure.catch((error: unknown) => this.fail(error));
    shell.start();
    if (onPaper.isNew) this.note();
    screen.log(
      'shadow',
      `${this.name} decides beside ${this.of} on the same market data, with orders on paper: "sarraf shadow" compares them`,
    );
    return true;
  }

  /** Gives it the bars that the bot has stored: the bot reads them only once, before the shadow begins. */
  private giveBars(): void {
    const { config, instance, answers } = this.options;
    using reader = new MirrorReader(join(config.data.folder, mirrorName(config.mode)));
    for (const wanted of instance.runner.subscriptions) {
      if (wanted.kind !== 'candles') continue;
      const { market, timeframe } = wanted;
      const bars = storedBars(reader, { market, timeframe, last: MOST_BARS });
      answers.addBars({ kind: 'candles', market, timeframe }, bars);
    }
  }

  /** Returns a screen for its warnings and errors; its orders and fills are not those of the bot. */
  private ownScreen(): Screen {
    const { screen } = this.options;
    return {
      log: (kind, text, data) => screen.log(kind, `shadow ${this.name}: ${text}`, data),
      show: (notices, atMs) =>
        screen.show(
          notices.flatMap((notice) =>
            notice.kind === 'notice' && notice.level !== 'info'
              ? [{ ...notice, message: `shadow ${this.name}: ${notice.message}` }]
              : [],
          ),
          atMs,
        ),
    };
  }

  private report(level: 'warning' | 'error', what: string): void {
    const { venue, screen } = this.options;
    notify(screen, { level, message: `the shadow ${this.name} ${what}`, atMs: venue.time.now() });
  }
}

function profitIn({ engine }: CreatedBot, strategy: string): string | null {
  const instance = engine.instances.find(({ name }) => name === strategy);
  if (instance === undefined) return null;
  return profitText(instance.ledger, (symbol) => engine.markets.priceOf(symbol)).profit;
}

/** Returns the feeds about markets that are needed and not polled. */
function unserved(needed: readonly PlannedFeed[], polled: readonly PlannedFeed[]): readonly string[] {
  const keys = new Set(polled.map(({ key }) => key));
  const isServed = ({ key, kind, market }: PlannedFeed): boolean =>
    !MARKET_CALLS.has(kind) ||
    keys.has(key) ||
    (kind === 'book' && keys.has('books')) ||
    (kind === 'books' && market === null && polled.some((one) => one.kind === 'book'));
  return needed.filter((feed) => !isServed(feed)).map(({ key }) => key);
}
