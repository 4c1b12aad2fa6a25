import { randomUUID } from 'node:crypto';
import { messageOf } from '../domain/errors.ts';
import { localeOf, type Locale } from '../language/locale.ts';
import type { AlertsSetup } from './alerts-setup.ts';
import { ChatListener } from './chat/chat-listener.ts';
import { BotFiles, waitingApproval } from './reading/bot-files.ts';
import { AlertService } from './service/alert-service.ts';
import { openSenders, trackOf } from './service/channel-sender.ts';
import { openOutbox, type SafeOutbox, mutedUntilMs } from './outbox-file.ts';
import { sentence, type Sentence } from '../language/sentence.ts';
import { createRuleAnswers } from '../daemon/answers-apart.ts';
import { ControlClient } from '../daemon/control-client.ts';
import { LONGEST_BY } from '../engine/engine-event.ts';
import type { ControlCommand } from '../engine/engine-event.ts';
import { PAUSE, UNTIL_RESUMED_MS } from '../engine/lock.ts';
import { isDataFolderInUse } from '../daemon/process-locks.ts';
import { sentenceIn } from '../language/sentence-in.ts';
import { tamed } from './alert-text.ts';
import { chatTexts } from './chat/chat-replies.ts';
import type { ChatAction } from './chat/answer-chat.ts';
import { readHaltWait } from '../daemon/control-file.ts';
import { readRun } from '../daemon/run-record.ts';
import type { FolderLedger } from '../daemon/folder-ledger.ts';
import { formatUnits } from '../domain/money.ts';
import { readRecord } from '../engine/stored-records.ts';
import { parseMarket } from '../exchange/market-names.ts';
import { LastPrices, strategyStatus, locksNow, pauseOf, whyNoOrders } from '../mirror/strategy-status.ts';
import type { MirrorReader } from '../mirror/mirror-reader.ts';
import { readReconciliation } from '../mirror/read-reconciliation.ts';
import type { BotView, ChatView } from './chat/chat-update.ts';

/** Interval at which alerts poll for news, in ms. A poll without news is one small query. */
const TURN_EVERY_MS = 200;

type Log = (level: 'info' | 'warning', text: string) => void;

/** Running alerts, which `end` stops. */
interface OpenedAlerts {
  end(): Promise<void>;
}

/** Begins to watch a bot by its files, to send alerts, and to accept commands by chat. */
export async function openAlerts(setup: AlertsSetup, log: Log): Promise<OpenedAlerts> {
  const { dataFolder, rules, summary, channels } = setup;
  const nowMs = Date.now;
  const outbox = openOutbox(dataFolder, { owner: 'run', log });
  const files = new BotFiles({ ...setup, nowMs });
  const channelSenders = await openSenders({ setup, outbox, log });
  const service = new AlertService({
    reading: files,
    outbox,
    rules,
    track: trackOf(setup),
    summary,
    routes: channels,
    senders: channelSenders.senders,
    nowMs,
    log,
  });
  const listeners = await openListeners({ setup, outbox, files, log });
  const timer = setInterval(() => service.turn(), TURN_EVERY_MS);
  return {
    async end() {
      clearInterval(timer);
      await Promise.all(listeners.map(async (listener) => listener.end()));
      await channelSenders.close();
      files.close();
      outbox.close();
    },
  };
}

/** Opens a listener for each channel that accepts commands. */
async function openListeners(of: {
  readonly setup: AlertsSetup;
  readonly outbox: SafeOutbox;
  readonly files: BotFiles;
  readonly log: Log;
}): Promise<readonly ChatListener[]> {
  const { setup, outbox, files, log } = of;
  const { bot, channels, dataFolder, language } = setup;
  const locale = localeOf(language);
  const listeners: ChatListener[] = [];
  const answers = createRuleAnswers();
  for (const channel of channels) {
    if (channel.kind !== 'telegram' && channel.kind !== 'bale') continue;
    if (channel.commandsFrom.length === 0) continue;
    const { createTelegramChat } = await import('./channels/telegram-transport.ts');
    const listener = new ChatListener({
      bot,
      channel: channel.name,
      api: createTelegramChat(channel),
      allowed: channel.commandsFrom,
      outbox,
      locale,
      view: () => readView({ files, outbox, dataFolder, nowMs: Date.now() }),
      explain: async (strategy, market) => answers.get({ dataFolder, strategy, market, atMs: null }),
      carryOut: async (action, by) => carryOut(action, { dataFolder, by, locale }),
      nowMs: Date.now,
      log,
    });
    listener.begin();
    listeners.push(listener);
  }
  return listeners;
}

/** Longest wait for a command's result, in ms: a healthy bot accepts it in 100 ms; cancels take longer. */
const FOLLOWED_FOR_MS = 5_000;

/** Posts a confirmed action to the bot, and returns the result within seconds. Never throws. */
export async function carryOut(
  action: ChatAction,
  of: { readonly dataFolder: string; readonly by: string; readonly locale: Locale },
): Promise<string> {
  const { dataFolder, by, locale } = of;
  const t = chatTexts(locale);
  const words = (message: Sentence): string => sentenceIn(message, locale, tamed);
  try {
    using client = new ControlClient(dataFolder);
    const id = client.post(commandOf(action, by.slice(0, LONGEST_BY - BY_CHAT.length)));
    const begunMs = performance.now();
    const { result, takenAtMs } = await client.follow({
      id,
      isOver: () => performance.now() - begunMs > FOLLOWED_FOR_MS || !isDataFolderInUse(dataFolder),
    });
    if (result !== null)
      return result.ok
        ? t('done_', { message: words(result.message) })
        : t('failed', { message: words(result.message) });
    return takenAtMs === null ? t('waits') : t('inProgress');
  } catch (error) {
    return t('failed', { message: words(messageOf(error)) });
  }
}

const BY_CHAT = ' by chat';

function commandOf(action: ChatAction, person: string): ControlCommand {
  switch (action.kind) {
    case 'halt':
      return {
        kind: 'halt',
        reason: sentence('by-chat', { person }),
        wholeAccount: false,
      };
    case 'resume':
      return { kind: 'resume' };
    case 'pause':
      return {
        kind: 'lock',
        name: PAUSE,
        strategy: action.strategy,
        market: null,
        reason: sentence('by-hand'),
        untilMs: UNTIL_RESUMED_MS,
        entries: 'cancel',
        pauses: true,
        by: `${person}${BY_CHAT}`,
      };
    case 'approve':
    case 'decline':
      return {
        kind: action.kind,
        key: `chat-${randomUUID()}`,
        intent: action.entry,
        by: `${person}${BY_CHAT}`,
      };
    case 'resume-one':
      return { kind: 'unlock', name: PAUSE, strategy: action.strategy, market: null, isAll: false };
  }
}

/** Maximum number of orders that are counted; a bot has far fewer. */
const MOST_ORDERS = 5_000;
/** Maximum number of entries of a long list in a chat; the commands of sarraf show all. */
const MOST_DECISIONS = 50;

/** Time without a turn of the loop after which the bot is silent, in ms. */
const SILENT_AFTER_MS = 30_000;

/** Reads the data that a person may ask for by chat. */
export function readView(of: {
  readonly files: BotFiles;
  readonly outbox: SafeOutbox;
  readonly dataFolder: string;
  readonly nowMs: number;
}): ChatView {
  const { files, outbox, dataFolder, nowMs } = of;
  const { pulse } = readRun(dataFolder);
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

/** Reads the bot from its mirror; an unreadable mirror is a fault, and its bot can still be halted. */
function botNow(files: BotFiles, nowMs: number): Pick<ChatView, 'bot' | 'fault'> {
  try {
    return { bot: files.read<BotView | null>((reader) => botView(reader, nowMs), null), fault: null };
  } catch (error) {
    return { bot: null, fault: messageOf(error) };
  }
}

function botView(reader: MirrorReader, nowMs: number): BotView {
  const stored = reader.stored();
  const locks = locksNow(stored, nowMs);
  const prices = new LastPrices(reader.markets);
  const open = reader.orders({ state: 'open', strategy: null, market: null, last: MOST_ORDERS });
  return {
    halt: readRecord(stored, 'control')?.halted ?? null,
    noOrders: whyNoOrders(stored),
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
    approvals: reader.approvals().map((entry) => waitingApproval(entry)),
    locks: locks.locks.map(({ name, strategy, market, reason, endsAtMs }) => ({
      name,
      of: [strategy, market].filter((part) => part !== null).join(' ') || null,
      reason,
      endsAtMs: endsAtMs >= UNTIL_RESUMED_MS ? null : endsAtMs,
    })),
  };
}

/** Returns the budgets, the most urgent first: locked out, then by the used share of the limit. */
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
