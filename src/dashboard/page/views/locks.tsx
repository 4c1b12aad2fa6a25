import { Button, Said } from '../parts/words.tsx';
import { openDialog, askFor } from '../actions/action.ts';
import type { LocksReply, LockItem } from '../../schema/lock.ts';
import { Panel, WithReply } from '../parts/panel.tsx';
import { say } from '../say.ts';
import { mayOperate } from '../session.ts';
import { showName, showTime, showLeft } from '../shown.ts';
import { useReply } from '../use-reply.ts';
import { column, type DataColumn, DataTable } from '../parts/data-table.tsx';

export function LocksView() {
  const reply = useReply<LocksReply>('/locks');
  return (
    <>
      <header class="view-head">
        <h1>{say('view.locks')}</h1>
        {mayOperate() ? (
          <span class="head-actions">
            <Button
              says="action.lock.do"
              onClick={() => (openDialog.value = { asks: 'lock', market: null, strategy: null })}
            />
          </span>
        ) : null}
      </header>
      <p class="note">{say('locks.what')}</p>
      <WithReply reply={reply.value}>
        {({ locks, waiting, nextChangeAtMs }) => (
          <>
            <Panel
              title={say('locks.now')}
              note={
                nextChangeAtMs === null ? undefined : say('locks.next', { time: showTime(nextChangeAtMs) })
              }
            >
              <LocksTable locks={locks} />
            </Panel>
            {waiting.length === 0 ? null : (
              <Panel title={say('locks.waiting')}>
                <ul>
                  {waiting.map(({ kind, name, strategy, market }, index) => (
                    <li key={index}>
                      {say(`action.${kind}.do`)}{' '}
                      {[name, strategy, market]
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
    column('column.lock', ({ name }) => <bdi dir="ltr">{name}</bdi>, 'title'),
    column('locks.scope', ({ market, strategy }) =>
      [
        strategy === null ? say('field.allStrategies') : showName(strategy),
        market === null ? say('field.allMarkets') : showName(market),
      ].join(' · '),
    ),
    column('column.reason', ({ reason, reasonFacts }) => <Said text={reason} facts={reasonFacts} />),
    column('locks.by', ({ by, rule }) =>
      rule === null ? <bdi>{by ?? say('locks.byHand')}</bdi> : <bdi dir="ltr">{rule}</bdi>,
    ),
    column('locks.began', ({ beganAtMs }) => showTime(beganAtMs)),
    column('locks.ends', ({ endsAtMs }) =>
      endsAtMs === null
        ? say('field.untilResumed')
        : say('locks.left', { length: showLeft(endsAtMs), time: showTime(endsAtMs) }),
    ),
    column('field.entries', ({ entries }) =>
      say(entries === 'cancel' ? 'field.entriesCancel' : 'field.entriesKeep'),
    ),
    column('column.actions', ({ name, strategy, market }) =>
      mayOperate() ? (
        <Button
          says="action.unlock.do"
          onClick={() => askFor({ kind: 'unlock', body: { name, strategy, market } }, name)}
        />
      ) : null,
    ),
  ];
  return (
    <DataTable
      label={say('view.locks')}
      columns={columns}
      rows={locks}
      keyOf={({ name, strategy, market, beganAtMs }) => `${name} ${strategy} ${market} ${beganAtMs}`}
      empty={say('locks.none')}
    />
  );
}
