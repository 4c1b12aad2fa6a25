import { askFor } from '../actions/action.ts';
import type { LockItem } from '../../schema/lock.ts';
import { DataTable, type DataColumn } from '../parts/data-table.tsx';
import { Said } from '../parts/words.tsx';
import { say } from '../say.ts';
import { mayOperate } from '../session.ts';
import { showLeft, showName, showTime } from '../shown.ts';

export function LocksTable({ locks }: { readonly locks: readonly LockItem[] }) {
  const columns: readonly DataColumn<LockItem>[] = [
    { key: 'name', head: say('column.lock'), isTitle: true, cell: ({ name }) => <bdi dir="ltr">{name}</bdi> },
    {
      key: 'scope',
      head: say('locks.scope'),
      cell: ({ market, strategy }) =>
        [
          strategy === null ? say('field.allStrategies') : showName(strategy),
          market === null ? say('field.allMarkets') : showName(market),
        ].join(' · '),
    },
    {
      key: 'reason',
      head: say('column.reason'),
      cell: ({ reason, reasonFacts }) => <Said text={reason} facts={reasonFacts} />,
    },
    {
      key: 'by',
      head: say('locks.by'),
      cell: ({ by, rule }) =>
        rule === null ? <bdi>{by ?? say('locks.byHand')}</bdi> : <bdi dir="ltr">{rule}</bdi>,
    },
    { key: 'begin', head: say('locks.began'), cell: ({ beganAtMs }) => showTime(beganAtMs) },
    {
      key: 'end',
      head: say('locks.ends'),
      cell: ({ endsAtMs }) =>
        endsAtMs === null
          ? say('field.untilResumed')
          : say('locks.left', { length: showLeft(endsAtMs), time: showTime(endsAtMs) }),
    },
    {
      key: 'entries',
      head: say('field.entries'),
      cell: ({ entries }) => say(entries === 'cancel' ? 'field.entriesCancel' : 'field.entriesKeep'),
    },
    {
      key: 'do',
      head: say('column.actions'),
      cell: ({ name, strategy, market }) =>
        mayOperate() ? (
          <button
            type="button"
            onClick={() => askFor({ kind: 'unlock', body: { name, strategy, market } }, name)}
          >
            {say('action.unlock.do')}
          </button>
        ) : null,
    },
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
