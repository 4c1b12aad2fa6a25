import { reportAddress } from '../api.ts';
import type { ReportItem, ReportsReply } from '../../schema/log.ts';
import { column, type DataColumn, DataTable } from '../parts/data-table.tsx';
import { Panel, WithReply } from '../parts/panel.tsx';
import { t } from '../translate.ts';
import { showCount, showTime } from '../shown.ts';
import { useReply } from '../use-reply.ts';

const KILOBYTE = 1_024;

/** Lists reports of backtests and studies below the data folder. Each opens in an isolated page. */
export function ReportsView() {
  const reply = useReply<ReportsReply>('/reports');
  const columns: readonly DataColumn<ReportItem>[] = [
    column(
      'reports.name',
      ({ id, name }) => (
        <a href={reportAddress(id)} target="_blank" rel="noreferrer" dir="ltr">
          {name}
        </a>
      ),
      'title',
    ),
    column('reports.kind', ({ kind }) => t(`reportKind.${kind}`)),
    column('column.time', ({ atMs }) => showTime(atMs), 'short'),
    column(
      'reports.size',
      ({ bytes }) => t('reports.kilobytes', { size: showCount(Math.ceil(bytes / KILOBYTE)) }),
      'number',
    ),
  ];
  return (
    <>
      <h1>{t('view.reports')}</h1>
      <WithReply reply={reply.value}>
        {({ reports }) => (
          <Panel title={t('reports.title')} note={t('reports.note')}>
            <DataTable
              label="view.reports"
              columns={columns}
              rows={reports}
              keyOf={({ id }) => id}
              empty="reports.none"
            />
          </Panel>
        )}
      </WithReply>
    </>
  );
}
