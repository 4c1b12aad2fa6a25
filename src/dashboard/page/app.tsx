import { useEffect, useRef } from 'preact/hooks';
import { useSignalEffect } from '@preact/signals';
import type { OverviewReply } from '../schema/overview.ts';
import { ActionDialog } from './actions/action-dialog.tsx';
import { followEvents } from './live.ts';
import { refreshMarkets } from './markets.ts';
import { overview } from './overview.ts';
import { AlertsRegion } from './parts/alerts-region.tsx';
import { Footer } from './parts/footer.tsx';
import { Header } from './parts/header.tsx';
import { Navigation } from './parts/navigation.tsx';
import { ReloadNotice } from './parts/reload-notice.tsx';
import { route } from './route.ts';
import { hasTexts, say } from './say.ts';
import { endSession, pageSession } from './session.ts';
import { botAheadMs } from './shown.ts';
import { useReply } from './use-reply.ts';
import { Login } from './views/login.tsx';
import { ViewOf } from './views/view-of.tsx';

/** The whole page: the login, or the bot. */
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
    document.title = `${say(`view.${view}`)}${subject === null ? '' : ` ${subject}`} – sarraf`;
    scrollTo(0, 0);
    // Who reads the page by ear hears the new view; the first one is read from its beginning.
    if (!isFirst.current) main.current?.focus();
    isFirst.current = false;
  }, [view, subject]);
  return (
    <>
      <a class="skip" href="#main" onClick={(event) => (event.preventDefault(), main.current?.focus())}>
        {say('skip')}
      </a>
      <Header />
      <Navigation />
      <main id="main" ref={main} tabIndex={-1} aria-label={say(`view.${view}`)} data-view={view}>
        <ReloadNotice />
        <ViewOf view={view} subject={subject} />
      </main>
      <Footer />
      <AlertsRegion />
      <ActionDialog />
    </>
  );
}
