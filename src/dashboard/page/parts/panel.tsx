import type { ComponentChildren } from 'preact';
import { nowMs } from '../clock.ts';
import { say } from '../say.ts';
import { showTime } from '../shown.ts';
import type { ShownReply } from '../use-reply.ts';
import { sayFailure } from './say-failure.ts';

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
        {say('loading')}
      </p>
    ) : (
      <p class="notice bad" role="alert">
        {sayFailure(failure)}
      </p>
    );
  const isStale = readAtMs !== null && nowMs.value - readAtMs > STALE_MS;
  return (
    <>
      {failure === null && !isStale ? null : (
        <p class="notice warn" role="status">
          {say('stale', { time: showTime(readAtMs, 'clock-seconds') })}{' '}
          {failure === null ? '' : sayFailure(failure)}
        </p>
      )}
      {children(data)}
    </>
  );
}
