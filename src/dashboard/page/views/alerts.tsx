import { useSignal } from '@preact/signals';
import { askFor } from '../actions/action.ts';
import type { AlertItem } from '../../schema/overview.ts';
import { Choices, Age, Badge, Button } from '../parts/words.tsx';
import { column, type DataColumn, PagedList } from '../parts/data-table.tsx';
import { overview } from '../overview.ts';
import { Panel } from '../parts/panel.tsx';
import { language } from '../preferences.ts';
import { t } from '../translate.ts';
import { mayOperate } from '../session.ts';
import { showName, showTime } from '../shown.ts';

export function AlertsView() {
  const state = useSignal<'open' | 'all'>('all');
  return (
    <>
      <header class="view-head">
        <h1>{t('view.alerts')}</h1>
        <Choices
          label="column.state"
          choices={['open', 'all']}
          chosen={state}
          shown={(each) => t(`alerts.state.${each}`)}
        />
      </header>
      <AlertsOff />
      <Panel title={t(`alerts.state.${state.value}`)}>
        <PagedList<AlertItem>
          path="/alerts"
          query={{ state: state.value }}
          label="view.alerts"
          empty="alerts.none"
          columns={alertColumns()}
          keyOf={({ id }) => id}
          above={({ items }) => <AcknowledgeAll alerts={items} />}
        />
      </Panel>
    </>
  );
}

/** Button that acknowledges all alerts up to the newest one shown, as no later one was seen. */
function AcknowledgeAll({ alerts }: { readonly alerts: readonly AlertItem[] }) {
  const [newest] = alerts;
  const open = alerts.filter(({ acknowledgedAtMs }) => acknowledgedAtMs === null);
  if (newest === undefined || open.length < 2 || !mayOperate()) return null;
  return (
    <p class="pages">
      <Button
        text="action.acknowledge.all"
        onClick={() =>
          askFor(
            { kind: 'acknowledge', body: { alert: newest.id, andOlder: true } },
            t('alerts.allOfThem', { text: newest.texts[language.value] }),
          )
        }
      />
    </p>
  );
}

/** Shows why the list stays empty, or gets no newer alerts. */
function AlertsOff() {
  const off = overview.value.data?.alertsOff ?? null;
  if (off === null) return null;
  const setting = showName(off === 'not set' ? 'alerts' : 'embedded.speed: 1');
  return (
    <p class="notice warn" role="status" data-alerts-off={off}>
      {t(`alerts.off.${off}`, { setting })}
    </p>
  );
}

function alertColumns(): readonly DataColumn<AlertItem>[] {
  return [
    column('column.time', ({ openedAtMs }) => <Age atMs={openedAtMs} />, 'short'),
    column('alerts.severity', ({ severity }) => (
      <Badge tone={({ info: 'calm', warning: 'warn', critical: 'bad' } as const)[severity]}>
        {t(`severity.${severity}`)}
      </Badge>
    )),
    column('column.text', ({ texts }) => texts[language.value], 'title'),
    column('alerts.ended', ({ endedAtMs }) =>
      endedAtMs === null ? t('alerts.state.open') : showTime(endedAtMs),
    ),
    column('alerts.deliveries', ({ deliveries }) =>
      deliveries.length === 0
        ? t('alerts.notSent')
        : deliveries.map(({ channel, state }) => (
            <span key={channel} class="delivery">
              <bdi dir="ltr">{channel}</bdi>: {t(`delivery.${state}`)}
            </span>
          )),
    ),
    column('alerts.acknowledged', ({ id, texts, acknowledgedAtMs, acknowledgedBy }) => {
      if (acknowledgedAtMs !== null)
        return (
          <>
            <bdi>{acknowledgedBy}</bdi> <Age atMs={acknowledgedAtMs} />
          </>
        );
      return mayOperate() ? (
        <Button
          text="action.acknowledge.do"
          onClick={() => askFor({ kind: 'acknowledge', body: { alert: id } }, texts[language.value])}
        />
      ) : (
        '–'
      );
    }),
  ];
}
