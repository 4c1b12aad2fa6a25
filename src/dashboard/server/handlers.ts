import { sentence } from '../../language/sentence.ts';
import type { z } from 'zod';
import { ApiError } from '../api-error.ts';
import { createRuleAnswers, type createMomentAnswers } from '../../daemon/answers-apart.ts';
import { isRecorded } from '../../daemon/session-file.ts';
import { setTimeout } from 'node:timers/promises';
import { readShadows } from '../../daemon/compare-shadow.ts';
import { readHaltWait } from '../../daemon/control-file.ts';
import { MINUTE_MS } from '../../domain/time-text.ts';
import type { Person } from '../access-store.ts';
import { type Language, localeOf } from '../../language/locale.ts';
import { costlessWork, costOf, byText, DONE_AT_ONCE, PostAction } from '../actions/post-action.ts';
import * as overviews from '../readers/overview-reply.ts';
import { type BotFolderReader, asApiError } from '../folder/bot-folder-reader.ts';
import * as marketReplies from '../readers/market-replies.ts';
import * as rows from '../readers/row-items.ts';
import {
  allSeriesOf,
  momentReplyOf,
  rulesReplyOf,
  strategyItems,
  strategyReplyOf,
} from '../readers/strategy-items.ts';
import type { RepliesApart } from '../readers/replies-apart.ts';
import { findReports, reportItemOf } from './page-files.ts';
import type { DASHBOARD_ENDPOINTS, DashboardEndpoint } from '../schema/endpoints.ts';
import { LOG_LEVELS } from '../schema/log.ts';
import { dashboardOpenApi } from './openapi.ts';
import { existsSync } from 'node:fs';
import { AlertOutbox, type AlertFilter, type ListedAlert } from '../../alerts/alert-outbox.ts';
import { openOutboxFile, outboxPath } from '../../alerts/outbox-file.ts';
import { alertText } from '../../alerts/alert-text.ts';
import { alertItem, waitingLockItem, type AlertItem, type LocksReply } from '../schema/overview.ts';
import { locksNow } from '../../mirror/strategy-status.ts';
import type { MirrorReader } from '../../mirror/mirror-reader.ts';
import type { RowPage } from '../../mirror/row-pages.ts';

type Shape<Name extends DashboardEndpoint> = (typeof DASHBOARD_ENDPOINTS)[Name];

/** Request whose path, query and body were checked. */
interface CheckedCall<Name extends DashboardEndpoint> {
  /** Parameters of the path. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Shape<Name> extends { readonly query: infer Query extends z.ZodType }
    ? z.output<Query>
    : null;
  readonly body: Shape<Name> extends { readonly body: infer Body extends z.ZodType } ? z.output<Body> : null;
  readonly person: Person;
}

type ReplyOf<Name extends DashboardEndpoint> =
  Shape<Name> extends { readonly reply: infer Reply extends z.ZodType } ? z.output<Reply> : unknown;

/** Endpoints that reply with JSON and do not change the session. */
type Handled = Exclude<
  DashboardEndpoint,
  'signIn' | 'signOut' | 'session' | 'events' | 'report' | 'signal' | 'namedSignal'
>;

export type Handlers = {
  readonly [Name in Handled]: (call: CheckedCall<Name>) => ReplyOf<Name> | Promise<ReplyOf<Name>>;
};

/** Longest age of a cached overview, in ms; the event stream polls at the same interval. */
const OVERVIEW_FOR_MS = 250;
/** Longest age of a cached list of bots, in ms: each read opens the mirrors of all bots. */
const BOTS_FOR_MS = 2_000;

/** Maximum number of replays of a recorded run, of which one has its process and the others wait. */
const MOST_REPLAYS = 3;
/** Time after which a replay is answered with `working`, in ms; it goes on. */
const REPLAY_WITHIN_MS = 5_000;

/** Creates the handlers of all endpoints, which use only the data folder. */
export function createHandlers(
  folder: BotFolderReader,
  of: {
    readonly nowMs: () => number;
    readonly language: Language;
    readonly moments: ReturnType<typeof createMomentAnswers>;
    readonly apart: RepliesApart;
  },
): Handlers {
  const { mirror, dataFolder } = folder;
  const { nowMs, language, moments, apart } = of;
  const pageOf = <Row, Item>(
    read: (pages: MirrorReader['pages']) => RowPage<Row>,
    itemOf: (row: Row) => Item,
  ) =>
    mirror.read((reader) => {
      const { rows, next } = read(reader.pages);
      return { items: rows.map((row) => itemOf(row)), next };
    });
  const alerts = new AlertItems(dataFolder, language);
  const rules = createRuleAnswers();
  // Conditions of earlier bars change with a bar.
  const conditions = createRuleAnswers({ usedForMs: () => MINUTE_MS });
  const actions = new PostAction(folder, nowMs);
  const bots = new SharedSnapshot(() => overviews.knownBotsReply(folder, nowMs()), { forMs: BOTS_FOR_MS });
  const overview = new SharedSnapshot(
    () => {
      const parts = {
        nowMs: nowMs(),
        bot: folder.bot(),
        note: folder.note(),
        waitsFor: folder.ledger.waitsFor(),
        haltWait: folder.isInUse() === true ? readHaltWait(dataFolder) : null,
        lockouts: overviews.ledgerNow(folder.ledger.rows(), nowMs()).lockouts,
        alerts: alerts.openNow(),
      };
      return readOrNone(folder, (reader) => overviews.overviewReplyOf(reader, parts));
    },
    { forMs: OVERVIEW_FOR_MS },
  );
  return {
    overview: () => overview.get(),
    equity: ({ query }) =>
      mirror.read((reader) => ({
        series: [...allSeriesOf(reader, 'equity/', query), ...allSeriesOf(reader, 'profit/', query)],
      })),
    strategy: ({ params }) =>
      mirror.read((reader) =>
        strategyReplyOf(reader, { name: params['name'] ?? '', note: folder.note(), nowMs: nowMs() }),
      ),
    rules: async ({ params: { name: strategy = '' }, query: { market = null } }) =>
      rulesReplyOf(await rules.get({ dataFolder, strategy, market, atMs: null })),
    shadows: () =>
      mirror.read((reader) => ({
        shadows: readShadows(dataFolder, reader).map(({ pairs: _pairs, ...item }) => item),
      })),
    markets: () =>
      mirror.read((reader) =>
        marketReplies.marketsReplyOf(reader, strategyItems(reader, { note: folder.note(), nowMs: nowMs() })),
      ),
    candles: ({ params, query }) =>
      mirror.read((reader) =>
        marketReplies.chartCandlesReplyOf(reader, { symbol: symbolIn(params), ...query }),
      ),
    recordings: async () => apart.get('recordings', {}),
    recorded: async ({ params, query }) => {
      const range = { symbol: symbolIn(params), ...query };
      const reply = await apart.get('recorded', range);
      if (reply !== null) return reply;
      const found = `${range.symbol} ${range.timeframe}`;
      throw new ApiError(
        'not-found',
        `expected a market and timeframe of the recorded candles, was ${found}`,
      );
    },
    quotes: ({ params }) => mirror.read((reader) => marketReplies.quotesReplyOf(reader, symbolIn(params))),
    marks: ({ params, query }) =>
      mirror.read((reader) => marketReplies.marksReplyOf(reader, { symbol: symbolIn(params), ...query })),
    book: ({ params, query }) =>
      mirror.read((reader) => marketReplies.bookReplyOf(reader, symbolIn(params), query.levels)),
    terms: ({ params }) => {
      const { budgets } = overviews.ledgerNow(folder.ledger.rows(), nowMs());
      return mirror.read((reader) => marketReplies.termsReplyOf(reader, symbolIn(params), budgets));
    },
    plots: ({ params, query }) =>
      mirror.read((reader) => marketReplies.plotsReplyOf(reader, symbolIn(params), query)),
    conditions: async ({ params, query }) => {
      const { market, names, fromMs, atMs } = mirror.read((reader) =>
        marketReplies.askedConditions(
          reader,
          { symbol: symbolIn(params), ...query },
          nowMs(),
          folder.note()?.strategies,
        ),
      );
      const items = names.map(async (strategy) => {
        const answer = await conditions.get({ dataFolder, strategy, market, atMs });
        return marketReplies.conditionItems(strategy, answer, fromMs);
      });
      return { market, strategies: (await Promise.all(items)).flat() };
    },
    orders: ({ query: { state, ...query } }) =>
      pageOf((pages) => pages.orders({ ...scopeOf(query), state }), rows.orderItemOf),
    order: ({ params }) => mirror.read((reader) => rows.orderReplyOf(reader, params['key'] ?? '')),
    moment: async ({ params: { key = '' } }) => {
      const name = mirror.read((reader) => reader.order(key)[0]?.key ?? reader.intent(key)?.id ?? null);
      if (name === null)
        throw new ApiError('not-found', sentence('not-an-order', { found: JSON.stringify(key) }));
      if (!isRecorded(dataFolder)) return momentReplyOf('off');
      const question = { dataFolder, name };
      const refusal = moments.refusal(question, MOST_REPLAYS);
      if (refusal !== null) throw new ApiError('busy', refusal, { retryAfterMs: REPLAY_WITHIN_MS });
      const late = setTimeout(REPLAY_WITHIN_MS, 'working' as const, { ref: false });
      return momentReplyOf(await Promise.race([moments.get(question), late]));
    },
    fills: ({ query: { order, ...query } }) =>
      pageOf((pages) => pages.fills({ ...scopeOf(query), orderKey: order ?? null }), rows.fillItemOf),
    trips: async ({ query }) => apart.get('trips', query),
    profits: async ({ query }) => apart.get('profits', query),
    quality: async ({ query }) => apart.get('quality', query),
    intents: ({ query: { status, ...query } }) =>
      pageOf((pages) => pages.intents({ ...scopeOf(query), status }), rows.intentItemOf),
    budgets: ({ query }) => {
      const seen = mirror.readOrNull((reader) => ({
        strategies: strategyItems(reader, { note: folder.note(), nowMs: nowMs() }),
        overTime: allSeriesOf(reader, 'budget/', query),
      }));
      return overviews.budgetsReplyOf({
        rows: folder.ledger.rows(),
        nowMs: nowMs(),
        strategies: seen?.strategies ?? [],
        overTime: seen?.overTime ?? [],
      });
    },
    books: () => mirror.read((reader) => overviews.booksReplyOf(reader)),
    locks: () => mirror.read((reader) => locksReplyOf(reader, { dataFolder, nowMs: nowMs() })),
    log: ({ query: { level, strategy, before, limit } }) =>
      pageOf(
        (pages) =>
          pages.log({ level: levelOf(level), strategy: strategy ?? null, before: before ?? null, limit }),
        rows.logItemOf,
      ),
    signals: ({ query: { strategy = null, before = null, limit } }) =>
      mirror.read((reader) =>
        rows.signalsReplyOf(reader, {
          dataFolder,
          isBotThere: () => folder.isInUse(),
          strategy,
          before,
          limit,
        }),
      ),
    alerts: ({ query: { state, before, limit } }) => {
      const beforeId = before === undefined ? null : Number(before);
      const items = [...alerts.list({ isOpenOnly: state === 'open', last: limit, beforeId })];
      return { items, next: items.length < limit ? null : (items.at(-1)?.id ?? null) };
    },
    reports: () => ({ reports: findReports(dataFolder).map((report) => reportItemOf(report)) }),
    bots: () => bots.get(),
    openapi: () => dashboardOpenApi(),
    actionState: ({ params }) => actions.stateOf(idIn(params)),
    ...actions.handlers,
    acknowledge: ({ body, person }) => {
      const { key, dryRun, alert, andOlder } = body;
      const seen = `the alert ${alert}${andOlder ? ' and all older ones' : ''}`;
      if (dryRun) return costOf(costlessWork(`This says that ${person.name} has seen ${seen}.`));
      const isThere =
        /^\d{1,15}$/.test(alert) &&
        alerts.acknowledge(Number(alert), { by: byText(person.name), atMs: nowMs(), andOlder });
      if (isThere) return { id: DONE_AT_ONCE, key };
      throw new ApiError('not-found', sentence('not-an-alert', { found: JSON.stringify(body.alert) }), {
        field: 'alert',
      });
    },
  };
}

/** Reads the mirror; without one, the function gets null. An unreadable mirror is an error. */
function readOrNone<Result>(
  { mirror }: BotFolderReader,
  work: (reader: Parameters<Parameters<typeof mirror.read>[0]>[0] | null) => Result,
): Result {
  try {
    return mirror.read((reader) => work(reader));
  } catch (error) {
    if (error instanceof ApiError && error.code === 'no-mirror') return work(null);
    throw error;
  }
}

interface AskedPage {
  readonly strategy?: string | undefined;
  readonly market?: string | undefined;
  readonly before?: string | undefined;
  readonly limit: number;
}

function scopeOf({ strategy, market, before, limit }: AskedPage) {
  return {
    strategy: strategy ?? null,
    market: market === undefined ? null : marketReplies.askedMarket(market).symbol,
    before: before ?? null,
    limit,
  };
}

const symbolIn = (params: Readonly<Record<string, string>>): string =>
  marketReplies.askedMarket(params['symbol'] ?? '', 'symbol').symbol;

function idIn({ id = '' }: Readonly<Record<string, string>>): number {
  if (!/^\d{1,15}$/.test(id))
    throw new ApiError('not-found', 'expected the id of an action, was another text', { field: 'id' });
  return Number(id);
}

function levelOf(level: (typeof LOG_LEVELS)[number]): 0 | 1 | 2 {
  return level === 'error' ? 2 : level === 'warning' ? 1 : 0;
}

/** Checks a body or query against its schema. Throws `ApiError` with the first wrong field. */
export function checkedInput(schema: z.ZodType, value: unknown, what: string): unknown {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const field = issue?.path.join('.') ?? '';
  const named = field === '' ? what : `${what}.${field}`;
  const message = `${named}: ${issue?.message ?? 'of another shape'}`;
  throw new ApiError('invalid-request', message, field === '' ? {} : { field });
}

/**
 * Result of one read, shared by all requests within a short time: fifty pages cost as much as one. A failed
 * read is not stored.
 */
export class SharedSnapshot<Value> {
  private readonly read: () => Value;
  private readonly forMs: number;
  private readonly nowMs: () => number;
  private cached: { readonly value: Value; readonly atMs: number } | null = null;

  /** `nowMs`: a monotonic clock. */
  constructor(
    read: () => Value,
    { forMs, nowMs = () => performance.now() }: { readonly forMs: number; readonly nowMs?: () => number },
  ) {
    this.read = read;
    this.forMs = forMs;
    this.nowMs = nowMs;
  }

  get(): Value {
    const atMs = this.nowMs();
    if (this.cached === null || atMs - this.cached.atMs >= this.forMs)
      this.cached = { value: this.read(), atMs };
    return this.cached.value;
  }
}

/** Maximum number of open alerts in an overview. */
const MOST_OPEN = 50;

/** Alerts of a data folder, from its outbox. There are none if alerts are off. */
class AlertItems {
  private readonly dataFolder: string;
  private readonly language: Language;

  constructor(dataFolder: string, language: Language) {
    this.dataFolder = dataFolder;
    this.language = language;
  }

  /** Returns alerts, newest first. Throws `ApiError` if the outbox is unreadable. */
  list(filter: AlertFilter): readonly AlertItem[] {
    const alerts = this.open((outbox) => outbox.list(filter)) ?? [];
    return alerts.map((alert) => this.itemOf(alert));
  }

  /** Returns the open alerts for an overview; none if the outbox is unreadable, which the log reports. */
  openNow(): readonly AlertItem[] {
    try {
      return this.list({ isOpenOnly: true, last: MOST_OPEN, beforeId: null });
    } catch {
      return [];
    }
  }

  /** Acknowledges an alert; returns false if there is none with that id. */
  acknowledge(id: number, of: Parameters<AlertOutbox['acknowledge']>[1]): boolean {
    return (
      this.open((outbox) => {
        if (outbox.acknowledge(id, of)) return true;
        return outbox.list({ isOpenOnly: false, last: 1, beforeId: id + 1 }).at(0)?.id === id;
      }) ?? false
    );
  }

  private open<Result>(work: (outbox: AlertOutbox) => Result): Result | null {
    if (!existsSync(outboxPath(this.dataFolder))) return null;
    try {
      using outbox = new AlertOutbox(openOutboxFile(this.dataFolder));
      return work(outbox);
    } catch (error) {
      throw asApiError(error);
    }
  }

  private itemOf({ id, facts, key, ...alert }: ListedAlert): AlertItem {
    const texts = { en: alertText(facts, localeOf('en')), fa: alertText(facts, localeOf('fa')) };
    return rows.pickItem(alertItem, {
      ...alert,
      id: String(id),
      rule: facts.rule,
      subject: key,
      text: texts[this.language],
      texts,
      deliveries: alert.deliveries.map((delivery) => ({ ...delivery })),
    });
  }
}

function locksReplyOf(
  reader: MirrorReader,
  of: { readonly dataFolder: string; readonly nowMs: number },
): LocksReply {
  const { locks, nextChangeAtMs } = locksNow(reader.stored(), of.nowMs);
  return {
    locks: locks.map((lock) => rows.lockItemOf(lock)),
    nextChangeAtMs: nextChangeAtMs === null ? null : Math.floor(nextChangeAtMs),
    waiting: rows
      .waitingIn(of.dataFolder, ['lock', 'unlock'])
      .map(({ command }) => rows.pickItem(waitingLockItem, command)),
  };
}

/** Maximum depth of a JSON body; no body of this API has more. */
const DEEPEST = 6;

/** Parses a JSON object, after a check of its depth. Throws `ApiError` for anything else. */
export function parseJsonBody(text: string): unknown {
  if (isTooDeep(text))
    throw new ApiError('invalid-request', `expected a body of at most ${DEEPEST} levels, was a deeper one`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ApiError('invalid-request', 'expected a body of JSON, was something else');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ApiError('invalid-request', 'expected a JSON object, was another value');
  return value;
}

/** True if a body has too many nested brackets. Those in texts count too: valid bodies have few of them. */
function isTooDeep(text: string): boolean {
  let depth = 0;
  for (const character of text) {
    if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
    if (depth > DEEPEST) return true;
  }
  return false;
}
