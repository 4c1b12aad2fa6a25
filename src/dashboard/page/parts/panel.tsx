import type { ComponentChildren } from 'preact';
import { t, inWords } from '../translate.ts';
import { nowMs, showTime } from '../shown.ts';
import type { ShownReply } from '../use-reply.ts';
import type { ApiErrorCode } from '../../schema/fields.ts';
import { isolateByFirstLetter } from '../../../language/isolate.ts';
import type { ApiFailure } from '../api.ts';
import { language } from '../preferences.ts';

interface PanelProps {
  readonly title: string;
  readonly note?: ComponentChildren;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A part of a view with its heading, and what can be done there. */
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

/** Data that was read so long ago is marked: the page may have lost its server. */
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

type Failure = ApiErrorCode | 'no-answer';

/** Texts for failures that people meet, with advice. */
const PLAIN: { readonly [Code in Failure]?: Parameters<typeof t>[0] & `failure.${string}` } = {
  'no-answer': 'failure.noAnswer',
  'no-mirror': 'failure.noMirror',
  'no-token': 'failure.noToken',
  'wrong-token': 'failure.wrongToken',
  'too-many-tries': 'failure.tooManyTries',
  'not-allowed': 'failure.notAllowed',
  'no-bot': 'failure.noBot',
  'too-slow': 'failure.tooSlow',
};

/** The rest: in English the server's own words say more. */
const REST: { readonly [Code in Failure]?: Parameters<typeof t>[0] & `failure.${string}` } = {
  'not-found': 'failure.notFound',
  'invalid-request': 'failure.invalid',
  'wrong-origin': 'failure.wrongOrigin',
  'wrong-host': 'failure.wrongHost',
  'wrong-method': 'failure.invalid',
  'too-large': 'failure.tooLarge',
  'too-many-streams': 'failure.tooManyStreams',
  'key-taken': 'failure.keyTaken',
  'data-unusable': 'failure.unusable',
  internal: 'failure.internal',
};

/** Words of the server that say more than their code does. */
const INFORMATIVE: ReadonlySet<string> = new Set(['invalid-request', 'data-unusable']);

const keyOf = (texts: typeof PLAIN, code: string): (typeof PLAIN)[Failure] =>
  Object.hasOwn(texts, code) ? texts[code as Failure] : undefined;

/** Returns why a request was not answered, in the language of the page. */
export function failureMessage({ code, message, facts }: ApiFailure): string {
  const plain = keyOf(PLAIN, code);
  if (plain !== undefined) return t(plain);
  const words = inWords(facts);
  if (words !== null) return words;
  const rest = language.value === 'en' ? undefined : keyOf(REST, code);
  if (rest === undefined) return message;
  return INFORMATIVE.has(code) ? `${t(rest)} ${isolateByFirstLetter(message)}` : t(rest);
}
