import { signal } from '@preact/signals';

export const LISTED_VIEWS = [
  'overview',
  'market',
  'orders',
  'trips',
  'profits',
  'quality',
  'fills',
  'signals',
  'budgets',
  'books',
  'locks',
  'log',
  'alerts',
  'reports',
  'bots',
] as const;

export type PageView = (typeof LISTED_VIEWS)[number] | 'order' | 'strategy';

/** Shown view and its subject, as in `#/market/BTCIRT`. */
interface Route {
  readonly view: PageView;
  readonly subject: string | null;
}

const isView = (name: string): name is PageView =>
  name === 'order' || name === 'strategy' || LISTED_VIEWS.some((view) => view === name);

function readRoute(hash: string): Route {
  const [, name = '', subject] = /^#\/([\w-]+)(?:\/(.+))?$/.exec(hash) ?? [];
  if (!isView(name)) return { view: 'overview', subject: null };
  return { view: name, subject: subject === undefined ? null : decoded(subject) };
}

/** Decodes a part of an address; one written by hand may be malformed. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export const route = signal<Route>(readRoute(location.hash));

addEventListener('hashchange', () => {
  route.value = readRoute(location.hash);
});

export function hrefOf(view: PageView, subject?: string): string {
  return subject === undefined ? `#/${view}` : `#/${view}/${encodeURIComponent(subject)}`;
}

export function goTo(view: PageView, subject?: string): void {
  location.hash = hrefOf(view, subject);
}
