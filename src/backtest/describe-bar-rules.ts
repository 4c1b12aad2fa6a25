import type { FidelityStatement } from './backtest-run.ts';
import type { BarRules } from '../venues/bar-rules.ts';
import { inDigits } from '../language/fact.ts';
import type { Timeframe } from '../domain/candle.ts';
import { fidelityFact as fact, type FidelityFact } from './fidelity-fact.ts';
import { percentOf } from './percent-of.ts';

function priceOf({ slippage, spreadBps }: BarRules): FidelityFact {
  return fact('bars.price.rule', {
    spread: inDigits(spreadBps),
    slippage:
      slippage.kind === 'bps'
        ? fact('bars.slippage.bps', { bps: inDigits(slippage.bps) })
        : fact('bars.slippage.range', { share: percentOf(slippage.millionths) }),
  });
}

function volumeOf({ volumeShareMillionths, path }: BarRules): FidelityFact {
  if (volumeShareMillionths === null) return fact('bars.volume.none');
  return fact(path === 'worst-first' ? 'bars.volume.worst-first' : 'bars.volume.by-path', {
    share: percentOf(volumeShareMillionths),
  });
}

/**
 * The rules by name and setting, and what they can not know, for the result of a backtest; `detail`: finer
 * bars that are walked.
 */
export function describeBarRules(rules: BarRules, detail?: Timeframe): FidelityStatement {
  const { limitFill, limitGap, path, marketBand, arrival } = rules;
  return {
    kind: 'candles',
    rules: [
      { rule: fact('bars.arrival'), setting: fact(`bars.arrival.${arrival}`) },
      { rule: fact('bars.inside'), setting: fact('bars.inside.rule') },
      ...(detail === undefined
        ? []
        : [{ rule: fact('bars.detail'), setting: fact('bars.detail.rule', { timeframe: detail }) }]),
      { rule: fact('bars.market'), setting: fact(`bars.market.${arrival}`) },
      { rule: fact('bars.price'), setting: priceOf(rules) },
      { rule: fact('bars.band'), setting: fact(`bars.band.${marketBand}`) },
      { rule: fact('bars.limit'), setting: fact(`bars.limit.${limitFill}`) },
      { rule: fact('bars.beyond'), setting: fact(`bars.beyond.${limitFill}`) },
      { rule: fact('bars.gap'), setting: fact(`bars.gap.${limitGap}`) },
      { rule: fact('stops'), setting: fact(`bars.stops.${limitFill}`) },
      { rule: fact('bars.oco'), setting: fact('bars.oco.rule') },
      { rule: fact('bars.path'), setting: fact(`bars.path.${path}`) },
      { rule: fact('bars.volume'), setting: volumeOf(rules) },
      { rule: fact('bars.seen'), setting: fact('bars.seen.rule') },
      { rule: fact('bars.age'), setting: fact('bars.age.rule') },
      { rule: fact('fees'), setting: fact('fees.rule') },
      { rule: fact('bars.time'), setting: fact(`bars.time.${arrival}`) },
    ],
    caveats: caveatsOf(rules),
  };
}

function caveatsOf(rules: BarRules): readonly FidelityFact[] {
  const { arrival, spreadBps, slippage, limitFill, limitGap, path, volumeShareMillionths, marketBand } =
    rules;
  const isFree = spreadBps === 0 && (slippage.kind === 'bps' ? slippage.bps : slippage.millionths) === 0;
  return [
    fact('bars.unknown.order'),
    fact('bars.unknown.impact'),
    fact('bars.unknown.queue'),
    fact('bars.unknown.delay'),
    ...(volumeShareMillionths === null ? [] : [fact('bars.unknown.volume')]),
    ...(isFree ? [fact('bars.unknown.costs')] : []),
    ...(limitFill === 'touch' ? [fact('bars.unknown.touch')] : []),
    ...(limitGap === 'open' ? [fact('bars.unknown.gap')] : []),
    ...(arrival === 'this-close' ? [fact('bars.unknown.close')] : []),
    ...(path === 'worst-first' ? [] : [fact('bars.unknown.path')]),
    ...(volumeShareMillionths === null ? [fact('bars.unknown.size')] : []),
    ...(marketBand === 'none' ? [fact('bars.unknown.band')] : []),
  ];
}
