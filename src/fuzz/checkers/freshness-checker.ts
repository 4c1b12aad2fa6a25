import { SarrafError } from '../../domain/errors.ts';
import { marketOfCurrencies } from '../../exchange/market-names.ts';
import { violationsOf, type Violation } from './violation.ts';
import type { LeavingRequest, WireWitness } from './watched-transport.ts';

const HTTP_OK = 200;

/** The default limit of the risk checks on the age of a book. */
const LONGEST_AGE_MS = 30_000;

/** An order that was checked may wait this long for its slot, and be sent a little later. */
const LONGEST_WAIT_MS = 4_000;

/** The bot reads ages from a clock that may be stepped, by twice what it may be off. */
const CLOCK_STEPS_MS = 30_000;

/** The default limit on a book that stands still. */
const LONGEST_STANDSTILL_MS = 60_000;

/** Bot's data on a market that stands still: its book, and the time a newer one was in the list of all. */
interface KnownBook {
  updatedAtMs: number;
  readonly newer: { readonly updatedAtMs: number; readonly seenAtMs: number } | null;
  /** The last reading of the book that does not move. */
  readAtMs: number;
}

/**
 * Nothing is placed on old data: when a placement leaves, an answer with the book of its market came no
 * longer ago than a book may be old and a placement may wait; and that book did not stand still while the
 * list of all books, read by the same life, had a newer one. Only exits of brackets may go on older data. One
 * checker watches all lives of a bot.
 */
export class FreshnessChecker implements WireWitness {
  private readonly found: { readonly name: string; readonly message: string }[] = [];
  /** Time of the last answer with a book, by its market; under `all` for an answer with every book. */
  private readonly answeredAtMs = new Map<string, number>();

  /** By market. */
  private readonly known = new Map<string, KnownBook>();

  begins(): void {
    this.known.clear();
  }

  leaves({ endpoint, fields, atMs }: LeavingRequest): void {
    if (endpoint.name !== 'addOrder') return;
    const market = marketIn(fields);
    const answers = [this.answeredAtMs.get(market), this.answeredAtMs.get('all')].filter(
      (time) => time !== undefined,
    );
    const ageMs = atMs - Math.max(Number.NEGATIVE_INFINITY, ...answers);
    const known = this.known.get(market);
    const slackMs = LONGEST_WAIT_MS + CLOCK_STEPS_MS;
    if (
      known !== undefined &&
      known.newer !== null &&
      atMs - known.updatedAtMs > LONGEST_STANDSTILL_MS + slackMs &&
      known.newer.updatedAtMs > known.updatedAtMs + slackMs &&
      known.readAtMs > known.newer.seenAtMs &&
      known.readAtMs > known.newer.updatedAtMs + slackMs
    ) {
      const name = String(fields['clientOrderId']);
      const message = `expected ${name} not to be placed on a book of ${market} that stands still since ${known.updatedAtMs} while there is one of ${known.newer.updatedAtMs}, was at ${atMs}`;
      this.found.push({ name, message });
    }
    if (ageMs <= LONGEST_AGE_MS + LONGEST_WAIT_MS + CLOCK_STEPS_MS) return;
    const name = String(fields['clientOrderId']);
    this.found.push({
      name,
      message: `expected ${name} to be placed on a book of ${market} of at most ${LONGEST_AGE_MS} ms, the last was answered ${ageMs} ms before ${atMs}`,
    });
  }

  isAnswered(request: LeavingRequest, { response, atMs }: Parameters<WireWitness['isAnswered']>[1]): void {
    const { endpoint, path } = request;
    if (response.status !== HTTP_OK) return;
    if (endpoint.name === 'allOrderBooks' || endpoint.name === 'allOrderBooksV3') {
      this.answeredAtMs.set('all', atMs);
      this.noteAll(response.body, atMs);
    }
    if (endpoint.name === 'orderBook' || endpoint.name === 'orderBookV3') {
      const market = path.slice(path.lastIndexOf('/') + 1);
      this.answeredAtMs.set(market, atMs);
      this.noteBook(market, updatedAtIn(response.body, null), atMs);
    }
  }

  private noteBook(market: string, updatedAtMs: number | null, atMs: number): void {
    const known = this.known.get(market);
    if (updatedAtMs === null) this.known.delete(market);
    else if (known?.updatedAtMs === updatedAtMs) known.readAtMs = atMs;
    else this.known.set(market, { updatedAtMs, newer: null, readAtMs: atMs });
  }

  private noteAll(body: string, atMs: number): void {
    for (const [market, known] of this.known) {
      const updatedAtMs = updatedAtIn(body, market);
      if (updatedAtMs === null || known.newer !== null || updatedAtMs <= known.updatedAtMs) continue;
      this.known.set(market, { ...known, newer: { updatedAtMs, seenAtMs: atMs } });
    }
  }

  /** `exits`: names of the orders by which brackets leave, which no age of a book holds back. */
  violations(exits: ReadonlySet<string>): readonly Violation[] {
    const found = this.found.filter(({ name }) => !exits.has(name));
    return violationsOf(
      'freshness',
      found.map(({ message }) => message),
    );
  }
}

/** `lastUpdate` of a book, or of one in the list of all; null where it can not be read. */
function updatedAtIn(body: string, market: string | null): number | null {
  try {
    const read: unknown = JSON.parse(body);
    const book: unknown = market === null ? read : (read as Record<string, unknown> | null)?.[market];
    const seconds = (book as { readonly lastUpdate?: unknown } | null | undefined)?.lastUpdate;
    return typeof seconds === 'number' && Number.isSafeInteger(seconds) ? seconds * 1_000 : null;
  } catch {
    return null;
  }
}

/** The market that a placement names, as the path of its book has it. */
function marketIn(fields: LeavingRequest['fields']): string {
  const [base, quote] = [fields['srcCurrency'], fields['dstCurrency']];
  if (typeof base === 'string' && typeof quote === 'string') return marketOfCurrencies(base, quote).symbol;
  throw new SarrafError(
    'INVARIANT',
    `expected a placement to name its currencies, was ${JSON.stringify(fields)}`,
  );
}
