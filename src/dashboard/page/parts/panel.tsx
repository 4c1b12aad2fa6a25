import type { ComponentChildren } from 'preact';
import { t, inWords } from '../translate.ts';
import { nowMs, showTime } from '../shown.ts';
import type { ShownReply } from '../use-reply.ts';
import { isolateByFirstLetter } from '../../../language/isolate.ts';
import type { ApiFailure } from '../api.ts';
import { language } from '../preferences.ts';

interface PanelProps {
  readonly title: string;
  readonly note?: ComponentChildren;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** Part of a view with a heading and its actions. */
export function Panel({ title, note, actions, children }: PanelProps) {
  return (
    <section class="panel">
      <header class="panel-head">
        <h2>{title}</h2>
        {note === undefined ? null : <span class="note">{note}</span>}
        {actions === undefined ? null : <span class="panel-actions">{actions}</span>}
      </header>
      {children}
    </section>
  );
}

/** Age in ms from which data is marked as old: the server may be unreachable. */
const STALE_MS = 40_000;

interface WithReplyProps<Reply> {
  readonly reply: ShownReply<Reply>;
  readonly children: (data: Reply) => ComponentChildren;
}

/** Shows a reply, or the reason there is none. Old data stays, with its time. */
export function WithReply<Reply>({ reply, children }: WithReplyProps<Reply>) {
  const { data, failure, readAtMs } = reply;
  if (data === null)
    return failure === null ? (
      <p class="empty" role="status">
        {t('loading')}
      </p>
    ) : (
      <p class="notice bad" role="alert">
        {failureMessage(failure)}
      </p>
    );
  const isStale = readAtMs !== null && nowMs.value - readAtMs > STALE_MS;
  return (
    <>
      {failure === null && !isStale ? null : (
        <p class="notice warn" role="status">
          {t('stale', { time: showTime(readAtMs, 'clock-seconds') })}{' '}
          {failure === null ? '' : failureMessage(failure)}
        </p>
      )}
      {children(data)}
    </>
  );
}

/** Failures that users often meet; their texts contain advice. */
const PLAIN = [
  'no-answer',
  'no-mirror',
  'no-token',
  'wrong-token',
  'too-many-tries',
  'not-allowed',
  'no-bot',
  'too-slow',
] as const;

/** Other failures: in English the server's own message says more. */
const REST = [
  'not-found',
  'invalid-request',
  'wrong-origin',
  'wrong-host',
  'too-large',
  'too-many-streams',
  'key-taken',
  'data-unusable',
  'internal',
] as const;

/** Returns why a request was not answered, in the language of the page. */
export function failureMessage({ code, message, facts }: ApiFailure): string {
  const plain = PLAIN.find((known) => known === code);
  if (plain !== undefined) return t(`failure.${plain}`);
  const words = inWords(facts);
  if (words !== null) return words;
  const rest = REST.find((known) => known === code);
  if (rest === undefined || language.value === 'en') return message;
  // For these codes the server's message says more than the code.
  const isInformative = code === 'invalid-request' || code === 'data-unusable';
  return isInformative ? `${t(`failure.${rest}`)} ${isolateByFirstLetter(message)}` : t(`failure.${rest}`);
}
