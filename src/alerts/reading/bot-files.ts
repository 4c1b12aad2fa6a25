import { sentence, type Sentence } from '../../language/sentence.ts';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statfsSync, statSync } from 'node:fs';
import { FolderLedger } from '../../daemon/folder-ledger.ts';
import { readRun } from '../../daemon/run-record.ts';
import { shadowProfits, withShadows } from '../../daemon/shadow-note.ts';
import { MirrorReader } from '../../mirror/mirror-reader.ts';
import type {
  AlertSnapshot,
  EquitySeries,
  PeriodFigures,
  JournalRow,
  NewFill,
  ApprovalOutcome,
  WaitingApproval,
} from '../core/alert-facts.ts';
import type { JournalCursor } from '../alert-outbox.ts';
import type { BotSnapshot, BotReading } from '../service/alert-service.ts';
import { formatUnits, NO_UNITS, type Units, addUnits, subtractUnits } from '../../domain/money.ts';
import { parseMarket, MARKET_NAMES } from '../../exchange/market-names.ts';
import { INTENT_ROWS } from '../../mirror/record-tables.ts';
import { feeCurrencyOf, type FillRecord } from '../../records/fill.ts';
import type { IntentRecord } from '../../records/rows.ts';
import type { RowPage } from '../../mirror/row-pages.ts';
import { drawdownOf, type ValueAt, valuesOf, withoutDeposits } from '../../portfolio/value-series.ts';
import { z } from 'zod';
import { readRecord } from '../../engine/stored-records.ts';
import { algorithmFromJson } from '../../engine/algorithm-json.ts';
import { heldOf } from '../../engine/bracket-stock.ts';
import type { OrderRecord } from '../../records/order.ts';
import { APPROVALS } from '../../records/field.ts';
import { entryAmount, whyNoOrders } from '../../mirror/strategy-status.ts';

/** Maximum number of journal lines in one poll; the next poll reads the rest. */
const MOST_LINES = 2_000;

/** Time for which values of equity and of shadows are reused, in ms. */
const FIGURES_FOR_MS = 30_000;

interface BotFilesOptions {
  readonly dataFolder: string;
  /** Path of the running bot's mirror. */
  readonly mirrorPath: string;
  /** Mirrors made before this, in ms since 1970, are of an earlier run and not read; null: read any. */
  readonly madeSinceMs: number | null;
  /** File with the exchange's name for this device; null for a bot that does not log in. */
  readonly deviceFile: string | null;
  readonly nowMs: () => number;
}

/** A bot by its files: mirror, ledger, heartbeat and notes. It queries neither the bot nor the exchange. */
export class BotFiles implements BotReading {
  readonly ledger: FolderLedger;
  private readonly options: BotFilesOptions;
  private sinceMs: number;
  private figures: (Pick<AlertSnapshot, 'equity' | 'shadows'> & { readonly atMs: number }) | null = null;
  private opened: { readonly reader: MirrorReader; readonly inode: number } | null = null;

  constructor(options: BotFilesOptions) {
    this.options = options;
    this.ledger = new FolderLedger(options.dataFolder);
    this.sinceMs = options.nowMs();
  }

  hasNews(cursor: JournalCursor | null): boolean {
    return this.read((reader) => reader.pages.journalEnds()?.last !== cursor?.seq, false);
  }

  snapshot(of: { readonly cursor: JournalCursor | null; readonly deviceBefore: string | null }): BotSnapshot {
    const { dataFolder, nowMs } = this.options;
    const atMs = nowMs();
    // After the clock was set back the watch begins anew: silence is counted from now on.
    this.sinceMs = Math.min(this.sinceMs, atMs);
    const mirror = this.mirrorNow(of.cursor, atMs);
    const { pulse, clockAheadMs } = readRun(dataFolder);
    const snapshot: AlertSnapshot = {
      atMs,
      ...mirror.now,
      lastSignMs: pulse === null ? null : Math.floor(pulse.beatMs),
      watchedSinceMs: this.sinceMs,
      lockouts: this.lockouts(atMs),
      freeBytes: this.freeBytes(),
      diskFault: this.diskFault(),
      clockAheadMs,
      device: this.device(),
      deviceBefore: of.deviceBefore,
    };
    return { snapshot, cursor: mirror.cursor };
  }

  period(range: { readonly fromMs: number; readonly toMs: number }): Omit<PeriodFigures, 'lockouts'> {
    const none = { ...range, equity: [], trades: 0, fees: [] };
    return this.read((reader) => periodFigures(reader, range), none);
  }

  /** Runs `work` with the bot's mirror, to answer a person; returns `otherwise` if there is none. */
  read<Result>(work: (reader: MirrorReader) => Result, otherwise: Result): Result {
    const reader = this.readerNow();
    return reader === null ? otherwise : reader.atOnce(() => work(reader));
  }

  close(): void {
    this.opened?.reader.close();
    this.opened = null;
    this.figures = null;
  }

  private mirrorNow(
    cursor: JournalCursor | null,
    atMs: number,
  ): { readonly now: MirrorNow; readonly cursor: JournalCursor | null } {
    return this.read<{ readonly now: MirrorNow; readonly cursor: JournalCursor | null }>(
      (reader) => {
        const epoch = reader.epoch();
        const last = reader.pages.journalEnds()?.last ?? 0;
        // Another mirror, or one that was restored: its past is not news.
        const isKnown = cursor !== null && cursor.epoch === epoch && cursor.seq <= last;
        const rows = isKnown ? reader.pages.journalAfter(cursor.seq, MOST_LINES) : [];
        const seq = rows.at(-1)?.seq ?? (isKnown ? cursor.seq : last);
        return {
          now: readMirrorNow(reader, {
            rows,
            atMs,
            markets: this.markets(),
            figures: this.figuresNow(reader, atMs),
          }),
          cursor: { epoch, seq },
        };
      },
      { now: NOTHING_READ, cursor: null },
    );
  }

  /** Returns a reader of the mirror: opened when the file first exists, and again if it was replaced. */
  private readerNow(): MirrorReader | null {
    const { mirrorPath, madeSinceMs } = this.options;
    const stat = statSync(mirrorPath, { throwIfNoEntry: false });
    // If the file system has no creation time, the mirror of the last run is read until it is replaced.
    const isOld =
      madeSinceMs !== null && stat !== undefined && stat.birthtimeMs > 0 && stat.birthtimeMs < madeSinceMs;
    const inode = stat === undefined || isOld ? null : stat.ino;
    if (this.opened !== null && this.opened.inode === inode) return this.opened.reader;
    this.close();
    if (inode === null) return null;
    this.opened = { reader: new MirrorReader(mirrorPath), inode };
    return this.opened.reader;
  }

  /** Returns figures that are expensive to read, and change slowly. */
  private figuresNow(reader: MirrorReader, atMs: number): Pick<AlertSnapshot, 'equity' | 'shadows'> {
    const { figures: known } = this;
    if (known !== null && Math.abs(atMs - known.atMs) < FIGURES_FOR_MS) return known;
    const { dataFolder } = this.options;
    const shadows = withShadows(dataFolder, (shadow, note, own) => {
      const { currency, ahead } = shadowProfits(note, shadow, { live: reader, own });
      return currency === null || ahead === null ? [] : [{ shadow, strategy: note.of, currency, ahead }];
    });
    this.figures = { atMs, equity: equityOf(reader, atMs), shadows: shadows.flat() };
    return this.figures;
  }

  private markets(): readonly string[] {
    const { strategies = [] } = readRun(this.options.dataFolder).note ?? {};
    return strategies.flatMap(({ market }) => market ?? []);
  }

  private lockouts(atMs: number): AlertSnapshot['lockouts'] {
    return this.ledger
      .rows()
      .filter(({ lockedForMs, isOnTrial }) => lockedForMs !== null || isOnTrial)
      .map(({ budget, lockedForMs }) => ({
        budget,
        endsAtMs: lockedForMs === null ? null : Math.round(atMs + lockedForMs),
      }));
  }

  private freeBytes(): number | null {
    try {
      const { bavail, bsize } = statfsSync(this.options.dataFolder);
      return bavail * bsize;
    } catch {
      return null;
    }
  }

  /** Returns the fault of a full disk: the bot uses its reserve file up only when the disk was full. */
  private diskFault(): Sentence | null {
    const { mirrorPath } = this.options;
    const isUsed = existsSync(mirrorPath) && !existsSync(`${mirrorPath}.ballast`);
    return isUsed ? sentence('disk-was-full') : null;
  }

  private device(): string | null {
    const { deviceFile } = this.options;
    try {
      if (deviceFile === null) return null;
      return createHash('sha256').update(readFileSync(deviceFile)).digest('hex').slice(0, 16);
    } catch {
      return null;
    }
  }
}

const FILLS_AT_ONCE = 2_000;
const MOST_POINTS = 100;
const BASIS_POINTS = 10_000;

/** Returns equity, trades and fees of a period from the mirror. */
function periodFigures(
  reader: MirrorReader,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): Omit<PeriodFigures, 'lockouts'> {
  let trades = 0;
  const fees = new Map<string, Units>();
  for (const fill of ownFills(reader, { fromMs, toMs })) {
    trades += 1;
    const currency = feeCurrencyOf(fill, parseMarket(fill.market));
    fees.set(currency, addUnits(fees.get(currency) ?? NO_UNITS, fill.fee));
  }
  return {
    fromMs,
    toMs,
    equity: equityOf(reader, toMs, fromMs).flatMap(({ currency, values }) => {
      const [first, last] = [values[0], values.at(-1)];
      if (first === undefined || last === undefined) return [];
      return [
        {
          currency,
          now: formatUnits(last.value),
          change: formatUnits(subtractUnits(last.value, first.value)),
          drawdown: (drawdownOf(values)?.deepest.depthBps ?? 0) / BASIS_POINTS,
          points: thinned(values).map(({ value }) => Number(formatUnits(value))),
        },
      ];
    }),
    trades,
    fees: [...fees]
      .filter(([, amount]) => amount > 0n)
      .map(([currency, amount]) => ({ currency, amount: formatUnits(amount) })),
  };
}

/** Reads all trades of the bot's own orders, the newest first, up to a page that is all older. */
function* ownFills(
  reader: MirrorReader,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): Generator<FillRecord> {
  const all = { strategy: null, market: null, orderKey: null, limit: FILLS_AT_ONCE };
  for (let before: string | null = null; ;) {
    const { rows, next }: RowPage<FillRecord> = reader.pages.fills({ ...all, before });
    for (const fill of rows)
      if (fill.orderKey !== null && fill.atMs >= fromMs && fill.atMs < toMs) yield fill;
    if (next === null || rows.every(({ atMs }) => atMs < fromMs)) return;
    before = next;
  }
}

/** Returns at most a hundred of the values, including the first and the last. */
function thinned(values: readonly ValueAt[]): readonly ValueAt[] {
  if (values.length <= MOST_POINTS) return values;
  const step = (values.length - 1) / (MOST_POINTS - 1);
  return Array.from({ length: MOST_POINTS }, (_, index) => values[Math.round(index * step)]).filter(
    (value) => value !== undefined,
  );
}

/** Maximum number of open orders in one poll; a bot has far fewer. */
const MOST_OPEN = 5_000;

/** Age up to which a peak of equity counts, in ms. */
const PEAK_WITHIN_MS = 30 * 86_400_000;
const MOST_VALUES = 3_000;

/** Age from which a book is passed to the rule about data, in ms; the rule decides how old is too old. */
const STALE_AFTER_MS = 30_000;

/** Data of a snapshot while there is no mirror. */
const NOTHING_READ = {
  rows: [],
  fills: [],
  credential: null,
  unknownOrders: [],
  break: null,
  noOrders: null,
  lossLimits: [],
  standstills: [],
  halt: null,
  approvals: [],
  staleFeeds: [],
  lastReadMs: null,
  strategies: [],
  unclear: [],
  unprotected: [],
  equity: [],
  shadows: [],
} satisfies Partial<AlertSnapshot>;

/** Part of a snapshot that comes from the mirror. */
type MirrorNow = Pick<AlertSnapshot, keyof typeof NOTHING_READ>;

interface MirrorNowOptions {
  /** New lines of the journal. */
  readonly rows: readonly JournalRow[];
  readonly atMs: number;
  /** Markets that strategies name. */
  readonly markets: readonly string[];
  /** Figures as read a short time ago: they change slowly, and reading months of them takes time. */
  readonly figures: Pick<AlertSnapshot, 'equity' | 'shadows'>;
}

/** Reads a bot's state from its mirror, with the given lines of the journal. */
function readMirrorNow(reader: MirrorReader, options: MirrorNowOptions): MirrorNow {
  const { rows, atMs, markets, figures } = options;
  const stored = reader.stored();
  const open = reader.orders({ state: 'open', strategy: null, market: null, last: MOST_OPEN });
  const readTimes = readRecord(stored, 'read-times') ?? {};
  const times = Object.values(readTimes);
  const found = readRecord(stored, 'reconciliation')?.break ?? null;
  const members = Object.values(readRecord(stored, 'universes')?.universes ?? {}).flatMap((universe) =>
    universe.members.map(({ market }) => market),
  );
  const followed = new Set([...markets, ...members].map((market) => `book ${market}`));
  return {
    rows,
    fills: fillsOf(reader, rows),
    credential: readRecord(stored, 'credential')?.refused ?? null,
    unknownOrders: open.flatMap(({ key, state, strategy, market, sentAtMs, plannedAtMs }) =>
      state === 'unknown' ? [{ key, strategy, market, sinceMs: sentAtMs ?? plannedAtMs }] : [],
    ),
    break: found === null ? null : { sinceMs: found.atMs, rows: found.rows },
    noOrders: whyNoOrders(stored),
    lossLimits: readRecord(stored, 'loss-limits') ?? [],
    standstills: readRecord(stored, 'standstills') ?? [],
    halt: readRecord(stored, 'control')?.halted ?? null,
    approvals: [...reader.approvals(), ...decidedEntries(reader, rows)].map((entry) =>
      waitingApproval(entry),
    ),
    // Only books are polled all the time; other feeds may be old by plan. A market that has left a universe
    // is not followed any more. A book of another venue has a colon in its name.
    staleFeeds: Object.entries(readTimes).flatMap(([feed, readAtMs]) =>
      (followed.has(feed) || feed.includes(':')) && atMs - readAtMs > STALE_AFTER_MS
        ? [{ feed, readAtMs }]
        : [],
    ),
    lastReadMs: times.length === 0 ? null : Math.max(...times),
    strategies: reader.strategies().map(({ name, status, reason, atMs: sinceMs }) => ({
      name,
      status,
      reason,
      atMs: sinceMs,
    })),
    ...bareOf(reader, open),
    equity: figures.equity,
    shadows: figures.shadows,
  };
}

/** Returns an entry that waits, or has waited, as alerts and chats show it. */
export function waitingApproval(entry: IntentRecord): WaitingApproval {
  const { id, strategy, kind, market, value, bound, expiresAtMs } = INTENT_ROWS.stored(entry);
  const amount = entryAmount(entry);
  return {
    id,
    strategy,
    kind,
    market,
    amount: amount === null ? null : formatUnits(amount),
    value,
    bound,
    expiresAtMs,
    outcome: outcomeOf(entry),
  };
}

function outcomeOf({ approval, status, reason, decidedBy: by }: IntentRecord): ApprovalOutcome | null {
  if (approval === null || approval === 'waiting' || approval === 'exempt') return null;
  const kind = approval === 'approved' && status === 'refused' ? 'refused' : approval;
  return { kind, by, reason: kind === 'refused' || kind === 'withdrawn' ? reason : null };
}

const decisionRow = z.object({ approval: z.enum(APPROVALS) });

/** Returns the entries that were decided by new lines of the journal. */
function decidedEntries(reader: MirrorReader, rows: readonly JournalRow[]): readonly IntentRecord[] {
  return rows.flatMap(({ kind, subject, json }) => {
    const isDecision = kind === 'intent' && decisionRow.safeParse(JSON.parse(json)).success;
    return isDecision ? (reader.intent(subject) ?? []) : [];
  });
}

const fillRow = z.object({ tradeId: z.string() });

/** Returns the trades that the new journal lines are about. */
function fillsOf(reader: MirrorReader, rows: readonly JournalRow[]): readonly NewFill[] {
  const ids = new Set(
    rows.flatMap(({ kind, json }) => {
      const read = kind === 'fill' ? fillRow.safeParse(JSON.parse(json)) : null;
      return read?.success === true ? [read.data.tradeId] : [];
    }),
  );
  if (ids.size === 0) return [];
  return reader
    .fillsOfTrades([...ids])
    .filter(({ orderKey }) => orderKey !== null)
    .map(({ tradeId, strategy, market, side, atMs, price, amount, total }) => ({
      tradeId,
      strategy,
      market,
      side,
      atMs,
      price,
      amount,
      total,
      currency: MARKET_NAMES.parseMarket(market).quote,
    }));
}

/** Returns true if an order rests at the exchange, or may. */
const isThere = ({ state }: OrderRecord): boolean =>
  state === 'open' || state === 'unknown' || state === 'cancelling' || state === 'sending';

/** Returns the brackets that hold coins and have no exit at the exchange, and coins that are missing. */
function bareOf(
  reader: MirrorReader,
  open: readonly OrderRecord[],
): Pick<AlertSnapshot, 'unprotected' | 'unclear'> {
  const bare = reader.algorithms(null).flatMap(({ intentId, strategy, market, json }) => {
    const algorithm = algorithmFromJson(json);
    if (algorithm.kind !== 'bracket') return [];
    const orders = open.filter((order) => order.intentId === intentId);
    const held = heldOf(algorithm, orders);
    if (held <= 0n || orders.some((order) => order.side === 'sell' && isThere(order))) return [];
    const asset = MARKET_NAMES.parseMarket(market).base;
    return [{ strategy, market, asset, amount: formatUnits(held), algorithm }];
  });
  const missing = readRecord(reader.stored(), 'missing-coins') ?? {};
  return {
    unprotected: bare
      .filter(({ algorithm }) => algorithm.unclear === null)
      .map(({ algorithm, ...one }) => ({ ...one, reason: algorithm.setbacks.reason })),
    unclear: [
      ...bare.flatMap(({ strategy, market, asset, amount, algorithm: { unclear } }) =>
        unclear === null ? [] : [{ ...unclear, of: { strategy, market }, asset, amount }],
      ),
      ...Object.entries(missing).map(([asset, { amount, sinceMs }]) => ({
        of: null,
        why: 'coins-left' as const,
        asset,
        amount: formatUnits(amount),
        sinceMs,
      })),
    ],
  };
}

/** Returns equity for measuring a drawdown: the current value, less the profit made since each moment. */
function equityOf(
  reader: MirrorReader,
  atMs: number,
  fromMs = atMs - PEAK_WITHIN_MS,
): readonly EquitySeries[] {
  const range = { fromMs, toMs: atMs, most: MOST_VALUES };
  return reader.figureNames('equity/').flatMap((name) => {
    const currency = name.slice('equity/'.length);
    const now = valuesOf(reader.figures(name, range)).at(-1);
    const profits = valuesOf(reader.figures(`profit/${currency}`, range));
    return now === undefined ? [] : [{ currency, values: withoutDeposits(profits, now.value) }];
  });
}
