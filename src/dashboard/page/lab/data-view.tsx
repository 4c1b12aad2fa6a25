import { useSignal } from '@preact/signals';
import type { LabReply, RecordingItem, TypedValues } from '../../../lab/lab-schema.ts';
import { column, DataTable, type DataColumn } from '../parts/data-table.tsx';
import { Panel, WithReply } from '../parts/panel.tsx';
import { WithCode } from '../parts/words.tsx';
import { showCount, showNumber, showTime } from '../shown.ts';
import { t } from '../translate.ts';
import { useReply } from '../use-reply.ts';
import { FormFields, PostedLine, RunButton, settingLabel, usePostedJob } from './form.tsx';

const MEGABYTE = 1e6;

/** Lists the recorded data, and imports, downloads and checks it. */
export function DataView({ desk }: { readonly desk: LabReply<'desk'> }) {
  const reply = useReply<LabReply<'data'>>('/data');
  const columns: readonly DataColumn<RecordingItem>[] = [
    column('column.market', ({ market }) => <bdi dir="ltr">{market}</bdi>, 'title'),
    column('lab.data.what', ({ folder, anchor }) => (
      <bdi dir="ltr">{anchor === null || anchor === 'UTC' ? folder : `${folder} (${anchor})`}</bdi>
    )),
    column('lab.data.rows', ({ rows }) => showCount(rows), 'number'),
    column('lab.data.from', ({ fromMs }) => showTime(fromMs), 'short'),
    column('lab.data.to', ({ toMs }) => showTime(toMs), 'short'),
    column('lab.data.gaps', ({ gaps }) => showCount(gaps), 'number'),
    column(
      'lab.data.size',
      ({ bytes }) => t('lab.data.megabytes', { size: showNumber((bytes / MEGABYTE).toFixed(1)) }),
      'number',
    ),
    column('lab.data.source', ({ sources }) => <bdi dir="ltr">{sources.slice(0, 3).join(', ')}</bdi>),
  ];
  return (
    <>
      <WithReply reply={reply.value}>
        {({ recordings }) => (
          <Panel title={t('lab.data.title')}>
            <DataTable
              label="lab.data.title"
              columns={columns}
              rows={recordings}
              keyOf={({ market, folder }) => `${market} ${folder}`}
              empty="lab.data.none"
            />
          </Panel>
        )}
      </WithReply>
      <div class="columns">
        <DataForm kind="download" desk={desk} isPossible={desk.hasExchange} />
        <DataForm kind="import" desk={desk} isPossible={desk.files.length > 0} />
        <DataForm kind="verify" desk={desk} isPossible />
      </div>
    </>
  );
}

interface DataFormProps {
  readonly kind: 'download' | 'import' | 'verify';
  readonly desk: LabReply<'desk'>;
  readonly isPossible: boolean;
}

function DataForm({ kind, desk, isPossible }: DataFormProps) {
  const typed = useSignal<TypedValues>({});
  const posted = usePostedJob();
  // The file is one of those that are there.
  const fields = desk.forms[kind].map((field) =>
    field.path === 'file' ? { ...field, kind: 'choice' as const, choices: desk.files } : field,
  );
  return (
    <Panel title={t(`lab.data.${kind}`)} note={t(`lab.data.${kind}Note`)}>
      {isPossible ? (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void posted.post({ kind, typed: typed.value });
          }}
        >
          <FormFields
            fields={fields}
            typed={typed}
            prefix={kind}
            failure={posted.failure.value}
            labelOf={settingLabel}
          />
          <PostedLine posted={posted} />
          <div class="buttons">
            <RunButton posted={posted} text={`lab.data.${kind}`} />
          </div>
        </form>
      ) : (
        <p class="empty">
          <WithCode text={t(kind === 'download' ? 'lab.data.noExchange' : 'lab.data.noFiles')} />
        </p>
      )}
    </Panel>
  );
}
