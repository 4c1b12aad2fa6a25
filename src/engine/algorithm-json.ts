import { z } from 'zod';
import { EXIT_KINDS } from '../domain/order.ts';
import { SarrafError, dataUnusable } from '../domain/errors.ts';
import {
  storedCount as count,
  storedTimeMs,
  storedUnits as units,
  storedForm,
  type Immutable,
} from '../domain/stored-json.ts';
import { shapeOf, STORED_CODECS, storedSentence } from '../records/field.ts';
import { ORDER, PRICED_ORDER } from '../records/order.ts';

/** Version of the stored form. Other versions are refused, as their meaning is unknown. */
const VERSION = 1;

const timeMs = storedTimeMs;
const { side } = STORED_CODECS;
/** Fields of an order whose price is required, and of one whose price is optional. */
const priced = shapeOf(PRICED_ORDER, ['side', 'price', 'amount'], STORED_CODECS);
const { tag, stopPrice, ...terms } = shapeOf(
  ORDER,
  ['side', 'price', 'amount', 'stopPrice', 'tag'],
  STORED_CODECS,
);
/**
 * Amount filled by the ended orders of an algorithm with one order at a time. It is stored, not summed again:
 * after a restart, orders that ended long ago are in no view.
 */
const tally = z.strictObject({
  filled: units,
  /** The last order that was counted; all orders before it were counted too. Null before the first. */
  countedKey: z.string().nullable(),
});
/** Failed orders since the last success, and the pause after them. */
const setbacks = z.strictObject({
  inARow: count,
  /** Time before which nothing is placed; null if there is no pause. */
  retryAtMs: timeMs.nullable(),
  /** Reason of the last failure, for people. */
  reason: storedSentence.nullable(),
  /** Best prices at the last failure; null if they were not known. */
  bid: units.nullable().default(null),
  ask: units.nullable().default(null),
});
const level = z.strictObject({ by: z.enum(['price', 'ratio', 'distance', 'money']), units });
/** One order of a desired set. */
const quote = z.strictObject({
  ...priced,
  /**
   * Texts of the strategy: the price is fitted again when the steps change, and an equal text is not parsed
   * again.
   */
  wishedPrice: z.string(),
  wishedAmount: z.string(),
  /** Time of the last refusal; null if there was none. */
  refusedAtMs: timeMs.nullable(),
});

const sliced = {
  ...terms,
  overMs: z.int().positive(),
  slices: z.int().positive(),
  startedAtMs: timeMs,
  /** Index of the first slice, counted from 0, that is neither placed nor missed. */
  nextSlice: count,
  /** Amount carried into the next slice: the rest of a limit order, or a slice too small for an order. */
  carry: units,
  tally,
};

const target = z.strictObject({
  kind: z.literal('target'),
  /** Position to reach; for a value or a share, null until the first price is known. */
  position: units.nullable(),
  /** Target value of the position, in the quote currency. */
  value: units.nullable(),
  /** Target share of the equity, in units of 1e-10: all of it is 1e10. */
  equityShare: units.nullable(),
  /** Limit price of its orders; null for market orders. */
  price: units.nullable(),
  placed: count,
  setbacks,
  tally,
});

/** One market of a set of shares. */
const leg = z.strictObject({
  market: z.string(),
  /** Target share of the equity, in units of 1e-10: all of it is 1e10. */
  share: units,
  /** Deviation from the share that is allowed without a trade; the same units. */
  band: units,
  /** Side of the trade; null until equity and prices are known. */
  side: side.nullable(),
  target,
  /** Reason it is over; null while it is not. */
  done: storedSentence.nullable(),
});

/** Terms of a bracket as requested. Levels are measured from the average price paid. */
const bracketTerms = z.strictObject({
  /** Purchase that it begins with; null if the position already exists. */
  entry: z
    .strictObject({
      amount: units,
      /** Limit price; null for a market order. */
      price: units.nullable(),
      /** Time in ms since 1970 at which the unfilled rest is canceled; null: never. */
      expiresAtMs: timeMs.nullable(),
    })
    .nullable(),
  takeProfit: level.nullable(),
  /** Later targets, the earliest first. Each is valid from `afterMs` after the first fill. */
  laterTargets: z.array(z.strictObject({ afterMs: timeMs, at: level })).default([]),
  stopLoss: level.nullable(),
  /** Rule by which the stop follows the price. */
  trail: z
    .strictObject({
      /** Distance of the stop below the highest price. */
      by: level,
      /** Rise of the price above the price paid from which the stop follows; null: it follows at once. */
      after: level.nullable().default(null),
      /** Smallest move of the stop, as a share of the price in units of 1e-10. */
      minStep: units,
      /** Prices that the stop follows: closes of bars, highs of bars, or each polled bid. */
      on: z.enum(['close', 'high', 'poll']),
      /** Minimum time between two moves of the stop, in ms. */
      everyMs: timeMs,
    })
    .nullable(),
  /** Rise of the price from which the stop is at least the price paid. */
  breakEvenAt: level.nullable(),
  /** Maximum time a position is held, in ms from its first fill. */
  timeStopMs: timeMs.nullable(),
  /** Distance of the stop leg's limit below its stop price: a share of the stop price, in units of 1e-10. */
  stopSlip: units,
  /** After others cancel an exit: `ask` a person, `replace` it, or `leave` the position without one. */
  whenCanceled: z.enum(['ask', 'replace', 'leave']),
  /** Strategy's own text that each of its orders carries; null for none. */
  tag: z.string().nullable(),
});

/** A sale that a bracket makes in place of its exit. A sale of all that it holds stays until all is sold. */
const leaving = z.strictObject({
  exit: z.enum(EXIT_KINDS),
  /** Reason of the sale, in a few words. */
  why: storedSentence,
  /** Limit price; null for a sale at the market. */
  price: units.nullable().default(null),
  /** Amount still to be sold; null for all that is held. */
  amount: units.nullable().default(null),
  /** Tag of the sale; null for the tag of the bracket. */
  tag: z.string().nullable().default(null),
});

const algorithm = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('quotes'),
    /** Price step of the market version that the set is fitted to. */
    priceStep: units,
    /**
     * Quotes of the set. The array stays the same object while the set is the same, so that a reader sees
     * that only its age changed.
     */
    quotes: z.array(quote),
    setAtMs: timeMs,
    maxQuoteAgeMs: timeMs,
  }),
  z.strictObject({
    kind: z.literal('replace'),
    replacedKey: z.string(),
    ...priced,
    /**
     * Amount to place, once it is certain; null before. Stored, because views do not contain the old order
     * forever.
     */
    remainder: units.nullable(),
  }),
  target,
  z.strictObject({
    kind: z.literal('targets'),
    legs: z.array(leg),
    /** Maximum number of live orders at once. */
    atOnce: z.int().positive(),
    /** Keys of orders of the targets that this one replaced: nothing is placed before they have ended. */
    awaited: z.array(z.string()),
  }),
  z.strictObject({ kind: z.literal('twap'), ...sliced }),
  z.strictObject({
    kind: z.literal('vwap'),
    ...sliced,
    /** Amount of each slice, on the market's steps as they were at the beginning. */
    parts: z.array(units),
  }),
  z.strictObject({
    kind: z.literal('ladder'),
    side,
    /** Its orders, on the steps of its market. */
    rungs: z.array(z.strictObject({ price: units, amount: units })),
    /** Time at which its orders are canceled; null if they rest until they are filled or canceled. */
    expiresAtMs: timeMs.nullable(),
    /** Index of the first rung, counted from 0, that is not known to have been placed. */
    nextRung: count,
    /** True if the rung `nextRung` was requested and its outcome is not known. */
    isAsked: z.boolean(),
    /** Keys of the orders that were counted, refused ones included. */
    keys: z.array(z.string()),
    setbacks,
  }),
  z.strictObject({
    kind: z.literal('peg'),
    side,
    amount: units,
    /** Highest price of a purchase, or lowest price of a sale. */
    bound: units,
    /** Number of price steps behind the best price. */
    offset: count,
    /** Smallest move, as a part of the price in units of 1e-10. */
    minStep: units,
    /** Shortest time between two moves, in ms. */
    everyMs: z.int().positive(),
    /** Time at which it ends; null if it ends only when it is filled. */
    expiresAtMs: timeMs.nullable(),
    /** Share of the order budget that it may use, in units of 1e-10. */
    share: units,
    /** Time of its last placement, or of the start of a move; null before. */
    movedAtMs: timeMs.nullable(),
    /** Time since which its order is known to rest; null if none rests. */
    restsSinceMs: timeMs.nullable(),
    /** True if its order is being canceled to be placed again. */
    isMoving: z.boolean(),
    setbacks,
    tally,
  }),
  z.strictObject({
    kind: z.literal('dca'),
    value: units,
    everyMs: z.int().positive(),
    /** Number of purchases; null if it goes on until it is ended. */
    times: z.int().positive().nullable(),
    /**
     * Factors for purchases by rising distance below the highest price, a part of that price in units of
     * 1e-10: 5 percent is 5e8.
     */
    steps: z.array(z.strictObject({ below: units, factor: units })),
    startedAtMs: timeMs,
    /** Index of the first purchase time, counted from 0, that was neither begun nor missed. */
    nextTime: count,
    highest: units.nullable(),
    /** Cost of the current purchase; 0 if there is none. */
    toSpend: units,
    /** Cost of purchases beyond their values that is not yet deducted from another purchase. */
    overspent: units,
    setbacks,
    tally,
  }),
  z.strictObject({ kind: z.literal('iceberg'), ...priced, visible: units, setbacks, tally }),
  z.strictObject({
    kind: z.literal('expiring'),
    ...terms,
    stopPrice,
    tag,
    expiresAtMs: timeMs,
    isPlaced: z.boolean(),
  }),
  z.strictObject({
    kind: z.literal('bracket'),
    terms: bracketTerms,
    /** State of the entry order; `ended` also if there is none. */
    entry: z.enum(['planned', 'asked', 'ended']),
    /**
     * Amount from entry orders that have ended (less fees), from a position that existed before, and from the
     * dust that earlier exits left.
     */
    bought: units,
    /** Amount bought before fees and without dust, and its cost: `spent / gross` is the average price. */
    gross: units,
    spent: units,
    /** Fills of exit orders that have ended. */
    exits: tally,
    /** Time of the first fill, or of the start if the position existed before; null before. */
    heldSinceMs: timeMs.nullable(),
    /** Price from which the trail begins, if the position existed before; null: from the price paid. */
    trailsFrom: units.nullable().default(null),
    /** Highest followed price since the position began; null before the first. */
    highest: units.nullable(),
    /** End of the last bar that was applied to the stop, in ms since 1970; 0 before the first. */
    closeAtMs: timeMs,
    /** Stop price as raised by the trail or the break-even, never lowered; null while neither has. */
    raisedStop: units.nullable(),
    /** Rule that raised the stop last; null while neither has. */
    raisedBy: z.enum(['trail', 'break-even']).nullable(),
    /** Time of the trail's last move, in ms since 1970; null before the first. */
    trailedAtMs: timeMs.nullable(),
    /** True if the bracket itself requested the cancel of its resting exit. */
    isMoving: z.boolean(),
    /** True while the stop rests without its pair because the exchange refused the pair. */
    isStopAlone: z.boolean(),
    leaving: leaving.nullable(),
    /** Keys of other orders that hold the coins to be sold: the sale waits until these are canceled. */
    awaited: z.array(z.string()).default([]),
    /**
     * Reason and time since when no exit is placed, because the position may be gone: somebody else canceled
     * its exit, or took its coins. Missing in rows of versions that placed an exit again without asking.
     */
    unclear: z
      .strictObject({ why: z.enum(['exit-canceled', 'coins-left']), sinceMs: timeMs })
      .nullable()
      .default(null),
    setbacks,
  }),
]);

/**
 * State of one intent that is served by several orders over time. It is immutable; `algorithmToJson` makes it
 * a text for the mirror.
 */
export type Algorithm = Immutable<z.output<typeof algorithm>>;

/** State of an intent of one kind. */
export type AlgorithmOf<Kind extends Algorithm['kind']> = Extract<Algorithm, { readonly kind: Kind }>;

export type Tally = Immutable<z.output<typeof tally>>;
export type Setbacks = Immutable<z.output<typeof setbacks>>;

/** Schema of an algorithm in the mirror. */
export const storedAlgorithm = z.strictObject({ version: z.literal(VERSION), algorithm });

/** Returns an algorithm as JSON text for the mirror; units are decimal texts. */
export function algorithmToJson(state: Algorithm): string {
  return JSON.stringify(storedForm({ version: VERSION, algorithm: state }));
}

/**
 * Reads a stored algorithm. @throws SarrafError `DATA_UNUSABLE` for any version, kind or field that this
 * version of sarraf does not write.
 */
export function algorithmFromJson(text: string): Algorithm {
  const read = storedAlgorithm.safeParse(parsed(text));
  if (read.success) return read.data.algorithm;
  const [issue] = read.error.issues;
  throw unusable(
    `${['algorithm', ...(issue?.path ?? [])].join('.')}: ${issue?.message ?? 'of an unknown shape'}`,
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw unusable(`no JSON, begins with ${JSON.stringify(text.slice(0, 40))}`);
  }
}

function unusable(found: string): SarrafError {
  return dataUnusable(
    `expected a stored algorithm of version ${VERSION}, was ${found}; run the version of sarraf that wrote it, or cancel its intent there`,
  );
}
