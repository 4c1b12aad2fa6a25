import { useEffect, useRef } from 'preact/hooks';
import { useSignalEffect } from '@preact/signals';
import type { OverviewReply } from '../schema/overview.ts';
import { followEvents, liveState } from './live.ts';
import { refreshMarkets, overview } from './overview.ts';
import { route, hrefOf, LISTED_VIEWS, type PageView } from './route.ts';
import { hasTexts, t } from './translate.ts';
import { endSession, pageSession, mayOperate } from './session.ts';
import { botAheadMs, showCount, showTime } from './shown.ts';
import { useReply } from './use-reply.ts';
import { Login } from './views/login.tsx';
import { loadedLater } from './loaded-later.tsx';
import { MarketView } from './views/market.tsx';
import { OrdersView } from './views/orders.tsx';
import { OverviewView } from './views/overview.tsx';
import { language } from './preferences.ts';
import { reasonToReload } from './page-parts.ts';
import { askFor, openDialog } from './actions/action.ts';
import { BotState, StateDetail } from './parts/bot-state.tsx';
import { Icon, Tools } from './parts/tools.tsx';
import { Badge, Button } from './parts/words.tsx';

/** Interval between reads of the overview, in ms: nearly all of it changes with each poll of the bot. */
const OVERVIEW_PAUSE_MS = 3_000;

/** Shows the whole page: the login, or the bot. */
export function App() {
  if (!hasTexts() || pageSession.value === undefined) return null;
  document.documentElement.dataset['ready'] = 'true';
  return pageSession.value === null ? <Login /> : <SignedIn />;
}

function SignedIn() {
  const reply = useReply<OverviewReply>('/overview', OVERVIEW_PAUSE_MS);
  useSignalEffect(() => {
    overview.value = reply.value;
    const { data, readAtMs } = reply.value;
    if (data !== null && readAtMs !== null) botAheadMs.value = (data.botNowMs ?? data.nowMs) - readAtMs;
  });
  useEffect(() => {
    void followEvents(endSession);
    void refreshMarkets();
  }, []);
  const main = useRef<HTMLElement>(null);
  const { view, subject } = route.value;
  const isFirst = useRef(true);
  useEffect(() => {
    document.title = `${t(`view.${view}`)}${subject === null ? '' : ` ${subject}`} – sarraf`;
    scrollTo(0, 0);
    openDialog.value = null;
    // A screen reader announces the new view; it reads the first one from its beginning.
    if (!isFirst.current) main.current?.focus();
    isFirst.current = false;
  }, [view, subject]);
  return (
    <>
      <a class="skip" href="#main" onClick={(event) => (event.preventDefault(), main.current?.focus())}>
        {t('skip')}
      </a>
      <Header />
      <Navigation />
      <main id="main" ref={main} tabIndex={-1} aria-label={t(`view.${view}`)} data-view={view}>
        <ReloadNotice />
        <ViewOf view={view} subject={subject} />
      </main>
      <Footer />
      <AlertsRegion />
      {openDialog.value === null ? null : <ActionDialog />}
    </>
  );
}

/** The dialog of all actions, loaded when one is first asked for. */
const ActionDialog = loadedLater(async () => import('./actions/action-dialog.tsx'))(
  (actions) => actions.ActionDialog,
);

/** Shows a note on the page itself: viewing it costs nothing at the exchange. */
function Footer() {
  return (
    <footer class="foot">
      <p>{t('foot.noRequests')}</p>
      <p class="note">
        {t('foot.times')} · <bdi dir="ltr">sarraf {pageSession.value?.version}</bdi>
      </p>
    </footer>
  );
}

/** Region read aloud when it changes: the number of open alerts, and the newest of them. */
function AlertsRegion() {
  const open = overview.value.data?.alerts ?? [];
  return (
    <div class="heard" aria-live="polite" role="status" data-alerts={open.length}>
      {open.length === 0
        ? ''
        : `${t('alerts.open', { count: open.length })}: ${open[0]?.texts[language.value] ?? ''}`}
    </div>
  );
}

/** Shows why the page should be reloaded; nothing if there is no reason. */
function ReloadNotice() {
  const reason = reasonToReload.value;
  if (reason === null) return null;
  return (
    <p class="notice warn" role="alert" data-reload={reason}>
      {t(`reload.${reason}`)}{' '}
      {/* Without the server there is nothing to load, and a reload would lose what is shown. */}
      {liveState.value === 'lost' ? null : (
        <Button text="action.reload" class="quiet" onClick={() => location.reload()} />
      )}
    </p>
  );
}

type ListedView = (typeof LISTED_VIEWS)[number];

/** Views that the bar of a phone shows; the others are in the menu. */
const ON_PHONE: ReadonlySet<ListedView> = new Set(['overview', 'market', 'orders', 'alerts'] as const);

/** Menu entry that is marked for a view without its own entry. */
const PARENTS: Partial<Record<PageView, ListedView>> = { order: 'orders', strategy: 'overview' };

function Entry({ view, onGo }: { readonly view: ListedView; readonly onGo?: () => void }) {
  const now = PARENTS[route.value.view] ?? route.value.view;
  const data = overview.value.data;
  const count = view === 'alerts' ? data?.alerts.length : view === 'locks' ? data?.locks.length : 0;
  return (
    <a
      href={hrefOf(view)}
      aria-current={now === view ? 'page' : undefined}
      onClick={onGo}
      data-phone={ON_PHONE.has(view)}
    >
      <Icon name={view} />
      <span>{t(`view.${view}`)}</span>
      {count === undefined || count === 0 ? null : <span class="count">{showCount(count)}</span>}
    </a>
  );
}

/** Link to the lab, if the configuration of the bot names one. */
function LabLink() {
  const lab = pageSession.value?.lab;
  return lab ? (
    <a href={lab} data-phone="false">
      <Icon name="budgets" />
      <span>{t('view.lab')}</span>
    </a>
  ) : null;
}

/** Shows the links to the views: a column on a wide screen; a bar at the bottom with a menu on a phone. */
function Navigation() {
  const menu = useRef<HTMLDialogElement>(null);
  return (
    <nav class="views" aria-label={t('nav.label')}>
      {LISTED_VIEWS.map((view) => (
        <Entry key={view} view={view} />
      ))}
      <LabLink />
      <button type="button" class="menu-button" onClick={() => menu.current?.showModal()}>
        <Icon name="more" />
        <span>{t('nav.more')}</span>
      </button>
      <dialog ref={menu} class="menu" aria-label={t('nav.label')}>
        <div class="menu-list">
          {LISTED_VIEWS.map((view) => (
            <Entry key={view} view={view} onGo={() => menu.current?.close()} />
          ))}
          <LabLink />
          <Button text="action.close" onClick={() => menu.current?.close()} />
        </div>
      </dialog>
    </nav>
  );
}

/** Shows the header of every view: the state of the bot, halt or resume, language and theme. */
function Header() {
  const { data, readAtMs } = overview.value;
  const bot = data?.bot;
  return (
    <header class="top">
      <a class="brand" href={hrefOf('overview')}>
        <img src="/icon.svg" alt="" width="22" height="22" />
        <bdi dir="ltr">{bot?.instance ?? 'sarraf'}</bdi>
      </a>
      {bot === undefined ? null : (
        <div class="state" data-bot={bot.state}>
          <BotState bot={bot} />
          {bot.venue === 'live' ? (
            <Badge tone="warn">{t('state.live')}</Badge>
          ) : (
            <Badge tone="calm">{t(bot.isEmbedded ? 'state.embedded' : 'state.paper')}</Badge>
          )}
          <span class="note detail">
            <StateDetail bot={bot} />
          </span>
        </div>
      )}
      {liveState.value === 'lost' ? (
        <span class="lost" role="status">
          <Badge tone="warn">{t('live.lost', { time: showTime(readAtMs, 'clock-seconds') })}</Badge>
        </span>
      ) : null}
      <div class="tools">
        <MainAction />
        <Tools />
      </div>
    </header>
  );
}

/** Button to halt the bot, or to resume it, in every view. */
function MainAction() {
  const bot = overview.value.data?.bot;
  if (bot === undefined || !mayOperate()) return null;
  if (bot.state === 'halted')
    return (
      <Button text="action.resume.do" class="primary" onClick={() => askFor({ kind: 'resume', body: {} })} />
    );
  return (
    <Button
      text="action.halt.do"
      class="danger"
      disabled={bot.state === 'ended'}
      onClick={() => askFor({ kind: 'halt', body: {} })}
    />
  );
}

interface ViewProps {
  readonly view: PageView;
  readonly subject: string | null;
}

/** The views that are rarely seen first. */
const FurtherView = loadedLater(async () => import('./views/further-view.tsx'))(
  (further) => further.FurtherView,
);

function ViewOf({ view, subject }: ViewProps) {
  if (view === 'overview') return <OverviewView />;
  if (view === 'market') return <MarketView symbol={subject} />;
  if (view === 'orders') return <OrdersView />;
  return <FurtherView key={view} view={view} subject={subject} />;
}
