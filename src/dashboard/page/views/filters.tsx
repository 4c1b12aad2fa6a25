import { useSignal, type Signal } from '@preact/signals';
import { SelectField } from '../actions/field.tsx';
import { markets, overview, strategyOptions } from '../overview.ts';
import { t } from '../translate.ts';

interface Filter {
  /** Empty stands for all. */
  readonly market: string;
  readonly strategy: string;
}

export function useMarketAndStrategy(): Signal<Filter> {
  return useSignal<Filter>({ market: '', strategy: '' });
}

export function MarketAndStrategy({ filter }: { readonly filter: Signal<Filter> }) {
  return (
    <>
      <SelectField
        label={t('field.market')}
        name="filter-market"
        value={filter.value.market}
        options={[
          ['', t('field.allMarkets')],
          ...markets.value.map(({ symbol }) => [symbol, symbol] as const),
        ]}
        onChange={(market) => (filter.value = { ...filter.value, market })}
      />
      <SelectField
        label={t('field.strategy')}
        name="filter-strategy"
        value={filter.value.strategy}
        options={[['', t('field.allStrategies')], ...strategyOptions(overview.value.data)]}
        onChange={(strategy) => (filter.value = { ...filter.value, strategy })}
      />
    </>
  );
}
