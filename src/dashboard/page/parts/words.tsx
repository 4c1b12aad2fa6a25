import type { ComponentChildren } from 'preact';
import { withReadableNumbers } from '../../../language/format-number.ts';
import { hrefOf } from '../route.ts';
import { t, textOf, inWords, wordFor, type TextKey } from '../translate.ts';
import type { SentenceItem } from '../../schema/fields.ts';
import { showAge, showExact, showMoney, showTime, signOf } from '../shown.ts';
import type { Signal } from '@preact/signals';

export type Tone = 'good' | 'bad' | 'warn' | 'calm';

/** Shows a word in a frame, such as a state. */
export function Badge({ tone, children }: { readonly tone: Tone; readonly children: ComponentChildren }) {
  return <span class={`badge ${tone}`}>{children}</span>;
}

interface MoneyProps {
  readonly amount: string | null;
  readonly currency: string;
  readonly isSigned?: boolean;
}

/** Shows money rounded to its usual decimals, with all digits in a hint where some are left out. */
export function Money({ amount, currency, isSigned = false }: MoneyProps) {
  const exact = showExact(amount, currency);
  const title = exact === showMoney(amount, currency) ? undefined : exact;
  return <span title={title}>{showMoney(amount, currency, { isSigned })}</span>;
}

/** Shows a profit or another sum with its sign and a colour. */
export function Gain(money: Omit<MoneyProps, 'isSigned'>) {
  const tone = { '-1': 'bad', '0': 'calm', '1': 'good' }[signOf(money.amount)];
  return (
    <span class={`gain ${tone}`}>
      <Money {...money} isSigned />
    </span>
  );
}

export function Button({
  text,
  ...rest
}: {
  readonly text: TextKey;
  readonly onClick: () => void;
  readonly class?: string;
  readonly disabled?: boolean;
}) {
  return (
    <button type="button" {...rest}>
      {textOf(text)}
    </button>
  );
}

export function SideWord({ side }: { readonly side: 'buy' | 'sell' }) {
  return <span class={`side ${side}`}>{t(`side.${side}`)}</span>;
}

/** Shows the time since an event, with the time itself in a hint. */
export function Age({ atMs }: { readonly atMs: number | null }) {
  return <span title={showTime(atMs, 'second')}>{showAge(atMs)}</span>;
}

/** Maximum number of shown characters of an order's id. */
const MOST_OF_ID = 20;

/** Shows the name of a strategy, a market or an order as a link. */
export function NameLink({
  view,
  name,
}: {
  readonly view: 'strategy' | 'market' | 'order';
  readonly name: string;
}) {
  // Ids of orders begin alike, so that of a long one the end is shown.
  const isCut = view === 'order' && name.length > MOST_OF_ID;
  return (
    <a href={hrefOf(view, name)} dir="ltr" title={isCut ? name : undefined}>
      {isCut ? `…${name.slice(1 - MOST_OF_ID)}` : name}
    </a>
  );
}

interface SentenceTextProps {
  readonly text: string | null;
  readonly facts?: SentenceItem | undefined;
}

/**
 * Shows a text of the bot in the language of the page. Texts of people and of the exchange stay unchanged.
 */
export function SentenceText({ text, facts }: SentenceTextProps) {
  if (text === null || text === '') return <span class="note">–</span>;
  const words = inWords(facts);
  return words === null ? (
    <bdi class="said" lang="en" dir="auto">
      {facts === undefined || facts === null ? text : withReadableNumbers(text)}
    </bdi>
  ) : (
    <span class="said">{words}</span>
  );
}

/** Shows a text with commands in backticks, which run left to right in either language. */
export function WithCode({ text }: { readonly text: string }) {
  const parts = text.split('`');
  return <>{parts.map((part, index) => (index % 2 === 0 ? part : <code dir="ltr">{part}</code>))}</>;
}

/** Shows a name from the code, such as the kind of an intent, as a word if the language has one. */
export function NameWord({
  area,
  name,
}: {
  readonly area: Parameters<typeof wordFor>[0];
  readonly name: string;
}) {
  const word = wordFor(area, name);
  return word === null ? <bdi dir="ltr">{name}</bdi> : <>{word}</>;
}

/** Shows the journal's or the exchange's original data; opened on demand. */
export function RawData({ label, data }: { readonly label: string; readonly data: unknown }) {
  if (data === null || data === undefined) return null;
  const text = typeof data === 'string' ? data : JSON.stringify(data, null, 2);
  return (
    <details class="raw">
      <summary>{label}</summary>
      <pre dir="ltr" lang="en" tabIndex={0}>
        {text}
      </pre>
    </details>
  );
}

/** Shows a few choices, of which exactly one is selected. */
export function Choices<Choice extends string>({
  label,
  choices,
  chosen,
  shown,
}: {
  readonly label: TextKey;
  readonly choices: readonly Choice[];
  readonly chosen: Signal<Choice>;
  readonly shown: (choice: Choice) => ComponentChildren;
}) {
  return (
    <span class="choices" role="group" aria-label={textOf(label)}>
      {choices.map((each) => (
        <button
          type="button"
          key={each}
          aria-pressed={each === chosen.value}
          onClick={() => (chosen.value = each)}
        >
          {shown(each)}
        </button>
      ))}
    </span>
  );
}
