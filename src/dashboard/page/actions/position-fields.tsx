import { useSignal } from '@preact/signals';
import { unitName } from '../../../language/format-money.ts';
import { localeOf } from '../../../language/locale.ts';
import { readTypedDecimal } from '../../../language/read-typed-decimal.ts';
import { knownMarket } from '../markets.ts';
import { overview } from '../overview.ts';
import { language } from '../preferences.ts';
import { say } from '../say.ts';
import { showBothUnits } from '../shown.ts';
import type { PageAction } from './action.ts';
import { SelectField, TextField } from './field.tsx';
import { FieldsForm } from './fields-form.tsx';
import { strategyOptions } from './lock-fields.tsx';

interface PositionFieldsProps {
  readonly strategy: string;
  readonly market: string;
  readonly onReady: (action: PageAction) => void;
}

const ACTS = ['adopt', 'write-off', 'move'] as const;

/** Fields for the fate of a position that somebody has closed or moved by hand. */
export function PositionFields({ strategy, market, onReady }: PositionFieldsProps) {
  const act = useSignal<(typeof ACTS)[number]>('adopt');
  const others = strategyOptions(overview.value.data).filter(([name]) => name !== strategy);
  const to = useSignal(others[0]?.[0] ?? '');
  const typed = { amount: useSignal(''), price: useSignal('') } as const;
  const isTried = useSignal(false);
  const currencies = knownMarket(market);
  const readOf = (name: 'amount' | 'price'): string | null => readTypedDecimal(typed[name].value);
  const problemOf = (name: 'amount' | 'price'): string | null => {
    if (typed[name].value.trim() === '') return null;
    const read = readOf(name);
    return read === null || read.startsWith('-') ? say('field.noNumber') : null;
  };
  const submit = (): void => {
    isTried.value = true;
    if (problemOf('amount') !== null || problemOf('price') !== null) return;
    onReady({
      kind: 'position',
      body: {
        act: act.value,
        strategy,
        to: act.value === 'move' ? to.value : null,
        market,
        amount: readOf('amount'),
        price: readOf('price'),
      },
    });
  };
  const numberField = (name: 'amount' | 'price', currency: string) => {
    const read = readOf(name);
    return (
      <TextField
        label={`${say(`field.${name}`)} (${unitName(currency, localeOf(language.value))})`}
        name={name}
        value={typed[name].value}
        isNumber
        hint={read === null ? say(`field.position.${name}`) : showBothUnits(read, currency)}
        problem={isTried.value ? problemOf(name) : null}
        onInput={(value) => (typed[name].value = value)}
      />
    );
  };
  return (
    <FieldsForm onSubmit={submit}>
      <p class="about" dir="ltr">
        {strategy} · {market}
      </p>
      <SelectField
        label={say('field.position.act')}
        name="act"
        value={act.value}
        options={ACTS.filter((one) => one !== 'move' || others.length > 0).map(
          (one) => [one, say(`position.act.${one}`)] as const,
        )}
        onChange={(value) => (act.value = ACTS.find((one) => one === value) ?? 'adopt')}
      />
      {act.value === 'move' ? (
        <SelectField
          label={say('field.position.to')}
          name="to"
          value={to.value}
          options={others}
          onChange={(value) => (to.value = value)}
        />
      ) : null}
      {numberField('amount', currencies?.base ?? '')}
      {numberField('price', currencies?.quote ?? '')}
    </FieldsForm>
  );
}
