import type { ComponentChildren } from 'preact';
import { hrefOf } from '../route.ts';
import { say } from '../say.ts';
import { showAge, showMoney, showTime, signOf } from '../shown.ts';

export type Tone = 'good' | 'bad' | 'warn' | 'calm';

/** A word in a frame, such as a state. */
export function Badge({ tone, children }: { readonly tone: Tone; readonly children: ComponentChildren }) {
  return <span class={`badge ${tone}`}>{children}</span>;
}

/** Profit, or another sum of which the sign matters: coloured, and with its sign. */
export function Gain({ amount, currency }: { readonly amount: string | null; readonly currency: string }) {
  const tone = { '-1': 'bad', '0': 'calm', '1': 'good' }[signOf(amount)];
  return <span class={`gain ${tone}`}>{showMoney(amount, currency, { isSigned: true })}</span>;
}

export function SideWord({ side }: { readonly side: 'buy' | 'sell' }) {
  return <span class={`side ${side}`}>{say(`side.${side}`)}</span>;
}

/** When something was: how long ago, and the time itself in a hint. */
export function Age({ atMs }: { readonly atMs: number | null }) {
  return <span title={showTime(atMs, 'second')}>{showAge(atMs)}</span>;
}

/** A name of a strategy, a market or an order, which leads to it. */
export function NameLink({
  view,
  name,
}: {
  readonly view: 'strategy' | 'market' | 'order';
  readonly name: string;
}) {
  return (
    <a href={hrefOf(view, name)} dir="ltr">
      {name}
    </a>
  );
}

/** Words of the bot or of the exchange, which are English in every language of the page. */
export function Said({ text }: { readonly text: string | null }) {
  return text === null || text === '' ? (
    <span class="note">–</span>
  ) : (
    <span class="said" lang="en" dir="auto">
      {text}
    </span>
  );
}
