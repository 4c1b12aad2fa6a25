import { askFor } from '../actions/action.ts';
import type { LockItem } from '../../schema/lock.ts';
import { type DataColumn, DataTable, column } from '../parts/data-table.tsx';
import { Button, Said } from '../parts/words.tsx';
import { say } from '../say.ts';
import { mayOperate } from '../session.ts';
import { showLeft, showName, showTime } from '../shown.ts';

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
