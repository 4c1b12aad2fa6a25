import { localeOf } from '../../language/locale.ts';
import type { AlertsSetup } from '../alerts-setup.ts';
import { openChannel } from '../channels/open-channel.ts';
import { ChannelSender } from './channel-sender.ts';
import { mutedUntilMs } from './muted-until.ts';
import type { SafeOutbox } from './safe-outbox.ts';

/** The channels of a configuration at work on one outbox. */
export interface OpenedSenders {
  readonly senders: readonly ChannelSender[];
  /** Waits for what is on its way, and closes the channels. */
  close(): Promise<void>;
}

/** Opens every channel that is configured, with who sends by it. */
export async function openSenders(of: {
  readonly setup: AlertsSetup;
  readonly outbox: SafeOutbox;
  readonly log: (level: 'info' | 'warning', text: string) => void;
  readonly isWatchdog?: boolean;
}): Promise<OpenedSenders> {
  const { setup, outbox, log, isWatchdog = false } = of;
  const { channels, groupMs, quietHours, bot, language } = setup;
  const opened = await Promise.all(channels.map(async (channel) => openChannel(channel)));
  const senders = opened.map(
    (channel, index) =>
      new ChannelSender({
        channel,
        outbox,
        pacing: { groupMs, quietHours, mostPerHour: channels[index]?.mostPerHour ?? 1 },
        voice: { bot, locale: localeOf(language), isWatchdog },
        nowMs: Date.now,
        mutedUntilMs: () => mutedUntilMs(outbox, Date.now()),
        log,
      }),
  );
  return {
    senders,
    async close() {
      await Promise.all(senders.map(async (sender) => sender.settled()));
      await Promise.all(opened.map(async (channel) => channel.close()));
    },
  };
}

/** Returns a configuration's settings for repeating alerts. */
export function trackOf({ escalateAfterMs, remindEveryMs, channels }: AlertsSetup) {
  return { escalateAfterMs, remindEveryMs, lastStep: Math.max(1, ...channels.map(({ step }) => step)) };
}
