import type { FillItem } from '../../schema/order.ts';
import type { DataColumn } from '../parts/data-table.tsx';
import { knownMarket } from '../markets.ts';
import { PagedList } from '../parts/paged-list.tsx';
import { Panel } from '../parts/panel.tsx';
import { NameLink, SideWord } from '../parts/words.tsx';
import { say } from '../say.ts';
import { showExact, showMoney, showTime } from '../shown.ts';
import { MarketAndStrategy, useMarketAndStrategy } from './filters.tsx';

export function FillsView() {
  const filter = useMarketAndStrategy();
  const { market, strategy } = filter.value;
  return (
    <>
      <header class="view-head">
        <h1>{say('view.fills')}</h1>
        <MarketAndStrategy filter={filter} />
      </header>
      <Panel title={say('fills.title')} note={say('fills.note')}>
        <PagedList<FillItem>
          path="/fills"
          query={{ market, strategy }}
          label={say('view.fills')}
          empty={say('fills.none')}
          columns={fillColumns()}
          keyOf={({ tradeId }) => tradeId}
        />
      </Panel>
    </>
  );
}

export function fillColumns(): readonly DataColumn<FillItem>[] {
  return [
    { key: 'time', head: say('column.time'), isShort: true, cell: ({ atMs }) => showTime(atMs, 'second') },
    {
      key: 'fill',
      isShort: true,
      head: say('column.fill'),
      isTitle: true,
      cell: ({ side, amount, market }) => (
        <>
          <SideWord side={side} /> {showExact(amount, knownMarket(market)?.base ?? '')}
        </>
      ),
    },
    {
      key: 'market',
      head: say('column.market'),
      cell: ({ market }) => <NameLink view="market" name={market} />,
    },
    {
      key: 'strategy',
      head: say('column.strategy'),
      cell: ({ strategy }) =>
        strategy === null ? say('fills.notOurs') : <NameLink view="strategy" name={strategy} />,
    },
    {
      key: 'price',
      head: say('column.price'),
      isNumber: true,
      cell: ({ price, market }) => showExact(price, knownMarket(market)?.quote ?? ''),
    },
    {
      key: 'value',
      head: say('column.value'),
      isNumber: true,
      cell: ({ total, market }) => showMoney(total, knownMarket(market)?.quote ?? ''),
    },
    {
      key: 'fee',
      head: say('column.fee'),
      isNumber: true,
      cell: ({ fee, feeCurrency }) => showMoney(fee, feeCurrency ?? ''),
    },
    {
      key: 'order',
      head: say('column.order'),
      cell: ({ orderKey }) => (orderKey === null ? '–' : <NameLink view="order" name={orderKey} />),
    },
  ];
}
