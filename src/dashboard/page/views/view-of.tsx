import type { PageView } from '../route.ts';
import { AlertsView } from './alerts.tsx';
import { BooksView } from './books.tsx';
import { BotsView } from './bots.tsx';
import { BudgetsView } from './budgets.tsx';
import { FillsView } from './fills.tsx';
import { LocksView } from './locks.tsx';
import { LogView } from './log.tsx';
import { MarketView } from './market.tsx';
import { OneOrderView } from './order.tsx';
import { OrdersView } from './orders.tsx';
import { OverviewView } from './overview.tsx';
import { ReportsView } from './reports.tsx';
import { StrategyView } from './strategy.tsx';

interface ViewProps {
  readonly view: PageView;
  readonly subject: string | null;
}

export function ViewOf({ view, subject }: ViewProps) {
  switch (view) {
    case 'overview':
      return <OverviewView />;
    case 'market':
      return <MarketView symbol={subject} />;
    case 'orders':
      return <OrdersView />;
    case 'order':
      return <OneOrderView name={subject ?? ''} />;
    case 'strategy':
      return <StrategyView name={subject ?? ''} />;
    case 'fills':
      return <FillsView />;
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
  }
}
