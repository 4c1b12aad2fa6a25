import { NO_UNITS, type Units, UNITS_PER_ONE } from '../../domain/money.ts';
import { divideDown } from '../../domain/rounding.ts';
import { sentence } from '../../language/sentences/sentence.ts';
import type { OrderRecord } from '../order-record.ts';
import { plainOrder, type AlgorithmStep, type AlgorithmView } from './algorithm-step.ts';
import { costAt, type DcaAlgorithm } from './dca.ts';
import { canBeOrdered } from './market-grid.ts';
import { afterSetbacks, MOST_SETBACKS, NO_SETBACKS } from './setbacks.ts';
import { canceling, over, placing, waiting } from './step.ts';
import { takeStock, type Stock } from './tally.ts';

/** One order at a time: the purchase of a time, begun once, and tried again while it is refused. */
export function advanceDca(before: DcaAlgorithm, view: AlgorithmView): AlgorithmStep<DcaAlgorithm> {
  const stock = takeStock(before.tally, view.orders);
  const algorithm = afterEnded(before, stock, view);
  const time = timeAt(algorithm, view.nowMs);
  const isDue = time >= algorithm.nextTime;
  if (stock.live !== null) return awaiting(algorithm, stock.live, isDue);
  const price = view.book?.bestAsk ?? null;
  if (isDue && price === null) return waiting(algorithm, { wantsBooks: true });
  return goOn(isDue && price !== null ? begun(algorithm, time, price) : algorithm, view);
}

/** The purchase of a time begins; what an older one has not bought is left. */
function begun(algorithm: DcaAlgorithm, time: number, price: Units): DcaAlgorithm {
  const { highest: before, overspent } = algorithm;
  const highest = before === null || price > before ? price : before;
  const cost = costAt(algorithm, price, highest);
  const takenOff = cost < overspent ? cost : overspent;
  return {
    ...algorithm,
    nextTime: time + 1,
    highest,
    toSpend: (cost - takenOff) as Units,
    overspent: (overspent - takenOff) as Units,
    setbacks: NO_SETBACKS,
  };
}

/** Orders the purchase at hand, where it is enough for an order and nothing is in the way. */
function goOn(algorithm: DcaAlgorithm, view: AlgorithmView): AlgorithmStep<DcaAlgorithm> {
  const { toSpend, setbacks } = algorithm;
  if (toSpend === 0n) return rested(algorithm);
  if (setbacks.inARow >= MOST_SETBACKS) return rested({ ...algorithm, toSpend: NO_UNITS });
  const { retryAtMs } = setbacks;
  const dueMs = nextDueMs(algorithm);
  if (retryAtMs !== null && retryAtMs > view.nowMs)
    return waiting(algorithm, { wakeAtMs: Math.min(retryAtMs, dueMs ?? retryAtMs) });
  const price = view.book?.bestAsk ?? null;
  if (price === null)
    return waiting(algorithm, { wantsBooks: true, ...(dueMs === null ? {} : { wakeAtMs: dueMs }) });
  const amount = divideDown(toSpend * UNITS_PER_ONE, price) as Units;
  if (!canBeOrdered(view.market, { amount, price })) return rested({ ...algorithm, toSpend: NO_UNITS });
  return placing(algorithm, plainOrder('buy', amount, null), dueMs);
}

/** Nothing to do until the next time, if there is one. */
function rested(algorithm: DcaAlgorithm): AlgorithmStep<DcaAlgorithm> {
  const dueMs = nextDueMs(algorithm);
  return dueMs === null
    ? over(algorithm, sentence('over-last-purchase'))
    : waiting(algorithm, { wakeAtMs: dueMs });
}

/** An order whose end is not known is to end when the next purchase is due. */
function awaiting(
  algorithm: DcaAlgorithm,
  { state, key }: OrderRecord,
  isDue: boolean,
): AlgorithmStep<DcaAlgorithm> {
  const wakeAtMs = nextDueMs(algorithm);
  if (!isDue) return waiting(algorithm, wakeAtMs === null ? {} : { wakeAtMs });
  return state === 'planned' || state === 'cancelling' || state === 'settling'
    ? waiting(algorithm)
    : canceling(algorithm, key);
}

/** Takes in what has ended or was refused. A purchase that has filled anything is over. */
function afterEnded(before: DcaAlgorithm, { tally, ended }: Stock, view: AlgorithmView): DcaAlgorithm {
  const setbacks = afterSetbacks(before.setbacks, { ended, view });
  if (tally === before.tally && setbacks === before.setbacks) return before;
  const spent = ended.reduce((sum, { filledTotal }) => sum + filledTotal, 0n);
  if (spent === 0n) return { ...before, tally, setbacks };
  const beyond = spent > before.toSpend ? spent - before.toSpend : 0n;
  return { ...before, tally, setbacks, toSpend: NO_UNITS, overspent: (before.overspent + beyond) as Units };
}

/** Returns the time the next purchase is due; null after the last. */
function nextDueMs({ startedAtMs, nextTime, everyMs, times }: DcaAlgorithm): number | null {
  return times !== null && nextTime >= times ? null : startedAtMs + nextTime * everyMs;
}

/** The last time that has come, from 0 on; below the next where that is still to come. */
function timeAt({ startedAtMs, everyMs, times }: DcaAlgorithm, nowMs: number): number {
  const time = Math.floor((nowMs - startedAtMs) / everyMs);
  return times === null ? time : Math.min(times - 1, time);
}
