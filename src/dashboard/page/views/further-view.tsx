import type { PageView } from '../route.ts';
import { AlertsView } from './alerts.tsx';
import { BooksView } from './books.tsx';
import { BotsView } from './bots.tsx';
import { BudgetsView } from './budgets.tsx';
import { FillsView } from './fills.tsx';
import { LocksView } from './locks.tsx';
import { LogView } from './log.tsx';
import { OneOrderView } from './order.tsx';
import { ReportsView } from './reports.tsx';
import { SignalsView } from './signals.tsx';
import { StrategyView } from './strategy.tsx';

/** The views that are loaded when one of them is looked at first. */
export function FurtherView({ view, subject }: { readonly view: PageView; readonly subject: string | null }) {
  switch (view) {
    case 'order':
      return <OneOrderView name={subject ?? ''} />;
    case 'strategy':
      return <StrategyView name={subject ?? ''} />;
    case 'fills':
      return <FillsView />;
    case 'signals':
      return <SignalsView />;
    case 'budgets':
      return <BudgetsView />;
    case 'books':
      return <BooksView />;
    case 'locks':
      return <LocksView />;
    case 'log':
      return <LogView />;
    case 'alerts':
      return <AlertsView />;
    case 'reports':
      return <ReportsView />;
    case 'bots':
      return <BotsView />;
    case 'overview':
    case 'market':
    case 'orders':
      return null;
  }
}
