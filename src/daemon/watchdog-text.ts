import { lengthText, secondText } from '../domain/time-text.ts';
import type { CanceledEntries } from './cancel-entries.ts';
import type { WatchdogNews } from './watchdog.ts';

/** Orders that a text names. */
const MOST_NAMED = 10;

/** Describes the event in one line for people. */
export function watchdogText(news: WatchdogNews): string {
  switch (news.kind) {
    case 'began':
      return `the bot runs (pid ${news.pulse.pid})`;
    case 'back':
      return 'the bot is back, and looks after its orders itself';
    case 'ended': {
      const { failure } = news.pulse;
      return failure === null ? 'the bot has ended in order' : `the bot has ended with an error: ${failure}`;
    }
    case 'silent': {
      const { pulse, forMs } = news;
      return pulse === null
        ? `no bot has shown itself for ${lengthText(forMs)}`
        : `the bot (pid ${pulse.pid}) is silent since ${secondText(pulse.beatMs)} UTC; its open orders stay at the exchange and can fill`;
    }
    case 'canceled':
      return canceledText(news.result);
    case 'not-canceled':
      return `the entries of the silent bot could not be canceled: ${news.reason}; ${news.isLast ? 'it is not tried again: cancel them at the exchange' : 'it is tried again'}`;
    case 'problem':
      return news.message;
  }
}

/** True if a person should check it. */
export function isTrouble(news: WatchdogNews): boolean {
  if (news.kind === 'ended') return news.pulse.failure !== null;
  return news.kind === 'silent' || news.kind === 'not-canceled' || news.kind === 'canceled';
}

function canceledText({ canceled, kept, left, unseen, isBack }: CanceledEntries): string {
  const parts = [
    canceled.length === 0
      ? 'no entry was open'
      : `${canceled.length} entries are canceled (${named(canceled)})`,
    ...(kept.length === 0 ? [] : [`${kept.length} exits stay (${named(kept)})`]),
    ...(left.length === 0
      ? []
      : [
          `${left.length} could not be canceled (${named(left.map(({ order, reason }) => `${order}: ${reason}`))})`,
        ]),
    ...(unseen.length === 0
      ? []
      : [`${unseen.length} may still turn up (${named(unseen)}), and are looked for again`]),
    ...(isBack ? ['the bot is back, so the rest is left to it'] : []),
  ];
  return `of the silent bot ${parts.join('; ')}`;
}

function named(orders: readonly string[]): string {
  const more = orders.length - MOST_NAMED;
  return `${orders.slice(0, MOST_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
