import { parsedJson } from '../../domain/stored-json.ts';
import type { LevelledLine } from '../../mirror/row-pages.ts';
import { LOG_LEVELS, type LogItem } from '../schema/log.ts';
import { onOneLine } from '../api-error.ts';
import { sentencesIn } from './row-items.ts';
import { inEnglish } from '../../language/sentence.ts';

export function logItemOf({ seq, atMs, kind, subject, json, level }: LevelledLine): LogItem {
  const data = parsedJson(json);
  const said = inEnglish(data);
  const text = onOneLine(textOf(subject, said));
  return {
    seq,
    atMs,
    level: LOG_LEVELS[level],
    kind,
    subject,
    text,
    data: said,
    said: sentencesIn(kind, data),
  };
}

function textOf(subject: string, data: unknown): string {
  if (typeof data !== 'object' || data === null) return `${subject}: ${String(data)}`;
  const { text, fields, ...rest } = data as Readonly<Record<string, unknown>>;
  const values = Object.entries({ ...rest, ...(typeof fields === 'object' ? fields : {}) })
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
  const said = typeof text === 'string' ? text : subject;
  return values === '' ? said : `${said}: ${values}`;
}
