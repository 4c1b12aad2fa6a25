import { useSignal } from '@preact/signals';
import { say } from '../say.ts';
import type { PageAction } from './action.ts';
import { SelectField } from './field.tsx';
import { FieldsForm } from './fields-form.tsx';
import { lengthOptions } from './length-options.ts';

interface PauseFieldsProps {
  readonly strategy: string;
  readonly onReady: (action: PageAction) => void;
}

/** For how long a strategy is paused, and what becomes of its entries. */
export function PauseFields({ strategy, onReady }: PauseFieldsProps) {
  const forMs = useSignal('');
  const entries = useSignal<'cancel' | 'keep'>('cancel');
  return (
    <FieldsForm
      onSubmit={() =>
        onReady({
          kind: 'pause',
          body: {
            strategy,
            forMs: forMs.value === '' ? null : Number(forMs.value),
            entries: entries.value,
          },
        })
      }
    >
      <p class="about" dir="ltr">
        {strategy}
      </p>
      <SelectField
        label={say('field.length')}
        name="length"
        value={forMs.value}
        options={[['', say('field.untilResumed')], ...lengthOptions()]}
        onChange={(value) => (forMs.value = value)}
      />
      <EntriesField value={entries.value} onChange={(value) => (entries.value = value)} />
    </FieldsForm>
  );
}

interface EntriesFieldProps {
  readonly value: 'cancel' | 'keep';
  readonly onChange: (value: 'cancel' | 'keep') => void;
}

/** Field for the fate of resting orders that add risk. Exits stay in both cases. */
export function EntriesField({ value, onChange }: EntriesFieldProps) {
  return (
    <SelectField
      label={say('field.entries')}
      name="entries"
      value={value}
      hint={say('field.exitsStay')}
      options={[
        ['cancel', say('field.entriesCancel')],
        ['keep', say('field.entriesKeep')],
      ]}
      onChange={(wanted) => onChange(wanted === 'keep' ? 'keep' : 'cancel')}
    />
  );
}
