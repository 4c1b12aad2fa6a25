import { agoText, clockText } from '../domain/time-text.ts';
import type { TransferAtWork } from '../mirror/transfers-now.ts';

/** A line for each, and what to do where one is unknown. */
export function transferLines(transfers: readonly TransferAtWork[], nowMs: number): readonly string[] {
  if (transfers.length === 0) return [];
  return [...transfers.map((transfer) => lineOf(transfer, nowMs)), ...adviceOn(transfers)];
}

function lineOf(
  { strategy, currency, amount, from, to, state, sinceMs }: TransferAtWork,
  nowMs: number,
): string {
  const since = `since ${clockText(sinceMs, nowMs)} UTC (${agoText(sinceMs, nowMs)})`;
  return state === 'sending'
    ? `moving  ${amount} ${currency} from ${from} to ${to} for ${strategy}, on its way ${since}`
    : `UNKNOWN whether ${amount} ${currency} went from ${from} to ${to} for ${strategy}, ${since}`;
}

/** Advises a person on the unknown transfers. */
function adviceOn(transfers: readonly TransferAtWork[]): readonly string[] {
  const unknown = transfers.filter(({ state }) => state === 'unknown');
  if (unknown.length === 0) return [];
  const currencies = [...new Set(unknown.map(({ currency }) => currency))].join(', ');
  return [
    `        It is never sent again, and no other transfer of ${currencies} is taken. Look at the wallets on the page of the exchange. Then run "sarraf reconcile --accept" while the bot runs.`,
  ];
}
