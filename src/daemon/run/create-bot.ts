import type { Budget } from '../../domain/rate-limit.ts';
import { listText, invalidOptions } from '../../domain/errors.ts';
import { Engine } from '../../engine/engine.ts';
import type { EngineSettings, StrategyInstanceSettings } from '../../engine/engine-settings.ts';
import { marketsOf } from '../../engine/strategy-instance.ts';
import { sentence } from '../../language/sentence.ts';
import type { MirrorStore } from '../../mirror/mirror-store.ts';
import { movesPerMinute, type PollPlan, planPolls } from '../../scheduler/plan-polls.ts';
import { BotShell, type BotShellOptions } from '../bot-shell.ts';
import { ledgerSubjects } from '../../venues/client-credentials.ts';
import type { Venue } from '../../venues/venue.ts';
import { bridgedOf, planInputOf, slowed } from '../create-plan.ts';
import type { LostStrategy } from '../load-instances.ts';
import { credentialAdvice } from '../credential-texts.ts';
import { type BudgetUse, LatencyBuckets, IN_MEMORY, type DataAge } from '../health-source.ts';
import { RequestCounts } from '../request-counts.ts';
import type { Screen } from './screen.ts';
import type { BotConfig } from '../create-bot-config.ts';
import { lowered } from '../../budget/admission.ts';
import type { EngineNotice, EngineRequest } from '../../engine/engine-event.ts';
import { pacesOf, type FeedPace } from '../../scheduler/poll-queue.ts';
import type { PlannedFeed } from '../../scheduler/feed.ts';
import type { Cancel, Timeline } from '../../virtual/virtual-time.ts';
import { oneLine } from '../../domain/money.ts';
import { lengthText } from '../../domain/time-text.ts';
import type { VenueAnswer } from '../../venues/port.ts';

/** A bot that is ready and has not begun. */
export interface CreatedBot {
  readonly engine: Engine;
  readonly shell: BotShell;
  readonly plan: PollPlan;
  readonly counts: RequestCounts;
  /** Durations from the plan of an order to the exchange's answer. */
  readonly orderLatency: LatencyBuckets;
  /** Watch over lowered limits; begun together with the shell. */
  readonly paces: PaceWatch;
  /** Watch over the age of data; begun together with the shell. */
  readonly data: DataWatch;
}

interface CreateBotOptions {
  readonly config: BotConfig;
  readonly venue: Venue;
  readonly instances: readonly StrategyInstanceSettings[];
  /** Strategies that cannot run; the default is none. */
  readonly lost?: readonly LostStrategy[];
  readonly mirror: MirrorStore;
  readonly screen: Screen;
  /** Returns the use of each limit, to be stored for later readers; if left out, the use is not stored. */
  readonly budgets?: () => readonly BudgetUse[];
  readonly onAnswer?: NonNullable<BotShellOptions['onAnswer']>;
  readonly onEvent?: NonNullable<BotShellOptions['onEvent']>;
}

/** Puts a bot together. Throws `INVALID_OPTIONS` if the strategies' needs do not fit the limits. */
export function createBot({
  config,
  venue,
  instances,
  lost = [],
  mirror,
  screen,
  budgets = () => [],
  onAnswer,
  onEvent,
}: CreateBotOptions): CreatedBot {
  const runners = instances.map(({ runner }) => runner);
  const planWith = (budgets: Iterable<Budget>): PollPlan =>
    planPolls(planInputOf(runners, budgets, venue.profile));
  // A limit that the exchange lowers for a day makes data older, but must not stop the bot's start.
  const plan = planWith(venue.budgets.values());
  if (plan.problems.length > 0) {
    const message = [
      'expected subscriptions that the limits of the exchange allow, were',
      ...plan.problems,
    ].join('\n  ');
    throw invalidOptions(message);
  }
  // A paper bot reads markets under its address, though it sends no order to the exchange.
  const subjects = new Set([...Object.values(ledgerSubjects(config.exchange)), IN_MEMORY]);
  const engine = new Engine(
    {
      ...settingsOf(config, { venue, instances, lost, plan }),
      figures: {
        budgets: () =>
          fullest(budgets(), subjects).map((use) => ({ ...use, sent: counts.sentAgainst(use.budget) })),
      },
    },
    mirror.load(),
    venue.time.now(),
  );
  const counts = new RequestCounts({ budgets: venue.budgets, most: () => venue.mostOccupied() });
  const orderLatency = new LatencyBuckets();
  const data = new DataWatch({
    time: venue.time,
    dataAges: () => engine.dataAges(),
    onNotice: (notice) => screen.show([notice], venue.time.now()),
  });
  const shell = new BotShell({
    engine,
    store: mirror,
    commits: venue.commits,
    time: venue.time,
    limiter: venue.limiter,
    caller: venue.caller,
    canLogIn: venue.canLogIn,
    limiterMs: venue.limiterMs,
    onRequestEnd: (request, answer) => {
      const { call } = request;
      const { outcome } = answer;
      data.note(request, answer);
      counts.add(call, outcome, venue.caller);
      if (outcome === 'unsent' || (call.kind !== 'place' && call.kind !== 'place-oco')) return;
      const order = engine.orderManager.blotter.table.get(call.order.clientOrderId);
      if (order !== undefined) orderLatency.add(venue.time.now() - order.plannedAtMs);
    },
    ...(onAnswer === undefined ? {} : { onAnswer }),
    ...(onEvent === undefined ? {} : { onEvent }),
    onNotices: (notices, atMs) => screen.show(notices, atMs),
  });
  const { pollStretch } = venue;
  const paces = new PaceWatch({
    time: venue.time,
    budgets: venue.budgets,
    namedLimits: () => venue.namedLimits(),
    feeds: slowed(plan.feeds, pollStretch),
    plan: (budgets) => slowed(planWith(budgets).feeds, pollStretch),
    onPace: (changed) => shell.pace(changed),
    onNotice: (notice) => screen.show([notice], venue.time.now()),
  });
  return { engine, shell, plan, counts, orderLatency, paces, data };
}

function settingsOf(
  config: BotConfig,
  of: {
    readonly venue: Venue;
    readonly instances: readonly StrategyInstanceSettings[];
    readonly lost: readonly LostStrategy[];
    readonly plan: PollPlan;
  },
): EngineSettings {
  const { pollStretch, markets, profile } = of.venue;
  const { credentials } = config.exchange;
  const runners = of.instances.map(({ runner }) => runner);
  const traded = new Set(runners.flatMap((runner) => marketsOf(runner)));
  // Holdings in rial and tether must be valued in one of them.
  if (bridgedOf(runners, profile).length > 0) traded.add(profile.marketNames.bridge.market);
  const { speed } = config.embedded;
  // The network of the embedded exchange is this machine, whose work takes longer in a time that runs faster.
  const pace = config.mode !== 'embedded' || speed === 'max' ? 1 : Math.max(1, speed);
  return {
    ...config.execution,
    placeWithinMs: config.execution.placeWithinMs * pace,
    instance: config.instance,
    venue: profile,
    markets: markets.filter(({ symbol }) => traded.has(symbol)),
    locks: config.locks,
    instances: of.instances.map((instance) => ({
      ...instance,
      limits: patient(instance.limits, pollStretch),
    })),
    lost: of.lost.map(({ name, quote, unlistedMarket: market, reasons }) => ({
      name,
      quote,
      reason: market === null ? reasons.join('; ') : sentence('market-unlisted', { market }),
    })),
    feeds: slowed(of.plan.feeds, pollStretch),
    movesPerMinute: movesPerMinute(of.plan.budgets, profile),
    reconciliation: config.reconciliation,
    credential:
      config.mode !== 'live' || credentials === null
        ? null
        : credentialAdvice(credentials, config.credentialPlace),
  };
}

/** Returns each limit once: the bot's address and credential each have a count, and the fuller one counts. */
function fullest(uses: readonly BudgetUse[], subjects: ReadonlySet<string>): readonly BudgetUse[] {
  const found = new Map<string, BudgetUse>();
  for (const use of uses) {
    const before = found.get(use.budget);
    const isFuller = before === undefined || use.limit - use.inUse < before.limit - before.inUse;
    if (subjects.has(use.subject) && isFuller) found.set(use.budget, use);
  }
  return [...found.values()];
}

/** Returns limits with longer ages of data: data of once an hour may be older than data of each second. */
function patient(
  limits: StrategyInstanceSettings['limits'],
  factor: number,
): StrategyInstanceSettings['limits'] {
  if (factor <= 1) return limits;
  const { maxBookAgeMs, maxStandstillMs } = limits;
  return {
    ...limits,
    maxBookAgeMs: maxBookAgeMs === null ? null : maxBookAgeMs * factor,
    maxStandstillMs: maxStandstillMs === null ? null : maxStandstillMs * factor,
  };
}

/** Interval of polls of the ledger, in ms: the exchange may have lowered a limit for another process. */
const POLL_INTERVAL_MS = 5_000;

interface PaceWatchOptions {
  readonly time: Timeline;
  readonly budgets: ReadonlyMap<string, Budget>;
  /** Returns the limits that the exchange has lowered and that hold now, by budget. */
  readonly namedLimits: () => ReadonlyMap<string, number>;
  /** Feeds of the plan by our own limits; `plan` returns those of a plan by other limits. */
  readonly feeds: readonly PlannedFeed[];
  readonly plan: (budgets: Iterable<Budget>) => readonly PlannedFeed[];
  readonly onPace: (paces: readonly FeedPace[]) => void;
  readonly onNotice: (notice: EngineNotice) => void;
}

/**
 * Reports when the exchange lowers a limit, for whichever process, and when that is over. It adjusts how
 * often feeds are polled to the limits.
 */
export class PaceWatch {
  private readonly options: PaceWatchOptions;
  private before: ReadonlyMap<string, number> = new Map();
  private cancel: Cancel | null = null;

  constructor(options: PaceWatchOptions) {
    this.options = options;
  }

  /** Polls the ledger now and then at the interval. */
  begin(): void {
    const { time } = this.options;
    this.poll();
    this.cancel = time.at(time.now() + POLL_INTERVAL_MS, () => this.begin());
  }

  end(): void {
    this.cancel?.();
  }

  poll(): void {
    const { budgets, feeds, plan, namedLimits, onPace } = this.options;
    const now = namedLimits();
    const { before } = this;
    const names = new Set([...before.keys(), ...now.keys()]);
    const changed = [...names].filter((name) => before.get(name) !== now.get(name));
    if (changed.length === 0) return;
    this.before = now;
    for (const name of changed) this.notify(name, now.get(name) ?? null);
    const all = [...budgets.values()].map((budget) => lowered(budget, now.get(budget.name) ?? null));
    const limits = all.flatMap(({ name, limit }) => {
      const plannedLimit = budgets.get(name)?.limit ?? limit;
      return plannedLimit === limit ? [] : [{ budget: name, plannedLimit, limit }];
    });
    onPace(pacesOf(feeds, plan(all), limits));
  }

  private notify(name: string, named: number | null): void {
    const own = this.options.budgets.get(name);
    const stated = own?.statedLimit ?? own?.limit;
    const notice =
      named === null
        ? ({
            level: 'info',
            message: `the limit of ${name} is ${stated} again: the exchange no longer lowers it`,
          } as const)
        : ({
            level: 'error',
            message: `the exchange has lowered the limit of ${name} from ${stated} to ${named}: the bot keeps the lower limit and polls less often. The limit rises again after 24 hours without a limit reply, or by "sarraf budget raise ${name}"`,
          } as const);
    this.options.onNotice({ kind: 'notice', subject: null, ...notice });
  }
}

const READ_AGES_EVERY_MS = 5_000;

/** Maximum number of feeds that are named in one line; the rest are counted. */
const MOST_NAMED = 5;
const LONGEST_REASON = 300;

interface DataWatchOptions {
  readonly time: Timeline;
  readonly dataAges: () => readonly DataAge[];
  readonly onNotice: (notice: EngineNotice) => void;
}

/**
 * Reports when a feed is older than allowed, with the result of its last request, and when it is fresh again.
 * Without it a bot that gets a web page as each answer, or no reply, would log nothing at all.
 */
export class DataWatch {
  private readonly options: DataWatchOptions;
  /** Reason the last request of a feed returned nothing. */
  private readonly reasons = new Map<string, string>();
  /** Feeds that were too old at the last check. */
  private old: ReadonlySet<string> = new Set();
  private readonly notified = new Set<string>();
  private cancel: Cancel | null = null;
  /** Start of the watch, in ms: data that was never read counts as read then. */
  private begunMs: number | null = null;

  constructor(options: DataWatchOptions) {
    this.options = options;
  }

  /** Checks the feeds from now on, at an interval. */
  begin(): void {
    const { time } = this.options;
    this.begunMs ??= time.now();
    this.cancel = time.at(time.now() + READ_AGES_EVERY_MS, () => {
      this.poll();
      this.begin();
    });
  }

  end(): void {
    this.cancel?.();
  }

  /** Notes the answer to a request; called for each. */
  note({ dedupe }: Pick<EngineRequest, 'dedupe'>, answer: VenueAnswer): void {
    if (dedupe === null) return;
    if (answer.outcome === 'value') this.reasons.delete(dedupe);
    // A request that never left says less than the failure before it.
    else if (answer.outcome !== 'unsent' || !this.reasons.has(dedupe))
      this.reasons.set(dedupe, reasonOf(answer));
  }

  private poll(): void {
    const ages = this.options.dataAges();
    const known = new Set(ages.map(({ feed }) => feed));
    for (const feed of this.reasons.keys()) if (!known.has(feed)) this.reasons.delete(feed);
    const old = new Map(
      ages.filter((age) => this.ageOf(age) > age.longestAgeMs).map((age) => [age.feed, age]),
    );
    // A process that stood still has old data for a moment, so only data old in two polls is reported.
    const news = [...old.values()].filter(({ feed }) => this.old.has(feed) && !this.notified.has(feed));
    if (news.length > 0) this.notifyOld(news);
    for (const { feed } of news) this.notified.add(feed);
    this.old = new Set(old.keys());
    const back = [...this.notified].filter((feed) => !old.has(feed));
    if (back.length > 0) this.notify('info', `${listText(back, MOST_NAMED)}: read again`);
    for (const feed of back) this.notified.delete(feed);
  }

  private ageOf({ ageMs }: DataAge): number {
    const nowMs = this.options.time.now();
    return ageMs ?? nowMs - (this.begunMs ?? nowMs);
  }

  private notifyOld(news: readonly DataAge[]): void {
    const reason = news.flatMap(({ feed }) => this.reasons.get(feed) ?? []).at(0) ?? 'no answer came';
    const longestMs = Math.max(...news.map((age) => this.ageOf(age)));
    const names = listText(
      news.map(({ feed }) => feed),
      MOST_NAMED,
    );
    this.notify('warning', `${names}: nothing was read for ${lengthText(longestMs)}: ${reason}`);
  }

  private notify(level: 'info' | 'warning', message: string): void {
    this.options.onNotice({ kind: 'notice', subject: null, level, message });
  }
}

function reasonOf(answer: Exclude<VenueAnswer, { readonly outcome: 'value' }>): string {
  const text = answer.outcome === 'unsent' ? answer.reason : answer.message;
  return oneLine(answer.outcome === 'refused' ? `${answer.code}: ${text}` : text).slice(0, LONGEST_REASON);
}
