import { z } from 'zod';
import { PLOT_COLORS, PLOT_STYLES } from '../domain/figure-name.ts';
import { formatUnits } from '../domain/money.ts';
import { EXIT_KINDS, storedWalletTransactionId } from '../domain/order.ts';
import {
  readStored,
  storedCount,
  storedProblem,
  storedTimeMs,
  storedUnits,
  type Immutable,
} from '../domain/stored-json.ts';
import { sentence, type Sentence } from '../language/sentence.ts';
import { storedSentence } from '../records/field.ts';
import { storedBooks } from '../portfolio/stored-books.ts';
import { storedFillRecord } from '../records/fill.ts';
import { storedLock } from './lock.ts';

const formerEpoch = z.object({
  epoch: z.string(),
  /** Last journal row in the copy: orders of later rows are missing in it. */
  lastRow: storedCount,
});

/** State of `KnownNames`. */
const storedNames = z.object({
  epoch: z.string(),
  /** Epochs that this mirror had before it was restored from a copy. */
  former: z.array(formerEpoch),
  /**
   * Place in the list of own orders up to which all orders of this instance are in the mirror again; null if
   * the mirror was never restored from a copy.
   */
  takenOverTo: storedCount.nullable(),
  /** The same by market, where each market has a list of its own. */
  searchedTo: z.record(z.string(), storedCount).exactOptional(),
  /** True while orders missing in the copy are still being searched for. */
  isSearching: z.boolean(),
});

/** A halt, which lasts over a restart. */
const storedControl = z.object({
  halted: z.object({ reason: storedSentence, sinceMs: storedTimeMs, wholeAccount: z.boolean() }).nullable(),
});

const storedStop = z.object({
  strategy: z.string(),
  market: z.string(),
  intentId: z.string(),
  atMs: storedTimeMs,
});

/** Earnings of one strategy's exits in one market, in one part of the window. */
const storedEarning = z.object({
  strategy: z.string(),
  market: z.string(),
  currency: z.string(),
  fromMs: storedTimeMs,
  ended: storedCount,
  profit: storedUnits,
  cost: storedUnits,
});

/** Equity highs that a drawdown rule remembers, of one strategy or of all (null). */
const storedPeaks = z.object({
  strategy: z.string().nullable(),
  /** Equity less results at the first sample: money that is added later does not count. */
  base: storedUnits,
  /** Highs of parts of the rule's window, oldest first; each is higher than all later ones. */
  highs: z.array(z.object({ fromMs: storedTimeMs, equity: storedUnits })),
});

export type Stop = Readonly<z.output<typeof storedStop>>;
export type Earning = Readonly<z.output<typeof storedEarning>>;
export type Peaks = Readonly<z.output<typeof storedPeaks>>;

/** Counts of one lock rule. */
const storedCounts = z.object({
  rule: z.string(),
  stops: z.array(storedStop).readonly(),
  earnings: z.array(storedEarning).readonly(),
  peaks: z.array(storedPeaks).readonly(),
});

export type RuleCounts = Readonly<z.output<typeof storedCounts>>;

/** Version of the stored form of locks. Other versions are refused, as their meaning is unknown. */
const LOCKS_VERSION = 1;

/** Locks, and what their rules have counted. */
const storedLocks = z.object({
  version: z.literal(LOCKS_VERSION, {
    error: `expected version ${LOCKS_VERSION} of what is kept of locks: it is of another sarraf; run that one, or move the mirror away`,
  }),
  locks: z.array(storedLock).readonly(),
  counts: z.array(storedCounts).readonly(),
  /** Time of the next known change by the clock, for readers while no bot runs; null if none is known. */
  nextChangeAtMs: storedTimeMs.nullable(),
});

export type StoredLocks = z.output<typeof storedLocks>;

/** State without any locks or counts. */
export const NO_LOCKS: StoredLocks = { version: LOCKS_VERSION, locks: [], counts: [], nextChangeAtMs: null };

const storedPlaced = z.object({
  /** Key of the command. */
  key: z.string(),
  atMs: storedTimeMs,
  /** Terms of the order as text, to notice the same order a moment later. */
  terms: z.string(),
  ok: z.boolean(),
  /** Client order id of the order; null if none was placed. */
  clientOrderId: z.string().nullable(),
  message: storedSentence,
});

const storedLeg = z.object({
  asset: z.string(),
  market: z.string(),
  /** Amount held when its sale began. */
  held: storedUnits,
  /** Intent id of the target that sells it; null while other orders are still being canceled. */
  intentId: z.string().nullable(),
  /** Reason why the target ended; null while it has not. */
  end: storedSentence.nullable(),
  /** Amount traded by the target's orders before fees, and its value in the quote currency. */
  traded: storedUnits,
  total: storedUnits,
});

const storedClosing = z.object({
  key: z.string(),
  strategy: z.string(),
  sinceMs: storedTimeMs,
  legs: z.array(storedLeg),
  /** Result of the closing; null while it runs. */
  end: z.object({ ok: z.boolean(), message: storedSentence }).nullable(),
});

const storedDone = z.object({ key: z.string(), ok: z.boolean(), message: storedSentence });

/** Manual commands, written together with their effects. */
const storedByHand = z.object({
  placed: z.array(storedPlaced),
  closings: z.array(storedClosing),
  /** Commands on positions and approvals. Missing in rows that were written before sarraf had these. */
  moved: z.array(storedDone).default([]),
});

/** A command to place a manual order, with the order or the reason why none was placed. */
export type Placed = z.output<typeof storedPlaced>;

/** Result of a command that is done at once: on a position's coins, or on an approval. */
export type DoneCommand = z.output<typeof storedDone>;

/** The closing of one coin of a position. */
export type ClosingLeg = z.output<typeof storedLeg>;

/** A command to close a position, with its progress. */
export type Closing = z.output<typeof storedClosing>;

const storedIssue = z.object({
  /** Subject of the issue: the key of an order, `trade 17`, `wallet btc`, `book BTCIRT`. */
  subject: z.string(),
  sinceMs: z.number(),
  /** True if it concerns one of our orders: it blocks new orders while it lasts. */
  isGrave: z.boolean(),
  field: z.string(),
  expected: z.string(),
  found: z.string(),
  /** As in `ValidationIssue`. */
  isSoft: z.literal(true).exactOptional(),
});

/** A value from the exchange that can not be right, in the form that people read. */
export type NotedIssue = Readonly<z.output<typeof storedIssue>>;

/** Maximum number of characters of a found value that are shown. */
export const SHOWN_LENGTH = 80;

/** Returns the text of an issue. */
export function sentenceOf({
  subject,
  field,
  expected,
  found,
}: Pick<NotedIssue, 'subject' | 'field' | 'expected' | 'found'>): Sentence {
  return sentence('finding', { subject, field, expected, found: found.slice(0, SHOWN_LENGTH) });
}

/** Refusal of the credential, for readers of the mirror; null while no refusal is known. */
const storedCredential = z.object({
  refused: z.object({ name: storedSentence, advice: storedSentence, sinceMs: storedTimeMs }).nullable(),
});

/** Balances that agreed with the books. */
const balanceMark = z.object({
  /** Time the wallets were read. */
  seenAtMs: storedTimeMs,
  /** Time of the last movement that the totals include, by the exchange's clock. */
  throughMs: storedTimeMs,
  /** Total of all compared wallets of each currency. */
  totals: z.record(z.string(), storedUnits),
});

const storedBalanceMarks = z.object({
  marks: z.array(balanceMark),
  /** True if the books began anew since the last mark: the next balances that agree are stored. */
  isDue: z.boolean(),
});

const decimal = storedUnits.transform((units): string => formatUnits(units));
const disagreement = z.object({ currency: z.string(), expected: decimal, found: decimal });

/** A difference between the books and a wallet, as decimal texts. */
export type DisagreementText = z.output<typeof disagreement>;

/** A difference that a later comparison has to confirm before it is a break. */
const suspicion = z.object({ sinceMs: storedTimeMs, rows: z.array(disagreement).readonly() });

/** State of the reconciliation, which `sarraf reconcile` shows. */
const storedReconciliation = z.object({
  books: storedBooks,
  /** Ids and places of the last lines that were read of each wallet's history. */
  lastLines: z.record(
    z.string(),
    z.array(z.tuple([storedWalletTransactionId, storedCount]).readonly()).readonly(),
  ),
  concludedAtMs: storedTimeMs.nullable(),
  conclusions: storedCount,
  /** Currencies that are compared. */
  followed: z.array(z.string()),
  /** Time the books began; null once a later reading has confirmed them. */
  begunAtMs: storedTimeMs.nullable(),
  /** Time of the last movement in the books, by the exchange's clock; missing in rows of early versions. */
  movedAtMs: storedTimeMs.nullable().optional(),
  suspicion: suspicion.nullable(),
  /** Reason of the last inconclusive comparison, stored once it has lasted for too long. */
  blockedBy: storedSentence.nullable().optional(),
  /** The break, which stops new orders until a person has reviewed it; null if there is none. */
  break: suspicion.extend({ atMs: storedTimeMs }).nullable(),
});

export type StoredReconciliation = z.output<typeof storedReconciliation>;
export type Suspicion = z.output<typeof suspicion>;

/** Maximum number of trades left out of the books that are stored; the oldest are dropped beyond that. */
export const MOST_LEFT_OUT = 1_000;

/** Identity and place of a trade that is left out of the books for good. */
const storedLeftOut = storedFillRecord.pick({
  tradeId: true,
  venueOrderId: true,
  side: true,
  cursor: true,
});

export type LeftOutTrade = Readonly<z.output<typeof storedLeftOut>>;

/** Maximum number of unfinished transfers: one of each currency, and no account has more currencies. */
export const MOST_TRANSFERS = 20;

const storedTransfer = z.object({
  /** Id of its intent. */
  id: z.string(),
  strategy: z.string(),
  /** Currency in lower case. */
  currency: z.string(),
  amount: storedUnits,
  from: z.enum(['spot', 'margin']),
  /** `sending`: its answer is awaited; `unknown`: there was no clear answer. */
  state: z.enum(['sending', 'unknown']),
  sinceMs: storedTimeMs,
});

/** An unfinished transfer between the spot and the margin wallet of a currency. */
export type TransferRecord = z.output<typeof storedTransfer>;

const universeMember = z.strictObject({ market: z.string(), rank: storedCount, sinceMs: storedTimeMs });

const storedUniverse = z.strictObject({
  members: z.array(universeMember).readonly(),
  /** Markets that have left while the strategy still had something in them. */
  kept: z.array(z.string()).readonly(),
});

export type StoredUniverse = z.output<typeof storedUniverse>;

/** Universes are named by the strategy and the data: `alpha/members`. */
const storedUniverses = z.strictObject({
  /** Time each market was first seen; null if it was there when the bot first polled. */
  firstSeen: z.record(z.string(), storedTimeMs.nullable()),
  universes: z.record(z.string(), storedUniverse),
});

/** Style and pane of one plotted series. */
const storedPlot = z.object({
  strategy: z.string(),
  market: z.string(),
  name: z.string(),
  pane: z.string().nullable(),
  style: z.enum(PLOT_STYLES),
  color: z.enum(PLOT_COLORS).nullable(),
});

export type PlotRecord = z.output<typeof storedPlot>;

/** All that the engine stores under a name: readers need no code that runs to read it. */
export const STORED_RECORDS = {
  /** Last number of an order or intent. */
  row: storedCount,
  /** Place where the next reading of trades begins. Its name for one market: `nameOfList`. */
  'cursor.trades': storedCount,
  'left-out-trades': z.array(storedLeftOut).max(MOST_LEFT_OUT),
  names: storedNames,
  control: storedControl,
  locks: storedLocks,
  /** Strategies that may add no risk because of a loss limit. */
  'loss-limits': z.array(
    z.object({ strategy: z.string(), check: z.string(), reason: storedSentence, sinceMs: storedTimeMs }),
  ),
  /** Keys of the orders whose cancel was requested. */
  'wanted-cancels': z.array(z.string()),
  'by-hand': storedByHand,
  /** Issues that two readings have shown. */
  findings: z.array(storedIssue),
  credential: storedCredential,
  /** Time since when no request leaves because this machine is too slow. */
  'slow-machine': z.object({ sinceMs: storedTimeMs.nullable() }),
  /** Markets whose books stand still. */
  standstills: z.array(z.object({ market: z.string(), reason: storedSentence, sinceMs: storedTimeMs })),
  /** Time each feed was last read to its end, by its key. */
  'read-times': z.record(z.string(), storedTimeMs),
  /** Fills of orders whose strategies do not run, each with its order's tag and kind of exit. */
  'absent-fills': z.array(
    z.object({ fill: storedFillRecord, tag: z.string().nullable(), exit: z.enum(EXIT_KINDS).nullable() }),
  ),
  'balance-marks': storedBalanceMarks,
  reconciliation: storedReconciliation,
  /** Unfinished transfers; each is stored before its request leaves. */
  transfers: z.array(storedTransfer).max(MOST_TRANSFERS),
  universes: storedUniverses,
  plots: z.array(storedPlot),
  /** Requests that were sent since a day began in Tehran, by limit. */
  requests: z.object({ dayMs: storedTimeMs, counts: z.record(z.string(), storedCount) }),
  /** Strategies that have the code and params of their shadows. `setups`: as in the command. */
  promotions: z.array(
    z.object({ strategy: z.string(), shadow: z.string(), setups: z.string(), atMs: storedTimeMs }),
  ),
  /** Amount that strategies hold beyond what the account has, and since when, by coin. */
  'missing-coins': z.record(z.string(), z.object({ amount: storedUnits, sinceMs: storedTimeMs })),
} as const;

type StoredName = keyof typeof STORED_RECORDS;

/** Records that each list of own trades has; those of one market have its symbol behind their name. */
type ListRecord = 'cursor.trades' | 'left-out-trades';

type NameOfList<Name extends ListRecord> = Name | `${Name} ${string}`;

/** Returns the name of a record of a list; `market`: as in `ownListOf`. */
export function nameOfList<Name extends ListRecord>(name: Name, market: string | null): NameOfList<Name> {
  return market === null ? name : `${name} ${market}`;
}

/** Value that is stored under a name. */
export type StoredValue<Name extends StoredName> = z.output<(typeof STORED_RECORDS)[Name]>;

/** Values that can be stored, by name; units may also be decimal texts. */
export type StorableValues = {
  readonly [Name in StoredName]: Immutable<StoredValue<Name> | z.input<(typeof STORED_RECORDS)[Name]>>;
} & { readonly [signals: `signals ${string}`]: readonly unknown[] } & {
  readonly [Name in ListRecord as `${Name} ${string}`]: Immutable<StoredValue<Name>>;
};

const BY_NAME: { readonly [Name in StoredName]: z.ZodType<StoredValue<Name>> } = STORED_RECORDS;

const SCHEMAS: ReadonlyMap<string, z.ZodType> = new Map(Object.entries(STORED_RECORDS));

/** Returns why a text is not valid under its name in this version; null if it is, or the name is unknown. */
export function recordProblem(name: string, json: string): string | null {
  const [record = name] = name.split(' ');
  return storedProblem(SCHEMAS.get(record) ?? z.unknown(), json);
}

/** JSON texts of the engine's stored pieces of state, by name. */
export type StoredTexts = Readonly<Record<string, string>>;

/**
 * Returns the value stored under a name; null if there is none. Throws `DATA_UNUSABLE` if it is damaged.
 * `as`: its name in full, if it has more than that.
 */
export function restored<Name extends StoredName>(
  stored: StoredTexts,
  name: Name,
  as: string = name,
): StoredValue<Name> | null {
  const json = stored[as];
  return json === undefined ? null : readStored(BY_NAME[name], json, `what is kept of ${as}`);
}

/** As `restored`, from rows of the mirror. */
export function readRecord<Name extends StoredName>(
  stored: readonly { readonly name: string; readonly json: string }[],
  name: Name,
): StoredValue<Name> | null {
  const row = stored.find((one) => one.name === name);
  return row === undefined ? null : restored({ [name]: row.json }, name);
}
