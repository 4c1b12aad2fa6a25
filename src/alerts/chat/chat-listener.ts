import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { RuleAnswer } from '../../daemon/answers-apart.ts';
import type { Locale } from '../../language/locale.ts';
import { problemOf, type ChatButton, type SendResult } from '../channels/channel.ts';
import { persistMuted, type SafeOutbox } from '../outbox-file.ts';
import { tamed } from '../alert-text.ts';
import { answerChat, type ChatAction, type ChatAnswer } from './answer-chat.ts';
import { chatTexts, ruleLines } from './chat-replies.ts';
import { readUpdate, updateIdOf, type ChatEvent, type ChatView } from './chat-update.ts';

/** The part of a chat's API that commands need. Every call may throw. */
export interface ChatApi {
  /** Identity of the service's bot, without its token. Another bot numbers its updates differently. */
  readonly bot: string;
  /** Waits a limited time for updates from an offset on; those before the offset are not returned again. */
  updates(offset: number, signal: AbortSignal): Promise<readonly unknown[]>;
  reply(
    chatId: number,
    of: { readonly lines: readonly string[]; readonly buttons: readonly (readonly ChatButton[])[] },
  ): Promise<SendResult>;
  /** Acknowledges the press of a button, which then stops waiting. */
  answerPress(callbackId: string): Promise<void>;
  close(): Promise<void>;
}

interface ChatListenerOptions {
  /** Name of the bot, which begins each answer: a user with two bots must see which one answers. */
  readonly bot: string;
  readonly channel: string;
  readonly api: ChatApi;
  /** Ids of the users who may ask and command. Others are not answered. */
  readonly allowed: readonly number[];
  readonly outbox: SafeOutbox;
  readonly locale: Locale;
  readonly view: () => ChatView;
  readonly carryOut: (action: ChatAction, by: string) => Promise<string>;
  /** Computes the rules of a strategy, of a member of its universe if a market is named. Never rejects. */
  readonly explain: (strategy: string, market: string | null) => Promise<RuleAnswer>;
  readonly nowMs: () => number;
  readonly log: (level: 'info' | 'warning', text: string) => void;
}

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;
/**
 * Least time between two polls, in ms. The service itself waits until there is an update; a proxy that
 * answers at once without one is not asked more often.
 */
const LEAST_BETWEEN_MS = 1_000;
/**
 * Time for which ids of updates stay valid, in ms. After a week without an update the service restarts them
 * at any number (Bot API, `Update`). Updates already read are deleted there, so after this time all are new.
 */
const IDS_HOLD_FOR_MS = 6 * 86_400_000;

/** Time for which a question may be answered, in ms. */
const ASKED_FOR_MS = 120_000;

interface Asked {
  readonly action: ChatAction;
  readonly userId: number;
  readonly atMs: number;
}

/**
 * Accepts commands by chat. The position in the list of updates is stored in the outbox after each one, so
 * that a command is not repeated after a restart; a confirmation is executed once, even if pressed again.
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

  /** Handles new updates; returns true if there were any, so that the next poll follows at once. */
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

  /** Returns the offset of the first new update; 0 for all, if their ids may have restarted. */
  private offset(): number {
    const { api, nowMs, outbox } = this.options;
    const stored = outbox.use((each) => each.meta(this.place));
    if (stored === null || stored === '') return 0;
    const [next = '0', atMs, bot] = stored.split(' ');
    // An earlier version stored the number alone: its time and its bot are unknown.
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

  /** Handles an event; an error is answered. Polled again, the event would hold up all later ones. */
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
    const { allowed, api, channel, locale, log, nowMs, view } = this.options;
    if (!allowed.includes(event.userId)) {
      this.countStranger();
      return;
    }
    // A button may wait, but a halt must not wait for the service to answer.
    if (event.kind === 'press') void api.answerPress(event.callbackId).catch(() => undefined);
    const answer = answerChat(event, { view: view(), locale, nowMs: nowMs(), drawMark });
    const { does } = answer;
    if (does.kind === 'explain') {
      // Computing takes a while, in which a halt must not wait.
      void this.explain(does, answer, event).catch((error: unknown) => {
        log('warning', `an answer by ${channel} was not sent: ${tamed(problemOf(error))}`);
      });
      return;
    }
    const lines = [...answer.lines, ...(await this.carryOut(answer, event))];
    this.remember(answer, event);
    if (lines.length > 0) await this.reply(event.chatId, { lines, buttons: answer.buttons });
  }

  private async explain(
    { strategy, market }: Extract<ChatAnswer['does'], { kind: 'explain' }>,
    answer: ChatAnswer,
    { chatId }: ChatEvent,
  ): Promise<void> {
    const rules = ruleLines(await this.options.explain(strategy, market), this.options.locale);
    const lines = [...rules, ...answer.lines];
    await this.reply(chatId, { lines, buttons: [] });
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
      case 'explain':
        return [];
      case 'mute':
        persistMuted(outbox, does.untilMs);
        return [];
      case 'acknowledge': {
        const name = event.userName;
        const isNew = outbox.use((each) => each.acknowledge(does.id, { by: name, atMs: nowMs() })) === true;
        return [isNew ? t('acknowledged', { name, id: does.id }) : t('acknowledgedBefore', { id: does.id })];
      }
      case 'act':
        return [await carryOut(does.action, event.userName)];
      case 'drop':
        outbox.use((each) => each.setMeta(`asked ${does.mark}`, ''));
        return [];
      case 'confirm': {
        const asked = this.askedOf(does.mark);
        // A question from the future is as invalid as an old one: the clock was set back since.
        const isValid =
          asked !== null && asked.userId === event.userId && Math.abs(nowMs() - asked.atMs) <= ASKED_FOR_MS;
        if (!isValid) return [t('expired')];
        // Each of these commands may be repeated: a crash between the two does no harm.
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

  /** Counts a message of a stranger, who gets no answer and so does not learn that the bot exists. */
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
