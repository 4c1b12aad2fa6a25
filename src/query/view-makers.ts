import type { MakeView } from './data-source.ts';
import type { ViewName } from './views.ts';

/** Maker of each view. Each loads only the code it needs: a query of candles reads no code of studies. */
export const VIEW_MAKERS: Readonly<Record<ViewName, () => Promise<MakeView>>> = {
  candles: () => recorded('candles'),
  trades: () => recorded('trades'),
  books: () => recorded('books'),
  stats: () => recorded('stats'),
  recordings: async () => (await import('./recorded-views.ts')).makeRecordingsView,
  runs: async () => (await import('./run-views.ts')).makeRunsView,
  orders: () => ofRuns('orders'),
  fills: () => ofRuns('fills'),
  round_trips: () => ofRuns('round_trips'),
  studies: async () => (await import('./study-views.ts')).makeStudiesView,
  trials: async () => (await import('./study-views.ts')).makeTrialsView,
};

async function recorded(name: 'candles' | 'trades' | 'books' | 'stats'): Promise<MakeView> {
  const { makeRecordedView } = await import('./recorded-views.ts');
  return (database, places) => makeRecordedView(database, name, places);
}

async function ofRuns(name: 'orders' | 'fills' | 'round_trips'): Promise<MakeView> {
  const { makeRunTableView } = await import('./run-views.ts');
  return (database, places) => makeRunTableView(database, name, places);
}
