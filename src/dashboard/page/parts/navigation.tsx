import { useRef } from 'preact/hooks';
import { overview } from '../overview.ts';
import { hrefOf, route, LISTED_VIEWS, type PageView } from '../route.ts';
import { say } from '../say.ts';
import { showCount } from '../shown.ts';
import { Icon } from './icon.tsx';

type ListedView = (typeof LISTED_VIEWS)[number];

/** Those in reach of a thumb on a phone; the others are in its menu. */
const ON_PHONE: ReadonlySet<ListedView> = new Set(['overview', 'market', 'orders', 'alerts'] as const);

/** Under which entry a view is found that has none of its own. */
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
      <span>{say(`view.${view}`)}</span>
      {count === undefined || count === 0 ? null : <span class="count">{showCount(count)}</span>}
    </a>
  );
}

/** The views: a column at the side of a screen, and a bar with a menu at the foot of a phone. */
export function Navigation() {
  const menu = useRef<HTMLDialogElement>(null);
  return (
    <nav class="views" aria-label={say('nav.label')}>
      {LISTED_VIEWS.map((view) => (
        <Entry key={view} view={view} />
      ))}
      <button type="button" class="menu-button" onClick={() => menu.current?.showModal()}>
        <Icon name="more" />
        <span>{say('nav.more')}</span>
      </button>
      <dialog ref={menu} class="menu" aria-label={say('nav.label')}>
        <div class="menu-list">
          {LISTED_VIEWS.map((view) => (
            <Entry key={view} view={view} onGo={() => menu.current?.close()} />
          ))}
          <button type="button" onClick={() => menu.current?.close()}>
            {say('action.close')}
          </button>
        </div>
      </dialog>
    </nav>
  );
}
