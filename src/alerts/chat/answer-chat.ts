import { MINUTE_MS } from '../../domain/time-text.ts';
import { formatLength } from '../../language/format-number.ts';
import { formatTime } from '../../language/format-time.ts';
import type { Locale } from '../../language/locale.ts';
import type { ChatButton } from '../channels/channel.ts';
import { MOST_MUTED_MS } from '../core/plan-message.ts';
import { approvalButtons, approvalLine, tamed } from '../alert-text.ts';
import { chatTexts, noBotText, REPLIES, whyLines, type ChatText } from './chat-replies.ts';
import type { ChatEvent, BotView, ChatView } from './chat-update.ts';

/** Action that a person may request from the bot by chat. */
export type ChatAction =
  | { readonly kind: 'halt' }
  | { readonly kind: 'resume' }
  | { readonly kind: 'pause' | 'resume-one'; readonly strategy: string }
  | { readonly kind: 'approve' | 'decline'; readonly entry: string };

/** Reply to send and action to perform. */
export interface ChatAnswer {
  readonly lines: readonly string[];
  readonly buttons: readonly (readonly ChatButton[])[];
  /** Questions by the mark of their buttons: a press performs the action. */
  readonly asks: readonly { readonly mark: string; readonly action: ChatAction }[];
  readonly does:
    | { readonly kind: 'nothing' }
    | { readonly kind: 'confirm' | 'drop'; readonly mark: string }
    /** A button that states what it does is pressed: no question follows. */
    | { readonly kind: 'act'; readonly action: ChatAction }
    | { readonly kind: 'acknowledge'; readonly id: number }
    | { readonly kind: 'mute'; readonly untilMs: number }
    /** The rules of a strategy come before the lines. */
    | { readonly kind: 'explain'; readonly strategy: string; readonly market: string | null };
}

/** Oldest command that is executed, in ms since it was sent. */
const OLDEST_COMMAND_MS = 120_000;
const MOST_MINUTES = MOST_MUTED_MS / MINUTE_MS;

interface AnswerOptions {
  readonly view: ChatView;
  readonly locale: Locale;
  readonly nowMs: number;
  /** Returns a random mark for a question, which nobody can guess. */
  readonly drawMark: () => string;
}

const NOTHING = { buttons: [], asks: [], does: { kind: 'nothing' } } as const;

/** Returns the answer to a message. It only decides; the caller sends questions and performs actions. */
export function answerChat(event: ChatEvent, options: AnswerOptions): ChatAnswer {
  const t = chatTexts(options.locale);
  if (event.kind === 'press') return answerPress(event.data, options, t);
  const { name, argument, atMs } = event;
  const ageMs = options.nowMs - atMs;
  if (ageMs > OLDEST_COMMAND_MS) {
    const length = formatLength(options.locale.language, ageMs);
    return { ...NOTHING, lines: [t('tooOld', { length })] };
  }
  return answerCommand(name, argument, options);
}

function answerCommand(name: string, argument: string, options: AnswerOptions): ChatAnswer {
  const { view, locale } = options;
  const t = chatTexts(locale);
  const isHalted = view.bot !== null && view.bot.halt !== null;
  switch (name) {
    case 'status':
      return {
        ...NOTHING,
        lines: REPLIES.status(view, t, locale),
        buttons: [
          [isHalted ? { label: t('resume'), data: 'go:resume' } : { label: t('halt'), data: 'go:halt' }],
        ],
      };
    case 'profit':
    case 'positions':
    case 'orders':
    case 'budget':
    case 'locks':
      return { ...NOTHING, lines: REPLIES[name](view, t, locale) };
    case 'help':
    case 'start':
      return { ...NOTHING, lines: REPLIES.help(view, t) };
    case 'why':
      return answerWhy(argument, options, t);
    case 'halt':
      return ask(t('askHalt', { count: view.bot?.openOrders ?? 0 }), { kind: 'halt' }, options);
    case 'resume':
      return answerResume(argument, options, t);
    case 'pause':
      return answerPause(argument, options, t);
    case 'approve':
    case 'decline':
      return answerApproval(name, argument, options);
    case 'mute':
      return answerMute(argument, options, t);
    default:
      return { ...NOTHING, lines: [t('unknown')] };
  }
}

function answerPress(data: string, options: AnswerOptions, t: ChatText): ChatAnswer {
  const [verb = '', value = ''] = data.split(':');
  if (verb === 'yes') return { ...NOTHING, lines: [], does: { kind: 'confirm', mark: value } };
  if (verb === 'no') return { ...NOTHING, lines: [t('dropped')], does: { kind: 'drop', mark: value } };
  if (verb === 'go' && (value === 'halt' || value === 'resume')) return answerCommand(value, '', options);
  if (verb === 'mute') return answerMute(value, options, t);
  if ((verb === 'approve' || verb === 'decline') && ENTRY.test(value))
    return { ...NOTHING, lines: [], does: { kind: 'act', action: { kind: verb, entry: value } } };
  if (verb === 'ack' && /^\d{1,15}$/.test(value))
    return { ...NOTHING, lines: [], does: { kind: 'acknowledge', id: Number(value) } };
  return { ...NOTHING, lines: [t('expired')] };
}

/** Returns a question with one button, which confirms it. */
function ask(question: string, action: ChatAction, options: AnswerOptions): ChatAnswer {
  const t = chatTexts(options.locale);
  const mark = options.drawMark();
  return {
    ...NOTHING,
    lines: [question],
    buttons: [
      [
        { label: t('yes'), data: `yes:${mark}` },
        { label: t('no'), data: `no:${mark}` },
      ],
    ],
    asks: [{ mark, action }],
  };
}

/** Returns a question with one button for each strategy; pressing one confirms the action. */
function choose(
  question: string,
  actions: readonly (ChatAction & { readonly strategy: string })[],
  options: AnswerOptions,
): ChatAnswer {
  const t = chatTexts(options.locale);
  const asks = actions.map((action) => ({ mark: options.drawMark(), action }));
  const buttons = asks.map(({ mark, action }) => [
    {
      label:
        action.kind === 'pause'
          ? t('pause', { strategy: action.strategy })
          : t('resumeOne', { strategy: action.strategy }),
      data: `yes:${mark}`,
    },
  ]);
  return { ...NOTHING, lines: [question], buttons, asks };
}

function answerPause(argument: string, options: AnswerOptions, t: ChatText): ChatAnswer {
  const { bot } = options.view;
  if (bot === null) return { ...NOTHING, lines: [noBotText(options.view, t)] };
  const names = bot.strategies.map(({ name }) => name);
  if (argument !== '') {
    return names.includes(argument)
      ? ask(t('askPause', { strategy: argument }), { kind: 'pause', strategy: argument }, options)
      : noStrategy(argument, bot, t);
  }
  const running = bot.strategies.filter(({ status }) => status === 'running');
  return choose(
    t('whichPause'),
    running.map(({ name }) => ({ kind: 'pause', strategy: name })),
    options,
  );
}

function answerResume(argument: string, options: AnswerOptions, t: ChatText): ChatAnswer {
  const { bot } = options.view;
  if (bot === null) return { ...NOTHING, lines: [noBotText(options.view, t)] };
  if (argument !== '') {
    return bot.strategies.some(({ name }) => name === argument)
      ? ask(t('askResumeOne', { strategy: argument }), { kind: 'resume-one', strategy: argument }, options)
      : noStrategy(argument, bot, t);
  }
  if (bot.halt !== null) return ask(t('askResume'), { kind: 'resume' }, options);
  const paused = bot.strategies.filter(({ status }) => status === 'pausedByHand');
  if (paused.length === 0) return { ...NOTHING, lines: [t('nothingToResume')] };
  return choose(
    t('whichResume'),
    paused.map(({ name }) => ({ kind: 'resume-one', strategy: name })),
    options,
  );
}

function noStrategy(strategy: string, { strategies }: BotView, t: ChatText): ChatAnswer {
  const names = strategies.map(({ name }) => name).join(', ');
  return { ...NOTHING, lines: [t('noStrategy', { strategy: tamed(strategy, 50), names })] };
}

function answerWhy(argument: string, { view, locale }: AnswerOptions, t: ChatText): ChatAnswer {
  const strategies = view.bot?.strategies ?? [];
  const [only, ...others] = strategies;
  const [asked = others.length === 0 ? only?.name : '', market = null] = argument
    .split(/\s+/)
    .filter(Boolean);
  const strategy = asked ?? '';
  const lines = whyLines(view, strategy, locale);
  if (view.bot === null || strategy === '') return { ...NOTHING, lines };
  if (!strategies.some(({ name }) => name === strategy)) return noStrategy(strategy, view.bot, t);
  return { ...NOTHING, lines, does: { kind: 'explain', strategy, market: market?.toUpperCase() ?? null } };
}

/** Matches the id of an intent. */
const ENTRY = /^i[0-9a-z]{1,12}$/;

/** Asks about the entry that was named, or shows all that wait with their buttons. */
function answerApproval(
  kind: 'approve' | 'decline',
  argument: string,
  { view, locale, ...options }: AnswerOptions,
): ChatAnswer {
  const t = chatTexts(locale);
  if (view.bot === null) return { ...NOTHING, lines: [noBotText(view, t)] };
  const waiting = view.bot.approvals.filter(({ id }) => argument === '' || id === argument);
  if (waiting.length === 0) return { ...NOTHING, lines: [t('noApprovals')] };
  const lines = waiting.map((entry) => approvalLine(entry, locale));
  const [only] = waiting;
  if (argument !== '' && only !== undefined)
    return ask(lines.join(''), { kind, entry: only.id }, { view, locale, ...options });
  return { ...NOTHING, lines, buttons: waiting.map(({ id }) => approvalButtons(id, locale)) };
}

function answerMute(argument: string, { nowMs, locale }: AnswerOptions, t: ChatText): ChatAnswer {
  const minutes = argument === '' ? 60 : Number(argument);
  if (!Number.isInteger(minutes) || minutes < 0 || minutes > MOST_MINUTES)
    return { ...NOTHING, lines: [t('muteUsage')] };
  const untilMs = minutes === 0 ? 0 : nowMs + minutes * MINUTE_MS;
  const line = minutes === 0 ? t('muteEnded') : t('muteSet', { until: formatTime(untilMs, locale) });
  return { ...NOTHING, lines: [line], does: { kind: 'mute', untilMs } };
}
