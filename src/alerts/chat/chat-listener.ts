import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Locale } from '../../language/locale.ts';
import { problemOf, type ChatButton, type SendResult } from '../channels/channel.ts';
import { persistMuted, type SafeOutbox } from '../outbox-file.ts';
import { tamed } from '../alert-text.ts';
import { answerChat, type ChatAction, type ChatAnswer } from './answer-chat.ts';
import { chatTexts } from './chat-replies.ts';
import { readUpdate, updateIdOf, type ChatEvent, type ChatView } from './chat-update.ts';

/** The part of a chat's API that commands need. Every call may throw. */
export interface ChatApi {
  /** Identity of the service's bot, without its token. Another bot numbers its updates from another start. */
  readonly bot: string;
  /** Waits for updates from an offset on, for a time; what was asked for before is not given again. */
  updates(offset: number, signal: AbortSignal): Promise<readonly unknown[]>;
  reply(
    chatId: number,
    of: { readonly lines: readonly string[]; readonly buttons: readonly (readonly ChatButton[])[] },
  ): Promise<SendResult>;
  /** Ends the waiting of a button that was pressed. */
  answerPress(callbackId: string): Promise<void>;
  close(): Promise<void>;
}

interface ChatListenerOptions {
  /** The bot's name, as alerts begin with it: whoever has two must see which one answers. */
  readonly bot: string;
  readonly channel: string;
  readonly api: ChatApi;
  /** Users who may ask and command. Others are not answered. */
  readonly allowed: readonly number[];
  readonly outbox: SafeOutbox;
  readonly locale: Locale;
  readonly view: () => ChatView;
  readonly carryOut: (action: ChatAction, by: string) => Promise<string>;
  readonly nowMs: () => number;
  readonly log: (level: 'info' | 'warning', text: string) => void;
}

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;
/**
 * The service itself waits until somebody says something. Of what stands between, and answers at once that
 * nobody did, no more is asked than this.
 */
const LEAST_BETWEEN_MS = 1_000;
/**
 * The service begins anew with the ids of updates, at any number, where nothing came for a week (Bot API,
 * `Update`). All that was asked for is forgotten there, so that a little earlier all that it has is new.
 */
const IDS_HOLD_FOR_MS = 6 * 86_400_000;

/** A question may be answered for so long. */
const ASKED_FOR_MS = 120_000;

interface Asked {
  readonly action: ChatAction;
  readonly userId: number;
  readonly atMs: number;
}

/**
 * Takes commands by chat. The place in the list of updates is kept in the outbox after each one, so that a
 * command is not done again after a restart; a confirmation is done once, whatever is pressed again.
 */
export class ChatListener {
  private readonly options: ChatListenerOptions;
  private readonly stopped = new AbortController();
  private running: Promise<void> | null = null;

  constructor(options: ChatListenerOptions) {
    this.options = options;
  }

  begin(): void {
    this.running ??= this.run();
  }

  async end(): Promise<void> {
    this.stopped.abort();
    await this.running;
    await this.options.api.close();
  }

  /** Takes what has come; answers whether anything has, so that the next question may follow at once. */
  async turn(): Promise<boolean> {
    const { api, outbox } = this.options;
    const offset = this.offset();
    const updates = await api.updates(offset, this.stopped.signal);
    let isNews = false;
    for (const given of updates) {
      const event = readUpdate(given);
      const id = updateIdOf(given);
      if (event !== null && event.updateId >= offset) await this.handleSafely(event);
      if (id === null) continue;
      if (id < offset) continue;
      outbox.use((each) => each.setMeta(this.place, `${id + 1} ${this.options.nowMs()} ${api.bot}`));
      isNews = true;
    }
    return isNews;
  }

  private get place(): string {
    return `offset ${this.options.channel}`;
  }

  /** From which update on they are new; 0 for all, where their ids begin anew. */
  private offset(): number {
    const { api, nowMs, outbox } = this.options;
    const stored = outbox.use((each) => each.meta(this.place));
    if (stored === null || stored === '') return 0;
    const [next = '0', atMs, bot] = stored.split(' ');
    // An earlier version kept the number alone: since when it holds is not known, and nor is whose it is.
    if (atMs === undefined) outbox.use((each) => each.setMeta(this.place, `${next} ${nowMs()} ${api.bot}`));
    else if (bot !== api.bot || nowMs() - Number(atMs) > IDS_HOLD_FOR_MS) return 0;
    return Number(next);
  }

  private async run(): Promise<void> {
    const { log, channel } = this.options;
    let waitMs = FIRST_WAIT_MS;
    while (!this.stopped.signal.aborted) {
      try {
        const askedAtMs = performance.now();
        const isNews = await this.turn();
        const restMs = isNews ? 0 : askedAtMs + LEAST_BETWEEN_MS - performance.now();
        if (waitMs > FIRST_WAIT_MS) log('info', `the channel ${channel} takes commands again`);
        waitMs = FIRST_WAIT_MS;
        if (restMs > 0) await this.pause(restMs);
      } catch (error) {
        if (this.stopped.signal.aborted) return;
        if (waitMs === FIRST_WAIT_MS)
          log('warning', `the channel ${channel} takes no commands: ${String(error)}`);
        await this.pause(waitMs);
        waitMs = Math.min(LONGEST_WAIT_MS, waitMs * 2);
      }
    }
  }

  /** One command that goes wrong is answered so: asked for again, it would hold up all that come after it. */
  private async handleSafely(event: ChatEvent): Promise<void> {
    const { channel, locale, log } = this.options;
    try {
      await this.handle(event);
    } catch (error) {
      const message = tamed(problemOf(error));
      log('warning', `a command by ${channel} went wrong: ${message}`);
      await this.reply(event.chatId, { lines: [chatTexts(locale)('failed', { message })], buttons: [] });
    }
  }

  private async pause(forMs: number): Promise<void> {
    await pause(forMs, undefined, { signal: this.stopped.signal }).catch(() => undefined);
  }

  private async handle(event: ChatEvent): Promise<void> {
    const { allowed, api, locale, nowMs, view } = this.options;
    if (!allowed.includes(event.userId)) {
      this.countStranger();
      return;
    }
    // A button that waits does no harm, a halt that waits for the service to have heard of it does.
    if (event.kind === 'press') void api.answerPress(event.callbackId).catch(() => undefined);
    const answer = answerChat(event, { view: view(), locale, nowMs: nowMs(), drawMark });
    const lines = [...answer.lines, ...(await this.carryOut(answer, event))];
    this.remember(answer, event);
    if (lines.length > 0) await this.reply(event.chatId, { lines, buttons: answer.buttons });
  }

  private async reply(chatId: number, of: Parameters<ChatApi['reply']>[1]): Promise<void> {
    const { api, bot, locale } = this.options;
    const [first = '', ...rest] = of.lines;
    const lines = [chatTexts(locale)('named', { bot, text: first }), ...rest];
    const result = await api.reply(chatId, { ...of, lines });
    if (result.kind !== 'delivered')
      this.options.log('warning', `an answer by ${this.options.channel} was not taken: ${result.problem}`);
  }

  private async carryOut({ does }: ChatAnswer, event: ChatEvent): Promise<readonly string[]> {
    const { outbox, locale, nowMs, carryOut } = this.options;
    const t = chatTexts(locale);
    switch (does.kind) {
      case 'nothing':
        return [];
      case 'mute':
        persistMuted(outbox, does.untilMs);
        return [];
      case 'acknowledge': {
        const name = event.userName;
        const isNew = outbox.use((each) => each.acknowledge(does.id, { by: name, atMs: nowMs() })) === true;
        return [isNew ? t('acknowledged', { name, id: does.id }) : t('acknowledgedBefore', { id: does.id })];
      }
      case 'drop':
        outbox.use((each) => each.setMeta(`asked ${does.mark}`, ''));
        return [];
      case 'confirm': {
        const asked = this.askedOf(does.mark);
        // A question of the future is as old as one of long ago: the clock was set back since.
        const isValid =
          asked !== null && asked.userId === event.userId && Math.abs(nowMs() - asked.atMs) <= ASKED_FOR_MS;
        if (!isValid) return [t('expired')];
        // Given again, each of these commands is the same: a crash between the two does no harm.
        const line = await carryOut(asked.action, event.userName);
        outbox.use((each) => each.setMeta(`asked ${does.mark}`, ''));
        return [line];
      }
    }
  }

  private remember({ asks }: ChatAnswer, { userId }: ChatEvent): void {
    const { outbox, nowMs } = this.options;
    const atMs = nowMs();
    outbox.use((each) => {
      if (asks.length > 0) each.forgetAsked(atMs - ASKED_FOR_MS);
      for (const { mark, action } of asks)
        each.setMeta(`asked ${mark}`, JSON.stringify({ action, userId, atMs } satisfies Asked));
    });
  }

  private askedOf(mark: string): Asked | null {
    const text = this.options.outbox.use((each) => each.meta(`asked ${mark}`));
    return text === null || text === '' ? null : (JSON.parse(text) as Asked);
  }

  /** Nobody is told that the bot is there; how often it happened is counted. */
  private countStranger(): void {
    const { outbox, channel } = this.options;
    const name = `strangers ${channel}`;
    outbox.use((each) => each.setMeta(name, String(Number(each.meta(name) ?? 0) + 1)));
  }
}

const MARK_BYTES = 8;

function drawMark(): string {
  return randomBytes(MARK_BYTES).toString('hex');
}
