import type Database from 'better-sqlite3';
import { z } from 'zod';
import { formatUnits, parseUnits } from '../../domain/money.ts';
import type { Sentence } from '../../language/sentence.ts';

const amount = z.string().transform((text) => formatUnits(parseUnits(text)));
const wish = z.object({ currency: z.string(), amount, from: z.enum(['spot', 'margin']) });
const kept = z.array(wish.extend({ id: z.string(), state: z.enum(['sending', 'unknown']) }));
const told = z.object({ state: z.object({ told: z.record(z.string(), z.string()).default({}) }).nullish() });

/** Returns the key of a transfer: no two of the treasurer's have the same amount. */
export function transferKey(currency: string, amountText: string, from: string): string {
  return `${formatUnits(parseUnits(amountText))} ${currency} from ${from}`;
}

/** A transfer that the mirror's file has as one at work. */
interface KeptTransfer {
  readonly id: string;
  readonly key: string;
  readonly currency: string;
  readonly state: 'sending' | 'unknown';
}

/** Outcome of an intent for a transfer, as in the mirror's file. */
export interface TransferIntentRow {
  readonly id: string;
  readonly key: string;
  readonly status: string;
  readonly reason: Sentence | null;
}

/** Transfers at work. */
export function readKeptTransfers(database: Database.Database): readonly KeptTransfer[] {
  const row = database
    .prepare<[], { readonly json: string }>("SELECT json FROM kept WHERE name = 'transfers'")
    .get();
  if (row === undefined) return [];
  return kept
    .parse(JSON.parse(row.json))
    .map(({ id, state, ...of }) => ({ id, state, currency: of.currency, key: keyOf(of) }));
}

/** All intents for a transfer that were taken. */
export function readTransferIntents(database: Database.Database): readonly TransferIntentRow[] {
  return database
    .prepare<
      [],
      { readonly id: string; readonly json: string; readonly status: string; readonly reason: string | null }
    >("SELECT intent_id AS id, json, status, reason FROM intents WHERE kind = 'transfer' ORDER BY id")
    .all()
    .map(({ json, ...row }) => ({ ...row, key: keyOf(wish.parse(JSON.parse(json))) }));
}

/** By id: what a strategy was told of its transfers last. */
export function readToldTransfers(
  database: Database.Database,
  strategy: string,
): Readonly<Record<string, string>> {
  const row = database
    .prepare<[string], { readonly json: string }>('SELECT json FROM strategies WHERE name = ?')
    .get(strategy);
  return row === undefined ? {} : (told.parse(JSON.parse(row.json)).state?.told ?? {});
}

function keyOf(of: z.output<typeof wish>): string {
  return transferKey(of.currency, of.amount, of.from);
}
