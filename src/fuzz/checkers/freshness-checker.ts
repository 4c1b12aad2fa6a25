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

/**
 * Nothing is placed on old data: when a placement leaves, an answer with the book of its market came no
 * longer ago than a book may be old and a placement may wait. Only exits of brackets may go on older data.
 * One checker watches all lives of a bot.
 */
export class FreshnessChecker implements WireWitness {
  private readonly found: { readonly name: string; readonly message: string }[] = [];
  /** When a book was answered last, by its market; under `all` when every book was. */
  private readonly answeredAtMs = new Map<string, number>();

  leaves({ endpoint, fields, atMs }: LeavingRequest): void {
    if (endpoint.name !== 'addOrder') return;
    const market = marketIn(fields);
    const answers = [this.answeredAtMs.get(market), this.answeredAtMs.get('all')].filter(
      (time) => time !== undefined,
    );
    const ageMs = atMs - Math.max(Number.NEGATIVE_INFINITY, ...answers);
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
    if (endpoint.name === 'allOrderBooks') this.answeredAtMs.set('all', atMs);
    if (endpoint.name === 'orderBook' || endpoint.name === 'orderBookV3') {
      this.answeredAtMs.set(path.slice(path.lastIndexOf('/') + 1), atMs);
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

/** The market that a placement names, as the path of its book has it. */
function marketIn(fields: LeavingRequest['fields']): string {
  const [base, quote] = [fields['srcCurrency'], fields['dstCurrency']];
  if (typeof base === 'string' && typeof quote === 'string') return marketOfCurrencies(base, quote).symbol;
  throw new SarrafError(
    'INVARIANT',
    `expected a placement to name its currencies, was ${JSON.stringify(fields)}`,
  );
}
