import type Database from 'better-sqlite3';
import { formatUnits, parseUnits } from '../../domain/money.ts';
import type { SimulatedExchange } from '../../simulator/exchange.ts';
import type { UserId } from '../../simulator/accounts.ts';
import {
  inMirror,
  violationsOf,
  type Violation,
  type LeavingRequest,
  type WireWitness,
} from './exchange-truth.ts';
import { english, type Sentence } from '../../language/sentence.ts';
import { z } from 'zod';

/** A request for a transfer, as it was sent. */
interface SentTransfer {
  readonly atMs: number;
  isAnswered: boolean;
}

interface TransferTruth {
  /** Number of transfers that the exchange made, by key. */
  readonly made: ReadonlyMap<string, number>;
  /** Bodies of the transfers whose reply was falsified. */
  readonly spoiled: ReadonlySet<string>;
  /** Strategy that requested the transfers. */
  readonly strategy: string;
}

/** Returns the number of transfers by key, from the lines of the exchange's own margin wallets. */
export function madeTransfers({ accounts }: SimulatedExchange, userId: UserId): ReadonlyMap<string, number> {
  const made = new Map<string, number>();
  for (const { currency, transactions } of accounts.walletsOf(userId, 'margin')) {
    for (const { units } of transactions.values()) {
      const amount = formatUnits(units < 0n ? -units : units);
      const key = transferKey(currency, amount, units < 0n ? 'margin' : 'spot');
      made.set(key, (made.get(key) ?? 0) + 1);
    }
  }
  return made;
}

/**
 * Checks that money moves once for each requested transfer. Its request is sent once, when the mirror's file
 * has it as the only one of its currency, and the bot's report agrees with the exchange. A transfer without
 * an answer is unknown, is reported, and stays so until a person accepts it.
 */
export class TransferChecker implements WireWitness {
  private readonly path: string;
  private readonly found: string[] = [];
  private readonly sent = new Map<string, SentTransfer>();
  /** Transfers sent before an older mirror was restored, which does not know them. */
  private readonly forgotten = new Set<string>();
  private acceptances = 0;

  /** `path`: the mirror, which need not exist yet. */
  constructor(path: string) {
    this.path = path;
  }

  leaves({ endpoint, fields, atMs }: LeavingRequest): void {
    if (endpoint.name !== 'transfer') return;
    const key = keyOf(fields);
    if (this.sent.has(key)) this.found.push(`expected ${key} to leave once, it left again at ${atMs}`);
    this.sent.set(key, { atMs, isAnswered: false });
    const same = inMirror(this.path, readStoredTransfers).filter(
      ({ currency }) => currency === fields['currency'],
    );
    const [only] = same;
    if (same.length === 1 && only?.key === key && only.state === 'sending') return;
    const there = same.map((one) => `${one.key}, ${one.state}`).join('; ') || 'none';
    this.found.push(`expected ${key} alone on the disk before it left at ${atMs}, there was: ${there}`);
  }

  isAnswered({ endpoint, fields }: LeavingRequest): void {
    if (endpoint.name !== 'transfer') return;
    const sent = this.sent.get(keyOf(fields));
    if (sent !== undefined) sent.isAnswered = true;
  }

  /** Called when a person accepts the balances. */
  accepted(): void {
    this.acceptances += 1;
  }

  /** Called when another file replaces the mirror: the transfers sent so far are unknown to it. */
  forgetFile(): void {
    for (const key of this.sent.keys()) this.forgotten.add(key);
    this.sent.clear();
  }

  /** Returns, once all is quiet, the violations and the keys of transfers that were or are unknown. */
  judge({ made, spoiled, strategy }: TransferTruth): {
    readonly violations: readonly Violation[];
    readonly unknown: readonly string[];
  } {
    const { intents, notified, transfers } = inMirror(this.path, (database) => ({
      intents: readTransferIntents(database),
      notified: readSeenTransfers(database, strategy),
      transfers: readStoredTransfers(database),
    }));
    const rows = new Map(intents.map((row) => [row.key, row]));
    const stored = new Set(transfers.flatMap(({ id, state }) => (state === 'unknown' ? [id] : [])));
    const wrong = new Set([...spoiled].map((body) => keyOf(JSON.parse(body))));
    const messages = [...this.found];
    for (const [key, times] of made) {
      if (times > 1) messages.push(`expected ${key} once, the exchange made it ${times} times`);
      if (!this.sent.has(key) && !this.forgotten.has(key))
        messages.push(`expected ${key} to have left the bot, the exchange made it`);
    }
    for (const [key, { isAnswered }] of this.sent) {
      const row = rows.get(key);
      if (row === undefined) {
        messages.push(`expected ${key}, which left, in the mirror, it is not there`);
        continue;
      }
      messages.push(
        ...this.fateMessages(row, { isMade: made.has(key), isAnswered, isWrong: wrong.has(key) }),
      );
    }
    for (const row of intents) {
      if (this.forgotten.has(row.key)) continue;
      messages.push(...this.rowMessages(row, { isStored: stored.has(row.id), notified: notified[row.id] }));
    }
    const doubtful = intents.filter((row) => endOf(row) === 'unknown' || endOf(row) === 'accepted');
    return { violations: violationsOf('transfers', messages), unknown: doubtful.map(({ key }) => key) };
  }

  /** Checks that the bot's report on a sent transfer agrees with its outcome. */
  private fateMessages(
    row: TransferIntentRow,
    of: { readonly isMade: boolean; readonly isAnswered: boolean; readonly isWrong: boolean },
  ): readonly string[] {
    const { key, id } = row;
    const end = endOf(row);
    const messages: string[] = [];
    if (!of.isWrong && end === 'refused' && of.isMade)
      messages.push(`expected ${key} (${id}) not to be taken for refused, the exchange made it`);
    if (!of.isWrong && end === 'made' && !of.isMade)
      messages.push(`expected ${key} (${id}) not to be taken for made, the exchange never made it`);
    if (!of.isAnswered && (end === 'refused' || end === 'made'))
      messages.push(`expected ${key} (${id}) to be unknown without an answer, it is ${end}`);
    return messages;
  }

  /** Checks that an unknown transfer is stored and reported, and that a completed one is reported. */
  private rowMessages(
    row: TransferIntentRow,
    of: { readonly isStored: boolean; readonly notified: string | undefined },
  ): readonly string[] {
    const { key, id } = row;
    const end = endOf(row);
    const messages: string[] = [];
    if ((end === 'unknown') !== of.isStored)
      messages.push(`expected ${key} (${id}), which is ${end}, to be kept just while it is unknown`);
    if (end === 'accepted' && this.acceptances === 0)
      messages.push(`expected ${key} (${id}) to be unknown until a person accepts it, nobody did`);
    const tellings = NOTIFIED[end];
    if (!tellings.includes(of.notified))
      messages.push(
        `expected the strategy to be told ${tellings.join(' or ')} of ${key} (${id}), it was told ${of.notified}`,
      );
    return messages;
  }
}

type End = 'made' | 'refused' | 'accepted' | 'unknown';

/**
 * Last notices that the strategy may have got for each end. An acceptance may come before the strategy has
 * started again and is then lost with the process; so may be the notices before it.
 */
const NOTIFIED: Readonly<Record<End, readonly (string | undefined)[]>> = {
  made: ['done'],
  refused: [undefined],
  accepted: ['accepted', 'unknown', undefined],
  unknown: ['unknown'],
};

function endOf({ status, reason }: TransferIntentRow): End {
  if (status === 'refused') return 'refused';
  if (status === 'working') return 'unknown';
  return english(reason) === 'transferred' ? 'made' : 'accepted';
}

const keyOf = (fields: LeavingRequest['fields']): string =>
  transferKey(String(fields['currency']), String(fields['amount']), String(fields['src']));

const amount = z.string().transform((text) => formatUnits(parseUnits(text)));
const request = z.object({ currency: z.string(), amount, from: z.enum(['spot', 'margin']) });
const stored = z.array(request.extend({ id: z.string(), state: z.enum(['sending', 'unknown']) }));
const told = z.object({ state: z.object({ told: z.record(z.string(), z.string()).default({}) }).nullish() });

/** Returns the key of a transfer: all transfers of the treasurer have different amounts. */
const transferKey = (currency: string, amountText: string, from: string): string =>
  `${formatUnits(parseUnits(amountText))} ${currency} from ${from}`;

/** A running transfer in the mirror's file. */
interface StoredTransfer {
  readonly id: string;
  readonly key: string;
  readonly currency: string;
  readonly state: 'sending' | 'unknown';
}

/** Outcome of a transfer intent in the mirror's file. */
interface TransferIntentRow {
  readonly id: string;
  readonly key: string;
  readonly status: string;
  readonly reason: Sentence | null;
}

/** Reads the transfers that a mirror has stored as not ended. */
export function readStoredTransfers(database: Database.Database): readonly StoredTransfer[] {
  const row = database
    .prepare<[], { readonly json: string }>("SELECT json FROM kept WHERE name = 'transfers'")
    .get();
  if (row === undefined) return [];
  return stored
    .parse(JSON.parse(row.json))
    .map(({ id, state, ...of }) => ({ id, state, currency: of.currency, key: rowKey(of) }));
}

/** Reads all transfer intents that were accepted. */
export function readTransferIntents(database: Database.Database): readonly TransferIntentRow[] {
  return database
    .prepare<
      [],
      { readonly id: string; readonly json: string; readonly status: string; readonly reason: string | null }
    >("SELECT intent_id AS id, json, status, reason FROM intents WHERE kind = 'transfer' ORDER BY id")
    .all()
    .map(({ json, ...row }) => ({ ...row, key: rowKey(request.parse(JSON.parse(json))) }));
}

/** Reads the last notice that a strategy got on each of its transfers, by id. */
function readSeenTransfers(database: Database.Database, strategy: string): Readonly<Record<string, string>> {
  const row = database
    .prepare<[string], { readonly json: string }>('SELECT json FROM strategies WHERE name = ?')
    .get(strategy);
  return row === undefined ? {} : (told.parse(JSON.parse(row.json)).state?.told ?? {});
}

const rowKey = (of: z.output<typeof request>): string => transferKey(of.currency, of.amount, of.from);
