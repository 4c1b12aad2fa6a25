import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { PageView } from '../route.ts';
import { say } from '../say.ts';
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
const isOutOfReach = signal(false);

async function loadFurther(): Promise<void> {
  try {
    further.value = (await import('./further-view.tsx')).FurtherView;
    isOutOfReach.value = false;
  } catch {
    // The server is gone, or a newer one has other files: the page has to be loaded again.
    isOutOfReach.value = true;
  }
}

/** The view of an address. */
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
  if (!isOutOfReach.value) return <p class="empty">{say('loading')}</p>;
  return (
    <p class="notice bad" role="alert">
      {say('failure.noAnswer')}{' '}
      <button type="button" class="quiet" onClick={() => location.reload()}>
        {say('action.again')}
      </button>
    </p>
  );
}
