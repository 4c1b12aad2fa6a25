import { useSignal } from '@preact/signals';
import { askFor } from '../actions/action.ts';
import type { AlertItem } from '../../schema/alert.ts';
import { Choices } from '../parts/choices.tsx';
import type { DataColumn } from '../parts/data-table.tsx';
import { overview } from '../overview.ts';
import { PagedList } from '../parts/paged-list.tsx';
import { Panel } from '../parts/panel.tsx';
import { Age, Badge } from '../parts/words.tsx';
import { language } from '../preferences.ts';
import { say } from '../say.ts';
import { mayOperate } from '../session.ts';
import { showName, showTime } from '../shown.ts';

export function AlertsView() {
  const state = useSignal<'open' | 'all'>('all');
  return (
    <>
      <header class="view-head">
        <h1>{say('view.alerts')}</h1>
        <Choices
          label={say('column.state')}
          choices={['open', 'all']}
          chosen={state}
          shown={(each) => say(`alerts.state.${each}`)}
        />
      </header>
      <AlertsOff />
      <Panel title={say(`alerts.state.${state.value}`)}>
        <PagedList<AlertItem>
          path="/alerts"
          query={{ state: state.value }}
          label={say('view.alerts')}
          empty={say('alerts.none')}
          columns={alertColumns()}
          keyOf={({ id }) => id}
        />
      </Panel>
    </>
  );
}

/** Shows why the list stays empty, or gets no newer alerts. */
function AlertsOff() {
  const off = overview.value.data?.alertsOff ?? null;
  if (off === null) return null;
  const setting = showName(off === 'not set' ? 'alerts' : 'embedded.speed: 1');
  return (
    <p class="notice warn" role="status" data-alerts-off={off}>
      {say(`alerts.off.${off}`, { setting })}
    </p>
  );
}

function alertColumns(): readonly DataColumn<AlertItem>[] {
  return [
    {
      key: 'time',
      head: say('column.time'),
      isShort: true,
      cell: ({ openedAtMs }) => <Age atMs={openedAtMs} />,
    },
    {
      key: 'severity',
      head: say('alerts.severity'),
      cell: ({ severity }) => (
        <Badge tone={({ info: 'calm', warning: 'warn', critical: 'bad' } as const)[severity]}>
          {say(`severity.${severity}`)}
        </Badge>
      ),
    },
    {
      key: 'text',
      head: say('column.text'),
      isTitle: true,
      cell: ({ texts }) => <span dir="auto">{texts[language.value]}</span>,
    },
    {
      key: 'end',
      head: say('alerts.ended'),
      cell: ({ endedAtMs }) => (endedAtMs === null ? say('alerts.state.open') : showTime(endedAtMs)),
    },
    {
      key: 'deliveries',
      head: say('alerts.deliveries'),
      cell: ({ deliveries }) =>
        deliveries.length === 0
          ? say('alerts.notSent')
          : deliveries.map(({ channel, state }) => (
              <span key={channel} class="delivery">
                <bdi dir="ltr">{channel}</bdi>: {say(`delivery.${state}`)}
              </span>
            )),
    },
    {
      key: 'acknowledged',
      head: say('alerts.acknowledged'),
      cell: ({ id, texts, acknowledgedAtMs, acknowledgedBy }) => {
        if (acknowledgedAtMs !== null)
          return (
            <>
              <bdi>{acknowledgedBy}</bdi> <Age atMs={acknowledgedAtMs} />
            </>
          );
        return mayOperate() ? (
          <button
            type="button"
            onClick={() => askFor({ kind: 'acknowledge', body: { alert: id } }, texts[language.value])}
          >
            {say('action.acknowledge.do')}
          </button>
        ) : (
          '–'
        );
      },
    },
  ];
}
