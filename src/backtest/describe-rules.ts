import { type FidelityStatement, fidelityFact as fact, type FidelityFact } from './backtest-run.ts';
import { inDigits, type FactFigure } from '../language/fact.ts';
import type { Timeframe } from '../domain/candle.ts';
import type { BarRules, Latency, PollRules } from '../venues/fill-rules.ts';

function volumeOf({ volumeShareMillionths, path }: BarRules): FidelityFact {
  if (volumeShareMillionths === null) return fact('bars.volume.none');
  return fact(path === 'worst-first' ? 'bars.volume.worst-first' : 'bars.volume.by-path', {
    share: percentOf(volumeShareMillionths),
  });
}

/**
 * Returns the rules on bars by name and setting, with their caveats, for the result of a backtest. `detail`:
 * timeframe of the finer bars that are walked.
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
      {
        rule: fact('bars.price'),
        setting: fact('bars.price.rule', {
          spread: inDigits(rules.spreadBps),
          slippage:
            rules.slippage.kind === 'bps'
              ? fact('bars.slippage.bps', { bps: inDigits(rules.slippage.bps) })
              : fact('bars.slippage.range', { share: percentOf(rules.slippage.millionths) }),
        }),
      },
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

/** Returns a share as a percentage without float noise: `0.07` for 700 millionths. */
function percentOf(millionths: number): FactFigure {
  return inDigits(Number((millionths / 10_000).toFixed(4)));
}

function latencyOf(latency: Latency): FidelityFact {
  if (latency.kind === 'constant') {
    const { outMs, backMs } = latency;
    return fact('poll.latency.constant', { out: inDigits(outMs), back: inDigits(backMs) });
  }
  if (latency.kind === 'replayed')
    return fact('poll.latency.replayed', { further: latencyOf(latency.further) });
  const { roundTripsMs, orderTripsMs } = latency;
  const drawn = { trips: tripsOf(roundTripsMs), seed: inDigits(latency.seed) };
  return orderTripsMs === undefined
    ? fact('poll.latency.drawn', drawn)
    : fact('poll.latency.drawnOfOrders', { ...drawn, ofOrders: tripsOf(orderTripsMs) });
}

function tripsOf(tripsMs: readonly number[]): FidelityFact {
  const sorted = tripsMs.toSorted((left, right) => left - right);
  const atPlace = (place: number): ReturnType<typeof inDigits> => inDigits(sorted.at(place) ?? Number.NaN);
  return fact(sorted.length === 1 ? 'poll.oneTrip' : 'poll.trips', {
    number: inDigits(sorted.length),
    least: atPlace(0),
    most: atPlace(-1),
    median: atPlace(sorted.length >> 1),
  });
}

/** Returns the rules on books by name and setting, with their caveats, for the result of a backtest. */
export function describePollRules(rules: PollRules): FidelityStatement {
  const { queue, through, liquidity, latency, own, tradesLagMs } = rules;
  const lag =
    tradesLagMs === 0 ? fact('poll.lag.none') : fact('poll.lag.some', { lag: inDigits(tradesLagMs) });
  return {
    kind: 'poll',
    rules: [
      { rule: fact('poll.bot'), setting: fact('poll.bot.rule') },
      { rule: fact('poll.changes'), setting: fact('poll.changes.rule') },
      { rule: fact('poll.bars'), setting: fact('poll.bars.rule') },
      { rule: fact('poll.statistics'), setting: fact('poll.statistics.rule') },
      { rule: fact('poll.latency'), setting: latencyOf(latency) },
      { rule: fact('poll.lag'), setting: lag },
      { rule: fact('poll.takes'), setting: fact('poll.takes.rule') },
      { rule: fact('poll.taken'), setting: fact(`poll.taken.${liquidity}`) },
      {
        rule: fact('poll.rests'),
        setting: fact('poll.rests.rule', {
          queue:
            queue.kind === 'share'
              ? fact('poll.queue.share', { share: percentOf(queue.millionths) })
              : fact(`poll.queue.${queue.kind}`),
        }),
      },
      { rule: fact('poll.unreached'), setting: fact('poll.unreached.rule') },
      { rule: fact('poll.through'), setting: fact(`poll.through.${through}`) },
      { rule: fact('stops'), setting: fact('poll.stops.rule') },
      { rule: fact('poll.own'), setting: fact(`poll.own.${own}`) },
      { rule: fact('fees'), setting: fact('fees.rule') },
      { rule: fact('poll.value'), setting: fact('poll.value.rule') },
    ],
    caveats: [
      fact('poll.unknown.reaction'),
      fact('poll.unknown.between'),
      fact('poll.unknown.canceled'),
      fact('poll.unknown.recording'),
      fact('poll.unknown.faults'),
      ...(through === 'whole' ? [fact('poll.unknown.whole')] : []),
    ],
  };
}
