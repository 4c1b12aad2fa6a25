import type { ComponentChildren } from 'preact';
import { openDialog, type OpenDialog, type PageAction } from './action.ts';
import { useSignal } from '@preact/signals';
import { unitName } from '../../../language/format-money.ts';
import { localeOf } from '../../../language/locale.ts';
import { readTypedDecimal } from '../../../language/read-typed-decimal.ts';
import { knownMarket, markets, overview, strategyOptions } from '../overview.ts';
import { chooseIndicators, indicators, language, showsConditions } from '../preferences.ts';
import { storePreference } from '../../../page/theme.ts';
import { t, textOf, type TextKey } from '../translate.ts';
import { NONE, showBothUnits, showExact, showLength, showShare } from '../shown.ts';
import { useReply } from '../use-reply.ts';
import type { CostReply } from '../../schema/action.ts';
import type { TermsReply } from '../../schema/overview.ts';
import { NamedFigure } from '../parts/data-table.tsx';
import { WithReply } from '../parts/panel.tsx';
import { Age, Button, SentenceText } from '../parts/words.tsx';
import { MarketField, SelectField, StrategyField, TextField } from './field.tsx';
import { HOUR_MS } from '../../../domain/time-text.ts';

/** Shortest time between two reads of what an order would meet, in ms. */
const TERMS_PAUSE_MS = 2_000;

interface FieldsFormProps {
  readonly onSubmit: () => void;
  readonly children: ComponentChildren;
  /** Text of the button that acts at once; left out where a confirmation follows. */
  readonly submits?: TextKey;
  readonly isFull?: boolean;
}

/** Form with the fields of an action. Submitting it shows the cost by default; nothing is done yet. */
function FieldsForm(props: FieldsFormProps) {
  const { onSubmit, children, submits, isFull = false } = props;
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
        <Button
          text={submits === undefined ? 'action.leave' : 'action.close'}
          onClick={() => (openDialog.value = null)}
        />
        <button type="submit" class="primary" disabled={isFull}>
          {textOf(submits ?? 'action.showCost')}
        </button>
      </div>
    </form>
  );
}

type OnReady = (action: PageAction) => void;

export interface ActionFieldsProps {
  readonly open: OpenDialog;
  readonly onReady: OnReady;
}

/** Shows the fields of an action that needs some; nothing for any other. */
export function ActionFields({ open, onReady }: ActionFieldsProps) {
  switch (open.asks) {
    case 'pause':
      return <PauseFields {...open} onReady={onReady} />;
    case 'lock':
      return <LockFields {...open} onReady={onReady} />;
    case 'order':
      return <OrderFields {...open} onReady={onReady} />;
    case 'position':
      return <PositionFields {...open} onReady={onReady} />;
    case 'note':
      return <NoteFields {...open} onReady={onReady} />;
    case 'indicators':
      return <IndicatorFields {...open} onReady={onReady} />;
    case 'nothing':
      return null;
  }
}

/** Properties of an action's fields: what is known of it, and the function that gets the complete action. */
type FieldsOf<Asks extends OpenDialog['asks']> = Omit<Extract<OpenDialog, { asks: Asks }>, 'asks'> & {
  readonly onReady: OnReady;
};

/** Returns the state of a typed number, with its parsed value and what is wrong with it. */
function useDecimal(isNeeded = false) {
  const typed = useSignal('');
  const read = readTypedDecimal(typed.value);
  const isEmpty = typed.value.trim() === '';
  const isWrong = !isEmpty && (read === null || read.startsWith('-'));
  const problem = isWrong ? t('field.noNumber') : isEmpty && isNeeded ? t('field.needed') : null;
  return { typed, read, problem };
}

interface DecimalFieldProps {
  readonly name: 'amount' | 'price' | 'stopPrice';
  readonly currency: string;
  readonly decimal: ReturnType<typeof useDecimal>;
  /** Hint that is shown while the field is empty. */
  readonly hint?: string;
  readonly isTried: boolean;
}

/** Field for a number in the exchange's unit, which is shown in both units. */
function DecimalField({ name, currency, decimal, hint, isTried }: DecimalFieldProps) {
  const { typed, read, problem } = decimal;
  return (
    <TextField
      label={`${t(`field.${name}`)} (${unitName(currency, localeOf(language.value))})`}
      name={name}
      typed={typed}
      isNumber
      hint={read === null ? hint : showBothUnits(read, currency)}
      problem={isTried ? problem : null}
    />
  );
}

/** Fields for what to do with a position that somebody has closed or moved by hand. */
function PositionFields({ strategy, market, onReady }: FieldsOf<'position'>) {
  const act = useSignal<'adopt' | 'write-off' | 'move'>('adopt');
  const others = strategyOptions(overview.value.data).filter(([name]) => name !== strategy);
  const to = useSignal(others[0]?.[0] ?? '');
  const [amount, price] = [useDecimal(), useDecimal()];
  const isTried = useSignal(false);
  const { base = '', quote = '' } = knownMarket(market) ?? {};
  const submit = (): void => {
    isTried.value = true;
    if (amount.problem !== null || price.problem !== null) return;
    const body = { act: act.value, strategy, market, amount: amount.read, price: price.read };
    onReady({ kind: 'position', body: { ...body, to: act.value === 'move' ? to.value : null } });
  };
  const acts = (['adopt', 'write-off', 'move'] as const).filter((one) => one !== 'move' || others.length > 0);
  return (
    <FieldsForm onSubmit={submit}>
      <p class="about" dir="ltr">
        {strategy} · {market}
      </p>
      <SelectField
        text="field.position.act"
        name="act"
        chosen={act}
        options={acts.map((one) => [one, t(`position.act.${one}`)] as const)}
      />
      {act.value === 'move' ? (
        <SelectField text="field.position.to" name="to" chosen={to} options={others} />
      ) : null}
      <DecimalField
        name="amount"
        currency={base}
        decimal={amount}
        hint={t('field.position.amount')}
        isTried={isTried.value}
      />
      <DecimalField
        name="price"
        currency={quote}
        decimal={price}
        hint={t('field.position.price')}
        isTried={isTried.value}
      />
    </FieldsForm>
  );
}

function OrderFields({ market, onReady }: FieldsOf<'order'>) {
  const symbol = useSignal(market ?? markets.value[0]?.symbol ?? '');
  const strategy = useSignal(overview.value.data?.strategies[0]?.name ?? '');
  const side = useSignal<'buy' | 'sell'>('buy');
  const amount = useDecimal(true);
  const [price, stopPrice] = [useDecimal(), useDecimal()];
  const tried = useSignal(false);
  const { base = '', quote = '' } = knownMarket(symbol.value) ?? {};
  const submit = (): void => {
    tried.value = true;
    if ([amount, price, stopPrice].some(({ problem }) => problem !== null)) return;
    const where = { strategy: strategy.value, market: symbol.value, side: side.value };
    const numbers = { amount: amount.read ?? '', price: price.read, stopPrice: stopPrice.read };
    onReady({ kind: 'order', body: { ...where, ...numbers } });
  };
  const sides = (['buy', 'sell'] as const).map((one) => [one, t(`side.${one}`)] as const);
  const isTried = tried.value;
  return (
    <FieldsForm onSubmit={submit}>
      <StrategyField name="strategy" chosen={strategy} hasAll={false} />
      <MarketField name="market" chosen={symbol} hasAll={false} />
      <SelectField text="field.side" name="side" chosen={side} options={sides} />
      <DecimalField name="amount" currency={base} decimal={amount} isTried={isTried} />
      <DecimalField name="price" currency={quote} decimal={price} isTried={isTried} />
      <DecimalField name="stopPrice" currency={quote} decimal={stopPrice} isTried={isTried} />
      <OrderTerms key={symbol.value} market={symbol.value} />
    </FieldsForm>
  );
}

/** Shows what an order in a market would meet now: free balances, best prices, the fee, and requests left. */
function OrderTerms({ market }: { readonly market: string }) {
  const reply = useReply<TermsReply>(`/markets/${encodeURIComponent(market)}/terms`, TERMS_PAUSE_MS);
  const { base = '', quote = '' } = knownMarket(market) ?? {};
  const both = (price: string | null): string => (price === null ? NONE : showBothUnits(price, quote));
  return (
    <div class="terms" role="group" aria-label={t('terms.title')}>
      <WithReply reply={reply.value}>
        {({ free, balancesSeenAtMs, bestBuy, bestSell, bookSeenAtMs, feeShare, budget }) => (
          <dl>
            <NamedFigure text="terms.free">
              {both(free.quote)} · {showExact(free.base, base)} · <Age atMs={balancesSeenAtMs} />
            </NamedFigure>
            <NamedFigure text="market.bestBuy">
              {both(bestBuy)} · <Age atMs={bookSeenAtMs} />
            </NamedFigure>
            <NamedFigure text="market.bestSell">
              {both(bestSell)} · <Age atMs={bookSeenAtMs} />
            </NamedFigure>
            <NamedFigure text="column.fee">
              {feeShare === null ? t('terms.noFee') : t('terms.fee', { share: showShare(feeShare) })}
            </NamedFigure>
            {budget === null ? null : (
              <NamedFigure text="column.requests">
                {t('terms.requests', {
                  count: Math.max(0, budget.limit - budget.inUse - budget.reserve),
                  limit: budget.limit,
                  window: showLength(budget.windowMs),
                })}
              </NamedFigure>
            )}
          </dl>
        )}
      </WithReply>
    </div>
  );
}

interface OrderCostProps {
  readonly order: Extract<PageAction, { kind: 'order' }>['body'];
  readonly cost: CostReply;
}

/**
 * Shows what an order would cost and meet before it is confirmed. Typed prices are in both units, so that a
 * zero too many is noticed.
 */
export function OrderCost({ order, cost: { places, checks } }: OrderCostProps) {
  const { market, side, price = null, stopPrice = null } = order;
  const { base = '', quote = '' } = knownMarket(market) ?? {};
  const fee = places[0]?.fee ?? null;
  const prices = [
    ['cost.price', price],
    ['cost.stopPrice', stopPrice],
  ] as const;
  return (
    <>
      <ul>
        {prices.map(([text, typed]) =>
          typed === null ? null : <li key={text}>{t(text, { price: showBothUnits(typed, quote) })}</li>,
        )}
        {fee === null ? null : (
          <li>{t('cost.fee', { fee: showBothUnits(fee, side === 'buy' ? base : quote, true) })}</li>
        )}
      </ul>
      <OrderTerms market={market} />
      <p class={`notice ${checks === null ? 'warn' : checks.ok ? 'good' : 'bad'}`} role="status" data-checks>
        {checks === null ? (
          t('cost.unchecked')
        ) : (
          <SentenceText text={checks.message} facts={checks.messageFacts} />
        )}
      </p>
    </>
  );
}

type Entries = 'cancel' | 'keep';

/** Fields for how long a strategy is paused, and what happens to its entry orders. */
function PauseFields({ strategy, onReady }: FieldsOf<'pause'>) {
  const forMs = useSignal('');
  const entries = useSignal<Entries>('cancel');
  const submit = (): void => {
    const length = forMs.value === '' ? null : Number(forMs.value);
    onReady({ kind: 'pause', body: { strategy, forMs: length, entries: entries.value } });
  };
  const lengths = [['', t('field.untilResumed')] as const, ...lengthOptions()];
  return (
    <FieldsForm onSubmit={submit}>
      <p class="about" dir="ltr">
        {strategy}
      </p>
      <SelectField text="field.length" name="length" chosen={forMs} options={lengths} />
      <EntriesField chosen={entries} />
    </FieldsForm>
  );
}

/** Field for what to do with resting orders that add risk. Exits stay in both cases. */
function EntriesField({ chosen }: { readonly chosen: { value: Entries } }) {
  const options = [
    ['cancel', t('field.entriesCancel')],
    ['keep', t('field.entriesKeep')],
  ] as const;
  return (
    <SelectField
      text="field.entries"
      name="entries"
      chosen={chosen}
      hint={t('field.exitsStay')}
      options={options}
    />
  );
}

/** Returns the durations to choose from. */
function lengthOptions(): readonly (readonly [string, string])[] {
  return [0.25, 1, 4, 12, 24, 72, 168].map((hours) => {
    const ms = hours * HOUR_MS;
    return [String(ms), showLength(ms)] as const;
  });
}

/** Fields for a lock's scope, duration and reason. */
function LockFields({ market, strategy, onReady }: FieldsOf<'lock'>) {
  const chosenMarket = useSignal(market ?? '');
  const chosenStrategy = useSignal(strategy ?? '');
  const forMs = useSignal(String(24 * HOUR_MS));
  const reason = useSignal('');
  const entries = useSignal<Entries>('cancel');
  const submit = (): void => {
    const said = reason.value.trim();
    onReady({
      kind: 'lock',
      body: {
        market: chosenMarket.value || null,
        strategy: chosenStrategy.value || null,
        forMs: Number(forMs.value),
        entries: entries.value,
        ...(said === '' ? {} : { reason: said }),
      },
    });
  };
  return (
    <FieldsForm onSubmit={submit}>
      <MarketField name="market" chosen={chosenMarket} />
      <StrategyField name="strategy" chosen={chosenStrategy} />
      <SelectField text="field.length" name="length" chosen={forMs} options={lengthOptions()} />
      <EntriesField chosen={entries} />
      <TextField label={t('column.reason')} name="reason" typed={reason} />
    </FieldsForm>
  );
}

/** Fields for the note on a trade. */
function NoteFields({ entry, onReady, ...before }: FieldsOf<'note'>) {
  const text = useSignal(before.text);
  const tags = useSignal(before.tags.join(', '));
  const submit = (): void => {
    const given = tags.value.split(/[,،]/).map((tag) => tag.trim());
    onReady({ kind: 'note', body: { entry, text: text.value, tags: given.filter((tag) => tag !== '') } });
  };
  return (
    <FieldsForm onSubmit={submit}>
      <TextField label={t('trips.notes')} name="note" typed={text} />
      <TextField label={t('trips.tags')} name="tags" typed={tags} hint={t('field.tags')} />
    </FieldsForm>
  );
}

/** Maximum number of indicators in a chart. */
const MOST_INDICATORS = 5;

function showConditions(isShown: boolean): void {
  showsConditions.value = isShown;
  storePreference('conditions', String(isShown));
}

/** Fields to add indicators to the charts of markets, and to take them away. They are kept in the browser. */
function IndicatorFields({ known }: FieldsOf<'indicators'>) {
  const names = Object.keys(known).toSorted();
  const name = useSignal(names.includes('ema') ? 'ema' : (names[0] ?? ''));
  const typed = useSignal('');
  const problem = useSignal<string | null>(null);
  const chosen = indicators.value === '' ? [] : indicators.value.split(',');
  const usual = known[name.value] ?? 0;
  const add = (): void => {
    const length = typed.value.trim() === '' ? String(usual) : readTypedDecimal(typed.value);
    const isFit = length !== null && /^\d{1,3}$/.test(length) && (usual === 0 || Number(length) >= 2);
    problem.value = isFit ? null : t('field.noNumber');
    if (isFit)
      chooseIndicators([...new Set([...chosen, `${name.value}:${usual === 0 ? 0 : Number(length)}`])]);
  };
  return (
    <FieldsForm
      onSubmit={add}
      submits="field.indicator.add"
      isFull={chosen.length >= MOST_INDICATORS || names.length === 0}
    >
      <ul>
        {chosen.map((one) => (
          <li key={one}>
            <bdi dir="ltr">{one.replace(/:0$/, '').replace(':', ' ')}</bdi>{' '}
            <Button
              text="field.indicator.remove"
              onClick={() => chooseIndicators(chosen.filter((other) => other !== one))}
            />
          </li>
        ))}
      </ul>
      <SelectField
        text="field.indicator"
        name="indicator"
        chosen={name}
        options={names.map((one) => [one, one] as const)}
      />
      {usual === 0 ? null : (
        <TextField
          label={t('field.indicator.length')}
          name="length"
          typed={typed}
          isNumber
          hint={t('field.indicator.usual', { length: usual })}
          problem={problem.value}
        />
      )}
      <label class="tick">
        <input
          type="checkbox"
          id="field-conditions"
          checked={showsConditions.value}
          onChange={(event) => showConditions(event.currentTarget.checked)}
        />
        {t('field.conditions')}
      </label>
    </FieldsForm>
  );
}
