import type { AdmissionAsk, Slot } from '../admission.ts';
import { enterAtOnce, type Entry, type EntryAsk } from '../admittance.ts';
import type { LedgerRules } from '../ledger-rules.ts';
import { heldUntil, takePass } from '../lockouts.ts';
import type { LedgerDraft } from './ledger-draft.ts';

/** Asks for a slot and a pass in a draft, at a time of the server. */
export function enterDraft(
  rules: LedgerRules,
  draft: LedgerDraft,
  at: { readonly ask: EntryAsk; readonly nowMs: number },
): Entry {
  return enterAtOnce(
    {
      admit: (ask: AdmissionAsk, nowMs) => rules.admit(ask, nowMs),
      withdraw: ({ id }: Slot) => rules.withdraw(id),
    },
    {
      heldUntil: (ask, nowMs) => heldUntil(draft.lockouts, ask, nowMs),
      take: (ask, nowMs) => takePass(draft.lockouts, ask, nowMs),
    },
    at,
  );
}
