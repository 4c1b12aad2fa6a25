import type { FidelityStatement } from './backtest-run.ts';
import type { BarPath, BarRules } from '../venues/bars/bar-rules.ts';

const PATHS: Readonly<Record<BarPath, string>> = {
  'worst-first':
    'worst first: of an OCO the stop comes before the limit leg wherever both could fill; a stop-limit order that rests after it triggered inside a bar fills in that bar only if the close is beyond its limit',
  'open-high-low-close': 'open, high, low, close',
  'open-low-high-close': 'open, low, high, close',
  'nearest-first': 'open, the extreme nearer to it (the low if both are as near), the other extreme, close',
};

/** A share as a percentage, without the noise of floats. */
function percent(millionths: number): string {
  return `${Number((millionths / 10_000).toFixed(4))} %`;
}

function arrivalOf({ arrival }: BarRules): string {
  return arrival === 'next-open'
    ? 'as the first bar opens that begins no earlier than the order'
    : 'at the close of the last bar';
}

function costsOf({ slippage, spreadBps }: BarRules): string {
  const slip =
    slippage.kind === 'bps'
      ? `${slippage.bps} bps of the price`
      : `${percent(slippage.millionths)} of the bar's high less low`;
  return `half of a spread of ${spreadBps} bps, and ${slip}; rounded to the price step against the order, at least one step, and not held within the bar`;
}

function marketOf({ arrival }: BarRules): string {
  return arrival === 'next-open'
    ? 'the open, as taker; what is left, at the opens that follow'
    : 'the close, as taker; what is left, at the opens that follow';
}

function stopsOf({ limitFill }: BarRules): string {
  const within = limitFill === 'through' ? 'better than its limit' : 'no worse than its limit';
  return `trigger when the bar reaches the stop price, at a gap at the open; then take at that price, a stop-limit order only where that is ${within} and with costs no worse than that, else it rests`;
}

function volumeOf({ volumeShareMillionths, path }: BarRules): string {
  if (volumeShareMillionths === null) return 'no bound';
  const inside =
    path === 'worst-first'
      ? 'stops, then limits'
      : 'as the path comes to them, at one price stops, then limits';
  return `all orders of a market together at most ${percent(volumeShareMillionths)} of the volume of a bar; the rest stays open; first at the open, then ${inside}, of which the older first`;
}

/** The rules by name and setting, and what they can not know, for the result of a backtest. */
export function describeBarRules(rules: BarRules): FidelityStatement {
  const { limitFill, limitGap, path, marketBand, arrival } = rules;
  const band =
    marketBand === 'none'
      ? 'no bound'
      : 'ends one percent beyond its stop price, or without one the last close that the bot was shown';
  return {
    kind: 'candles',
    rules: [
      { rule: 'orders arrive', setting: arrivalOf(rules) },
      {
        rule: 'orders that arrive inside a bar',
        setting:
          'what takes does so at the open of that bar, while no bar of any market has closed since; all else has part from the next bar on; a cancel leaves the whole path of the bar to others',
      },
      { rule: 'market orders', setting: marketOf(rules) },
      { rule: 'price of what takes', setting: `worse by ${costsOf(rules)}` },
      {
        rule: 'market orders, bound',
        setting: `${band}; a buy ends where the free money of its moment does`,
      },
      {
        rule: 'limit orders',
        setting: `their own price, as maker, once the bar ${limitFill === 'through' ? 'trades beyond it' : 'touches it'}`,
      },
      {
        rule: 'limit orders, already beyond their price as they arrive',
        setting: `as a market order${limitFill === 'touch' ? ', at their very price too' : ''}, no worse than their own price, until an open is not beyond it`,
      },
      {
        rule: 'limit orders, gap',
        setting:
          limitGap === 'open'
            ? 'the open, on a step against the order, as maker'
            : 'their own price, as maker',
      },
      { rule: 'stop orders', setting: stopsOf(rules) },
      { rule: 'OCO', setting: 'a fill of one leg, or the trigger of the stop, cancels the other' },
      { rule: 'path inside a bar', setting: PATHS[path] },
      { rule: 'volume', setting: volumeOf(rules) },
      {
        rule: 'when the bot sees it',
        setting: 'fills at an open as the bar begins, all others as it closes, before the bar itself',
      },
      {
        rule: 'age of prices',
        setting:
          'the open of the current bar, or the last close, counts as a fresh book until the next bar is due to close; in a gap it ages from then on',
      },
      { rule: 'fees', setting: 'half-even, in the currency received, by the fill being maker or taker' },
      {
        rule: 'time of a fill',
        setting: `the bar begins, at an open; ${arrival === 'this-close' ? 'the order does, at a close; ' : ''}one millisecond before it ends, elsewhere`,
      },
    ],
    caveats: caveatsOf(rules),
  };
}

function caveatsOf(rules: BarRules): readonly string[] {
  const { arrival, spreadBps, slippage, limitFill, limitGap, path, volumeShareMillionths, marketBand } =
    rules;
  const isFree = spreadBps === 0 && (slippage.kind === 'bps' ? slippage.bps : slippage.millionths) === 0;
  return [
    'A bar does not say in which order its prices came, nor what the book looked like.',
    'Orders move no price: what was traded in a bar would have been traded without them too.',
    'Nothing is known of the queue: a limit order fills as if it were first at its price.',
    'There is no delay and no limit on requests: the bot sees each bar as it closes and its orders are there at once.',
    ...sayIf(
      volumeShareMillionths !== null,
      'How much of an order fills at an open follows from the volume of the whole bar, which was not known then.',
    ),
    ...sayIf(isFree, 'What takes pays neither spread nor slippage: real fills are worse.'),
    ...sayIf(
      limitFill === 'touch',
      'A touched limit price counts as a fill, which is too good for most orders.',
    ),
    ...sayIf(
      limitGap === 'open',
      'A resting limit order fills at the open of a gap, which is better than its own price; a real one fills at its own.',
    ),
    ...sayIf(
      arrival === 'this-close',
      'Orders fill at the close on which they were decided, which is not possible in practice.',
    ),
    ...sayIf(
      path !== 'worst-first',
      'The path inside a bar is assumed; it can favour a stop and a limit order in one bar.',
    ),
    ...sayIf(volumeShareMillionths === null, 'Orders of any size fill whole, whatever was traded.'),
    ...sayIf(
      marketBand === 'none',
      'The exchange gives up a market order one percent beyond its price; here a gap of any size fills it.',
    ),
  ];
}

function sayIf(isSo: boolean, sentence: string): readonly string[] {
  return isSo ? [sentence] : [];
}
