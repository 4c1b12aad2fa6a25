import type { ComponentChildren } from 'preact';
import { Button } from '../parts/words.tsx';
import { t } from '../translate.ts';
import { openDialog } from './action.ts';
import { useSignal, type Signal } from '@preact/signals';
import { markets, overview, strategyOptions } from '../overview.ts';

interface FieldProps {
  readonly label: string;
  readonly name: string;
  readonly hint?: string | undefined;
  readonly problem?: string | null | undefined;
  readonly children: ComponentChildren;
}

/** A field with its label, and what is wrong with it. */
function Field({ label, name, hint, problem, children }: FieldProps) {
  return (
    <div class="field">
      <label for={`field-${name}`}>{label}</label>
      {children}
      {hint === undefined ? null : <small class="note">{hint}</small>}
      {problem === null || problem === undefined ? null : (
        <small class="problem" role="alert">
          {problem}
        </small>
      )}
    </div>
  );
}

interface SelectProps {
  readonly label: string;
  readonly name: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, text: string])[];
  readonly onChange: (value: string) => void;
  readonly hint?: string;
}

export function SelectField({ label, name, value, options, onChange, hint }: SelectProps) {
  return (
    <Field label={label} name={name} hint={hint}>
      <select id={`field-${name}`} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {options.map(([key, text]) => (
          <option key={key} value={key}>
            {text}
          </option>
        ))}
      </select>
    </Field>
  );
}

interface TextProps {
  readonly label: string;
  readonly name: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly hint?: string | undefined;
  readonly problem?: string | null;
  readonly isNumber?: boolean;
  readonly isSecret?: boolean;
}

export function TextField({ label, name, value, onInput, hint, problem, isNumber, isSecret }: TextProps) {
  const usual = {
    id: `field-${name}`,
    value,
    onInput: (event: { readonly currentTarget: HTMLInputElement }) => onInput(event.currentTarget.value),
  };
  return (
    <Field label={label} name={name} hint={hint} problem={problem}>
      {isSecret === true ? (
        <input {...usual} type="password" dir="ltr" autoComplete="current-password" />
      ) : (
        <input
          {...usual}
          type="text"
          dir={isNumber === true ? 'ltr' : 'auto'}
          inputMode={isNumber === true ? 'decimal' : 'text'}
          autoComplete="off"
        />
      )}
    </Field>
  );
}

interface FieldsFormProps {
  readonly onSubmit: () => void;
  readonly children: ComponentChildren;
}

/** Fields of an action, and the step to its cost. Nothing is done yet. */
export function FieldsForm({ onSubmit, children }: FieldsFormProps) {
  return (
    <form
      class="fields"
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      {children}
      <div class="buttons">
        <Button text="action.leave" onClick={() => (openDialog.value = null)} />
        <button type="submit" class="primary">
          {t('action.showCost')}
        </button>
      </div>
    </form>
  );
}

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
