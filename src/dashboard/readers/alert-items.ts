import { existsSync } from 'node:fs';
import { AlertOutbox } from '../../alerts/outbox/alert-outbox.ts';
import type { AlertFilter, ListedAlert } from '../../alerts/outbox/alert-rows.ts';
import { openOutboxFile, outboxPath } from '../../alerts/outbox/outbox-file.ts';
import { alertText } from '../../alerts/text/alert-text.ts';
import { localeOf, type Language } from '../../language/locale.ts';
import { asApiError } from '../folder/mirror-source.ts';
import type { AlertItem } from '../schema/alert.ts';

/** Open alerts of an overview. */
const MOST_OPEN = 50;

/** The alerts of a data folder, as its outbox has them. None where no alerts are watched for. */
export class AlertItems {
  private readonly dataFolder: string;
  private readonly language: Language;

  constructor(dataFolder: string, language: Language) {
    this.dataFolder = dataFolder;
    this.language = language;
  }

  /** Newest first. Throws `ApiError` where the outbox can not be read. */
  list(filter: AlertFilter): readonly AlertItem[] {
    const alerts = this.open((outbox) => outbox.list(filter)) ?? [];
    return alerts.map((alert) => this.itemOf(alert));
  }

  /** Those that are open, for an overview: none where the outbox can not be read, which the log says. */
  openNow(): readonly AlertItem[] {
    try {
      return this.list({ isOpenOnly: true, last: MOST_OPEN, beforeId: null });
    } catch {
      return [];
    }
  }

  /** Answers whether there is an alert of that id. */
  acknowledge(id: number, of: { readonly by: string; readonly atMs: number }): boolean {
    return (
      this.open((outbox) => {
        if (outbox.acknowledge(id, of)) return true;
        return outbox.list({ isOpenOnly: false, last: 1, beforeId: id + 1 }).at(0)?.id === id;
      }) ?? false
    );
  }

  private open<Result>(work: (outbox: AlertOutbox) => Result): Result | null {
    if (!existsSync(outboxPath(this.dataFolder))) return null;
    try {
      const outbox = new AlertOutbox(openOutboxFile(this.dataFolder));
      try {
        return work(outbox);
      } finally {
        outbox.close();
      }
    } catch (error) {
      throw asApiError(error);
    }
  }

  private itemOf({ id, facts, key, ...alert }: ListedAlert): AlertItem {
    return {
      id: String(id),
      rule: facts.rule,
      severity: alert.severity,
      subject: key,
      text: alertText(facts, localeOf(this.language)),
      texts: { en: alertText(facts, localeOf('en')), fa: alertText(facts, localeOf('fa')) },
      openedAtMs: alert.openedAtMs,
      endedAtMs: alert.endedAtMs,
      acknowledgedAtMs: alert.acknowledgedAtMs,
      acknowledgedBy: alert.acknowledgedBy,
      deliveries: alert.deliveries.map((delivery) => ({ ...delivery })),
    };
  }
}
