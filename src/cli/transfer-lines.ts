import { formatUnits } from '../domain/money.ts';
import { agoText, clockText } from '../domain/time-text.ts';
import { otherSide, type WalletSide } from '../domain/transfer.ts';
import { readKept } from '../engine/kept-records.ts';
import type { KeptRow } from '../mirror/mirror-reader.ts';

/** A transfer between the spot and the margin wallet that has not come to its end. */
export interface TransferAtWork {
  readonly strategy: string;
  /** Lower case. */
  readonly currency: string;
  /** A decimal. */
  readonly amount: string;
  readonly from: WalletSide;
  readonly to: WalletSide;
  /** `sending`: its answer may come any moment; `unknown`: nobody knows whether it arrived. */
  readonly state: 'sending' | 'unknown';
  readonly sinceMs: number;
}

/**
 * Those that a mirror has. `isRunning`: whether a bot has it open; null where that is not known. What was on
 * its way when the last bot ended is unknown, as the next one will say.
 */
export function transfersNow(kept: readonly KeptRow[], isRunning: boolean | null): readonly TransferAtWork[] {
  return (readKept(kept, 'transfers') ?? []).map(({ strategy, currency, amount, from, state, sinceMs }) => ({
    strategy,
    currency,
    amount: formatUnits(amount),
    from,
    to: otherSide(from),
    state: isRunning === false ? 'unknown' : state,
    sinceMs,
  }));
}

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

/** What a person does about those that are unknown. */
function adviceOn(transfers: readonly TransferAtWork[]): readonly string[] {
  const unknown = transfers.filter(({ state }) => state === 'unknown');
  if (unknown.length === 0) return [];
  const currencies = [...new Set(unknown.map(({ currency }) => currency))].join(', ');
  return [
    `        It is never sent again, and no other transfer of ${currencies} is taken. Look at the wallets on the page of the exchange. Then run "sarraf reconcile --accept" while the bot runs.`,
  ];
}
