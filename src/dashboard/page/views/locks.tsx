import { Button, NameWord, SentenceText } from '../parts/words.tsx';
import { openDialog, askFor } from '../actions/action.ts';
import type { LocksReply, LockItem } from '../../schema/overview.ts';
import { Panel, WithReply } from '../parts/panel.tsx';
import { t, wordFor } from '../translate.ts';
import { mayOperate } from '../session.ts';
import { showName, showTime, showLeft } from '../shown.ts';
import { useReply } from '../use-reply.ts';
import { column, type DataColumn, DataTable } from '../parts/data-table.tsx';

export function LocksView() {
  const reply = useReply<LocksReply>('/locks');
  return (
    <>
      <header class="view-head">
        <h1>{t('view.locks')}</h1>
        {mayOperate() ? (
          <span class="head-actions">
            <Button
              text="action.lock.do"
              onClick={() => (openDialog.value = { asks: 'lock', market: null, strategy: null })}
            />
          </span>
        ) : null}
      </header>
      <p class="note">{t('locks.what')}</p>
      <WithReply reply={reply.value}>
        {({ locks, waiting, nextChangeAtMs }) => (
          <>
            <Panel
              title={t('locks.now')}
              note={nextChangeAtMs === null ? undefined : t('locks.next', { time: showTime(nextChangeAtMs) })}
            >
              <LocksTable locks={locks} />
            </Panel>
            {waiting.length === 0 ? null : (
              <Panel title={t('locks.waiting')}>
                <ul>
                  {waiting.map(({ kind, name, strategy, market }, index) => (
                    <li key={index}>
                      {t(`action.${kind}.do`)}{' '}
                      {[name === null ? null : (wordFor('lock-name', name) ?? name), strategy, market]
                        .flatMap((part) => (part === null ? [] : [showName(part)]))
                        .join(' · ')}
                    </li>
                  ))}
                </ul>
              </Panel>
            )}
          </>
        )}
      </WithReply>
    </>
  );
}

export function LocksTable({ locks }: { readonly locks: readonly LockItem[] }) {
  const columns: readonly DataColumn<LockItem>[] = [
    column('column.lock', ({ name }) => <NameWord area="lock-name" name={name} />, 'title'),
    column('locks.scope', ({ market, strategy }) =>
      [
        strategy === null ? t('field.allStrategies') : showName(strategy),
        market === null ? t('field.allMarkets') : showName(market),
      ].join(' · '),
    ),
    column('column.reason', ({ reason, reasonFacts }) => <SentenceText text={reason} facts={reasonFacts} />),
    column('locks.by', ({ by, rule }) =>
      rule === null ? <bdi>{by ?? t('locks.byHand')}</bdi> : <bdi dir="ltr">{rule}</bdi>,
    ),
    column('moment.opened', ({ beganAtMs }) => showTime(beganAtMs)),
    column('locks.ends', ({ endsAtMs }) =>
      endsAtMs === null
        ? t('field.untilResumed')
        : t('locks.left', { length: showLeft(endsAtMs), time: showTime(endsAtMs) }),
    ),
    column('field.entries', ({ entries }) =>
      t(entries === 'cancel' ? 'field.entriesCancel' : 'field.entriesKeep'),
    ),
    column('column.actions', ({ name, strategy, market }) =>
      mayOperate() ? (
        <Button
          text="action.unlock.do"
          onClick={() => askFor({ kind: 'unlock', body: { name, strategy, market } }, name)}
        />
      ) : null,
    ),
  ];
  return (
    <DataTable
      label="view.locks"
      columns={columns}
      rows={locks}
      keyOf={({ name, strategy, market, beganAtMs }) => `${name} ${strategy} ${market} ${beganAtMs}`}
      empty="locks.none"
    />
  );
}
