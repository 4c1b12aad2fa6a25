import { Button } from '../parts/words.tsx';
import { openDialog } from '../actions/action.ts';
import type { LocksReply } from '../../schema/lock.ts';
import { Panel, WithReply } from '../parts/panel.tsx';
import { say } from '../say.ts';
import { mayOperate } from '../session.ts';
import { showName, showTime } from '../shown.ts';
import { useReply } from '../use-reply.ts';
import { LocksTable } from './locks-table.tsx';

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
