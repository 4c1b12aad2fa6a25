import { z } from 'zod';
import { isLoopbackName } from '../allowed-host.ts';

/** Port of the page if none is set. */
const DEFAULT_PORT = 8_420;

/** The page of the bot, and the API behind it. */
export const dashboardSettings = z
  .strictObject({
    host: z
      .string()
      .min(1)
      .prefault('127.0.0.1')
      .describe('Address that it listens at. One that other machines reach needs tls, or insecure: true.'),
    port: z
      .int()
      .min(0)
      .max(65_535)
      .nullable()
      .optional()
      .describe(
        `Its port; 0 takes a free one, null serves no page. Without it, ${DEFAULT_PORT} where that is free.`,
      ),
    insecure: z
      .boolean()
      .prefault(false)
      .describe(
        'Whether it may be reached from other machines without TLS: whoever listens there reads tokens.',
      ),
    hosts: z
      .array(z.hostname().toLowerCase())
      .max(100)
      .prefault([])
      .describe(
        'Further names under which the page and the health answers are asked for, such as bot.example.com.',
      ),
    tls: z
      .strictObject({
        certificate: z.string().min(1).describe('File with the certificate and its chain, as PEM.'),
        key: z.string().min(1).describe('File with its private key, as PEM.'),
      })
      .nullable()
      .prefault(null)
      .describe('Serves HTTPS. Without it, HTTP.'),
  })
  .refine(({ host, insecure, tls }) => isLoopbackName(host) || insecure || tls !== null, {
    path: ['host'],
    error:
      'expected an address of this machine alone, such as 127.0.0.1, or dashboard.tls, or dashboard.insecure: true',
  })
  .transform(({ port = DEFAULT_PORT, ...rest }, context) => ({
    ...rest,
    port,
    /** True if the file sets the port: then an occupied port ends the run. */
    isPortWritten: hasPort(context.value),
  }))
  .prefault({});

function hasPort(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'port' in value && value.port !== undefined;
}
