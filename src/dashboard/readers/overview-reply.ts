import { addUnits, formatUnits, parseUnits } from '../../domain/money.ts';
import { readRecord } from '../../engine/stored-records.ts';
import { locksNow } from '../../mirror/locks-now.ts';
import type { MirrorReader } from '../../mirror/mirror-reader.ts';
import { whyNothingLeaves } from '../../mirror/why-no-orders.ts';
import { readReconciliation } from '../../mirror/read-reconciliation.ts';
import type { RunNote } from '../../daemon/run-record.ts';
import type { AlertItem } from '../schema/alert.ts';
import type { BotItem, ExposureItem, LockoutItem, OverviewReply, PositionItem } from '../schema/overview.ts';
import { equityItems } from './equity-items.ts';
import { newestReading, lockItemOf } from './row-items.ts';
import { positionItems, strategyItems } from './strategy-items.ts';
import { english, sentenceFacts, type Sentence } from '../../language/sentence.ts';

/** Open orders that are looked at: a bot has far fewer. */
const MOST_OPEN = 5_000;
/** Unknown orders that are named. */
const MOST_UNRESOLVED = 100;

/** Data from files other than the mirror. */
export interface OverviewParts {
  readonly nowMs: number;
  readonly bot: BotItem;
  readonly note: RunNote | null;
  /** Reason every new order waits; null if one could leave now. */
  readonly waitsFor: Sentence | null;
  /** Reason the cancels of a halt wait; null if they do not wait long. */
  readonly haltWait: Sentence | null;
  readonly lockouts: readonly LockoutItem[];
  readonly alerts: readonly AlertItem[];
}

/** The overview; without a reader it is that of a bot that has no mirror yet. */
export function overviewReplyOf(reader: MirrorReader | null, parts: OverviewParts): OverviewReply {
  const { nowMs, bot, note, waitsFor, haltWait, lockouts, alerts } = parts;
  const watched = note?.alerts ?? 'on';
  const waits = (reader === null ? null : whyNothingLeaves(reader.stored())) ?? waitsFor;
  const rest = reader === null ? NOTHING_READ : readParts(reader, parts);
  return {
    nowMs,
    bot,
    waits: waits === null ? null : { reason: english(waits), reasonFacts: sentenceFacts(waits) },
    haltWait: haltWait === null ? null : { reason: english(haltWait), reasonFacts: sentenceFacts(haltWait) },
    lockouts: [...lockouts],
    alerts: [...alerts],
    alertsOff: watched === 'on' ? null : watched,
    requestsBecauseOfPage: 0,
    ...rest,
  };
}

type ReadParts = Omit<
  OverviewReply,
  'nowMs' | 'bot' | 'waits' | 'haltWait' | 'lockouts' | 'alerts' | 'alertsOff' | 'requestsBecauseOfPage'
>;

const NOTHING_READ: ReadParts = {
  botNowMs: null,
  equity: [],
  exposure: [],
  positions: [],
  strategies: [],
  openOrders: 0,
  unresolved: [],
  dataAges: [],
  books: 'waiting',
  credential: null,
  lossLimits: [],
  locks: [],
};

function readParts(reader: MirrorReader, { nowMs, bot, note }: OverviewParts): ReadParts {
  const stored = reader.stored();
  const open = reader.orders({ state: 'open', strategy: null, market: null, last: MOST_OPEN });
  const positions = positionItems(reader, open);
  const strategies = strategyItems(reader, { note, nowMs });
  const readTimes = readRecord(stored, 'read-times') ?? {};
  const { refused } = readRecord(stored, 'credential') ?? { refused: null };
  const newestMs = newestReading(readTimes);
  // What a bot that is gone has read grows old by the clock. An exchange in another time stands with it.
  const isRealTime = !bot.isEmbedded || note?.alerts === 'on';
  return {
    botNowMs: isRealTime ? nowMs : newestMs,
    equity: [...equityItems(reader, strategies, newestMs)],
    exposure: [...exposureOf(positions)],
    positions: [...positions],
    strategies: [...strategies],
    openOrders: open.length,
    unresolved: open
      .filter(({ state }) => state === 'unknown')
      .slice(0, MOST_UNRESOLVED)
      .map(({ key, strategy, market, side, sentAtMs }) => ({ key, strategy, market, side, sentAtMs })),
    dataAges: Object.entries(readTimes)
      .map(([feed, readAtMs]) => ({ feed, readAtMs: Math.floor(readAtMs) }))
      .toSorted((left, right) => left.readAtMs - right.readAtMs),
    books: readReconciliation(reader).state,
    credential:
      refused === null
        ? null
        : {
            name: english(refused.name),
            nameFacts: sentenceFacts(refused.name),
            sinceMs: Math.floor(refused.sinceMs),
            advice: english(refused.advice),
          },
    lossLimits: (readRecord(stored, 'loss-limits') ?? []).map(({ strategy, reason, sinceMs }) => ({
      strategy,
      reason: english(reason),
      reasonFacts: sentenceFacts(reason),
      sinceMs: Math.floor(sinceMs),
    })),
    locks: locksNow(stored, nowMs).locks.map((lock) => lockItemOf(lock)),
  };
}

/** Returns all strategies' combined holdings, by asset and currency. */
function exposureOf(positions: readonly PositionItem[]): readonly ExposureItem[] {
  const byAsset = new Map<string, ExposureItem>();
  for (const { asset, currency, amount, value } of positions) {
    const name = `${asset}/${currency}`;
    const sum = byAsset.get(name);
    byAsset.set(name, {
      asset,
      currency,
      amount: plus(sum?.amount ?? '0', amount),
      value:
        value === null || (sum !== undefined && sum.value === null) ? null : plus(sum?.value ?? '0', value),
    });
  }
  return [...byAsset.values()];
}

const plus = (left: string, right: string): string =>
  formatUnits(addUnits(parseUnits(left), parseUnits(right)));
