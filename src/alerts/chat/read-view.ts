import { readHaltWait } from '../../daemon/control/waiting-commands.ts';
import { readPulse } from '../../daemon/heartbeat.ts';
import type { FolderLedger } from '../../daemon/folder-ledger.ts';
import { formatUnits } from '../../domain/money.ts';
import { readKept } from '../../engine/kept-records.ts';
import { parseMarket } from '../../exchange/market-names.ts';
import { UNTIL_RESUMED_MS } from '../../execution/locks/lock.ts';
import { LastPrices } from '../../mirror/last-prices.ts';
import { locksNow, pauseOf } from '../../mirror/locks-now.ts';
import type { MirrorReader } from '../../mirror/mirror-reader.ts';
import { readReconciliation } from '../../mirror/read-reconciliation.ts';
import { whyNoOrders } from '../../mirror/why-no-orders.ts';
import { strategyStatus } from '../../mirror/strategy-status.ts';
import type { BotFiles } from '../reading/bot-files.ts';
import { mutedUntilMs } from '../service/muted-until.ts';
import type { SafeOutbox } from '../service/safe-outbox.ts';
import type { BotView, ChatView } from './chat-view.ts';

/** Orders that are counted; a bot has far fewer. */
const MOST_ORDERS = 5_000;
/** Most entries of a long list in a chat; the commands of sarraf show all. */
const MOST_DECISIONS = 50;

/** A loop that has not turned for so long is silent. */
const SILENT_AFTER_MS = 30_000;

/** Reads what a person may ask by chat. */
export function readView(of: {
  readonly files: BotFiles;
  readonly outbox: SafeOutbox;
  readonly dataFolder: string;
  readonly nowMs: number;
}): ChatView {
  const { files, outbox, dataFolder, nowMs } = of;
  const pulse = readPulse(dataFolder);
  const isOver = pulse === null || pulse.endedAtMs !== null;
  return {
    ...botNow(files, nowMs),
    lastSignMs: pulse === null ? null : Math.floor(pulse.beatMs),
    isSilent: isOver || nowMs - pulse.beatMs > SILENT_AFTER_MS,
    openAlerts: outbox.use((each) => each.openAlerts()) ?? [],
    mutedUntilMs: mutedUntilMs(outbox, nowMs),
    strangers: outbox.use((each) => each.strangers()) ?? 0,
    waitsFor: files.ledger.waitsFor(),
    haltWait: isOver ? null : readHaltWait(dataFolder),
    budgets: budgetsOf(files.ledger),
  };
}

/** A bot whose mirror can not be read is one that somebody may want to halt. */
function botNow(files: BotFiles, nowMs: number): Pick<ChatView, 'bot' | 'fault'> {
  try {
    return { bot: files.read<BotView | null>((reader) => botView(reader, nowMs), null), fault: null };
  } catch (error) {
    return { bot: null, fault: error instanceof Error ? error.message : String(error) };
  }
}

function botView(reader: MirrorReader, nowMs: number): BotView {
  const kept = reader.kept();
  const locks = locksNow(kept, nowMs);
  const prices = new LastPrices(reader.markets);
  const open = reader.orders({ state: 'open', strategy: null, market: null, last: MOST_ORDERS });
  return {
    halt: readKept(kept, 'control')?.halted ?? null,
    noOrders: whyNoOrders(kept),
    books: readReconciliation(reader).state,
    strategies: reader.strategies().map((record) => {
      const pause = pauseOf(locks, record.name);
      const { name, reason, figures } = strategyStatus(record, true, { pause, prices });
      const isPaused = record.status === 'running' && pause !== undefined;
      const { currency, profit, realised, positions } = figures;
      return {
        name,
        status: isPaused ? 'pausedByHand' : record.status,
        reason,
        currency,
        profit,
        realised,
        positions,
      };
    }),
    orders: open.map(({ strategy, market, side, amount, price }) => ({
      strategy,
      market,
      quote: parseMarket(market).quote,
      side,
      amount: formatUnits(amount),
      price: price === null ? null : formatUnits(price),
    })),
    openOrders: open.length,
    decisions: reader
      .intents({ strategy: null, market: null, status: 'all', last: MOST_DECISIONS })
      .toReversed()
      .map(({ strategy, atMs, kind, market, status, reason }) => ({
        strategy,
        atMs,
        kind,
        market,
        status,
        reason,
      })),
    locks: locks.locks.map(({ name, strategy, market, reason, endsAtMs }) => ({
      name,
      of: [strategy, market].filter((part) => part !== null).join(' ') || null,
      reason,
      endsAtMs: endsAtMs >= UNTIL_RESUMED_MS ? null : endsAtMs,
    })),
  };
}

/** Those that need a look first: locked out, then by how much of the limit is used. */
function budgetsOf(ledger: FolderLedger): ChatView['budgets'] {
  const budgets = ledger.rows().map(({ budget, inUse, limit, lockedForMs, isOnTrial }) => ({
    budget,
    used: inUse,
    limit,
    isLockedOut: lockedForMs !== null || isOnTrial,
  }));
  return budgets.toSorted(
    (left, right) =>
      Number(right.isLockedOut) - Number(left.isLockedOut) ||
      right.used / right.limit - left.used / left.limit,
  );
}
