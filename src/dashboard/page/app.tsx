import { useEffect, useRef } from 'preact/hooks';
import { signal, useSignalEffect } from '@preact/signals';
import type { OverviewReply } from '../schema/overview.ts';
import { ActionDialog } from './actions/action-dialog.tsx';
import { followEvents, liveState } from './live.ts';
import { refreshMarkets, overview } from './overview.ts';
import { route, hrefOf, LISTED_VIEWS, type PageView } from './route.ts';
import { hasTexts, loadFurtherTexts, t } from './translate.ts';
import { endSession, pageSession, mayOperate, signOut } from './session.ts';
import { botAheadMs, showCount, showTime } from './shown.ts';
import { useReply } from './use-reply.ts';
import { Login } from './views/login.tsx';
import type { FurtherView as Further } from './views/further-view.tsx';
import { MarketView } from './views/market.tsx';
import { OrdersView } from './views/orders.tsx';
import { OverviewView } from './views/overview.tsx';
import { chooseTheme, isDark } from '../../page/theme.ts';
import { chooseLanguage, chooseRialUnit, language, rialUnit } from './preferences.ts';
import { loadPart, reasonToReload } from './page-parts.ts';
import { askFor, openDialog } from './actions/action.ts';
import { BotState, StateDetail } from './parts/bot-state.tsx';
import { Badge, Button } from './parts/words.tsx';

/** Shows the whole page: the login, or the bot. */
export function App() {
  if (!hasTexts() || pageSession.value === undefined) return null;
  document.documentElement.dataset['ready'] = 'true';
  return pageSession.value === null ? <Login /> : <SignedIn />;
}

function SignedIn() {
  const reply = useReply<OverviewReply>('/overview');
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
      <ActionDialog />
    </>
  );
}

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
  // Without the server there is nothing to load, and a reload would lose what is shown.
  if (reason === null || liveState.value === 'lost') return null;
  return (
    <p class="notice warn" role="alert" data-reload={reason}>
      {t(`reload.${reason}`)} <Button text="action.reload" class="quiet" onClick={() => location.reload()} />
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

/** Shows the links to the views: a column on a wide screen; a bar at the bottom with a menu on a phone. */
function Navigation() {
  const menu = useRef<HTMLDialogElement>(null);
  return (
    <nav class="views" aria-label={t('nav.label')}>
      {LISTED_VIEWS.map((view) => (
        <Entry key={view} view={view} />
      ))}
      <button type="button" class="menu-button" onClick={() => menu.current?.showModal()}>
        <Icon name="more" />
        <span>{t('nav.more')}</span>
      </button>
      <dialog ref={menu} class="menu" aria-label={t('nav.label')}>
        <div class="menu-list">
          {LISTED_VIEWS.map((view) => (
            <Entry key={view} view={view} onGo={() => menu.current?.close()} />
          ))}
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
        <button
          type="button"
          class="quiet"
          lang={language.value === 'fa' ? 'en' : 'fa'}
          onClick={() => chooseLanguage(language.value === 'fa' ? 'en' : 'fa')}
        >
          {language.value === 'fa' ? 'English' : 'فارسی'}
        </button>
        <button
          type="button"
          class="quiet"
          aria-pressed={rialUnit.value === 'toman'}
          onClick={() => chooseRialUnit(rialUnit.value === 'toman' ? 'rial' : 'toman')}
        >
          {t('tool.toman')}
        </button>
        <button
          type="button"
          class="quiet icon"
          aria-label={t(isDark.value ? 'tool.light' : 'tool.dark')}
          title={t(isDark.value ? 'tool.light' : 'tool.dark')}
          onClick={() => chooseTheme(isDark.value ? 'light' : 'dark')}
        >
          <Icon name={isDark.value ? 'sun' : 'moon'} />
        </button>
        <button
          type="button"
          class="quiet icon"
          aria-label={t('tool.signOut')}
          title={t('tool.signOut')}
          onClick={() => void signOut()}
        >
          <Icon name="leave" />
        </button>
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

/** Icons as lines in a 24 by 24 square, in the colour of the text beside them. */
const PATHS = {
  overview: 'M4 13h6V4H4zM14 20h6V11h-6zM4 20h6v-3H4zM14 7h6V4h-6z',
  market: 'M7 4v3M7 15v5M5 7h4v8H5zM17 3v5M17 14v4M15 8h4v6h-4z',
  orders: 'M5 6h14M5 12h14M5 18h9',
  trips: 'M4 8h13M13 4l4 4-4 4M20 16H7M11 12l-4 4 4 4',
  profits: 'M5 5h14v15H5zM5 10h14M9 3v4M15 3v4M9 15h.01M12 15h3',
  quality: 'M12 20V10M6 20v-6M18 20V4',
  fills: 'M5 13l4 4L19 7',
  signals: 'M12 19v-6M9.5 13a2.5 2.5 0 1 1 5 0M7 15a6 6 0 1 1 10 0M4.5 17.5a9.5 9.5 0 1 1 15 0',
  budgets: 'M4 18a8 8 0 1 1 16 0M12 18l4-6',
  books: 'M12 4v16M6 8h12M6 8l-3 6h6zM18 8l-3 6h6z',
  locks: 'M6 11h12v9H6zM9 11V8a3 3 0 0 1 6 0v3',
  log: 'M5 5h14v14H5zM8 9h8M8 12h8M8 15h5',
  alerts: 'M6 17V11a6 6 0 0 1 12 0v6l2 2H4zM10 21h4',
  reports: 'M4 20h16M7 20v-7M12 20V6M17 20v-10',
  bots: 'M5 9h14v10H5zM12 9V5M9 13v2M15 13v2',
  more: 'M5 7h14M5 12h14M5 17h14',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8M12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.5 1.5M17.5 17.5L19 19M5 19l1.5-1.5M17.5 6.5L19 5',
  moon: 'M20 14A8 8 0 1 1 10 4a6.5 6.5 0 0 0 10 10z',
  leave: 'M14 4h5v16h-5M4 12h10M10 8l4 4-4 4',
} as const;

type IconName = keyof typeof PATHS;

function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class={`icon ${name}`} viewBox="0 0 24 24" width="20" height="20" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}

interface ViewProps {
  readonly view: PageView;
  readonly subject: string | null;
}

/** Code of the views that are rarely seen first; null until it is loaded. */
const further = signal<typeof Further | null>(null);
async function loadFurther(): Promise<void> {
  const [part, hasFurtherTexts] = await Promise.all([
    loadPart(async () => import('./views/further-view.tsx')),
    loadFurtherTexts(),
  ]);
  if (hasFurtherTexts) further.value = part?.FurtherView ?? null;
}

function ViewOf({ view, subject }: ViewProps) {
  if (view === 'overview') return <OverviewView />;
  if (view === 'market') return <MarketView symbol={subject} />;
  if (view === 'orders') return <OrdersView />;
  return <Later view={view} subject={subject} />;
}

function Later({ view, subject }: ViewProps) {
  useEffect(() => {
    if (further.value === null) void loadFurther();
  }, [view]);
  const Loaded = further.value;
  if (Loaded !== null) return <Loaded view={view} subject={subject} />;
  // If the code cannot be loaded, the notice above says what to do.
  return reasonToReload.value === null ? <p class="empty">{t('loading')}</p> : null;
}
