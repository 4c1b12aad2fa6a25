import type { ComponentChildren } from 'preact';
import { useSignal, type Signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

import type { JobItem, JobState, LabReply, RunFigures } from '../../../lab/lab-schema.ts';
import { getReply, postBody, reportAddress, withQuery } from '../api.ts';
import { column, DataTable, type DataColumn } from '../parts/data-table.tsx';
import { Panel, WithReply } from '../parts/panel.tsx';
import { Badge, Button, type Tone } from '../parts/words.tsx';
import { mayOperate } from '../session.ts';
import { nowMs, NONE, showCount, showLength, showMoney, showNumber, showShare, showTime } from '../shown.ts';
import { t, type TextKey } from '../translate.ts';
import { useReply, type ShownReply } from '../use-reply.ts';
import { changedJob, PostedLine, usePostedJob } from './form.tsx';
import { RUN_KINDS } from './run-form.tsx';

/** Maximum number of runs side by side, as the server has it. */
const MOST_COMPARED = 4;

const TONES: Readonly<Record<JobState, Tone>> = {
  waiting: 'calm',
  running: 'calm',
  done: 'good',
  failed: 'bad',
  cancelled: 'warn',
  'out-of-memory': 'bad',
  'out-of-time': 'bad',
  abandoned: 'warn',
};

/** Shows the queue and what came of the jobs before, their output, and runs side by side. */
export function JobsView({ jobs }: { readonly jobs: ShownReply<LabReply<'jobs'>> }) {
  const ticked = useSignal<readonly string[]>([]);
  const output = useSignal<number | null>(null);
  const posted = usePostedJob();
  const cancel = (id: number): void => {
    void postBody(`/jobs/${id}/cancel`, {}).then(jobs.refresh, jobs.refresh);
  };
  const columns: readonly DataColumn<JobItem>[] = [
    column('lab.jobs.what', (job) => <JobName job={job} ticked={ticked} />, 'title'),
    column('lab.jobs.on', ({ request: { typed } }) => (
      <bdi dir="ltr">
        {[typed['markets'] ?? typed['market'], typed['timeframe']].filter(Boolean).join(' ')}
      </bdi>
    )),
    column('column.state', (job) => <StateCell job={job} />),
    column('lab.jobs.took', ({ beganAtMs, endedAtMs, state }) =>
      beganAtMs === null
        ? '–'
        : showLength(Math.max(0, (state === 'running' ? nowMs.value : (endedAtMs ?? beganAtMs)) - beganAtMs)),
    ),
    column('column.time', ({ queuedAtMs }) => showTime(queuedAtMs), 'short'),
    column('lab.jobs.report', ({ report }) =>
      report === null ? null : (
        <a href={reportAddress(report)} target="_blank" rel="noreferrer">
          {t('lab.jobs.report')}
        </a>
      ),
    ),
    column('lab.jobs.actions', (job) => (
      <span class="job-actions">
        {job.state === 'waiting' || job.state === 'running' ? (
          <Button text="lab.jobs.cancel" disabled={!mayOperate()} onClick={() => cancel(job.id)} />
        ) : job.request.kind === 'holdout' ? null : (
          <Button
            text="lab.jobs.again"
            disabled={!mayOperate()}
            onClick={() => void posted.post({ ...job.request, again: false })}
          />
        )}
        {RUN_KINDS.some((kind) => kind === job.request.kind) ? (
          <Button
            text="lab.jobs.edit"
            onClick={() => {
              changedJob.value = job.request;
              location.hash = `#/${job.request.kind}`;
            }}
          />
        ) : null}
        <Button text="lab.jobs.show" onClick={() => (output.value = job.id)} />
      </span>
    )),
  ];
  return (
    <>
      <PostedLine posted={posted} />
      <WithReply reply={jobs}>
        {({ jobs: items }) => (
          <Panel title={t('lab.view.jobs')} note={t('lab.jobs.chosen')}>
            <DataTable
              label="lab.view.jobs"
              columns={columns}
              rows={items}
              keyOf={({ id }) => String(id)}
              empty="lab.jobs.none"
            />
          </Panel>
        )}
      </WithReply>
      {ticked.value.length < 2 ? null : (
        <Comparison key={ticked.value.join()} names={ticked.value} jobs={jobs.data?.jobs ?? []} />
      )}
      {output.value === null ? null : <Output key={output.value} id={output.value} />}
    </>
  );
}

function JobName({ job, ticked }: { readonly job: JobItem; readonly ticked: Signal<readonly string[]> }) {
  const { id, request, run } = job;
  const name = request.kind === 'holdout' ? request.study : request.strategy;
  const params = Object.entries(request.params)
    .filter(([, value]) => value !== '')
    .map(([param, value]) => `${param} ${value}`)
    .join(', ');
  const words = (
    <>
      {t(`lab.kind.${request.kind}`)} <bdi dir="ltr">{name}</bdi> <span class="note">{showCount(id)}</span>
      {params === '' ? null : (
        <bdi dir="ltr" class="note line">
          {params}
        </bdi>
      )}
    </>
  );
  if (run === null || job.state !== 'done') return words;
  const isTicked = ticked.value.includes(run);
  return (
    <span class="tick">
      <input
        type="checkbox"
        aria-label={t('lab.jobs.choose', { id })}
        checked={isTicked}
        disabled={!isTicked && ticked.value.length >= MOST_COMPARED}
        onChange={() =>
          (ticked.value = isTicked ? ticked.value.filter((one) => one !== run) : [...ticked.value, run])
        }
      />
      <span>{words}</span>
    </span>
  );
}

/** Words for the phases of a command, by its own. */
const PHASES: readonly (readonly [RegExp, TextKey])[] = [
  [/^loading|^books/, 'lab.phase.loading'],
  [/^bars/, 'lab.phase.bars'],
  [/^trials/, 'lab.phase.trials'],
  [/^statistics/, 'lab.phase.statistics'],
  [/^the account/, 'lab.phase.account'],
];

function StateCell({ job: { state, progress, request } }: { readonly job: JobItem }) {
  const phase = PHASES.find(([pattern]) => pattern.test(progress?.phase ?? ''))?.[1];
  return (
    <span class="line">
      <Badge tone={TONES[state]}>
        <span data-job={state}>{t(`lab.state.${state}`)}</span>
      </Badge>{' '}
      {progress === null ? null : (
        <>
          {progress.share === null ? null : (
            <progress max={1} value={progress.share} aria-label={t('lab.jobs.progress')} />
          )}{' '}
          <span class="note">
            {phase === undefined ? <bdi dir="ltr">{progress.phase}</bdi> : t(phase as 'lab.phase.bars')}{' '}
            {progress.share === null ? '' : showShare(progress.share)}
          </span>
        </>
      )}
      {request.again ? <span class="note"> {t('lab.jobs.onSave')}</span> : null}
    </span>
  );
}

function Output({ id }: { readonly id: number }) {
  const text = useSignal<string | null>(null);
  useEffect(() => {
    const read = (): void =>
      void getReply<LabReply<'output'>>(`/jobs/${id}/output`).then(
        (reply) => (text.value = reply.text),
        () => undefined,
      );
    read();
    const timer = setInterval(read, 2_000);
    return () => clearInterval(timer);
  }, [id]);
  return (
    <Panel title={t('lab.jobs.output', { id })}>
      {text.value === null || text.value === '' ? (
        <p class="empty">{t(text.value === null ? 'loading' : 'lab.jobs.noOutput')}</p>
      ) : (
        <pre class="output" dir="ltr" lang="en" tabIndex={0}>
          {text.value}
        </pre>
      )}
    </Panel>
  );
}

/** Figures that are compared, each with its form. */
const FIGURES = {
  finalEquity: 'money',
  totalReturn: 'share',
  buyAndHoldReturn: 'share',
  maxDrawdown: 'share',
  sharpe: 'number',
  sortino: 'number',
  profitFactor: 'number',
  winRate: 'share',
  trades: 'number',
  exposure: 'share',
  fees: 'money',
} as const;

type FigureName = keyof typeof FIGURES;

const FIGURE_NAMES = Object.keys(FIGURES) as FigureName[];

/** Row of the comparison: what each run has of a param or a figure. */
interface ComparedRow {
  readonly key: string;
  readonly title: ComponentChildren;
  readonly of: (run: RunFigures) => string;
}

const figureRow = (name: FigureName): ComparedRow => ({
  key: name,
  title: t(`lab.figure.${name}`),
  of: (run) => figureText(run, name),
});

/** Returns a row for each param that is not alike in all runs. */
function paramRows(runs: readonly RunFigures[]): readonly ComparedRow[] {
  const names = [...new Set(runs.flatMap(({ params }) => Object.keys(params)))];
  return names
    .filter((name) => runs.some(({ params }) => params[name] !== runs[0]?.params[name]))
    .map((name) => ({
      key: `param ${name}`,
      title: <code dir="ltr">{name}</code>,
      of: ({ params }) => params[name] ?? NONE,
    }));
}

function figureText({ figures, quote }: RunFigures, name: FigureName): string {
  const value = figures[name] ?? null;
  if (value === null) return NONE;
  const kind = FIGURES[name];
  if (kind === 'money') return showMoney(String(value), quote);
  return kind === 'share' ? showShare(value) : showNumber(Number(value).toFixed(2));
}

interface ComparisonProps {
  /** Names of the runs. */
  readonly names: readonly string[];
  readonly jobs: readonly JobItem[];
}

function Comparison({ names, jobs }: ComparisonProps) {
  const reply = useReply<LabReply<'compare'>>(withQuery('/compare', { runs: names.join(',') }));
  return (
    <Panel title={t('lab.compare.title')}>
      <WithReply reply={reply.value}>
        {({ runs, grounds }) => (
          <>
            <DataTable
              label="lab.compare.title"
              columns={[
                column<ComparedRow>('lab.compare.figure', ({ title }) => title, 'title'),
                ...runs.map((run): DataColumn<ComparedRow> => ({
                  head: `${run.strategies.join(', ')} ${showCount(jobs.find((job) => job.run === run.run)?.id ?? 0)}`,
                  cell: ({ of }) => of(run),
                  flags: ['number'],
                })),
              ]}
              rows={[...paramRows(runs), ...FIGURE_NAMES.map(figureRow)]}
              keyOf={({ key }) => key}
              empty="lab.jobs.none"
            />
            {grounds.length === 0 ? null : (
              <div class="notice warn">
                {t('lab.compare.grounds')}
                <ul>
                  {grounds.map((ground) => (
                    <li key={ground}>{t(`lab.ground.${ground}`)}</li>
                  ))}
                </ul>
              </div>
            )}
          </>
        )}
      </WithReply>
    </Panel>
  );
}
