import type { ComponentProps } from 'preact';
import type { PageView } from '../route.ts';
import { AlertsView } from './alerts.tsx';
import { BooksView } from './books.tsx';
import { BotsView } from './bots.tsx';
import { BudgetsView } from './budgets.tsx';
import { FillsView, OneOrderView } from './order.tsx';
import { LocksView } from './locks.tsx';
import { LogView } from './log.tsx';
import { OpenedMoment } from './moment.tsx';
import { ReportsView } from './reports.tsx';
import { SignalsView } from './signals.tsx';
import { ProfitsView, QualityView, TripsView } from './trips.tsx';
import { StrategyView } from './strategy.tsx';
import './further-view.css';

// In this file too, since a file of its own would split what the page loads at first.
export { ConditionBands } from '../charts/condition-bands.tsx';
export { QuoteLines, RecordedMarket } from './recorded-market.tsx';

const VIEWS = {
  trips: TripsView,
  profits: ProfitsView,
  quality: QualityView,
  fills: FillsView,
  signals: SignalsView,
  budgets: BudgetsView,
  books: BooksView,
  locks: LocksView,
  log: LogView,
  alerts: AlertsView,
  reports: ReportsView,
  bots: BotsView,
} as const;

/** Shows one of the views whose code is loaded when it is first needed. */
export function FurtherView({ view, subject }: { readonly view: PageView; readonly subject: string | null }) {
  return (
    <>
      <ViewOf view={view} subject={subject} />
      <OpenedMoment key={`${view} ${subject}`} />
    </>
  );
}

function ViewOf({ view, subject }: ComponentProps<typeof FurtherView>) {
  if (view === 'order') return <OneOrderView name={subject ?? ''} />;
  if (view === 'strategy') return <StrategyView name={subject ?? ''} />;
  if (view === 'overview' || view === 'market' || view === 'orders') return null;
  const View = VIEWS[view];
  return <View />;
}
