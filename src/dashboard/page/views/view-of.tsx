import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { loadPart, reasonToReload } from '../page-parts.ts';
import type { PageView } from '../route.ts';
import { t } from '../translate.ts';
import type { FurtherView as Further } from './further-view.tsx';
import { MarketView } from './market.tsx';
import { OrdersView } from './orders.tsx';
import { OverviewView } from './overview.tsx';

interface ViewProps {
  readonly view: PageView;
  readonly subject: string | null;
}

/** The code of the views that are seldom seen first; null until one of them is. */
const further = signal<typeof Further | null>(null);
async function loadFurther(): Promise<void> {
  further.value = await loadPart(async () => (await import('./further-view.tsx')).FurtherView);
}

export function ViewOf({ view, subject }: ViewProps) {
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
  // The notice above says what to do where it can not be loaded.
  return reasonToReload.value === null ? <p class="empty">{t('loading')}</p> : null;
}
