import { useSignal } from '@preact/signals';
import type { OverviewReply } from '../../schema/overview.ts';
import { markets } from '../markets.ts';
import { overview } from '../overview.ts';
import { say } from '../say.ts';
import type { PageAction } from './action.ts';
import { SelectField, TextField } from './field.tsx';
import { FieldsForm } from './fields-form.tsx';
import { lengthOptions } from './length-options.ts';
import { EntriesField } from './pause-fields.tsx';

interface LockFieldsProps {
  readonly market: string | null;
  readonly strategy: string | null;
  readonly onReady: (action: PageAction) => void;
}

const DAY_MS = '86400000';

/** Fields for a lock's scope, duration and reason. */
export function LockFields({ market, strategy, onReady }: LockFieldsProps) {
  const chosenMarket = useSignal(market ?? '');
  const chosenStrategy = useSignal(strategy ?? '');
  const forMs = useSignal(DAY_MS);
  const reason = useSignal('');
  const entries = useSignal<'cancel' | 'keep'>('cancel');
  return (
    <FieldsForm
      onSubmit={() =>
        onReady({
          kind: 'lock',
          body: {
            market: chosenMarket.value === '' ? null : chosenMarket.value,
            strategy: chosenStrategy.value === '' ? null : chosenStrategy.value,
            forMs: Number(forMs.value),
            entries: entries.value,
            ...(reason.value.trim() === '' ? {} : { reason: reason.value.trim() }),
          },
        })
      }
    >
      <SelectField
        label={say('field.market')}
        name="market"
        value={chosenMarket.value}
        options={[
          ['', say('field.allMarkets')],
          ...markets.value.map(({ symbol }) => [symbol, symbol] as const),
        ]}
        onChange={(value) => (chosenMarket.value = value)}
      />
      <SelectField
        label={say('field.strategy')}
        name="strategy"
        value={chosenStrategy.value}
        options={[['', say('field.allStrategies')], ...strategyOptions(overview.value.data)]}
        onChange={(value) => (chosenStrategy.value = value)}
      />
      <SelectField
        label={say('field.length')}
        name="length"
        value={forMs.value}
        options={lengthOptions()}
        onChange={(value) => (forMs.value = value)}
      />
      <EntriesField value={entries.value} onChange={(value) => (entries.value = value)} />
      <TextField
        label={say('field.reason')}
        name="reason"
        value={reason.value}
        onInput={(value) => (reason.value = value)}
      />
    </FieldsForm>
  );
}

/** The strategies of the bot, to choose from. */
export function strategyOptions(data: OverviewReply | null): readonly (readonly [string, string])[] {
  return (data?.strategies ?? []).map(({ name }) => [name, name] as const);
}
