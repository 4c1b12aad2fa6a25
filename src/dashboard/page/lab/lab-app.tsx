import { useEffect, useRef } from 'preact/hooks';
import { effect, signal } from '@preact/signals';
import type { LabReply } from '../../../lab/lab-schema.ts';
import { WithReply } from '../parts/panel.tsx';
import { Icon, Tools, type IconName } from '../parts/tools.tsx';
import { pageSession } from '../session.ts';
import { showCount, showLength } from '../shown.ts';
import { hasTexts, t } from '../translate.ts';
import { refreshAll, useReply } from '../use-reply.ts';
import { Login } from '../views/login.tsx';
import { DataView } from './data-view.tsx';
import { JobsView } from './jobs-view.tsx';
import { RunForm, RUN_KINDS, type RunKind } from './run-form.tsx';
import { StudiesView } from './studies-view.tsx';

/** Views of the lab, each with its icon. */
const VIEWS = {
  jobs: 'log',
  backtest: 'trips',
  study: 'budgets',
  'walk-forward': 'profits',
  studies: 'reports',
  data: 'books',
} as const satisfies Readonly<Record<string, IconName>>;

type LabView = keyof typeof VIEWS;

const isRun = (view: LabView): view is RunKind => RUN_KINDS.some((kind) => kind === view);

function readView(): LabView {
  const name = location.hash.replace(/^#\/?/, '');
  return Object.hasOwn(VIEWS, name) ? (name as LabView) : 'jobs';
}

const shownView = signal<LabView>(readView());
addEventListener('hashchange', () => {
  shownView.value = readView();
});

/** Interval at which the state of running jobs is read, in ms. */
const PROGRESS_EVERY_MS = 1_000;

/** Shows the whole page: the login, or the lab. */
export function LabApp() {
  if (!hasTexts() || pageSession.value === undefined) return null;
  document.documentElement.dataset['ready'] = 'true';
  return pageSession.value === null ? <Login /> : <Lab />;
}

function Lab() {
  const desk = useReply<LabReply<'desk'>>('/desk');
  const jobs = useReply<LabReply<'jobs'>>('/jobs');
  const main = useRef<HTMLElement>(null);
  const view = shownView.value;
  const isFirst = useRef(true);
  useEffect(() => {
    let wasBusy = false;
    const isBusy = (): boolean =>
      jobs.value.data?.jobs.some(({ state }) => state === 'waiting' || state === 'running') ?? false;
    const timer = setInterval(() => {
      if (!document.hidden && isBusy()) jobs.value.refresh();
    }, PROGRESS_EVERY_MS);
    // Reports, studies and data may have changed with a job.
    const stop = effect(() => {
      const busy = isBusy();
      if (wasBusy && !busy) setTimeout(refreshAll);
      wasBusy = busy;
    });
    return () => {
      clearInterval(timer);
      stop();
    };
  }, []);
  useEffect(() => {
    document.title = `${t(`lab.view.${view}`)} – sarraf`;
    scrollTo(0, 0);
    // A screen reader announces the new view; it reads the first one from its beginning.
    if (!isFirst.current) main.current?.focus();
    isFirst.current = false;
  }, [view]);
  return (
    <>
      <a class="skip" href="#main" onClick={(event) => (event.preventDefault(), main.current?.focus())}>
        {t('skip')}
      </a>
      <header class="top">
        <a class="brand" href="#/jobs">
          <img src="/icon.svg" alt="" width="22" height="22" />
          {t('lab.title')}
        </a>
        <div class="tools">
          <Tools />
        </div>
      </header>
      <nav class="views" aria-label={t('nav.label')}>
        {(Object.keys(VIEWS) as LabView[]).map((each) => (
          <a key={each} href={`#/${each}`} aria-current={each === view ? 'page' : undefined}>
            <Icon name={VIEWS[each]} />
            <span>{t(`lab.view.${each}`)}</span>
          </a>
        ))}
      </nav>
      <main id="main" ref={main} tabIndex={-1} aria-label={t(`lab.view.${view}`)} data-view={view}>
        <h1>{t(`lab.view.${view}`)}</h1>
        <WithReply reply={desk.value}>
          {(found) =>
            view === 'jobs' ? (
              <JobsView jobs={jobs.value} />
            ) : view === 'studies' ? (
              <StudiesView />
            ) : view === 'data' ? (
              <DataView desk={found} />
            ) : isRun(view) ? (
              <RunForm key={view} kind={view} desk={found} />
            ) : null
          }
        </WithReply>
      </main>
      <footer class="foot">
        <p>{t('lab.counted')}</p>
        {desk.value.data === null ? null : (
          <p class="note">
            {t('lab.foot', {
              memory: showCount(desk.value.data.memoryMb),
              length: showLength(desk.value.data.longestMs),
            })}
          </p>
        )}
      </footer>
    </>
  );
}
