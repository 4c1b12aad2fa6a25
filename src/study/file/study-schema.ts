import { z } from 'zod';
import type { JsonSchema } from '../../daemon/bot-schema.ts';
import { studySettings } from '../study-settings.ts';

/** The shape of a study's file as a JSON Schema for editors, made from the checks themselves. */
export function studySchema(): JsonSchema {
  const schema = z.toJSONSchema(studySettings, { io: 'input', unrepresentable: 'any' }) as JsonSchema;
  return { ...schema, description: 'A study of sarraf: which params of a strategy are tried, and how.' };
}
