import type { Logger } from 'pino';
import { createLogger, type LoggerOptions } from '../../../../src/daemon/run/create-logger.ts';

/** Makes a logger whose lines are collected. */
export function captureLog(options: Partial<LoggerOptions> = {}): {
  readonly logger: Logger;
  readonly lines: readonly string[];
  readonly records: () => readonly Record<string, unknown>[];
} {
  const lines: string[] = [];
  const logger = createLogger({
    level: 'debug',
    pretty: false,
    destination: { write: (line) => void lines.push(line) },
    ...options,
  });
  return { logger, lines, records: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>) };
}
