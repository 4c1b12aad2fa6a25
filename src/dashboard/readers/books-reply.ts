import type { MirrorReader } from '../../mirror/mirror-reader.ts';
import { readReconciliation } from '../../mirror/read-reconciliation.ts';
import { transfersNow } from '../../mirror/transfers-now.ts';
import { hasWriter } from '../../mirror/writer-lock.ts';
import type { BooksReply } from '../schema/books.ts';
import { formatUnits } from '../../domain/money.ts';
import { english, sentenceFacts } from '../../language/sentence.ts';

export function booksReplyOf(reader: MirrorReader): BooksReply {
  const report = readReconciliation(reader);
  const { books, findings, differences, unknownTransfers: _unknown, ...state } = report;
  return {
    ...state,
    why: english(state.why),
    blockedBy: english(state.blockedBy),
    whyFacts: sentenceFacts(state.why),
    blockedByFacts: sentenceFacts(state.blockedBy),
    differences: differences.map(({ currency, expected, found, difference }) => ({
      currency,
      expected,
      found,
      difference,
    })),
    findings: findings.map(({ subject, field, expected, found, sinceMs, isGrave }) => ({
      subject,
      field,
      expected,
      found,
      sinceMs,
      isGrave,
    })),
    transfers: transfersNow(reader.kept(), hasWriter(reader.path)).map((transfer) => ({ ...transfer })),
    balances: reader.balances().map(({ currency, total, held, seenAtMs }) => ({
      currency,
      total: formatUnits(total),
      held: formatUnits(held),
      expected: books[currency] ?? null,
      seenAtMs,
    })),
  };
}
