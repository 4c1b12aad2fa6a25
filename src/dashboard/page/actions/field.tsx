import type { ComponentChildren } from 'preact';
import { t, textOf, type TextKey } from '../translate.ts';
import { useSignal, type Signal } from '@preact/signals';
import { markets, overview, strategyOptions } from '../overview.ts';

interface FieldProps {
  readonly label: ComponentChildren;
  readonly name: string;
  readonly hint?: string | undefined;
  readonly problem?: string | null | undefined;
  readonly children: ComponentChildren;
}

/** Field with a label, and with what is wrong with its value. */
export function LabelledField({ label, name, hint, problem, children }: FieldProps) {
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

interface SelectProps<Value extends string> {
  readonly text: TextKey;
  readonly name: string;
  readonly chosen: { value: Value };
  readonly options: readonly (readonly [value: Value, text: string])[];
  readonly hint?: string;
}

export function SelectField<Value extends string>({ text, name, chosen, options, hint }: SelectProps<Value>) {
  const choose = (wanted: string): void => {
    chosen.value = options.find(([value]) => value === wanted)?.[0] ?? chosen.value;
  };
  return (
    <LabelledField label={textOf(text)} name={name} hint={hint}>
      <select
        id={`field-${name}`}
        value={chosen.value}
        onChange={(event) => choose(event.currentTarget.value)}
      >
        {options.map(([key, shown]) => (
          <option key={key} value={key}>
            {shown}
          </option>
        ))}
      </select>
    </LabelledField>
  );
}

interface SubjectProps {
  readonly name: string;
  readonly chosen: { value: string };
  /** False if one must be chosen; else the first choice, an empty text, stands for all. */
  readonly hasAll?: boolean;
}

/** Field to choose a strategy of the bot. */
export function StrategyField({ name, chosen, hasAll = true }: SubjectProps) {
  const own = strategyOptions(overview.value.data);
  const options = hasAll ? [['', t('field.allStrategies')] as const, ...own] : own;
  return <SelectField text="field.strategy" name={name} chosen={chosen} options={options} />;
}

/** Field to choose a market of the bot. */
export function MarketField({ name, chosen, hasAll = true }: SubjectProps) {
  const own = markets.value.map(({ symbol }) => [symbol, symbol] as const);
  const options = hasAll ? [['', t('field.allMarkets')] as const, ...own] : own;
  return <SelectField text="field.market" name={name} chosen={chosen} options={options} />;
}

interface TextProps {
  readonly label: ComponentChildren;
  readonly name: string;
  readonly typed: { value: string };
  readonly hint?: string | undefined;
  readonly problem?: string | null;
  readonly isNumber?: boolean;
  readonly isSecret?: boolean;
}

export function TextField({ label, name, typed, hint, problem, isNumber, isSecret }: TextProps) {
  const usual = {
    id: `field-${name}`,
    value: typed.value,
    onInput: (event: { readonly currentTarget: HTMLInputElement }) =>
      (typed.value = event.currentTarget.value),
  };
  return (
    <LabelledField label={label} name={name} hint={hint} problem={problem}>
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
    </LabelledField>
  );
}

type Filter = Readonly<Record<'market' | 'strategy', Signal<string>>>;

/** Returns the filters of a list; an empty text stands for all. */
export function useMarketAndStrategy(): Filter {
  return { market: useSignal(''), strategy: useSignal('') };
}

export function MarketAndStrategy({ filter }: { readonly filter: Filter }) {
  return (
    <>
      <MarketField name="filter-market" chosen={filter.market} />
      <StrategyField name="filter-strategy" chosen={filter.strategy} />
    </>
  );
}
