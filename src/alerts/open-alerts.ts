import { localeOf } from '../language/locale.ts';
import type { AlertsSetup } from './alerts-setup.ts';
import { carryOut } from './chat/carry-out.ts';
import { ChatListener } from './chat/chat-listener.ts';
import { readView } from './chat/read-view.ts';
import { BotFiles } from './reading/bot-files.ts';
import { AlertService } from './service/alert-service.ts';
import { openSenders, trackOf } from './service/open-senders.ts';
import { openOutbox } from './service/open-outbox.ts';
import type { SafeOutbox } from './service/safe-outbox.ts';

/** Interval at which alerts poll for news. A poll without news is one small query. */
const TURN_EVERY_MS = 200;

type Log = (level: 'info' | 'warning', text: string) => void;

/** Alerts at work, until they are ended. */
export interface OpenedAlerts {
  end(): Promise<void>;
}

/** Begins to watch a bot by its files, to tell people, and to take their commands by chat. */
export async function openAlerts(setup: AlertsSetup, log: Log): Promise<OpenedAlerts> {
  const { dataFolder, rules, summary, channels } = setup;
  const nowMs = Date.now;
  const outbox = openOutbox(dataFolder, { keeper: 'run', log });
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

/** One for each channel that somebody may command by. */
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
      carryOut: async (action, by) => carryOut(action, { dataFolder, by, locale }),
      nowMs: Date.now,
      log,
    });
    listener.begin();
    listeners.push(listener);
  }
  return listeners;
}
