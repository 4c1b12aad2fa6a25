import { createTransport } from 'nodemailer';
import { problemOf, type ChannelTransport, type SendResult } from './channel.ts';

export interface EmailOptions {
  readonly host: string;
  readonly port: number;
  /** True if TLS begins with the connection; otherwise STARTTLS is used if the server has it. */
  readonly isSecure: boolean;
  readonly user: string | null;
  readonly password: string | null;
  readonly from: string;
  readonly to: readonly string[];
}

const CONNECTS_WITHIN_MS = 10_000;
const ANSWERS_WITHIN_MS = 15_000;
/** Lowest code of the replies that are final (RFC 5321, 4.2.1). */
const LEAST_FINAL = 500;

/** Returns the outcome of a message from an error of the mail server. */
function emailResult(error: unknown): SendResult {
  const { responseCode } = error as { readonly responseCode?: number };
  const problem = problemOf(error);
  if (responseCode === undefined) return { kind: 'retry', afterMs: null, problem };
  return responseCode >= LEAST_FINAL
    ? { kind: 'refused', problem, answered: responseCode }
    : { kind: 'retry', afterMs: null, problem, answered: responseCode };
}

/** Sends e-mails by SMTP. The id of a message is its Message-ID too, so that a duplicate is recognised. */
export function createEmailTransport(options: EmailOptions): ChannelTransport {
  const { host, port, isSecure, user, password, from, to } = options;
  const transport = createTransport({
    host,
    port,
    secure: isSecure,
    ...(user === null || password === null ? {} : { auth: { user, pass: password } }),
    connectionTimeout: CONNECTS_WITHIN_MS,
    greetingTimeout: CONNECTS_WITHIN_MS,
    socketTimeout: ANSWERS_WITHIN_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    async deliver({ id, title, lines, footer, picture, severity }) {
      try {
        await transport.sendMail({
          from,
          to: [...to],
          subject: title,
          text: [...lines, '', footer].join('\n'),
          messageId: `<${id}@sarraf.invalid>`,
          ...(severity === 'critical' ? { priority: 'high' as const } : {}),
          ...(picture === null ? {} : { attachments: [{ filename: 'equity.png', content: picture }] }),
        });
        return { kind: 'delivered' };
      } catch (error) {
        return emailResult(error);
      }
    },
    async close() {
      transport.close();
    },
  };
}
