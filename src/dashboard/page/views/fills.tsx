import type { FillItem } from '../../schema/order.ts';
import { column, type DataColumn, PagedList } from '../parts/data-table.tsx';
import { knownMarket } from '../overview.ts';
import { Panel } from '../parts/panel.tsx';
import { NameLink, SideWord } from '../parts/words.tsx';
import { t } from '../translate.ts';
import { showExact, showMoney, showTime } from '../shown.ts';
import { MarketAndStrategy, useMarketAndStrategy } from './filters.tsx';

export function FillsView() {
  const filter = useMarketAndStrategy();
  const { market, strategy } = filter.value;
  return (
    <>
      <header class="view-head">
        <h1>{t('view.fills')}</h1>
        <MarketAndStrategy filter={filter} />
      </header>
      <Panel title={t('fills.title')} note={t('fills.note')}>
        <PagedList<FillItem>
          path="/fills"
          query={{ market, strategy }}
          label={t('view.fills')}
          empty={t('fills.none')}
          columns={fillColumns()}
          keyOf={({ tradeId }) => tradeId}
        />
      </Panel>
    </>
  );
}

export function fillColumns(): readonly DataColumn<FillItem>[] {
  return [
    column('column.time', ({ atMs }) => showTime(atMs, 'second'), 'short'),
    column(
      'column.fill',
      ({ side, amount, market }) => (
        <>
          <SideWord side={side} /> {showExact(amount, knownMarket(market)?.base ?? '')}
        </>
      ),
      'short',
      'title',
    ),
    column('column.market', ({ market }) => <NameLink view="market" name={market} />),
    column('column.strategy', ({ strategy }) =>
      strategy === null ? t('fills.notOurs') : <NameLink view="strategy" name={strategy} />,
    ),
    column(
      'column.price',
      ({ price, market }) => showExact(price, knownMarket(market)?.quote ?? ''),
      'number',
    ),
    column(
      'column.value',
      ({ total, market }) => showMoney(total, knownMarket(market)?.quote ?? ''),
      'number',
    ),
    column('column.fee', ({ fee, feeCurrency }) => showMoney(fee, feeCurrency ?? ''), 'number'),
    column('column.order', ({ orderKey }) =>
      orderKey === null ? '–' : <NameLink view="order" name={orderKey} />,
    ),
  ];
}
