import { askFor } from '../actions/action.ts';
import type { OverviewReply } from '../../schema/overview.ts';
import { Button, NameLink, Said } from '../parts/words.tsx';
import { hrefOf } from '../route.ts';
import { language } from '../preferences.ts';
import { say } from '../say.ts';
import { inWords } from '../sentences.ts';
import { mayOperate } from '../session.ts';
import { showAge, showLeft, showName, showTime } from '../shown.ts';
import type { ComponentChildren } from 'preact';

function Notice({ tone, children }: { readonly tone: 'bad' | 'warn'; readonly children: ComponentChildren }) {
  return <li class={`notice ${tone}`}>{children}</li>;
}

/** Shows the most urgent information: everything that is not as it should be. */
export function Notices({ data }: { readonly data: OverviewReply }) {
  const { credential, waits, haltWait, lockouts, unresolved, books, lossLimits, locks, alerts, bot } = data;
  const isDead = bot.state === 'silent' || bot.state === 'ended';
  return (
    <ul class="notices" aria-label={say('notices.label')}>
      {isDead ? (
        <Notice tone="bad">
          {say('notices.dead', { time: showTime(bot.silentSinceMs) })} {say('notices.readOn')}
        </Notice>
      ) : null}
      {credential === null ? null : (
        <Notice tone="bad">
          {say('notices.credential', {
            name: inWords(credential.nameFacts) ?? showName(credential.name),
            age: showAge(credential.sinceMs),
          })}
        </Notice>
      )}
      {books === 'broken' || books === 'suspected' || books === 'blocked' ? (
        <Notice tone={books === 'suspected' ? 'warn' : 'bad'}>
          <a href={hrefOf('books')}>{say(`books.${books}`)}</a>
        </Notice>
      ) : null}
      {waits === null ? null : (
        <Notice tone="warn">
          {say('notices.waits')} <Said text={waits.reason} facts={waits.reasonFacts} />
        </Notice>
      )}
      {haltWait === null ? null : (
        <Notice tone="warn">
          {say('notices.haltWait')} <Said text={haltWait.reason} facts={haltWait.reasonFacts} />
        </Notice>
      )}
      {lossLimits.map(({ strategy, reason, reasonFacts, sinceMs }) => (
        <Notice tone="warn" key={`limit ${strategy}`}>
          {say('notices.lossLimit', { strategy: showName(strategy), time: showTime(sinceMs) })}{' '}
          <Said text={reason} facts={reasonFacts} />
        </Notice>
      ))}
      {lockouts.map(({ budget, endsAtMs }) => (
        <Notice tone="bad" key={budget}>
          {endsAtMs === null
            ? say('notices.lockoutOpen', { budget: showName(budget) })
            : say('notices.lockout', { budget: showName(budget), left: showLeft(endsAtMs) })}
        </Notice>
      ))}
      {unresolved.map(({ key, market, sentAtMs }) => (
        <Notice tone="warn" key={key}>
          {say('notices.unresolved', { market: showName(market), age: showAge(sentAtMs) })}{' '}
          <NameLink view="order" name={key} />
        </Notice>
      ))}
      {alerts.map(({ id, texts, severity, acknowledgedAtMs }) => (
        <Notice tone={severity === 'critical' ? 'bad' : 'warn'} key={id}>
          <span dir="auto">{texts[language.value]}</span>
          {acknowledgedAtMs === null && mayOperate() ? (
            <Button
              says="action.acknowledge.do"
              class="quiet"
              onClick={() => askFor({ kind: 'acknowledge', body: { alert: id } }, texts[language.value])}
            />
          ) : null}
        </Notice>
      ))}
      {locks.length === 0 ? null : (
        <Notice tone="warn">
          <a href={hrefOf('locks')}>{say('notices.locks', { count: locks.length })}</a>
        </Notice>
      )}
    </ul>
  );
}
