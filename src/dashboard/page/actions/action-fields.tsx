import type { OpenDialog, PageAction } from './action.ts';
import { useSignal } from '@preact/signals';
import { unitName } from '../../../language/format-money.ts';
import { localeOf } from '../../../language/locale.ts';
import { readTypedDecimal } from '../../../language/read-typed-decimal.ts';
import { knownMarket, markets, overview, strategyOptions } from '../overview.ts';
import { language } from '../preferences.ts';
import { t } from '../translate.ts';
import { showBothUnits, showLength } from '../shown.ts';
import { SelectField, TextField, FieldsForm } from './field.tsx';
import { HOUR_MS } from '../../../domain/time-text.ts';

export interface ActionFieldsProps {
  readonly open: OpenDialog;
  readonly onReady: (action: PageAction) => void;
}

/** The fields of an action that asks for something; nothing for any other. */
export function ActionFields({ open, onReady }: ActionFieldsProps) {
  switch (open.asks) {
    case 'pause':
      return <PauseFields strategy={open.strategy} onReady={onReady} />;
    case 'lock':
      return <LockFields market={open.market} strategy={open.strategy} onReady={onReady} />;
    case 'order':
      return <OrderFields market={open.market} onReady={onReady} />;
    case 'position':
      return <PositionFields strategy={open.strategy} market={open.market} onReady={onReady} />;
    case 'nothing':
      return null;
  }
}

interface PositionFieldsProps {
  readonly strategy: string;
  readonly market: string;
  readonly onReady: (action: PageAction) => void;
}

const ACTS = ['adopt', 'write-off', 'move'] as const;

/** Fields for the fate of a position that somebody has closed or moved by hand. */
function PositionFields({ strategy, market, onReady }: PositionFieldsProps) {
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
    return read === null || read.startsWith('-') ? t('field.noNumber') : null;
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
        label={`${t(`field.${name}`)} (${unitName(currency, localeOf(language.value))})`}
        name={name}
        value={typed[name].value}
        isNumber
        hint={read === null ? t(`field.position.${name}`) : showBothUnits(read, currency)}
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
        label={t('field.position.act')}
        name="act"
        value={act.value}
        options={ACTS.filter((one) => one !== 'move' || others.length > 0).map(
          (one) => [one, t(`position.act.${one}`)] as const,
        )}
        onChange={(value) => (act.value = ACTS.find((one) => one === value) ?? 'adopt')}
      />
      {act.value === 'move' ? (
        <SelectField
          label={t('field.position.to')}
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

interface OrderFieldsProps {
  readonly market: string | null;
  readonly onReady: (action: PageAction) => void;
}

type NumberName = 'amount' | 'price' | 'stopPrice';

/** True for a field that may be left empty; the order then has none. */
const MAY_BE_EMPTY: Readonly<Record<NumberName, boolean>> = { amount: false, price: true, stopPrice: true };

/** An order by hand. What is typed is in the unit of the exchange, and shown in both at once. */
function OrderFields({ market, onReady }: OrderFieldsProps) {
  const symbol = useSignal(market ?? markets.value[0]?.symbol ?? '');
  const strategy = useSignal(overview.value.data?.strategies[0]?.name ?? '');
  const side = useSignal<'buy' | 'sell'>('buy');
  const typed = {
    amount: useSignal(''),
    price: useSignal(''),
    stopPrice: useSignal(''),
  } as const;
  const isTried = useSignal(false);
  const currencies = knownMarket(symbol.value);
  const problemOf = (name: NumberName): string | null => {
    const text = typed[name].value.trim();
    if (text === '') return MAY_BE_EMPTY[name] ? null : t('field.needed');
    const read = readTypedDecimal(text);
    return read === null || read.startsWith('-') ? t('field.noNumber') : null;
  };
  const readOf = (name: NumberName): string | null => readTypedDecimal(typed[name].value);
  const submit = (): void => {
    isTried.value = true;
    if ((['amount', 'price', 'stopPrice'] as const).some((name) => problemOf(name) !== null)) return;
    onReady({
      kind: 'order',
      body: {
        strategy: strategy.value,
        market: symbol.value,
        side: side.value,
        amount: readOf('amount') ?? '',
        price: readOf('price'),
        stopPrice: readOf('stopPrice'),
      },
    });
  };
  const numberField = (name: NumberName, currency: string) => {
    const read = readOf(name);
    return (
      <TextField
        label={`${t(`field.${name}`)} (${unitName(currency, localeOf(language.value))})`}
        name={name}
        value={typed[name].value}
        isNumber
        hint={read === null ? undefined : showBothUnits(read, currency)}
        problem={isTried.value ? problemOf(name) : null}
        onInput={(value) => (typed[name].value = value)}
      />
    );
  };
  return (
    <FieldsForm onSubmit={submit}>
      <SelectField
        label={t('field.strategy')}
        name="strategy"
        value={strategy.value}
        options={strategyOptions(overview.value.data)}
        onChange={(value) => (strategy.value = value)}
      />
      <SelectField
        label={t('field.market')}
        name="market"
        value={symbol.value}
        options={markets.value.map((each) => [each.symbol, each.symbol] as const)}
        onChange={(value) => (symbol.value = value)}
      />
      <SelectField
        label={t('field.side')}
        name="side"
        value={side.value}
        options={[
          ['buy', t('side.buy')],
          ['sell', t('side.sell')],
        ]}
        onChange={(value) => (side.value = value === 'sell' ? 'sell' : 'buy')}
      />
      {numberField('amount', currencies?.base ?? '')}
      {numberField('price', currencies?.quote ?? '')}
      {numberField('stopPrice', currencies?.quote ?? '')}
    </FieldsForm>
  );
}

interface PauseFieldsProps {
  readonly strategy: string;
  readonly onReady: (action: PageAction) => void;
}

/** For how long a strategy is paused, and what becomes of its entries. */
function PauseFields({ strategy, onReady }: PauseFieldsProps) {
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
        label={t('field.length')}
        name="length"
        value={forMs.value}
        options={[['', t('field.untilResumed')], ...lengthOptions()]}
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
      label={t('field.entries')}
      name="entries"
      value={value}
      hint={t('field.exitsStay')}
      options={[
        ['cancel', t('field.entriesCancel')],
        ['keep', t('field.entriesKeep')],
      ]}
      onChange={(wanted) => onChange(wanted === 'keep' ? 'keep' : 'cancel')}
    />
  );
}

const LENGTHS_MS = [
  HOUR_MS / 4,
  HOUR_MS,
  4 * HOUR_MS,
  12 * HOUR_MS,
  24 * HOUR_MS,
  72 * HOUR_MS,
  168 * HOUR_MS,
];

/** Lengths of time to choose from. */
export function lengthOptions(): readonly (readonly [string, string])[] {
  return LENGTHS_MS.map((ms) => [String(ms), showLength(ms)] as const);
}

interface LockFieldsProps {
  readonly market: string | null;
  readonly strategy: string | null;
  readonly onReady: (action: PageAction) => void;
}

const DAY_MS = '86400000';

/** Fields for a lock's scope, duration and reason. */
function LockFields({ market, strategy, onReady }: LockFieldsProps) {
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
        label={t('field.market')}
        name="market"
        value={chosenMarket.value}
        options={[
          ['', t('field.allMarkets')],
          ...markets.value.map(({ symbol }) => [symbol, symbol] as const),
        ]}
        onChange={(value) => (chosenMarket.value = value)}
      />
      <SelectField
        label={t('field.strategy')}
        name="strategy"
        value={chosenStrategy.value}
        options={[['', t('field.allStrategies')], ...strategyOptions(overview.value.data)]}
        onChange={(value) => (chosenStrategy.value = value)}
      />
      <SelectField
        label={t('field.length')}
        name="length"
        value={forMs.value}
        options={lengthOptions()}
        onChange={(value) => (forMs.value = value)}
      />
      <EntriesField value={entries.value} onChange={(value) => (entries.value = value)} />
      <TextField
        label={t('field.reason')}
        name="reason"
        value={reason.value}
        onInput={(value) => (reason.value = value)}
      />
    </FieldsForm>
  );
}
