import { timingSafeEqual } from 'node:crypto';
import { SarrafError } from '../../../domain/errors.ts';
import { parseJson } from '../../../exchange/json.ts';
import { AdminRefusal, type AdminCommand, type AdminContext } from './admin-command.ts';
import { clockCommands } from './clock-commands.ts';
import { marketCommands } from './market-commands.ts';
import { moneyCommands } from './money-commands.ts';
import { orderCommands } from './order-commands.ts';
import { readCommands } from './read-commands.ts';
import { userCommands } from './user-commands.ts';

const COMMANDS: readonly AdminCommand[] = [
  ...moneyCommands,
  ...orderCommands,
  ...marketCommands,
  ...userCommands,
  ...clockCommands,
  ...readCommands,
];

/** Prefix of all commands. */
export const ADMIN_PREFIX = '/_sim/';

export interface AdminRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** Value of the header `Authorization`: `Bearer <token>`. */
  readonly authorization: string;
  readonly body: string;
  readonly ip: string;
}

export interface AdminAnswer {
  readonly status: number;
  readonly body: string;
}

/** The administrator's door: only from this machine, with a token of its own, JSON in and out. */
export class AdminApi {
  private readonly context: AdminContext;
  private readonly token: Buffer;

  constructor(context: AdminContext, token: string) {
    this.context = context;
    this.token = Buffer.from(`Bearer ${token}`);
  }

  handle(request: AdminRequest): AdminAnswer {
    if (!isLoopbackIp(request.ip))
      return answer(403, { error: 'Forbidden', message: `expected this machine, was ${request.ip}` });
    const given = Buffer.from(request.authorization);
    if (given.length !== this.token.length || !timingSafeEqual(given, this.token)) {
      return answer(401, {
        error: 'Unauthorized',
        message: 'expected Authorization: Bearer and the administrator token',
      });
    }
    const [path = '', query = ''] = request.path.slice(ADMIN_PREFIX.length - 1).split('?', 2);
    const atPath = COMMANDS.filter((command) => command.path === path.replace(/\/$/, ''));
    const command = atPath.find(({ method }) => method === request.method);
    if (command === undefined) return unknownCommand(request.method, atPath);
    return this.run(command, { query, body: request.body });
  }

  private run(command: AdminCommand, sent: { readonly query: string; readonly body: string }): AdminAnswer {
    let fields: unknown;
    try {
      fields = sent.body === '' ? Object.fromEntries(new URLSearchParams(sent.query)) : parseJson(sent.body);
    } catch {
      return answer(400, { error: 'InvalidInput', problems: [{ path: '', message: 'expected JSON' }] });
    }
    const input = command.input.safeParse(fields);
    if (!input.success) {
      const problems = input.error.issues.map(({ path, message }) => ({
        path: path.map(String).join('.'),
        message,
      }));
      return answer(400, { error: 'InvalidInput', problems });
    }
    try {
      return answer(200, command.run(this.context, input.data));
    } catch (error) {
      if (error instanceof SarrafError && error.code !== 'INVARIANT') {
        return answer(400, { error: error.code, message: error.message });
      }
      if (!(error instanceof AdminRefusal)) throw error;
      return answer(error.status, {
        error: error.status === 404 ? 'NotFound' : 'Refused',
        message: error.message,
      });
    }
  }
}

function answer(status: number, body: unknown): AdminAnswer {
  return {
    status,
    body: JSON.stringify(body, (_name, value: unknown) =>
      typeof value === 'bigint' ? String(value) : value,
    ),
  };
}

function unknownCommand(method: string, atPath: readonly AdminCommand[]): AdminAnswer {
  if (atPath.length > 0) {
    const allowed = atPath.map((command) => command.method).join(', ');
    return answer(405, { error: 'MethodNotAllowed', message: `expected ${allowed}, was ${method}` });
  }
  const commands = COMMANDS.map(
    (command) => `${command.method} ${ADMIN_PREFIX.slice(0, -1)}${command.path}: ${command.summary}`,
  );
  return answer(404, { error: 'NotFound', message: 'expected one of the commands', commands });
}

/** True if an address is of this machine. */
export function isLoopbackIp(ip: string): boolean {
  const plain = ip.startsWith('::ffff:') ? ip.slice(7) : ip;
  return plain === '::1' || /^127(?:\.\d{1,3}){3}$/.test(plain);
}
