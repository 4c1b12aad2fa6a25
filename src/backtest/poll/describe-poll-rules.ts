import type { FidelityStatement } from '../backtest-run.ts';
import { inDigits } from '../../language/fact.ts';
import type { QueuePlace } from '../../venues/liquidity-model.ts';
import type { Latency, PollRules } from '../../venues/poll-rules.ts';
import { fidelityFact as fact, type FidelityFact } from '../fidelity-fact.ts';
import { percentOf } from '../percent-of.ts';

function queueOf(queue: QueuePlace): FidelityFact {
  return queue.kind === 'share'
    ? fact('poll.queue.share', { share: percentOf(queue.millionths) })
    : fact(`poll.queue.${queue.kind}`);
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

/** The rules by name and setting, and what they can not know, for the result of a backtest. */
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
      { rule: fact('poll.rests'), setting: fact('poll.rests.rule', { queue: queueOf(queue) }) },
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
