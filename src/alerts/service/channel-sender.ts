import { HOUR_MS } from '../../domain/time-text.ts';
import {
  problemOf,
  type Channel,
  type OutgoingMessage,
  type SendFailure,
  type SendResult,
} from '../channels/channel.ts';
import { isUrgent, planMessage, restUntilMs, type PacingSettings } from '../core/plan-message.ts';
import type { AlertOutbox, StoredMessage } from '../alert-outbox.ts';
import { messageText, type MessageVoice } from '../text/message-text.ts';
import { type SafeOutbox, mutedUntilMs } from '../outbox-file.ts';
import { localeOf } from '../../language/locale.ts';
import type { AlertsSetup } from '../alerts-setup.ts';
import { openChannel } from '../channels/open-channel.ts';

const FIRST_WAIT_MS = 2_000;
const LONGEST_WAIT_MS = 300_000;
/** Wait after a refusal, in ms; a person must act: the token is wrong, or the chat is gone. */
const REFUSED_WAIT_MS = 600_000;
/** Longest wait that a service can ask for, in ms: alerts must arrive, and it can ask again. */
const MOST_WAIT_MS = 900_000;
/** Age of a message that no service accepted after which it is given up, in ms; newer ones go on. */
const GIVE_UP_AFTER_MS = 86_400_000;

interface ChannelSenderOptions {
  readonly channel: Channel;
  readonly outbox: SafeOutbox;
  readonly pacing: PacingSettings;
  readonly voice: MessageVoice;
  readonly nowMs: () => number;
  readonly mutedUntilMs: () => number;
  readonly log: (level: 'info' | 'warning', text: string) => void;
}

/**
 * Sends the messages of one channel, one after the other. A message is stored, sent, and marked as sent once
 * the service has confirmed it; else it is tried again for a day, at growing intervals.
 */
export class ChannelSender {
  private readonly options: ChannelSenderOptions;
  private sending: Promise<void> | null = null;
  private isLogged = false;
  /** Ids of waiting messages that the service has refused as they are; bounded like the waiting messages. */
  private readonly refused = new Set<number>();

  constructor(options: ChannelSenderOptions) {
    this.options = options;
  }

  /** Begins to send what is due, and does not wait for it; called often. */
  pump(): void {
    if (this.sending !== null) return;
    const message = this.options.outbox.use((outbox) => this.next(outbox));
    if (message === null) return;
    this.sending = this.send(message).finally(() => {
      this.sending = null;
    });
  }

  /** Resolves when nothing is being sent any more. */
  async settled(): Promise<void> {
    await this.sending;
  }

  private next(outbox: AlertOutbox): StoredMessage | null {
    const { channel, pacing, mutedUntilMs } = this.options;
    const nowMs = this.options.nowMs();
    const mutedMs = mutedUntilMs();
    // A message that failed in the evening is not retried at night, and delays no critical one.
    const isRest = restUntilMs(pacing, mutedMs, nowMs) > nowMs;
    const unsent = outbox.unsent(channel.name).filter(({ plan }) => !isRest || isUrgent(plan));
    const due = unsent.find((message) => isDue(message, nowMs));
    if (due !== undefined) return due;
    // A service may refuse one message alone, such as for its picture. If it refuses the next one too, the
    // channel is wrong, and all others wait.
    if (unsent.length > 1 || unsent.some(({ id }) => !this.refused.has(id))) return null;
    const notes = outbox.notes(channel.name);
    if (notes.length === 0) return null;
    const sent = outbox.sentSince(channel.name, nowMs - HOUR_MS);
    const plan = planMessage({ notes, sent, mutedUntilMs: mutedMs }, pacing, nowMs);
    return plan.kind === 'send' ? outbox.compose(channel.name, plan.message, nowMs) : null;
  }

  private async send(message: StoredMessage): Promise<void> {
    const result = await this.resultOf(message);
    this.options.outbox.use((each) => this.mark(each, message, result));
  }

  private async resultOf(message: StoredMessage): Promise<SendResult> {
    const { channel, voice } = this.options;
    let text: OutgoingMessage;
    try {
      text = messageText(message, voice);
    } catch (error) {
      // A newer sarraf wrote it, with a rule that this version does not know.
      return { kind: 'refused', problem: `it can not be put into words: ${problemOf(error)}` };
    }
    return channel.send(text);
  }

  private mark(outbox: AlertOutbox, { id, tries, madeAtMs }: StoredMessage, result: SendResult): void {
    const { channel, log } = this.options;
    const nowMs = this.options.nowMs();
    this.refused.delete(id);
    if (result.kind === 'delivered') {
      outbox.sent(id, nowMs);
      if (this.isLogged) log('info', `the channel ${channel.name} takes messages again`);
      this.isLogged = false;
      return;
    }
    const { problem } = result;
    if (nowMs - madeAtMs >= GIVE_UP_AFTER_MS) {
      outbox.gaveUp(id, { atMs: nowMs, problem });
      log('warning', `the message ${id} was given up in the channel ${channel.name} after a day: ${problem}`);
      return;
    }
    if (result.kind === 'refused') this.refused.add(id);
    outbox.failed(id, { nextAtMs: nowMs + waitMs(result, tries), problem });
    // Logged once, not with each attempt.
    if (!this.isLogged) {
      const verb = result.kind === 'refused' ? 'refuses' : 'did not take';
      log('warning', `the channel ${channel.name} ${verb} a message, which is tried again: ${problem}`);
    }
    this.isLogged = true;
  }
}

/** True if a message is due. A wait beyond the longest was planned before the clock was set back. */
function isDue({ nextAtMs }: StoredMessage, nowMs: number): boolean {
  return nextAtMs <= nowMs || nextAtMs - nowMs > MOST_WAIT_MS;
}

function waitMs(result: SendFailure, tries: number): number {
  if (result.kind === 'refused') return REFUSED_WAIT_MS;
  if (result.afterMs !== null) return Math.min(MOST_WAIT_MS, result.afterMs);
  return Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(tries, 10));
}

/** Senders of a configuration's channels, with one outbox. */
export interface OpenedSenders {
  readonly senders: readonly ChannelSender[];
  /** Waits for messages that are being sent, and closes the channels. */
  close(): Promise<void>;
}

/** Opens every configured channel, each with its sender. */
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
