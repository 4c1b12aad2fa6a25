import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { LabReply, StudyItem } from '../../../lab/lab-schema.ts';
import { column, DataTable, type DataColumn } from '../parts/data-table.tsx';
import { Panel, WithReply } from '../parts/panel.tsx';
import { Button } from '../parts/words.tsx';
import { mayOperate } from '../session.ts';
import { showCount, showTime } from '../shown.ts';
import { t } from '../translate.ts';
import { useReply } from '../use-reply.ts';
import { PostedLine, usePostedJob } from './form.tsx';

/** Lists the studies, and opens a hold-out after a warning. */
export function StudiesView() {
  const reply = useReply<LabReply<'studies'>>('/studies');
  const asked = useSignal<StudyItem | null>(null);
  const posted = usePostedJob();
  const columns: readonly DataColumn<StudyItem>[] = [
    column('lab.studies.name', ({ name }) => <bdi dir="ltr">{name}</bdi>, 'title'),
    column('lab.form.strategy', ({ strategy }) => <bdi dir="ltr">{strategy.split(/[/\\]/).at(-1)}</bdi>),
    column('lab.jobs.on', ({ markets }) => <bdi dir="ltr">{markets.join(', ')}</bdi>),
    column('lab.studies.trials', ({ done, wanted }) => `${showCount(done)} / ${showCount(wanted)}`, 'number'),
    column('lab.studies.onData', ({ trialsOnData }) => showCount(trialsOnData), 'number'),
    column('lab.studies.holdout', (study) => {
      if (!study.hasHoldout) return t('lab.studies.hasNone');
      if (study.openedAtMs !== null) return t('lab.studies.opened', { time: showTime(study.openedAtMs) });
      return (
        <>
          {t('lab.studies.closed')}{' '}
          <Button text="lab.studies.open" disabled={!mayOperate()} onClick={() => (asked.value = study)} />
        </>
      );
    }),
  ];
  return (
    <>
      <PostedLine posted={posted} />
      <WithReply reply={reply.value}>
        {({ studies }) => (
          <Panel title={t('lab.view.studies')}>
            <DataTable
              label="lab.view.studies"
              columns={columns}
              rows={studies}
              keyOf={({ name }) => name}
              empty="lab.studies.none"
            />
          </Panel>
        )}
      </WithReply>
      {asked.value === null ? null : (
        <Warning
          study={asked.value}
          onLeave={() => (asked.value = null)}
          onConfirm={({ name }) => {
            asked.value = null;
            void posted.post({ kind: 'holdout', study: name, isConfirmed: true });
          }}
        />
      )}
    </>
  );
}

interface WarningProps {
  readonly study: StudyItem;
  readonly onLeave: () => void;
  readonly onConfirm: (study: StudyItem) => void;
}

/** Dialog with what an opened hold-out is worth, before it is opened. */
function Warning({ study, onLeave, onConfirm }: WarningProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const { trialsOnData: count, openedOnData: opened } = study;
  return (
    <dialog ref={dialog} class="action" aria-labelledby="dialog-title" onClose={onLeave}>
      <h2 id="dialog-title">{t('lab.studies.open')}</h2>
      <p class="about" dir="ltr">
        {study.name}
      </p>
      <p class="notice warn">{t('lab.studies.warning')}</p>
      <p>{t('lab.studies.warningOfData', { count, opened })}</p>
      <form method="dialog" class="buttons">
        <button type="submit">{t('action.leave')}</button>
        <button type="button" class="danger" data-confirm onClick={() => onConfirm(study)}>
          {t('lab.studies.confirm')}
        </button>
      </form>
    </dialog>
  );
}
